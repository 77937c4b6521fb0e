// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/quality_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_style.h"
#include "ui/compare/comparison.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

QString percentText(double share) {
    return QLocale().toString(percent * share, 'f', 0);
}

const QString& nothingText() {
    static const QString dash = QStringLiteral("–");
    return dash;
}

}  // namespace

void QualityModel::setRows(std::vector<QualityRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    m_measures.assign(m_rows.size(), std::nullopt);
    endResetModel();
}

void QualityModel::setMeasures(std::vector<std::optional<VideoMeasures>> measures) {
    m_measures = std::move(measures);
    if (!m_rows.empty())
        emit dataChanged(index(0, FirstMeasure), index(rowCount() - 1, columnCount() - 1));
}

int QualityModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int QualityModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FirstMeasure + static_cast<int>(measureRows().size());
}

QString QualityModel::textAt(const QualityRow& row, int column) const {
    const auto& preference = row.ranked.preference;
    switch (column) {
        case Setting:
            return QString::fromStdString(row.label);
        case Place:
            return !preference ? nothingText()
                   : row.ranked.bestPlace == row.ranked.worstPlace
                       ? QLocale().toString(row.ranked.bestPlace)
                       : tr("%1 to %2", "places")
                             .arg(QLocale().toString(row.ranked.bestPlace),
                                  QLocale().toString(row.ranked.worstPlace));
        case Preferred:
            return preference ? tr("%1 %", "percentage").arg(percentText(preference->share)) : nothingText();
        case Interval:
            return preference ? tr("%1 to %2 %", "percentages")
                                    .arg(percentText(preference->low), percentText(preference->high))
                              : nothingText();
        case Votes:
            return QLocale().toString(row.ranked.votes);
        case Runs:
            return QLocale().toString(static_cast<qulonglong>(row.runs.size()));
        case Seconds:
            return row.inference.count == 0 ? nothingText()
                   : row.inference.count < 2
                       ? threeDigits(row.inference.median)
                       : tr("%1 (%2 to %3)", "median, least and most seconds")
                             .arg(threeDigits(row.inference.median), threeDigits(row.inference.fastest),
                                  threeDigits(row.inference.slowest));
        default:
            return {};
    }
}

QString QualityModel::measureText(std::size_t row, std::size_t measure) const {
    const MeasureRow& shown = measureRows()[measure];
    const std::optional<double> value = m_measures[row] ? shown.value(*m_measures[row]) : std::nullopt;
    return value ? QLocale().toString(*value, 'f', shown.decimals) : nothingText();
}

QVariant QualityModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    if (role == Qt::DisplayRole)
        return index.column() < FirstMeasure
                   ? textAt(m_rows[row], index.column())
                   : measureText(row, static_cast<std::size_t>(index.column() - FirstMeasure));
    if (role == Qt::TextAlignmentRole && index.column() != Setting)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == Setting)
        return QString::fromStdString(m_rows[row].setting);
    return {};
}

QVariant QualityModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    if (section >= FirstMeasure) {
        const MeasureRow& measure = measureRows()[static_cast<std::size_t>(section - FirstMeasure)];
        return engineText(role == Qt::DisplayRole ? measure.title : measure.help);
    }
    struct Words {
        QString title;
        QString help;
    };
    const auto words = [section]() -> Words {
        switch (section) {
            case Setting:
                return {tr("Setting"), tr("What makes runs differ, beside prompt, inputs and seed")};
            case Place:
                return {tr("Place"), tr("The places that the votes leave open, the best first")};
            case Preferred:
                return {
                    tr("Preferred"),
                    tr("How often it is preferred to another of these settings, by the model of Bradley and "
                       "Terry")};
            case Interval:
                return {tr("Interval"), tr("Holds the true share in about nine of ten cases")};
            case Votes:
                return {tr("Votes"), tr("Comparisons that the setting took part in")};
            case Runs:
                return {tr("Runs"), tr("Compared runs of this setting")};
            default:
                return {tr("Seconds"),
                        tr("Of inference, without loading and compiling: median, least and most")};
        }
    }();
    return role == Qt::DisplayRole ? words.title : words.help;
}

QualityPage::QualityPage(QWidget* parent)
    : QWidget(parent),
      m_model(new QualityModel(this)),
      m_table(new QTableView(this)),
      m_words(new QLabel(this)),
      m_rate(new QPushButton(themedIcon(QStringLiteral("rate")), tr("Rate"), this)),
      m_measure(new QPushButton(this)) {
    m_measuring.setMostAtOnce(1);  // a video at full size each
    layOut();
    connect(m_rate, &QPushButton::clicked, this, &QualityPage::rateRequested);
    connect(m_measure, &QPushButton::clicked, this, &QualityPage::measureOrStop);
    showWords();
}

QualityPage::~QualityPage() {
    m_stop.request_stop();
}

