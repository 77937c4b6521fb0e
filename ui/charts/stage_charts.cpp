// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/stage_charts.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QColor>
#include <QCoreApplication>
#include <QHorizontalStackedBarSeries>
#include <QLegendMarker>
#include <QLocale>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/runs/records/data_table.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

/// Which summaries have a stage.
enum class StageOf : std::uint8_t { All, Traced, Untraced };

struct Stage {
    const char* title = nullptr;   ///< context "RunCharts"
    const char* column = nullptr;  ///< in the numbers
    double TimingSummary::*seconds = nullptr;
    StageOf of = StageOf::All;
    bool isInference = true;  ///< neither loading nor compiling
};

constexpr std::array stages{
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Load"), "load", &TimingSummary::load, StageOf::All, false},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Compile"), "compile", &TimingSummary::compile, StageOf::All, false},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Conditioning"), "conditioning", &TimingSummary::conditioning,
          StageOf::Traced},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Denoising"), "denoise", &TimingSummary::denoiseTotal,
          StageOf::Traced},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "VAE decoding"), "decode", &TimingSummary::vaeDecode,
          StageOf::Traced},
    Stage{QT_TRANSLATE_NOOP("RunCharts", "Inference, undivided"), "inference", &TimingSummary::inference,
          StageOf::Untraced},
};

/// Returns nothing when the run's summary does not have the stage.
std::optional<double> secondsOf(const Stage& stage, const RunRecord& run) {
    const bool has = stage.of == StageOf::All || (stage.of == StageOf::Traced) == run.timings->hasTrace;
    return has ? std::optional((*run.timings).*stage.seconds) : std::nullopt;
}

DataCell cellOf(std::optional<double> seconds) {
    return seconds ? DataCell(*seconds) : DataCell();
}

std::vector<Stage> shownStages(bool inferenceOnly) {
    std::vector<Stage> shown;
    std::ranges::copy_if(stages, std::back_inserter(shown),
                         [&](const Stage& stage) { return stage.isInference || !inferenceOnly; });
    return shown;
}

double totalSeconds(const RunRecord& run, const std::vector<Stage>& shown) {
    double total = 0;
    for (const Stage& stage : shown)
        total += secondsOf(stage, run).value_or(0);
    return total;
}

/// The same whichever other stages are shown.
QColor colorOfStage(const Stage& stage) {
    const auto* const row = std::ranges::find(stages, stage.column, &Stage::column);
    return ChartStyle::series(static_cast<int>(row - stages.begin()));
}

// A horizontal bar chart has its first category at the bottom; the first run belongs at the top.
std::unique_ptr<QChart> drawStages(const std::vector<RunRecord>& finished, bool inferenceOnly) {
    const std::vector<Stage> shown = shownStages(inferenceOnly);
    const std::vector<RunRecord> upwards(finished.rbegin(), finished.rend());
    auto chart = std::make_unique<QChart>();
    auto* bars = new QHorizontalStackedBarSeries(chart.get());
    for (const Stage& stage : shown) {
        const auto has = [&stage](const RunRecord& run) { return secondsOf(stage, run).has_value(); };
        if (stage.of == StageOf::Untraced && std::ranges::none_of(finished, has))
            continue;
        auto* set = new QBarSet(QCoreApplication::translate("RunCharts", stage.title), bars);
        set->setColor(colorOfStage(stage));
        set->setBorderColor(Qt::transparent);
        for (const RunRecord& run : upwards)
            set->append(secondsOf(stage, run).value_or(0));
        bars->append(set);
    }
    chart->addSeries(bars);
    QStringList runNames;
    double most = 0;
    for (const RunRecord& run : upwards) {
        runNames += QString::fromStdString(run.name);
        most = std::max(most, totalSeconds(run, shown));
    }
    auto* names = new NameAxis(runNames, chart.get());
    auto* seconds = new QValueAxis(chart.get());
    seconds->setTitleText(QCoreApplication::translate("RunCharts", "Seconds"));
    chart->addAxis(names, Qt::AlignLeft);
    chart->addAxis(seconds, Qt::AlignBottom);
    bars->attachAxis(names);
    bars->attachAxis(seconds);
    setTicks(seconds, 0, totalsRoom * most);
    ChartStyle::print().applyTo(*chart);
    new BarTotals(*chart, *bars);  // the chart's child
    return chart;
}

