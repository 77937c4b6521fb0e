// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/timing/verdict.h"

namespace meshreel {

struct RunPlan;

/// The rows of a benchmark: what they took, which part of the machine's own limit that is, and the verdict
/// beside an earlier measurement.
class BenchModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Row, Time, Share, VerdictColumn, Before, Rate, ColumnCount };

    /// Of Share: the part of the machine's limit, a double; invalid where the row has none.
    static constexpr int PartRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<BenchmarkRow> rows);
    /// In the place of the row of its name, or behind all.
    void addRow(const BenchmarkRow& row);
    /// Times that the rows are compared with.
    void setBaseline(SecondsByRow seconds);
    /// What the open project's runs compute is bold; null: nothing is known of it.
    void setPlan(std::shared_ptr<const RunPlan> plan);

    [[nodiscard]] const std::vector<BenchmarkRow>& rows() const { return m_rows; }
    [[nodiscard]] const BenchmarkRow& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] bool isOwn(int row) const { return m_own[static_cast<std::size_t>(row)]; }
    /// Returns what judge() says beside the baseline; nothing where there is none.
    [[nodiscard]] const std::optional<Verdict>& verdict(int row) const {
        return m_verdicts[static_cast<std::size_t>(row)];
    }
    /// Returns whether the machine's limit moved so much beside it that its share says nothing.
    [[nodiscard]] bool isRestless(int row) const;
    /// benchmarkTable() of all.
    [[nodiscard]] std::string csv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QString text(int row, int column) const;
    [[nodiscard]] QString shareText(const BenchmarkRow& row) const;
    void markOwn();
    void judgeAll();
    void tellOfAll();

    std::vector<BenchmarkRow> m_rows;
    std::vector<bool> m_own;
    std::vector<std::optional<Verdict>> m_verdicts;  ///< of the rows
    SecondsByRow m_before;
    std::shared_ptr<const RunPlan> m_plan;
};

}  // namespace meshreel
