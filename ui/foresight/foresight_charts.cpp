// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/foresight/foresight_charts.h"

#include <fmt/format.h>

#include <QBarSet>
#include <QCoreApplication>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QStringList>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/runs/records/data_table.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/chart_style.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

struct ForesightCharts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ForesightCharts)
};

/// A part of every bar.
struct Segment {
    QString title;
    std::vector<double> seconds;  ///< a bar
};

/// Lying bars of stacked segments, the first bar on top. Segments of no length are left out.
struct Bars {
    QStringList names;
    std::vector<Segment> segments;
};

std::unique_ptr<QChart> drawBars(const Bars& bars) {
    auto chart = std::make_unique<QChart>();
    auto* series = new QHorizontalStackedBarSeries(chart.get());
    std::vector<double> totals(static_cast<std::size_t>(bars.names.size()));
    int color = 0;
    for (const Segment& segment : bars.segments) {
        if (std::ranges::all_of(segment.seconds, [](double seconds) { return seconds <= 0; }))
            continue;
        auto* set = new QBarSet(segment.title, series);
        ChartStyle::fillBars(*set, color++);
        // The first category of lying bars is at the bottom.
        for (std::size_t bar = segment.seconds.size(); bar-- > 0;) {
            set->append(segment.seconds[bar]);
            totals[segment.seconds.size() - 1 - bar] += segment.seconds[bar];
        }
        series->append(set);
    }
    chart->addSeries(series);
    QStringList names(bars.names.rbegin(), bars.names.rend());
    auto* up = new NameAxis(names, chart.get());
    auto* across = new QValueAxis(chart.get());
    across->setTitleText(QCoreApplication::translate("RunCharts", "Seconds"));
    chart->addAxis(up, Qt::AlignLeft);
    chart->addAxis(across, Qt::AlignBottom);
    series->attachAxis(up);
    series->attachAxis(across);
    setTicks(across, 0, totalsRoom * *std::ranges::max_element(totals));
    chart->legend()->setVisible(series->count() > 1);
    ChartStyle::print().applyTo(*chart);
    new BarTotals(*chart, *series);  // the chart's child
    return chart;
}

/// Returns "8 × dp2-cp4-U2R2", with the devices if their numbers differ. The mode is the fastest one, which
/// the table beside names.
QString nameOf(const ForeseenMesh& mesh, int devices, bool severalNumbers) {
    const QString label = QString::fromStdString(mesh.of.mesh.label());
    return severalNumbers ? QStringLiteral("%1 × %2").arg(devices).arg(label) : label;
}

struct NamedMesh {
    QString name;
    const ForeseenMesh* mesh = nullptr;
};

Bars causeBars(const std::vector<NamedMesh>& meshes) {
    Bars bars;
    for (const CauseRow& cause : causeRows())
        bars.segments.push_back({engineText(cause.title), {}});
    for (const NamedMesh& named : meshes) {
        bars.names += named.name;
        for (std::size_t cause = 0; cause < causeRows().size(); ++cause)
            bars.segments[cause].seconds.push_back(named.mesh->seconds.step.*causeRows()[cause].seconds);
    }
    return bars;
}

DataTable causeTable(const std::vector<NamedMesh>& meshes) {
    DataTable table{
        .columns = {"devices", "mesh", "attention", "block_q", "block_kv", "step_s", "low_s", "high_s"},
        .rows = {}};
    for (const CauseRow& cause : causeRows())
        table.columns.push_back(fmt::format("{}_s", cause.name));
    for (const NamedMesh& named : meshes) {
        const ForeseenMesh& mesh = *named.mesh;
        std::vector<DataCell> row{std::int64_t{mesh.of.mesh.devices()},
                                  mesh.of.mesh.label(),
                                  std::string(mesh.mode->name),
                                  mesh.of.blockQ,
                                  mesh.of.blockKv,
                                  mesh.step.seconds,
                                  mesh.step.low,
                                  mesh.step.high};
        for (const CauseRow& cause : causeRows())
            row.emplace_back(mesh.seconds.step.*cause.seconds);
        table.rows.push_back(std::move(row));
    }
    return table;
}

[[noreturn]] void refuseNothingFits() {
    throw Error(ErrorKind::Project, sentence("No legal mesh of so many devices fits into their memory"), {},
                sentence("Take more devices, or other hardware"));
}

/// Says which bar is the project's, and adds one where it is none of them.
void markOwn(std::vector<NamedMesh>& meshes, const std::vector<ForeseenDevices>& answers,
             const ForeseenMesh* own) {
    if (own == nullptr || !own->fits())
        return;
    auto found =
        std::ranges::find_if(meshes, [own](const NamedMesh& named) { return areSame(*named.mesh, *own); });
    if (found == meshes.end()) {
        const int devices = own->of.mesh.devices();
        const bool isOfOther = answers.size() > 1 || answers.front().devices != devices;
        found = meshes.insert(meshes.begin(), NamedMesh{nameOf(*own, devices, isOfOther), own});
    }
    found->name = ForesightCharts::tr("%1 (own)", "the mesh of the project").arg(found->name);
}

