// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/lane_chart.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QCoreApplication>
#include <QLineSeries>
#include <QLocale>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "engine/base/error.h"
#include "engine/timing/device_time_table.h"
#include "engine/timing/lane_occupancy.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/readable_chart.h"
#include "ui/charts/series_groups.h"

namespace meshreel {

namespace {

constexpr std::size_t drawnBins = 600;  ///< two pixels of the file's width each
constexpr double laneHeight = 0.8;      ///< of the distance between lanes
constexpr double percent = 100;

struct ActivityRow {
    const char* title;   ///< context "RunCharts"
    const char* column;  ///< in the numbers
    int color;           ///< of ChartStyle::series
};

const ActivityRow& rowOf(LaneActivity activity) {
    // In the order of LaneActivity.
    static constexpr std::array<ActivityRow, 6> rows{{
        {QT_TRANSLATE_NOOP("RunCharts", "Computing"), "computing", 0},
        {QT_TRANSLATE_NOOP("RunCharts", "Exchange"), "exchanging", 1},
        {QT_TRANSLATE_NOOP("RunCharts", "Waiting"), "waiting", 6},
        {QT_TRANSLATE_NOOP("RunCharts", "Attention"), "attention", 0},
        {QT_TRANSLATE_NOOP("RunCharts", "Outside of attention"), "elsewhere", 5},
        {QT_TRANSLATE_NOOP("RunCharts", "Exchange and waiting"), "exchange", 1},
    }};
    return rows.at(static_cast<std::size_t>(activity));
}

/// What stands around the lanes of one source, translated.
struct LaneWords {
    QString lane;   ///< of its number %1
    QString title;  ///< may be empty
};

/// A lane's bounds as steps: two points a bin.
QList<QPointF> stepsOf(const std::vector<double>& heights, double base, double binSeconds) {
    QList<QPointF> points;
    points.reserve(static_cast<qsizetype>(2 * heights.size()));
    for (std::size_t bin = 0; bin < heights.size(); ++bin) {
        const double height = base + laneHeight * heights[bin];
        points.append({static_cast<double>(bin) * binSeconds, height});
        points.append({static_cast<double>(bin + 1) * binSeconds, height});
    }
    return points;
}

void addTo(std::vector<double>& sums, const std::vector<double>& share) {
    std::ranges::transform(sums, share, sums.begin(), std::plus<>());
}

QLineSeries* boundOf(QChart* chart, const QList<QPointF>& points) {
    auto* line = new QLineSeries(chart);
    line->replace(points);
    return line;
}

/// A row a lane.
class LaneChart : public ReadableChart {
  public:
    LaneChart(const LaneOccupancy& occupancy, const LaneWords& words);

    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;

  private:
    void addLane(const Lane& lane, double base);
    [[nodiscard]] double binSeconds() const { return m_occupancy.seconds / static_cast<double>(drawnBins); }