ChartSheet sheetOfStages(const std::vector<RunRecord>& runs, bool inferenceOnly) {
    std::vector<RunRecord> finished;
    std::ranges::copy_if(runs, std::back_inserter(finished),
                         [](const RunRecord& run) { return run.timings.has_value(); });
    if (finished.empty())
        throw Error(ErrorKind::Project,
                    sentence("None of these runs is finished, so that no stage was timed"), runs.front().name,
                    sentence("Resume one with meshreel run --resume"));
    DataTable numbers{.columns = {"run"}, .rows = {}};
    const std::vector<Stage> shown = shownStages(inferenceOnly);
    for (const Stage& stage : shown)
        numbers.columns.emplace_back(stage.column);
    for (const RunRecord& run : finished) {
        std::vector<DataCell> row{run.name};
        for (const Stage& stage : shown)
            row.push_back(cellOf(secondsOf(stage, run)));
        numbers.rows.push_back(std::move(row));
    }
    return {.draw = [finished, inferenceOnly] { return drawStages(finished, inferenceOnly); },
            .numbers = std::move(numbers)};
}

}  // namespace

ChartSheet stageSheet(const std::vector<RunRecord>& runs) {
    return sheetOfStages(runs, false);
}

ChartSheet inferenceSheet(const std::vector<RunRecord>& runs) {
    return sheetOfStages(runs, true);
}

namespace {

constexpr double mebibyte = 1 << 20;
constexpr double barShare = 0.75;  ///< of a phase's width
constexpr double outlineWidth = 1.2;

struct PhaseTitle {
    std::string_view phase;
    const char* title;  ///< context "RunCharts"
};

constexpr std::array phases{
    PhaseTitle{"Load", QT_TRANSLATE_NOOP("RunCharts", "Load")},
    PhaseTitle{"Compile", QT_TRANSLATE_NOOP("RunCharts", "Compile")},
    PhaseTitle{"Conditioning", QT_TRANSLATE_NOOP("RunCharts", "Conditioning")},
    PhaseTitle{"Denoise", QT_TRANSLATE_NOOP("RunCharts", "Denoising")},
    PhaseTitle{"Decode", QT_TRANSLATE_NOOP("RunCharts", "VAE decoding")},
};

std::uint64_t bytesOf(const RunRecord& run, std::string_view phase, std::uint64_t PhaseMemoryRecord::*bytes) {
    const auto found = std::ranges::find(run.memory, phase, &PhaseMemoryRecord::phase);
    return found == run.memory.end() ? 0 : (*found).*bytes;
}

std::uint64_t findHighest(const std::vector<RunRecord>& runs) {
    std::uint64_t bytes = 0;
    for (const RunRecord& run : runs)
        for (const PhaseMemoryRecord& phase : run.memory)
            bytes = std::max({bytes, phase.planned, phase.held});
    return bytes;
}

/// For each phase a bar a run: filled up to what was held, with an outline up to what was planned.
class MemoryChart : public ReadableChart {
  public:
    explicit MemoryChart(const std::vector<RunRecord>& runs);

    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;
    [[nodiscard]] QList<QPointF> valuePlaces() override;

  private:
    void addHeld(const RunRecord& run, const QString& name, int index);
    [[nodiscard]] std::vector<double> sumPhases(const RunRecord& run,
                                                std::uint64_t PhaseMemoryRecord::*bytes) const;
    void addPlanned(const std::vector<RunRecord>& runs);
    /// Where the bar of a run in a phase ends; none for a phase without seconds.
    [[nodiscard]] std::optional<QPointF> barEnd(int run, int phase) const;