/// The drawing owns what it shows.
ChartSheet meshSheet(const std::vector<ForeseenDevices>& answers,
                     std::vector<NamedMesh> (*choose)(const std::vector<ForeseenDevices>&, std::size_t),
                     const ForeseenMesh* own, std::size_t most) {
    std::vector<NamedMesh> meshes = choose(answers, most);
    if (meshes.empty())
        refuseNothingFits();
    markOwn(meshes, answers, own);
    return {.draw = [bars = causeBars(meshes)] { return drawBars(bars); }, .numbers = causeTable(meshes)};
}

std::vector<NamedMesh> fastestOfContexts(const std::vector<ForeseenDevices>& answers, std::size_t) {
    std::vector<NamedMesh> chosen;
    for (const ForeseenDevices& answer : answers) {
        std::map<int, const ForeseenMesh*> best;  // by context size; the fastest stand first
        for (const ForeseenMesh& mesh : answer.meshes.meshes)
            if (mesh.fits() && mesh.of.mesh.tensor == 1)
                best.emplace(mesh.of.mesh.context(), &mesh);
        for (const auto& [context, mesh] : best)
            chosen.push_back({nameOf(*mesh, answer.devices, answers.size() > 1), mesh});
    }
    return chosen;
}

std::vector<NamedMesh> fastestSplits(const std::vector<ForeseenDevices>& answers, std::size_t most) {
    std::vector<NamedMesh> chosen;
    for (const ForeseenDevices& answer : answers) {
        std::size_t count = 0;
        std::set<std::string> labels;  // the fastest mode of a split stands for all
        for (const ForeseenMesh& mesh : answer.meshes.meshes)
            if (mesh.fits() && count < most && labels.insert(mesh.of.mesh.label()).second) {
                chosen.push_back({nameOf(mesh, answer.devices, answers.size() > 1), &mesh});
                ++count;
            }
    }
    return chosen;
}

}  // namespace

ChartSheet bestByContextSheet(const std::vector<ForeseenDevices>& answers, const ForeseenMesh* own) {
    return meshSheet(answers, fastestOfContexts, own, 0);
}

ChartSheet splitSheet(const std::vector<ForeseenDevices>& answers, const ForeseenMesh* own,
                      std::size_t most) {
    return meshSheet(answers, fastestSplits, own, most);
}

namespace {

/// Lines over one axis each way.
class LinesChart : public ReadableChart {
  public:
    LinesChart(QAbstractAxis* across, const QString& up) : m_across(across), m_up(new ScaledAxis(this)) {
        across->setParent(this);
        addAxis(across, Qt::AlignBottom);
        m_up->setTitle(up);
        legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    }

    QLineSeries* addLine(const QString& name, const QList<QPointF>& points, const QPen& pen) {
        constexpr double markerSize = 6;
        auto* line = new QLineSeries(this);
        line->setName(name);
        line->setPen(pen);
        line->append(points);
        line->setPointsVisible(true);
        line->setMarkerSize(markerSize);
        addSeries(line);
        line->attachAxis(m_across);
        line->attachAxis(m_up->axis());
        return line;
    }

    [[nodiscard]] ScaledAxis* scaledAxis() override { return m_up; }

  private:
    QAbstractAxis* m_across;
    ScaledAxis* m_up;
};

std::unique_ptr<QChart> drawBlockCurve(const std::vector<ForeseenBlocks>& blocks) {
    auto* across = new QValueAxis;
    across->setTitleText(QStringLiteral("block_q"));
    auto chart = std::make_unique<LinesChart>(across, QCoreApplication::translate("RunCharts", "Seconds"));
    std::map<std::int64_t, QList<QPointF>> lines;
    ValueExtent extent{.from = 0, .least = blocks.front().stepSeconds, .most = 0};
    double widest = 0;
    for (const ForeseenBlocks& pair : blocks) {
        lines[pair.blocks.kv].append({static_cast<double>(pair.blocks.q), pair.stepSeconds});
        extent.least = std::min(extent.least, pair.stepSeconds);
        extent.most = std::max(extent.most, pair.stepSeconds);
        widest = std::max(widest, static_cast<double>(pair.blocks.q));
    }
    int index = 0;
    for (const auto& [keys, points] : lines)
        chart->addLine(QStringLiteral("block_kv %1").arg(keys), points,
                       ChartStyle::seriesPen(index++, seriesLineWidth));
    setTicks(across, 0, widest);
    chart->scaledAxis()->setExtent(extent);
    ChartStyle::print().applyTo(*chart);
    return chart;
}

}  // namespace

ChartSheet blockCurveSheet(const ForeseenMesh& mesh) {
    if (mesh.blocks.empty())
        throw Error(ErrorKind::Project,
                    sentence("Kernels of {} take no block sizes", mesh.of.hardware->title), {},
                    sentence("Choose a TPU, or another chart"));
    DataTable numbers{.columns = {"mesh", "attention", "block_q", "block_kv", "step_s"}, .rows = {}};
    for (const ForeseenBlocks& pair : mesh.blocks)
        numbers.rows.push_back({mesh.of.mesh.label(), std::string(mesh.mode->name), pair.blocks.q,
                                pair.blocks.kv, pair.stepSeconds});
    return {.draw = [blocks = mesh.blocks] { return drawBlockCurve(blocks); }, .numbers = std::move(numbers)};
}