void QualityPage::layOut() {
    m_words->setTextFormat(Qt::PlainText);
    m_words->setWordWrap(true);
    m_rate->setToolTip(tr("See the videos in pairs, without their settings, and say which is better"));
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Quality of the settings"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setUpRowTable(*m_table, ColumnMenu::Choice::Shown);
    m_table->setTextElideMode(Qt::ElideMiddle);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, tightSpacing, 0, tightSpacing);
    row->setSpacing(spacing);
    row->addWidget(m_words, 1);
    row->addWidget(m_measure);
    row->addWidget(m_rate);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_table, 1);
}

void QualityPage::setComparison(const Comparison& comparison) {
    const std::vector<RunRecord> records = comparison.records();
    m_model->setRows(qualityRows(records));
    m_rated = comparison.rated();
    setBaseline(m_baseline);
    constexpr int mostNameWidth = 420;
    m_table->resizeColumnsToContents();
    if (m_table->columnWidth(QualityModel::Setting) > mostNameWidth)
        m_table->setColumnWidth(QualityModel::Setting, mostNameWidth);
}

void QualityPage::setBaseline(int baseline) {
    m_baseline = baseline < static_cast<int>(m_rated.runs().size()) ? baseline : 0;
    if (std::vector<Measured> list = findWanted(); list != m_wanted) {
        stopMeasuring();
        m_wanted = std::move(list);
        std::erase_if(m_measures, [this](const auto& measured) {
            return std::ranges::find(m_wanted, measured.first) == m_wanted.end();
        });
    }
    showMeasures();
    showWords();
}

/// Those of the runs with a video, in their order.
std::vector<QualityPage::Measured> QualityPage::findWanted() const {
    std::vector<Measured> list;
    for (std::size_t run = 0; run < m_rated.runs().size(); ++run) {
        if (!m_rated.runs()[run].hasVideo)
            continue;
        const std::optional<std::size_t> reference =
            referenceOf(m_rated, run, static_cast<std::size_t>(m_baseline));
        list.push_back({m_rated.runs()[run].folder,
                        reference ? std::optional(m_rated.runs()[*reference].folder) : std::nullopt});
    }
    return list;
}

void QualityPage::measureOrStop() {
    if (isMeasuring())
        return stopMeasuring();
    m_measures.clear();
    m_stop = StopSource();
    m_asked = m_waiting = static_cast<int>(m_wanted.size());
    const int round = ++m_round;
    for (const Measured& each : m_wanted)
        m_measuring.run(
            [each, stop = m_stop.get_token()] { return measureVideo(each.run, each.reference, stop); },
            [this, each, round](const VideoMeasures& measures) {
                if (round != m_round)
                    return;
                m_measures[each] = measures;
                --m_waiting;
                showMeasures();
                showWords();
            },
            [this, round](const Problem& problem) {
                if (round != m_round)
                    return;
                --m_waiting;
                showWords();
                emit wentWrong(problem);
            });
    showMeasures();
    showWords();
}

void QualityPage::stopMeasuring() {
    m_stop.request_stop();
    m_measuring.dropWaiting();
    ++m_round;
    m_waiting = 0;
    showWords();
}

void QualityPage::showMeasures() {
    std::vector<std::optional<VideoMeasures>> ofRows;
    for (const QualityRow& row : m_model->rows()) {
        std::vector<VideoMeasures> ofRuns;
        for (const std::size_t run : row.runs) {
            const std::filesystem::path& folder = m_rated.runs()[run].folder;
            const auto asked = std::ranges::find(m_wanted, folder, &Measured::run);
            if (asked != m_wanted.end())
                if (const auto found = m_measures.find(*asked); found != m_measures.end())
                    ofRuns.push_back(found->second);
        }
        ofRows.push_back(ofRuns.empty() ? std::nullopt : std::optional(together(ofRuns)));
    }
    m_model->setMeasures(std::move(ofRows));
    for (int column = QualityModel::FirstMeasure; column < m_model->columnCount(); ++column)
        m_table->resizeColumnToContents(column);
}

void QualityPage::showWords() {
    const QString groups = sentenceText(groupsSentence(m_model->rows()));
    m_words->setText(isMeasuring()
                         ? tr("Measuring the videos: %1 of %2 …").arg(m_asked - m_waiting + 1).arg(m_asked)
                     : !haveVotes(m_model->rows()) ? tr("Nobody has voted on these settings yet.")
                     : groups.isEmpty() ? tr("By votes on pairs of videos, seen without their settings.")
                                        : groups + QLatin1Char('.'));
    m_measure->setEnabled(!m_wanted.empty());
    m_measure->setIcon(themedIcon(isMeasuring() ? QStringLiteral("cancel") : QStringLiteral("search")));
    m_measure->setText(isMeasuring() ? tr("Stop") : tr("Measure videos"));
    m_measure->setToolTip(
        isMeasuring()
            ? tr("Stop measuring; what was measured stays")
            : tr("Measure flicker, sharpness and the difference to the baseline. At full size a video "
                 "takes many seconds."));
}

QString QualityPage::words() const {
    return m_words->text();
}

}  // namespace meshreel

#include "moc_quality_page.cpp"
