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
#include <memory>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/device_times.h"
#include "engine/timing/trace.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr std::size_t mostBins = 600;  ///< two pixels of the file's width each
constexpr double laneHeight = 0.8;     ///< of the distance between lanes
constexpr double sameHeight = 1e-9;    ///< differences from rounding

struct ActivityRow {
    const char* title;   ///< context "RunCharts"
    const char* column;  ///< in the numbers
    int color;           ///< index for ChartStyle::series
};

const ActivityRow& rowOf(LaneActivity activity) {
    // In the order of LaneActivity.
    static constexpr std::array<ActivityRow, 7> rows{{
        {QT_TRANSLATE_NOOP("RunCharts", "Computing"), "computing", 0},
        {QT_TRANSLATE_NOOP("RunCharts", "Exchange"), "exchanging", 1},
        {QT_TRANSLATE_NOOP("RunCharts", "Waiting"), "waiting", 6},
        {QT_TRANSLATE_NOOP("RunCharts", "Attention"), "attention", 0},
        {QT_TRANSLATE_NOOP("RunCharts", "Outside of attention"), "elsewhere", 5},
        {QT_TRANSLATE_NOOP("RunCharts", "Exchange and waiting"), "exchange", 1},
        {QT_TRANSLATE_NOOP("RunCharts", "GPU idle"), "host", 5},
    }};
    return rows.at(static_cast<std::size_t>(activity));
}

/// The words around the lanes of one source, translated.
struct LaneWords {
    QString lane;   ///< with its number %1
    QString title;  ///< may be empty
};

/// Returns the lanes of a part of the time; of all of it without a part.
using LaneSource = std::function<LaneOccupancy(const std::optional<OccupancyPart>& part)>;

/// Returns a lane's bound: level over neighbouring bins of one height.
QList<QPointF> stepsOf(const std::vector<double>& heights, double base, const std::vector<double>& borders) {
    QList<QPointF> points;
    for (std::size_t bin = 0; bin < heights.size(); ++bin) {
        const double height = base + laneHeight * heights[bin];
        if (bin > 0 && std::abs(height - points.constLast().y()) <= sameHeight)
            continue;
        if (bin > 0)
            points.append({borders[bin], points.constLast().y()});
        points.append({borders[bin], height});
    }
    points.append({borders.back(), points.constLast().y()});
    return points;
}

/// A row a lane, redrawn for the visible part of the time.
class LaneChart : public ReadableChart {
  public:
    LaneChart(LaneSource source, LaneWords words);

    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;
    /// Bins between which nothing changes are one place.
    [[nodiscard]] QList<QPointF> valuePlaces() override;

  private:
    void addLane();
    void drawVisible();
    void drawLane(std::size_t index);
    [[nodiscard]] double laneBase(std::size_t index) const;

    LaneSource m_source;
    LaneOccupancy m_occupancy;  ///< of the visible part
    LaneWords m_words;
    QValueAxis* m_time;
    QCategoryAxis* m_rows;
    std::vector<QAreaSeries*> m_named;  ///< by activity, those of the lane that stands for all in the legend
    std::vector<std::vector<QLineSeries*>> m_bounds;  ///< for each lane, below and above its activities
};

LaneChart::LaneChart(LaneSource source, LaneWords words)
    : m_source(std::move(source)),
      m_occupancy(m_source(std::nullopt)),
      m_words(std::move(words)),
      m_time(new QValueAxis(this)),
      m_rows(new QCategoryAxis(this)),
      m_named(m_occupancy.activities.size()) {
    const auto count = static_cast<int>(m_occupancy.lanes.size());
    m_rows->setRange(0, count);
    m_rows->setLabelsPosition(QCategoryAxis::AxisLabelsPositionCenter);
    m_time->setTitleText(QCoreApplication::translate("RunCharts", "Seconds of denoising"));
    addAxis(m_time, Qt::AlignBottom);
    addAxis(m_rows, Qt::AlignLeft);
    for (int row = 0; row < count; ++row) {
        const Lane& lane = m_occupancy.lanes[static_cast<std::size_t>(count - 1 - row)];
        addLane();
        m_rows->append(m_words.lane.arg(lane.number), row + 1);
    }
    setTicks(m_time, 0, m_occupancy.seconds);
    m_time->setMax(m_occupancy.seconds);
    ChartStyle::print().applyTo(*this);
    m_rows->setGridLineVisible(false);
    setTitle(m_words.title);
    connect(m_time, &QValueAxis::rangeChanged, this, &LaneChart::drawVisible);
    drawVisible();
}

// The areas of a lane on top of each other.
void LaneChart::addLane() {
    std::vector<QLineSeries*>& bounds = m_bounds.emplace_back();
    bounds.push_back(new QLineSeries(this));
    for (std::size_t index = 0; index < m_occupancy.activities.size(); ++index) {
        const ActivityRow& activity = rowOf(m_occupancy.activities[index]);
        bounds.push_back(new QLineSeries(this));
        auto* area = new QAreaSeries(bounds[index + 1], bounds[index]);
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
    }
}

void LaneChart::drawVisible() {
    m_occupancy = m_source(OccupancyPart{m_time->min(), m_time->max()});
    for (std::size_t index = 0; index < m_occupancy.lanes.size(); ++index)
        drawLane(index);
}

double LaneChart::laneBase(std::size_t index) const {
    return static_cast<double>(m_occupancy.lanes.size() - 1 - index) + (1 - laneHeight) / 2;
}

