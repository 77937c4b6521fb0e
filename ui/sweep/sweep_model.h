// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/measure/sweep.h"
#include "engine/project/sweep_file.h"

namespace meshreel {

/// The cells of a sweep: their settings, how far they are, and what they took.
class SweepModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum class CellState { Waiting, Begun, Done, Refused };

    using QAbstractTableModel::QAbstractTableModel;

    void setSweep(std::shared_ptr<const SweepFile> sweep, std::vector<SweepRow> rows);
    void addRow(const SweepRow& row);

    [[nodiscard]] const std::vector<SweepRow>& passes() const { return m_rows; }
    [[nodiscard]] CellState stateOf(int row) const;
    /// How many cells are in this state.
    [[nodiscard]] int cellsThatAre(CellState state) const;
    /// Every pass as `meshreel sweep` writes it.
    [[nodiscard]] std::string csv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    /// Columns behind those of the settings.
    enum Result { Seconds, Spread, Speed, State, ResultCount };

    struct Cell {
        SweepCell cell;
        std::vector<double> seconds;  ///< in rising order
        QString refusal;

        [[nodiscard]] double median() const { return medianOf(seconds); }
    };

    void add(Cell& cell, const SweepRow& row);
    [[nodiscard]] const Cell& referenceOf(const Cell& cell) const;
    [[nodiscard]] QString settingText(const Cell& cell, int column) const;
    [[nodiscard]] QVariant resultText(const Cell& cell, Result result) const;
    [[nodiscard]] QString stateText(const Cell& cell) const;
    [[nodiscard]] int settingCount() const;

    std::shared_ptr<const SweepFile> m_sweep;
    std::vector<SweepRow> m_rows;
    std::vector<Cell> m_cells;
};

}  // namespace meshreel