    LaneOccupancy m_occupancy;
    LaneWords m_words;
    QValueAxis* m_time;
    QCategoryAxis* m_rows;
    std::vector<QAreaSeries*> m_named;  ///< by activity, those of the lane that stands for all in the legend
};

LaneChart::LaneChart(const LaneOccupancy& occupancy, const LaneWords& words)
    : m_occupancy(occupancy),
      m_words(words),
      m_time(new QValueAxis(this)),
      m_rows(new QCategoryAxis(this)),
      m_named(occupancy.activities.size()) {
    const auto count = static_cast<int>(m_occupancy.lanes.size());
    m_rows->setRange(0, count);
    m_rows->setLabelsPosition(QCategoryAxis::AxisLabelsPositionCenter);
    m_time->setTitleText(QCoreApplication::translate("RunCharts", "Seconds of denoising"));
    addAxis(m_time, Qt::AlignBottom);
    addAxis(m_rows, Qt::AlignLeft);
    for (int row = 0; row < count; ++row) {
        const Lane& lane = m_occupancy.lanes[static_cast<std::size_t>(count - 1 - row)];
        addLane(lane, row + (1 - laneHeight) / 2);
        m_rows->append(m_words.lane.arg(lane.number), row + 1);
    }
    setTicks(m_time, 0, m_occupancy.seconds);
    m_time->setMax(m_occupancy.seconds);
    ChartStyle::print().applyTo(*this);
    m_rows->setGridLineVisible(false);
    setTitle(m_words.title);
}

// The areas of a lane on top of each other.
void LaneChart::addLane(const Lane& lane, double base) {
    std::vector<double> sums(drawnBins);
    QList<QPointF> below = stepsOf(sums, base, binSeconds());
    for (std::size_t index = 0; index < m_occupancy.activities.size(); ++index) {
        const ActivityRow& activity = rowOf(m_occupancy.activities[index]);
        addTo(sums, lane.share[index]);
        const QList<QPointF> above = stepsOf(sums, base, binSeconds());
        auto* area = new QAreaSeries(boundOf(this, above), boundOf(this, below));
        area->setParent(this);
        area->setName(QCoreApplication::translate("RunCharts", activity.title));
        area->setBrush(ChartStyle::series(activity.color));
        area->setPen(Qt::NoPen);
        addSeries(area);
        area->attachAxis(m_time);
        area->attachAxis(m_rows);
        QAreaSeries*& named = m_named[index];
        if (named == nullptr)
            named = area;
        else
            showWith(*area, {named});
        below = above;
    }
}

std::optional<ChartValue> LaneChart::valueNear(const QPointF& position) {
    const QPointF at = mapToValue(position);
    const auto count = static_cast<int>(m_occupancy.lanes.size());
    const int index = count - 1 - static_cast<int>(std::floor(at.y()));
    const auto bin = static_cast<int>(std::floor(at.x() / binSeconds()));
    if (index < 0 || index >= count || bin < 0 || bin >= static_cast<int>(drawnBins))
        return std::nullopt;
    const Lane& lane = m_occupancy.lanes[static_cast<std::size_t>(index)];
    QStringList words{m_words.lane.arg(lane.number),
                      QStringLiteral("%1: %2").arg(m_time->titleText(), QLocale().toString(at.x(), 'g', 4))};
    for (std::size_t activity = 0; activity < m_named.size(); ++activity)
        words.append(QStringLiteral("%1: %2 %")
                         .arg(m_named[activity]->name(),
                              QLocale().toString(
                                  lane.share[activity][static_cast<std::size_t>(bin)] * percent, 'f', 0)));
    return ChartValue{position, at, words.join(QLatin1Char('\n'))};
}

/// A row for each thread and bin.
DataTable binnedNumbers(const LaneOccupancy& occupancy) {
    DataTable numbers{.columns = {"thread", "start", "seconds"}, .rows = {}};
    for (const LaneActivity activity : occupancy.activities)
        numbers.columns.emplace_back(rowOf(activity).column);
    const double binSeconds = occupancy.seconds / static_cast<double>(drawnBins);
    for (const Lane& lane : occupancy.lanes)
        for (std::size_t bin = 0; bin < drawnBins; ++bin) {
            std::vector<DataCell> row{std::int64_t{lane.number}, static_cast<double>(bin) * binSeconds,
                                      binSeconds};
            for (const std::vector<double>& share : lane.share)
                row.emplace_back(share[bin]);
            numbers.rows.push_back(std::move(row));
        }
    return numbers;
}

ChartSheet tracedLaneSheet(const std::vector<TracedSpan>& trace) {
    const LaneOccupancy occupancy = tracedOccupancy(trace, drawnBins);
    const auto draw = [occupancy]() -> std::unique_ptr<QChart> {
        return std::make_unique<LaneChart>(
            occupancy, LaneWords{.lane = QCoreApplication::translate("RunCharts", "Thread %1"),
                                 .title = QCoreApplication::translate(
                                     "RunCharts",
                                     "From the trace, as this run has no devices.csv: attention "
                                     "only, exchange and waiting in one")});
    };
    return {.draw = draw, .numbers = binnedNumbers(occupancy)};
}

}  // namespace

ChartSheet deviceLaneSheet(const std::vector<StepDeviceTimes>& steps) {
    const auto draw = [occupancy = laneOccupancy(steps, drawnBins)]() -> std::unique_ptr<QChart> {
        return std::make_unique<LaneChart>(
            occupancy,
            LaneWords{.lane = QCoreApplication::translate("RunCharts", "Device %1"), .title = QString()});
    };
    return {.draw = draw, .numbers = deviceTimeTable(steps)};
}

ChartSheet laneSheet(const std::vector<RunRecord>& runs) {
    const RunRecord& run = runs.front();
    if (!run.deviceTimes.empty())
        return deviceLaneSheet(run.deviceTimes);
    if (std::ranges::none_of(run.trace, [](const TracedSpan& span) { return span.category == "step"; }))
        throw Error(ErrorKind::Project, sentence("This run recorded nothing of its devices"), run.name,
                    sentence("Name a run that finished a step"));
    return tracedLaneSheet(run.trace);
}

}  // namespace meshreel
