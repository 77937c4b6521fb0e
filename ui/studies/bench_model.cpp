// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/studies/bench_model.h"

#include <QFont>
#include <QLocale>
#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/units.h"
#include "engine/measure/benchmarks/rows_of_plan.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/records/data_table.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int rateDigits = 4;
constexpr std::string_view restlessDetail = "restless";
constexpr std::string_view movedDetail = "peak_spread";

/// 0 when the row has none.
double detailOf(const BenchmarkRow& row, std::string_view name) {
    const auto found = std::ranges::find(row.details, name, &std::pair<std::string, double>::first);
    return found == row.details.end() ? 0 : found->second;
}

bool isLimit(std::string_view name) {
    return name.starts_with("peak.") || name.starts_with("gpu.peak.");
}

QString benchPercent(double part) {
    return QLocale().toString(percent * part, 'f', part < 0.0995 ? 1 : 0);
}

QString timesText(const std::vector<double>& seconds) {
    return seconds.empty() ? QString() : sentenceText(timesSentence(summarizeTimes(seconds)));
}

}  // namespace

void BenchModel::setRows(std::vector<BenchmarkRow> rows) {
    if (std::ranges::equal(m_rows, rows, {}, &BenchmarkRow::name, &BenchmarkRow::name)) {
        m_rows = std::move(rows);  // what is selected stays so
        judgeAll();
        markOwn();
        tellOfAll();
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    judgeAll();
    markOwn();
    endResetModel();
}

void BenchModel::addRow(const BenchmarkRow& row) {
    const auto known = std::ranges::find(m_rows, row.name, &BenchmarkRow::name);
    if (known != m_rows.end()) {
        *known = row;
        const int place = static_cast<int>(known - m_rows.begin());
        m_verdicts[static_cast<std::size_t>(place)] = judgeRow(m_before, row);
        emit dataChanged(index(place, 0), index(place, ColumnCount - 1));
        return;
    }
    beginInsertRows({}, rowCount(), rowCount());
    m_rows.push_back(row);
    m_verdicts.push_back(judgeRow(m_before, row));
    m_own.push_back(false);
    endInsertRows();
    markOwn();  // a row of about as many tokens may not be the nearest any more
    tellOfAll();
}

void BenchModel::setBaseline(SecondsByRow seconds) {
    m_before = std::move(seconds);
    judgeAll();
    tellOfAll();
}

void BenchModel::setPlan(std::shared_ptr<const RunPlan> plan) {
    m_plan = std::move(plan);
    markOwn();
    tellOfAll();
}

void BenchModel::markOwn() {
    m_own = m_plan == nullptr ? std::vector<bool>(m_rows.size()) : rowsOfPlan(m_rows, *m_plan);
}

void BenchModel::tellOfAll() {
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void BenchModel::judgeAll() {
    m_verdicts.clear();
    for (const BenchmarkRow& row : m_rows)
        m_verdicts.push_back(judgeRow(m_before, row));
}

bool BenchModel::isRestless(int row) const {
    return detailOf(at(row), restlessDetail) > 0;
}

std::string BenchModel::csv() const {
    return toCsv(benchmarkTable(m_rows, m_before));
}

int BenchModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int BenchModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString BenchModel::shareText(const BenchmarkRow& row) const {
    if (row.of.empty())
        return QStringLiteral("–");
    if (row.of == row.name)
        return isLimit(row.name) ? tr("the limit", "that others are a share of")
                                 : tr("the reference", "that others are compared with");
    const QString of = QString::fromStdString(row.of);
    if (!isLimit(row.of))
        return tr("%1 × %2", "factor, name of a row").arg(QLocale().toString(row.ratio, 'g', 3), of);
    const QString share = benchPercent(row.ratio);
    return detailOf(row, restlessDetail) > 0 ? tr("about %1 % of %2", "share, name of a limit").arg(share, of)
                                             : tr("%1 % of %2", "share, name of a limit").arg(share, of);
}

QString BenchModel::text(int row, int column) const {
    const BenchmarkRow& shown = at(row);
    switch (column) {
        case Row:
            return QString::fromStdString(shown.name);
        case Time:
            return timesText(shown.seconds);
        case Rate:
            return shown.unit == "s" && !shown.seconds.empty()
                       ? QString()
                       : tr("%1 %2", "number, unit")
                             .arg(QLocale().toString(shown.value, 'g', rateDigits),
                                  QString::fromStdString(shown.unit));
        case Share:
            return shareText(shown);
        case Before: {
            const auto before = m_before.find(shown.name);
            return before == m_before.end() ? QString() : timesText(before->second);
        }
        case VerdictColumn: {
            const std::optional<Verdict>& found = verdict(row);
            return found ? sentenceText(verdictSentence(*found)) : QString();
        }
        default:
            return {};
    }
}

QVariant BenchModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const int row = index.row();
    switch (role) {
        case Qt::DisplayRole:
            return text(row, index.column());
        case Qt::ToolTipRole:
            if (isRestless(row) && (index.column() == Share || index.column() == VerdictColumn))
                return tr("The machine's limit moved by %1 % beside this row: measure again when nothing "
                          "else runs")
                    .arg(benchPercent(detailOf(at(row), movedDetail)));
            return isOwn(row) ? QVariant(tr("What the open project computes")) : QVariant();
        case Qt::FontRole: {
            QFont font;
            font.setBold(isOwn(row));
            return isOwn(row) ? QVariant(font) : QVariant();
        }
        case Qt::AccessibleTextRole:
            if (index.column() == Row && isOwn(row))
                return tr("%1, what the open project computes", "name of a row").arg(text(row, Row));
            return {};
        case PartRole:
            return index.column() == Share && isLimit(at(row).of) && at(row).of != at(row).name
                       ? QVariant(at(row).ratio)
                       : QVariant();
        case Qt::TextAlignmentRole:
            return index.column() == Rate ? QVariant((Qt::AlignRight | Qt::AlignVCenter).toInt())
                                          : QVariant();
        default:
            return {};
    }
}

QVariant BenchModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return QStringList{
            tr("Row"), tr("Time", "that a row took"), tr("Share of the limit"), tr("Verdict"), tr("Before"),
            tr("Rate")}[section];
    if (role != Qt::ToolTipRole)
        return {};
    switch (section) {
        case Time:
            return tr("Median of the passes; slowest less fastest pass, in percent of it");
        case Share:
            return tr(
                "Of what this machine does at most, measured beside the row; or how it compares with another "
                "row");
        case Before:
            return tr("Median and spread of the measurement that is compared with");
        case VerdictColumn:
            return tr(
                "Beside the earlier measurement: the range that holds the true difference in nine of ten "
                "comparisons; where it is within the noise, how often to repeat");
        default:
            return {};
    }
}

}  // namespace meshreel

#include "moc_bench_model.cpp"
