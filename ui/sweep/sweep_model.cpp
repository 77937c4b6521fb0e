// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sweep/sweep_model.h"

#include <QLocale>
#include <algorithm>

#include "ui/models/key_texts.h"

namespace meshreel {

namespace {

constexpr int fixedSettings = 2;  ///< strategy and batch, around the axes
constexpr double percent = 100;

QString secondsText(double seconds) {
    return QLocale().toString(seconds, 'f', 3);
}

}  // namespace

void SweepModel::setSweep(std::shared_ptr<const SweepFile> sweep, std::vector<SweepRow> rows) {
    beginResetModel();
    m_sweep = std::move(sweep);
    m_rows = std::move(rows);
    m_cells.clear();
    for (SweepCell& cell : sweepCells(*m_sweep))
        m_cells.push_back({.cell = std::move(cell), .seconds = {}, .refusal = {}});
    for (const SweepRow& row : m_rows)
        for (Cell& cell : m_cells)
            if (cell.cell.name() == row.cell)
                add(cell, row);
    endResetModel();
}

void SweepModel::add(Cell& cell, const SweepRow& row) {
    if (row.refusal.empty())
        cell.seconds.insert(std::ranges::upper_bound(cell.seconds, row.seconds), row.seconds);
    else
        cell.refusal = sentenceText(row.refusal);
}

void SweepModel::addRow(const SweepRow& row) {
    m_rows.push_back(row);
    const auto found =
        std::ranges::find_if(m_cells, [&](const Cell& cell) { return cell.cell.name() == row.cell; });
    if (found == m_cells.end())
        return;
    add(*found, row);
    // All rows: speeds are against another row.
    emit dataChanged(index(0, settingCount()), index(rowCount() - 1, columnCount() - 1));
}

SweepModel::CellState SweepModel::stateOf(int row) const {
    const Cell& cell = m_cells[static_cast<std::size_t>(row)];
    if (!cell.refusal.isEmpty())
        return CellState::Refused;
    if (static_cast<int>(cell.seconds.size()) >= m_sweep->repeats)
        return CellState::Done;
    return cell.seconds.empty() ? CellState::Waiting : CellState::Begun;
}

int SweepModel::cellsThatAre(CellState state) const {
    int count = 0;
    for (int row = 0; row < rowCount(); ++row)
        count += stateOf(row) == state ? 1 : 0;
    return count;
}

std::string SweepModel::csv() const {
    return csvOf(sweepTable(*m_sweep, m_rows));
}

int SweepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_cells.size());
}

int SweepModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || m_sweep == nullptr ? 0 : settingCount() + ResultCount;
}

int SweepModel::settingCount() const {
    return fixedSettings + static_cast<int>(m_sweep->axes.size());
}

QVariant SweepModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Cell& cell = m_cells[static_cast<std::size_t>(index.row())];
    const bool isSetting = index.column() < settingCount();
    const auto result = static_cast<Result>(index.column() - settingCount());
    if (role == Qt::DisplayRole)
        return isSetting ? QVariant(settingText(cell, index.column())) : resultText(cell, result);
    if (role == Qt::ToolTipRole && !cell.refusal.isEmpty())
        return cell.refusal;
    if (role == Qt::TextAlignmentRole && !isSetting && result != State)
        return {(Qt::AlignRight | Qt::AlignVCenter).toInt()};
    return {};
}

QString SweepModel::settingText(const Cell& cell, int column) const {
    if (column == 0)
        return QString::fromStdString(cell.cell.strategy);
    if (column == settingCount() - 1)
        return QLocale().toString(static_cast<qlonglong>(cell.cell.batch));
    return QString::fromStdString(cell.cell.values[static_cast<std::size_t>(column) - 1].second);
}

QVariant SweepModel::resultText(const Cell& cell, Result result) const {
    if (result == State)
        return stateText(cell);
    if (cell.seconds.empty())
        return {};
    if (result == Seconds)
        return secondsText(cell.median());
    if (result == Spread)
        return tr("%1 %", "percentage")
            .arg(QLocale().toString(percent * (cell.seconds.back() - cell.seconds.front()) / cell.median(),
                                    'f', 1));
    const Cell& reference = referenceOf(cell);
    return reference.seconds.empty()
               ? QVariant()
               : tr("%1 ×", "speed against another")
                     .arg(QLocale().toString(reference.median() / cell.median(), 'f', 2));
}

QString SweepModel::stateText(const Cell& cell) const {
    if (!cell.refusal.isEmpty())
        return tr("Cannot run: %1", "state of a cell, and why").arg(cell.refusal);
    const auto done = static_cast<int>(cell.seconds.size());
    if (done == 0)
        return tr("Waiting");
    return done < m_sweep->repeats ? tr("%1 of %2 passes").arg(done).arg(m_sweep->repeats) : tr("Done");
}

const SweepModel::Cell& SweepModel::referenceOf(const Cell& cell) const {
    SweepCell wanted = cell.cell;
    wanted.strategy = m_sweep->strategies.front().name;
    return *std::ranges::find_if(
        m_cells, [name = wanted.name()](const Cell& other) { return other.cell.name() == name; });
}

QVariant SweepModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || m_sweep == nullptr)
        return {};
    const int result = section - settingCount();
    if (role == Qt::ToolTipRole && result == Speed)
        return tr("Against the first strategy beside the same other settings");
    if (role == Qt::ToolTipRole && result == Spread)
        return tr("Slowest less fastest pass, in percent of the median");
    if (role != Qt::DisplayRole)
        return {};
    if (section == 0)
        return tr("Strategy");
    if (section == settingCount() - 1)
        return tr("Batch");
    if (result < 0) {
        const std::string& key = m_sweep->axes[static_cast<std::size_t>(section) - 1].key;
        const QString title = titleOfKey(key);
        return title.isEmpty() ? QString::fromStdString(key) : title;
    }
    const QStringList titles{tr("Seconds"), tr("Spread"), tr("Speed"), tr("State")};
    return titles[result];
}

}  // namespace meshreel
