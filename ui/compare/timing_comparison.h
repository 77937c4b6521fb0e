// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <string_view>
#include <vector>

#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {

/// comparisonTable() on screen: a row a run in the order given, a column a time or setting, with how much
/// longer each took than the fastest. What was not measured is a dash, and sorts last.
class TimingComparison : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setRuns(std::vector<RunRecord> runs);
    [[nodiscard]] const RunRecord& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }
    /// Of a column of comparisonTable(), or of "slower"; -1 where there is no such column.
    [[nodiscard]] int columnOf(std::string_view name) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    static DataTable timingTable(const std::vector<RunRecord>& runs);
    [[nodiscard]] const DataCell& cell(int row, int column) const;
    [[nodiscard]] bool isFastest(int row) const;

    std::vector<RunRecord> m_runs;
    DataTable m_table = timingTable({});
};

}  // namespace meshreel