void LaneChart::drawLane(std::size_t index) {
    const std::vector<QLineSeries*>& bounds = m_bounds[m_bounds.size() - 1 - index];
    std::vector<double> sums(m_occupancy.borders.size() - 1);
    bounds.front()->replace(stepsOf(sums, laneBase(index), m_occupancy.borders));
    for (std::size_t activity = 0; activity + 1 < bounds.size(); ++activity) {
        std::ranges::transform(sums, m_occupancy.lanes[index].share[activity], sums.begin(), std::plus<>());
        bounds[activity + 1]->replace(stepsOf(sums, laneBase(index), m_occupancy.borders));
    }
}

std::optional<ChartValue> LaneChart::valueNear(const QPointF& position) {
    const QPointF at = mapToValue(position);
    const auto count = static_cast<int>(m_occupancy.lanes.size());
    const int index = count - 1 - static_cast<int>(std::floor(at.y()));
    const std::vector<double>& borders = m_occupancy.borders;
    if (index < 0 || index >= count || at.x() < borders.front() || at.x() >= borders.back())
        return std::nullopt;
    const auto bin =
        static_cast<std::size_t>(std::ranges::upper_bound(borders, at.x()) - borders.begin()) - 1;
    const Lane& lane = m_occupancy.lanes[static_cast<std::size_t>(index)];
    QStringList words{m_words.lane.arg(lane.number),
                      QStringLiteral("%1: %2").arg(m_time->titleText(), QLocale().toString(at.x(), 'g', 4))};
    for (std::size_t activity = 0; activity < m_named.size(); ++activity)
        words.append(QStringLiteral("%1: %2 %")
                         .arg(m_named[activity]->name(),
                              QLocale().toString(lane.share[activity][bin] * percent, 'f', 0)));
    return ChartValue{position, at, words.join(QLatin1Char('\n'))};
}

QList<QPointF> LaneChart::valuePlaces() {
    QList<QPointF> places;
    const std::vector<double>& borders = m_occupancy.borders;
    for (std::size_t index = 0; index < m_occupancy.lanes.size(); ++index) {
        const std::vector<std::vector<double>>& share = m_occupancy.lanes[index].share;
        const double row = laneBase(index) + laneHeight / 2;
        std::size_t first = 0;
        for (std::size_t bin = 1; bin < borders.size(); ++bin) {
            const bool goesOn =
                bin + 1 < borders.size() && std::ranges::all_of(share, [&](const std::vector<double>& part) {
                    return std::abs(part[bin] - part[first]) <= sameHeight;
                });
            if (goesOn)
                continue;
            places += mapToPosition({std::midpoint(borders[first], borders[bin]), row});
            first = bin;
        }
    }
    return places;
}

bool isStep(const TracedSpan& span) {
    return span.category == "step";
}

/// A row for each thread and bin.
DataTable binnedNumbers(const LaneOccupancy& occupancy) {
    DataTable numbers{.columns = {"thread", "start", "seconds"}, .rows = {}};
    for (const LaneActivity activity : occupancy.activities)
        numbers.columns.emplace_back(rowOf(activity).column);
    const std::vector<double>& borders = occupancy.borders;
    for (const Lane& lane : occupancy.lanes)
        for (std::size_t bin = 0; bin + 1 < borders.size(); ++bin) {
            std::vector<DataCell> row{std::int64_t{lane.number}, borders[bin],
                                      borders[bin + 1] - borders[bin]};
            for (const std::vector<double>& share : lane.share)
                row.emplace_back(share[bin]);
            numbers.rows.push_back(std::move(row));
        }
    return numbers;
}

ChartSheet tracedLaneSheet(const std::vector<TracedSpan>& trace) {
    const LaneSource source = [spans = std::make_shared<const std::vector<TracedSpan>>(trace)](
                                  const auto& part) { return tracedOccupancy(*spans, mostBins, part); };
    const auto draw = [source]() -> std::unique_ptr<QChart> {
        return std::make_unique<LaneChart>(
            source, LaneWords{.lane = QCoreApplication::translate("RunCharts", "Thread %1"),
                              .title = QCoreApplication::translate(
                                  "RunCharts",
                                  "From the trace, as this run has no devices.csv: attention "
                                  "only, exchange and waiting in one")});
    };
    return {.draw = draw, .numbers = binnedNumbers(source(std::nullopt))};
}

}  // namespace

ChartSheet deviceLaneSheet(const std::vector<StepDeviceTimes>& steps) {
    const LaneSource source = [times = std::make_shared<const std::vector<StepDeviceTimes>>(steps)](
                                  const auto& part) { return laneOccupancy(*times, mostBins, part); };
    const auto draw = [source]() -> std::unique_ptr<QChart> {
        return std::make_unique<LaneChart>(
            source,
            LaneWords{.lane = QCoreApplication::translate("RunCharts", "Device %1"), .title = QString()});
    };
    return {.draw = draw, .numbers = deviceTimeTable(steps, firstShownStep)};
}

bool hasLanes(const RunRecord& run) {
    return !run.deviceTimes.empty() || std::ranges::any_of(run.trace, isStep);
}

ChartSheet laneSheet(const std::vector<RunRecord>& runs) {
    const RunRecord& run = runs.front();
    if (!run.deviceTimes.empty())
        return deviceLaneSheet(run.deviceTimes);
    if (!hasLanes(run))
        throw Error(ErrorKind::Project, sentence("This run recorded nothing of its devices"), run.name,
                    sentence("Name a run that finished a step"));
    return tracedLaneSheet(run.trace);
}

}  // namespace meshreel
