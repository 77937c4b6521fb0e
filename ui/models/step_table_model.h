// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/timing/step_record.h"

namespace meshreel {

/// The steps of one run, a row each; what the step chart draws and exports.
class StepTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Step, Timestep, Sigma, Seconds, LatentMin, LatentMax, LatentMean, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// `resumedFrom`: the steps that continuations of the run began with, counted from 0.
    void setRecords(std::vector<StepRecord> records, std::vector<int> resumedFrom = {});
    void append(const std::vector<StepRecord>& records);
    void clear() { setRecords({}); }
    [[nodiscard]] const std::vector<StepRecord>& records() const { return m_records; }
    [[nodiscard]] const std::vector<int>& resumedFrom() const { return m_resumedFrom; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<StepRecord> m_records;
    std::vector<int> m_resumedFrom;
};

}  // namespace meshreel