    double m_highest;
    double m_unit;  ///< bytes
    QBarCategoryAxis* m_names;
    QValueAxis* m_bytes;
    QBarSeries* m_held;
    BarOutlines* m_planned = nullptr;
};

MemoryChart::MemoryChart(const std::vector<RunRecord>& runs)
    : m_highest(static_cast<double>(findHighest(runs))),
      m_unit(m_highest < gibibyte ? mebibyte : gibibyte),
      m_names(new QBarCategoryAxis(this)),
      m_bytes(new QValueAxis(this)),
      m_held(new QBarSeries(this)) {
    for (const PhaseTitle& phase : phases)
        m_names->append(QCoreApplication::translate("RunCharts", phase.title));
    m_bytes->setTitleText(m_unit == mebibyte ? QStringLiteral("MiB") : QStringLiteral("GiB"));
    addAxis(m_names, Qt::AlignBottom);
    addAxis(m_bytes, Qt::AlignLeft);
    for (int index = 0; const RunRecord& run : runs)
        addHeld(run,
                runs.size() > 1 ? QString::fromStdString(run.name)
                                : QCoreApplication::translate("RunCharts", "Held at most"),
                index++);
    m_held->setBarWidth(barShare);
    addSeries(m_held);
    m_held->attachAxis(m_names);
    m_held->attachAxis(m_bytes);
    addPlanned(runs);
    setFittedTicks(this, m_bytes, m_highest / m_unit);
    ChartStyle::print().applyTo(*this);
    m_names->setGridLineVisible(false);
}

std::vector<double> MemoryChart::sumPhases(const RunRecord& run,
                                           std::uint64_t PhaseMemoryRecord::*bytes) const {
    std::vector<double> lengths;
    lengths.reserve(phases.size());
    for (const PhaseTitle& phase : phases)
        lengths.push_back(static_cast<double>(bytesOf(run, phase.phase, bytes)) / m_unit);
    return lengths;
}

void MemoryChart::addHeld(const RunRecord& run, const QString& name, int index) {
    auto* held = new QBarSet(name, m_held);
    ChartStyle::fillBars(*held, index);
    for (const double length : sumPhases(run, &PhaseMemoryRecord::held))
        held->append(length);
    m_held->append(held);
}

// A series without points gives the legend one entry for the outlines of all runs.
void MemoryChart::addPlanned(const std::vector<RunRecord>& runs) {
    std::vector<BarOutline> outlines;
    outlines.reserve(runs.size());
    for (int index = 0; const RunRecord& run : runs)
        outlines.push_back(
            {QPen(ChartStyle::series(index++), outlineWidth), sumPhases(run, &PhaseMemoryRecord::planned)});
    m_planned = new BarOutlines(this, m_held, std::move(outlines));  // the chart's child
    auto* key = new QScatterSeries(this);
    key->setName(QCoreApplication::translate("RunCharts", "Planned"));
    key->setColor(Qt::transparent);
    addSeries(key);
    key->attachAxis(m_names);
    key->attachAxis(m_bytes);
    legend()->markers(key).constFirst()->setPen(QPen(ChartStyle::guide(), outlineWidth));
    connect(key, &QAbstractSeries::visibleChanged, this,
            [this, key] { m_planned->setVisible(key->isVisible()); });
}

std::optional<QPointF> MemoryChart::barEnd(int run, int phase) const {
    const double held = m_held->barSets().at(run)->at(phase);
    const double planned = m_planned->lengthFor(run, phase);
    if (held == 0 && planned == 0)
        return std::nullopt;
    return QPointF(phase + barShare * ((run + categoryMiddle) / m_held->count() - categoryMiddle),
                   std::max(held, planned));
}

std::optional<ChartValue> MemoryChart::valueNear(const QPointF& position) {
    const QPointF at = mapToValue(position, m_held);
    const auto phase = static_cast<int>(std::lround(at.x()));
    const double share = (at.x() - phase) / barShare + categoryMiddle;
    const auto run = static_cast<int>(std::floor(share * m_held->count()));
    if (phase < 0 || phase >= static_cast<int>(phases.size()) || run < 0 || run >= m_held->count())
        return std::nullopt;
    const std::optional<QPointF> end = barEnd(run, phase);
    if (!end || at.y() > end->y())
        return std::nullopt;
    QStringList words{m_names->at(phase)};
    if (m_held->count() > 1)
        words += m_held->barSets().at(run)->label();
    const auto add = [&](const char* what, double length) {
        words += QStringLiteral("%1: %2 %3")
                     .arg(QCoreApplication::translate("RunCharts", what),
                          QLocale().toString(length, 'g', significantDigits), m_bytes->titleText());
    };
    add(QT_TRANSLATE_NOOP("RunCharts", "Held at most"), m_held->barSets().at(run)->at(phase));
    if (m_planned->isVisible())
        add(QT_TRANSLATE_NOOP("RunCharts", "Planned"), m_planned->lengthFor(run, phase));
    return ChartValue{mapToPosition(*end, m_held), *end, words.join(QLatin1Char('\n'))};
}

QList<QPointF> MemoryChart::valuePlaces() {
    QList<QPointF> places;
    for (int phase = 0; phase < static_cast<int>(phases.size()); ++phase)
        for (int run = 0; run < m_held->count(); ++run)
            if (const std::optional<QPointF> end = barEnd(run, phase))
                places += mapToPosition({end->x(), end->y() * categoryMiddle}, m_held);
    return places;
}

}  // namespace

ChartSheet memorySheet(const std::vector<RunRecord>& runs) {
    std::vector<RunRecord> measured;
    std::ranges::copy_if(runs, std::back_inserter(measured),
                         [](const RunRecord& run) { return !run.memory.empty(); });
    if (measured.empty())
        throw Error(ErrorKind::Project, sentence("None of these runs recorded its memory"), runs.front().name,
                    sentence("Name finished runs"));
    DataTable numbers{.columns = {"run", "phase", "planned_bytes", "peak_bytes", "mapped_file_bytes"},
                      .rows = {}};
    for (const RunRecord& run : measured)
        for (const PhaseMemoryRecord& phase : run.memory)
            numbers.rows.push_back({run.name, phase.phase, static_cast<std::int64_t>(phase.planned),
                                    static_cast<std::int64_t>(phase.held),
                                    static_cast<std::int64_t>(phase.mappedFiles)});
    return {
        .draw = [measured]() -> std::unique_ptr<QChart> { return std::make_unique<MemoryChart>(measured); },
        .numbers = std::move(numbers)};
}

}  // namespace meshreel
