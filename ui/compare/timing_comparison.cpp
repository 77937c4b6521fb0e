// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/timing_comparison.h"

#include <QFont>
#include <QLocale>
#include <algorithm>
#include <array>

#include "engine/runs/records/run_record.h"
#include "ui/models/timing_columns.h"

namespace meshreel {

namespace {

constexpr std::string_view runColumn = "run";
constexpr std::string_view speedColumn = "speed";
constexpr std::string_view slowerColumn = "slower";

/// What people look for first; the other columns of the table follow.
constexpr std::array firstColumns{runColumn,
                                  std::string_view("step_s"),
                                  speedColumn,
                                  slowerColumn,
                                  std::string_view("denoise_s"),
                                  std::string_view("decode_s"),
                                  std::string_view("inference_s")};

std::size_t placeOf(const DataTable& table, std::string_view column) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, column) - table.columns.begin());
}

/// Appends to each row how many times as long it took as the fastest of those whose speed is known.
void addSlowness(DataTable& table) {
    const std::size_t speed = placeOf(table, speedColumn);
    double fastest = 0;
    for (const std::vector<DataCell>& row : table.rows)
        if (const auto* known = std::get_if<double>(&row[speed]))
            fastest = std::max(fastest, *known);
    table.columns.emplace_back(slowerColumn);
    for (std::vector<DataCell>& row : table.rows) {
        const auto* known = std::get_if<double>(&row[speed]);
        row.push_back(known != nullptr && *known > 0 ? DataCell(fastest / *known) : DataCell());
    }
}

DataTable inOrder(const DataTable& table) {
    std::vector<std::size_t> order;
    order.reserve(table.columns.size());
    for (const std::string_view name : firstColumns)
        order.push_back(placeOf(table, name));
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        if (std::ranges::count(order, column) == 0)
            order.push_back(column);
    DataTable ordered{.columns = {}, .rows = std::vector<std::vector<DataCell>>(table.rows.size())};
    for (const std::size_t column : order) {
        ordered.columns.push_back(table.columns[column]);
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            ordered.rows[row].push_back(table.rows[row][column]);
    }
    return ordered;
}

bool isRatio(std::string_view column) {
    return column == speedColumn || column == slowerColumn;
}

/// Three figures behind the point below 10, fewer above, as nobody reads more.
QString secondsText(double seconds) {
    return QLocale().toString(seconds, 'f', seconds < 10 ? 3 : seconds < 100 ? 2 : 1);
}

QString ratioText(double ratio) {
    constexpr int decimals = 2;
    return QStringLiteral("%1×").arg(QLocale().toString(ratio, 'f', decimals));
}

}  // namespace

DataTable TimingComparison::timingTable(const std::vector<RunRecord>& runs) {
    DataTable table = comparisonTable(runs);
    addSlowness(table);
    return inOrder(table);
}

void TimingComparison::setRuns(std::vector<RunRecord> runs) {
    beginResetModel();
    m_table = timingTable(withShortNames(runs));
    m_runs = std::move(runs);
    endResetModel();
}

int TimingComparison::columnOf(std::string_view name) const {
    const std::size_t place = placeOf(m_table, name);
    return place == m_table.columns.size() ? -1 : static_cast<int>(place);
}

int TimingComparison::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int TimingComparison::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

const DataCell& TimingComparison::cell(int row, int column) const {
    return m_table.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}

bool TimingComparison::isFastest(int row) const {
    const auto* slower = std::get_if<double>(&cell(row, columnOf(slowerColumn)));
    return slower != nullptr && *slower <= 1 && rowCount() > 1;
}

QVariant TimingComparison::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const DataCell& value = cell(index.row(), index.column());
    const auto* text = std::get_if<std::string>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* number = std::get_if<double>(&value);
    switch (role) {
        case Qt::DisplayRole:
            if (text != nullptr)
                return QString::fromStdString(*text);
            if (whole != nullptr)
                return QLocale().toString(static_cast<qlonglong>(*whole));
            if (number == nullptr)
                return QStringLiteral("–");
            return isRatio(m_table.columns[static_cast<std::size_t>(index.column())]) ? ratioText(*number)
                                                                                      : secondsText(*number);
        case SortRole:
            return text != nullptr     ? QVariant(QString::fromStdString(*text).toCaseFolded())
                   : whole != nullptr  ? QVariant(static_cast<double>(*whole))
                   : number != nullptr ? QVariant(*number)
                                       : QVariant();
        case Qt::ToolTipRole:
            return QString::fromStdString(run(index.row()).name);
        case Qt::TextAlignmentRole:
            return text == nullptr ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
        case Qt::FontRole: {
            QFont font;
            font.setBold(true);
            return isFastest(index.row()) ? QVariant(font) : QVariant();
        }
        default:
            return {};
    }
}

QVariant TimingComparison::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const std::string_view name = m_table.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return name == slowerColumn ? tr("Slower", "than the fastest run") : timingColumnTitle(name);
    if (role != Qt::ToolTipRole)
        return {};
    if (name == speedColumn)
        return tr(
            "How many times as fast as the first run: by seconds a step where steps compute the same, by "
            "denoising or inference beside pasted timings");
    if (name == slowerColumn)
        return tr("How many times as long as the fastest run, which stands in bold");
    return timingColumnTitle(name);
}

}  // namespace meshreel