namespace {

struct ScaledPoint {
    double devices = 1;
    double seconds = 0;
    double efficiency = 0;
};

std::unique_ptr<QChart> drawScaling(const std::vector<ScaledPoint>& points) {
    auto* across = new QLogValueAxis;
    across->setBase(2);
    across->setLabelFormat(QStringLiteral("%.0f"));
    across->setTitleText(QCoreApplication::translate("RunCharts", "Devices"));
    across->setRange(points.front().devices, std::max(points.back().devices, 2 * points.front().devices));
    auto chart =
        std::make_unique<LinesChart>(across, ForesightCharts::tr("Seconds a step", "axis of a chart"));
    ValueExtent extent{.from = 0, .least = points.front().seconds, .most = 0};
    QList<QPointF> seconds;
    QList<QPointF> perfect;
    for (const ScaledPoint& point : points) {
        seconds.append({point.devices, point.seconds});
        perfect.append({point.devices, point.seconds * point.efficiency});
        extent.least = std::min(extent.least, point.seconds * point.efficiency);
        extent.most = std::max(extent.most, point.seconds);
    }
    chart->addLine(ForesightCharts::tr("Seconds a step of the fastest mesh"), seconds,
                   ChartStyle::seriesPen(0, seriesLineWidth));
    chart
        ->addLine(QCoreApplication::translate("RunCharts", "Perfect scaling"), perfect,
                  QPen(ChartStyle::guide(), 1, Qt::DashLine))
        ->setPointsVisible(false);
    chart->scaledAxis()->setExtent(extent);
    chart->scaledAxis()->setLogarithmic(true);  // perfect scaling is a straight line then
    ChartStyle::print().applyTo(*chart);
    return chart;
}

}  // namespace

ChartSheet foreseenScalingSheet(const std::vector<ForeseenScaling>& points) {
    DataTable numbers{.columns = {"devices", "mesh", "attention", "step_s", "efficiency", "limit"},
                      .rows = {}};
    std::vector<ScaledPoint> drawn;
    for (const ForeseenScaling& point : points) {
        if (!point.best)
            continue;
        drawn.push_back({static_cast<double>(point.devices), point.best->step.seconds, point.efficiency});
        numbers.rows.push_back({std::int64_t{point.devices}, point.best->of.mesh.label(),
                                std::string(point.best->mode->name), point.best->step.seconds,
                                point.efficiency,
                                point.limit.empty() ? DataCell() : DataCell(point.limit.text())});
    }
    if (drawn.empty())
        refuseNothingFits();
    return {.draw = [drawn] { return drawScaling(drawn); }, .numbers = std::move(numbers)};
}

ChartSheet foreseenBesideMeasuredSheet(const std::vector<MeasuredCase>& cases) {
    if (cases.empty())
        throw Error(ErrorKind::Project, sentence("There is no finished run to hold the foresight against"),
                    {}, sentence("Choose runs, or paste TIMING SUMMARY blocks, in Compare"));
    Bars bars;
    bars.segments = {{QCoreApplication::translate("RunCharts", "Conditioning"), {}},
                     {QCoreApplication::translate("RunCharts", "Denoising"), {}},
                     {QCoreApplication::translate("RunCharts", "VAE decoding"), {}},
                     {QCoreApplication::translate("RunCharts", "Inference, undivided"), {}}};
    DataTable numbers{.columns = {"run", "mesh", "measured_s", "foreseen_s", "low_s", "high_s", "error"},
                      .rows = {}};
    const auto add = [&bars](const QString& name, const std::array<double, 4>& seconds) {
        bars.names += name;
        for (std::size_t segment = 0; segment < seconds.size(); ++segment)
            bars.segments[segment].seconds.push_back(seconds.at(segment));
    };
    for (const MeasuredCase& run : cases) {
        const QString name = QString::fromStdString(run.name);
        const TimingSummary& own = run.measured;
        add(ForesightCharts::tr("%1, measured", "run").arg(name),
            own.hasTrace ? std::array{own.conditioning, own.denoiseTotal, own.vaeDecode, 0.0}
                         : std::array{0.0, 0.0, 0.0, own.inference});
        add(ForesightCharts::tr("%1, foreseen on %2", "run, mesh")
                .arg(name, QString::fromStdString(run.mesh)),
            {run.foreseen.conditioning, run.foreseen.denoise, run.foreseen.decode, 0});
        const double measured =
            own.hasTrace ? own.conditioning + own.denoiseTotal + own.vaeDecode : own.inference;
        numbers.rows.push_back({run.name, run.mesh, measured, run.clip.seconds, run.clip.low, run.clip.high,
                                measured > 0 ? DataCell(run.clip.seconds / measured - 1) : DataCell()});
    }
    return {.draw = [bars] { return drawBars(bars); }, .numbers = std::move(numbers)};
}

}  // namespace meshreel
