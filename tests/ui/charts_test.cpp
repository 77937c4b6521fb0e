// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractBarSeries>
#include <QAbstractItemModelTester>
#include <QAreaSeries>
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QBuffer>
#include <QCategoryAxis>
#include <QChartView>
#include <QFile>
#include <QFontMetricsF>
#include <QGraphicsTextItem>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLegendMarker>
#include <QLineSeries>
#include <QRegularExpression>
#include <QScatterSeries>
#include <QSet>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QValueAxis>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/error.h"
#include "engine/timing/device_time_table.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/hollow_marks.h"
#include "ui/charts/name_axis.h"
#include "ui/charts/point_reduction.h"
#include "ui/charts/run_charts.h"
#include "ui/charts/shortened_names.h"
#include "ui/charts/step_chart.h"
#include "ui/charts/tile_chart.h"
#include "ui/models/step_table_model.h"

using namespace meshreel;

namespace {

constexpr int stepCount = 12;

std::vector<StepRecord> someSteps() {
    std::vector<StepRecord> steps;
    for (int i = 0; i < stepCount; ++i)
        steps.push_back(
            {i, 1000.0 - i, 1.0 - 0.05 * i, 0.25 + 0.01 * (i % 3), -3.0 + 0.1 * i, 3.0 - 0.1 * i, 0.01 * i});
    return steps;
}

/// A finished run of two devices.
RunRecord someRun(int devices) {
    RunRecord run{.name = "run-" + std::to_string(devices),
                  .attention = "ulysses",
                  .width = 64,
                  .height = 64,
                  .frames = 17,
                  .devices = devices,
                  .workersPerDevice = 1,
                  .steps = someSteps(),
                  .timings = TimingSummary{.hasTrace = true},
                  .trace = {}};
    for (StepRecord& step : run.steps)
        step.seconds /= devices;
    run.blockQ = 256 * devices;
    run.blockKv = 512;
    run.memory = {{.phase = "Load", .planned = 1U << 20, .held = 2U << 20, .mappedFiles = 0},
                  {.phase = "Denoise", .planned = 5U << 20, .held = 4U << 20, .mappedFiles = 1U << 20}};
    run.timings->load = 1;
    run.timings->denoiseTotal = 3 / devices;
    for (int step = 0; step < stepCount; ++step)
        run.deviceTimes.push_back({.step = step,
                                   .devices = {{.computing = 0.125, .exchanging = 0.0625, .waiting = 0.0625},
                                               {.computing = 0.25, .exchanging = 0, .waiting = 0}}});
    return run;
}

/// What runs left before they recorded the times of their devices.
std::vector<TracedSpan> someTrace() {
    std::vector<TracedSpan> trace;
    for (const int thread : {2, 3})
        for (int step = 0; step < stepCount; ++step) {
            trace.push_back({"step", "step", thread, 0.25 * step, 0.25});
            trace.push_back({"attend", "attention", thread, 0.25 * step, 0.125});
            trace.push_back({"rotate", "attention", thread, 0.25 * step + 0.125, 0.0625});
        }
    return trace;
}

/// Runs that give a chart of this kind.
std::vector<RunRecord> runsOf(ChartKind kind) {
    if (chartKinds()[static_cast<std::size_t>(kind)].oneRun)
        return {someRun(1)};
    std::vector<RunRecord> runs{someRun(1), someRun(2)};
    if (kind == ChartKind::Tiles)
        runs[1].devices = runs[0].devices;
    if (kind == ChartKind::Scaling) {
        runs.push_back(someRun(2));
        for (StepRecord& step : runs.back().steps)
            step.seconds *= 1.3;
    }
    for (RunRecord& run : runs)
        run.steps.back().expert = 2;
    return runs;
}

/// "a,b c,d" and "M a,b L c,d" alike.
std::vector<QPointF> pointsIn(const QString& numbers) {
    static const QRegularExpression pair(
        QStringLiteral("(-?[0-9.]+(?:e-?[0-9]+)?)[, ](-?[0-9.]+(?:e-?[0-9]+)?)"));
    std::vector<QPointF> points;
    for (auto match = pair.globalMatch(numbers); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        points.emplace_back(found.captured(1).toDouble(), found.captured(2).toDouble());
    }
    return points;
}

QTransform transformIn(const QXmlStreamAttributes& attributes) {
    static const QRegularExpression number(QStringLiteral("-?[0-9.]+(?:e-?[0-9]+)?"));
    std::vector<double> values;
    const QString text = attributes.value(QLatin1String("transform")).toString();
    for (auto match = number.globalMatch(text); match.hasNext();)
        values.push_back(match.next().captured().toDouble());
    return values.size() == 6 ? QTransform(values[0], values[1], values[2], values[3], values[4], values[5])
                              : QTransform();
}

/// Of the shapes of a drawing that Qt wrote, in the units of its view box.
std::vector<QPointF> cornersOf(const QByteArray& svg) {
    std::vector<QTransform> transforms{QTransform()};
    std::vector<QPointF> corners;
    QXmlStreamReader xml(svg);
    while (!xml.atEnd()) {
        const QXmlStreamReader::TokenType token = xml.readNext();
        if (token == QXmlStreamReader::EndElement)
            transforms.pop_back();
        if (token != QXmlStreamReader::StartElement)
            continue;
        const QXmlStreamAttributes attributes = xml.attributes();
        transforms.push_back(transformIn(attributes) * transforms.back());
        const auto number = [&](const char* name) {
            return attributes.value(QLatin1String(name)).toDouble();
        };
        std::vector<QPointF> points = pointsIn(attributes.value(QLatin1String("points")).toString());
        std::ranges::copy(pointsIn(attributes.value(QLatin1String("d")).toString()),
                          std::back_inserter(points));
        if (xml.name() == QLatin1String("rect") || xml.name() == QLatin1String("text")) {
            points.emplace_back(number("x"), number("y"));
            points.emplace_back(number("x") + number("width"), number("y") + number("height"));
        }
        if (xml.name() == QLatin1String("circle"))
            points.emplace_back(number("cx"), number("cy"));
        for (const QPointF& point : points)
            corners.push_back(transforms.back().map(point));
    }
    return corners;
}

/// Of a chart of lanes, from below.
QStringList laneLabels(const QChart& chart) {
    return qobject_cast<QCategoryAxis*>(chart.axes(Qt::Vertical).constFirst())->categoriesLabels();
}

/// What the entries of the legend say, each once.
QStringList legendOf(const QChart& chart) {
    QStringList entries;
    const QList<QLegendMarker*> markers = chart.legend()->markers();
    for (const QLegendMarker* marker : markers)
        if (!entries.contains(marker->label()))
            entries += marker->label();
    return entries;
}

/// What stands in a chart, with where it stands.
std::vector<std::pair<QString, QRectF>> writtenIn(const QGraphicsScene& scene) {
    std::vector<std::pair<QString, QRectF>> written;
    const QList<QGraphicsItem*> items = scene.items();
    for (const QGraphicsItem* item : items)
        if (const auto* text = dynamic_cast<const QGraphicsTextItem*>(item);
            text && text->isVisible() && !text->toPlainText().isEmpty())
            written.emplace_back(text->toPlainText(), text->sceneBoundingRect());
    return written;
}

/// Runs with names that differ at their end and in their middle only.
std::vector<RunRecord> manyRuns(int count, bool longNames) {
    std::vector<RunRecord> runs;
    for (int index = 0; index < count; ++index) {
        runs.push_back(someRun(1));
        const std::string number = std::to_string(100 + index);
        runs.back().name = longNames
                               ? "sweep-of-all-modes-of-attention-u" + number + "-and-of-all-block-sizes"
                               : "t" + number;
    }
    return runs;
}

void addManyRuns() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("runs");
    QTest::addColumn<bool>("longNames");
    for (const QSize size : {QSize(785, 200), QSize(400, 220), QSize(840, 350), QSize(1200, 675)})
        for (const int runs : {1, 4, 8, 13})
            for (const bool longNames : {false, true})
                QTest::addRow("%d x %d, %d runs, %s names", size.width(), size.height(), runs,
                              longNames ? "long" : "short")
                    << size << runs << longNames;
}

QByteArray contentOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// How many pixels are of about this colour.
int countPixels(const QImage& image, const QColor& wanted) {
    constexpr int tolerance = 24;
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            if (std::abs(pixel.red() - wanted.red()) < tolerance &&
                std::abs(pixel.green() - wanted.green()) < tolerance &&
                std::abs(pixel.blue() - wanted.blue()) < tolerance)
                ++count;
        }
    }
    return count;
}

}  // namespace

class ChartsTest : public QObject {
    Q_OBJECT

  private slots:
    void modelTellsItsRows();
    void chartDrawsEachStep();
    void firstStepIsMarked();
    void longRunsAreDrawnByThePixel();
    void lowChartsHaveFewerTicks();
    void lowChartsKeepTheirLabelsRatherThanATitle();
    void pngShowsTheLine();
    void svgIsADrawing();
    void pdfIsWhole();
    void csvReadsBack();
    void sheetsOfStepsTellTheExpert();
    void inferenceStandsUndividedWhereItsStagesAreUnknown();
    void sheetsOfScalingTellTheSpread();
    void manySeriesDifferInMoreThanColour();
    void otherFormatsAreRefused();
    void failedExportLeavesTheOldFile();
    void reducedLinesKeepTheirPeaks();
    void bandsOfMovedLinesKeepTheirShape();
    void everyKindOfRunChartDraws_data();
    void everyKindOfRunChartDraws();
    void lanesAreThoseOfTheCounters();
    void oldRunsShowTheirTrace();
    void chartsRefuseRunsThatDoNotGiveThem();
    void vectorFilesStayInsideTheirPage();
    void longNamesAreShortenedApart();
    void everyBarHasItsName_data();
    void everyBarHasItsName();
    void everyRunIsInTheLegend_data();
    void everyRunIsInTheLegend();
    void efficiencyIsToldFromSpeed();
    void lanesAreDrawnByTheirSteps();

  private:
    std::filesystem::path fileNamed(const char* name) const {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }

    QTemporaryDir m_folder;
};

void ChartsTest::modelTellsItsRows() {
    StepTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.append(someSteps());
    QCOMPARE(model.rowCount(), stepCount);
    QCOMPARE(model.index(3, StepTableModel::Seconds).data().toDouble(), 0.25);
    QVERIFY(model.headerData(StepTableModel::Sigma, Qt::Horizontal).isValid());
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void ChartsTest::chartDrawsEachStep() {
    StepChart chart;
    chart.setRecords(someSteps());
    QCOMPARE(chart.pointCount(), stepCount);
    chart.setMetric(StepMetric::Latents);
    QCOMPARE(chart.pointCount(), stepCount);
    chart.setRecords({});
    QCOMPARE(chart.pointCount(), 0);
}

void ChartsTest::firstStepIsMarked() {
    StepChart chart;
    chart.setRecords(someSteps());
    const QList<QAbstractSeries*> all = chart.series();
    const auto found = std::ranges::find(all, QAbstractSeries::SeriesTypeScatter, &QAbstractSeries::type);
    QVERIFY(found != all.end());
    const auto* mark = qobject_cast<const QScatterSeries*>(*found);
    QCOMPARE(mark->points(), (QList<QPointF>{{1, someSteps().front().seconds}}));
    chart.setMetric(StepMetric::Latents);
    QVERIFY(mark->points().isEmpty());
}

void ChartsTest::longRunsAreDrawnByThePixel() {
    constexpr int steps = 10'000;
    std::vector<StepRecord> records(steps);
    for (int step = 0; step < steps; ++step)
        records[static_cast<std::size_t>(step)] = {.step = step, .seconds = step == 4321 ? 9.0 : 1.0};
    StepChart chart;
    chart.resize(800, 400);
    chart.setRecords(records);
    QVERIFY(chart.pointCount() < steps / 2);
    const auto* band = qobject_cast<QAreaSeries*>(chart.series().constFirst());
    QVERIFY(band->isVisible());
    const QPointF peak = std::ranges::max(band->upperSeries()->points(), {}, &QPointF::y);
    QVERIFY(peak.y() > 9 && peak.y() < 9.1);
    QVERIFY(std::abs(peak.x() - 4322) < steps / 1000.0);
    QVERIFY(std::ranges::all_of(band->lowerSeries()->points(),
                                [](const QPointF& point) { return point.y() < 1 && point.y() > 0.9; }));
    auto* line = qobject_cast<QLineSeries*>(chart.series().at(chart.series().size() - 2));
    QCOMPARE(line->count(), 0);
    auto* axis = qobject_cast<QValueAxis*>(chart.axes(Qt::Horizontal).constFirst());
    axis->setRange(100, 140);
    QVERIFY(!band->isVisible());
    QVERIFY(line->points().contains(QPointF(100, 1)) && line->points().contains(QPointF(140, 1)));
    QVERIFY2(chart.pointCount() < 45, "what is not visible is not drawn");
}

void ChartsTest::lowChartsKeepTheirLabelsRatherThanATitle() {
    auto* chart = new StepChart;
    QChartView view(chart);
    chart->setRecords({{.step = 0, .seconds = 0.06}, {.step = 1, .seconds = 0.09}});
    const QAbstractAxis* axis = chart->axes(Qt::Horizontal).constFirst();
    for (const int height : {400, 134, 120}) {
        view.resize(800, height);
        (void)view.grab();
        QCOMPARE(axis->isTitleVisible(), height == 400);
        const QList<QGraphicsItem*> items = view.items();
        QVERIFY(std::ranges::none_of(items, [](const QGraphicsItem* item) {
            const auto* text = dynamic_cast<const QGraphicsTextItem*>(item);
            return text != nullptr && text->isVisible() &&
                   text->toPlainText().contains(QStringLiteral("..."));
        }));
    }
}

void ChartsTest::lowChartsHaveFewerTicks() {
    auto* chart = new StepChart;
    QChartView view(chart);
    chart->setRecords({{.step = 0, .seconds = 0.06}, {.step = 1, .seconds = 0.09}});
    const auto* axis = qobject_cast<QValueAxis*>(chart->axes(Qt::Vertical).constFirst());
    const double letters = QFontMetricsF(axis->labelsFont()).height();
    for (const int height : {600, 300, 200, 168, 150}) {
        view.resize(800, height);
        (void)view.grab();
        const double ticks = (axis->max() - axis->min()) / axis->tickInterval();
        QVERIFY2(chart->plotArea().height() / ticks > letters * 1.1, qPrintable(QString::number(height)));
        QVERIFY(ticks >= 1);
    }
    QCOMPARE(axis->min(), 0.0);
    QVERIFY(axis->max() > 0.09);
}

void ChartsTest::pngShowsTheLine() {
    exportChart(fileNamed("steps.png"), stepSheet(someSteps(), StepMetric::Seconds));
    const QImage image(m_folder.filePath(QStringLiteral("steps.png")));
    QVERIFY(image.width() >= 1200);
    constexpr int lineAtLeast = 500;  // pixels, for a line across most of the picture
    QVERIFY(countPixels(image, ChartStyle::print().line) > lineAtLeast);
    exportChart(fileNamed("none.png"), stepSheet({}, StepMetric::Seconds));
    const QImage empty(m_folder.filePath(QStringLiteral("none.png")));
    QVERIFY(countPixels(empty, ChartStyle::print().line) < lineAtLeast);
}

void ChartsTest::svgIsADrawing() {
    exportChart(fileNamed("steps.svg"), stepSheet(someSteps(), StepMetric::Latents));
    const QByteArray bytes = contentOf(fileNamed("steps.svg"));
    QVERIFY(QSvgRenderer(bytes).isValid());
    QXmlStreamReader xml(bytes);
    int shapes = 0;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement &&
            (xml.name() == QLatin1String("path") || xml.name() == QLatin1String("polyline")))
            ++shapes;
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(shapes > stepCount);
}

void ChartsTest::pdfIsWhole() {
    exportChart(fileNamed("steps.pdf"), stepSheet(someSteps(), StepMetric::Seconds));
    const QByteArray bytes = contentOf(fileNamed("steps.pdf"));
    QVERIFY(bytes.startsWith("%PDF-"));
    QVERIFY(bytes.trimmed().endsWith("%%EOF"));
    QVERIFY(bytes.contains("/Type /Page"));
}

void ChartsTest::csvReadsBack() {
    exportChart(fileNamed("steps.csv"), stepSheet(someSteps(), StepMetric::Seconds));
    std::vector<StepRecord> back = parseStepCsv(contentOf(fileNamed("steps.csv")).toStdString());
    QCOMPARE(back.front().step, 1);  // as the chart counts
    for (StepRecord& step : back)
        --step.step;
    QCOMPARE(back, someSteps());
}

void ChartsTest::sheetsOfStepsTellTheExpert() {
    RunRecord run = someRun(1);
    run.steps.back().expert = 2;
    const DataTable numbers = runChart(ChartKind::Steps, {run}).numbers;
    QVERIFY(numbers.rows.front().at(1) == DataCell(std::int64_t{1}));
    QCOMPARE(numbers.columns.back(), std::string("expert"));
    QVERIFY(numbers.rows.front().back() == DataCell(std::int64_t{1}));
    QVERIFY(numbers.rows.back().back() == DataCell(std::int64_t{2}));
    exportChart(fileNamed("experts.csv"), stepSheet(run.steps, StepMetric::Seconds));
    QCOMPARE(parseStepCsv(contentOf(fileNamed("experts.csv")).toStdString()).back().expert, 2);
}

void ChartsTest::inferenceStandsUndividedWhereItsStagesAreUnknown() {
    constexpr double load = 585;
    constexpr double inference = 216;
    RunRecord untraced = someRun(2);
    untraced.timings = TimingSummary{.load = load, .inference = inference};
    const ChartSheet sheet = runChart(ChartKind::Stages, {someRun(1), untraced});
    QCOMPARE(sheet.numbers.columns, (std::vector<std::string>{"run", "load", "compile", "conditioning",
                                                              "denoise", "decode", "inference"}));
    const std::vector<DataCell>& row = sheet.numbers.rows[1];
    QVERIFY(row[1] == DataCell(load));
    QVERIFY2(row[4] == DataCell() && row[5] == DataCell(), "what is not known is empty, not 0");
    QVERIFY(row[6] == DataCell(inference));
    QVERIFY(sheet.numbers.rows[0][6] == DataCell());
    const auto barSums = [](const QChart& chart) {
        const auto* bars = qobject_cast<const QAbstractBarSeries*>(chart.series().constFirst());
        QList<double> sums(bars->barSets().constFirst()->count(), 0);
        const QList<QBarSet*> sets = bars->barSets();
        for (const QBarSet* set : sets)
            for (int bar = 0; bar < set->count(); ++bar)
                sums[bar] += set->at(bar);
        return sums;
    };
    QCOMPARE(barSums(*sheet.draw()).constFirst(), load + inference);  // the last run stands at the bottom
    const auto stagesOf = [](const ChartSheet& drawn) {
        return qobject_cast<const QAbstractBarSeries*>(drawn.draw()->series().constFirst())->count();
    };
    QCOMPARE(stagesOf(sheet), 6);
    QCOMPARE(stagesOf(runChart(ChartKind::Stages, {someRun(1)})), 5);
}

void ChartsTest::sheetsOfScalingTellTheSpread() {
    RunRecord slower = someRun(2);
    for (StepRecord& step : slower.steps)
        step.seconds *= 1.5;
    const DataTable numbers = runChart(ChartKind::Scaling, {someRun(1), someRun(2), slower}).numbers;
    QCOMPARE(numbers.rows.size(), 2U);
    const auto column = [&numbers](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(numbers.columns, name) - numbers.columns.begin());
    };
    QVERIFY(numbers.rows[0].at(column("speed_sd")) == DataCell());
    QVERIFY(numbers.rows[1].at(column("repeats")) == DataCell(std::int64_t{2}));
    QVERIFY(std::get<double>(numbers.rows[1].at(column("speed_sd"))) > 0);
    QVERIFY(std::get<double>(numbers.rows[1].at(column("efficiency_sd"))) > 0);
}

void ChartsTest::manySeriesDifferInMoreThanColour() {
    constexpr int series = 5 * ChartStyle::seriesColors;
    std::set<std::pair<QRgb, int>> pens;
    std::set<std::pair<QRgb, int>> brushes;
    for (int index = 0; index < series; ++index) {
        const QPen pen = ChartStyle::seriesPen(index, 2);
        pens.emplace(pen.color().rgb(), pen.style());
        const QBrush brush = ChartStyle::seriesBrush(index);
        brushes.emplace(brush.color().rgb(), brush.style());
    }
    QCOMPARE(pens.size(), static_cast<std::size_t>(series));
    QCOMPARE(brushes.size(), static_cast<std::size_t>(series));
}

void ChartsTest::otherFormatsAreRefused() {
    QVERIFY_THROWS_EXCEPTION(
        Error, exportChart(fileNamed("steps.bmp"), stepSheet(someSteps(), StepMetric::Seconds)));
    QVERIFY(!std::filesystem::exists(fileNamed("steps.bmp")));
}

void ChartsTest::failedExportLeavesTheOldFile() {
    QVERIFY_THROWS_EXCEPTION(
        Error, exportChart(fileNamed("missing/steps.png"), stepSheet(someSteps(), StepMetric::Seconds)));
    QVERIFY(!std::filesystem::exists(fileNamed("missing")));
}

void ChartsTest::reducedLinesKeepTheirPeaks() {
    constexpr int count = 100000;
    constexpr int columns = 100;
    QList<QPointF> points;
    for (int i = 0; i < count; ++i)
        points.append({static_cast<double>(i), std::sin(i * 0.001)});
    points[77777].setY(9);
    points[4321].setY(-9);
    const QList<QPointF> reduced = reducedPoints(points, columns);
    QVERIFY(reduced.size() <= 2 * columns + 2);
    QVERIFY(reduced.contains(points[77777]) && reduced.contains(points[4321]));
    QCOMPARE(reduced.first(), points.first());
    QCOMPARE(reduced.last(), points.last());
    QVERIFY(std::ranges::is_sorted(reduced, {}, &QPointF::x));
    QCOMPARE(reducedPoints(points.first(50), columns), points.first(50));
}

void ChartsTest::bandsOfMovedLinesKeepTheirShape() {
    QVERIFY(envelopeOf({}, 1).lower.isEmpty());
    QList<QPointF> points;
    for (int i = 0; i < 1000; ++i)
        points.append({static_cast<double>(i), i == 500 ? 7.0 : std::sin(i * 0.7)});
    constexpr double width = 10;
    const Envelope whole = envelopeOf(points, width);
    QCOMPARE(whole.upper.size(), 100);
    QCOMPARE(whole.upper[50], QPointF(505, 7));
    for (qsizetype part = 0; part < whole.upper.size(); ++part) {
        QCOMPARE(whole.upper[part].x(), whole.lower[part].x());
        QVERIFY(whole.upper[part].y() >= whole.lower[part].y());
    }
    // The line that leaves a part enters the next one where it was.
    const Envelope steps = envelopeOf({{5, 0}, {15, 4}, {16, 5}}, width);
    QCOMPARE(steps.lower[1].y(), 0.0);
    QCOMPARE(steps.upper[1].y(), 5.0);
    // A point may lie on a border that is rounded to the other side of it.
    for (int part = 1; part < 1000; ++part)
        QCOMPARE(envelopeOf({{part * 0.1, 1}}, 0.1).upper.size(), 1);
    for (double thin = 1e-3; thin < 20; thin *= 1.01)
        QVERIFY(envelopeOf(points, thin).upper.size() <= points.size());
    const Envelope later = envelopeOf(points.mid(123), width);
    QCOMPARE(later.upper.mid(1), whole.upper.mid(13));
    QCOMPARE(later.lower.mid(1), whole.lower.mid(13));
}

void ChartsTest::everyKindOfRunChartDraws_data() {
    QTest::addColumn<int>("kind");
    for (const ChartKindRow& row : chartKinds())
        QTest::newRow(row.name.data()) << static_cast<int>(row.kind);
}

void ChartsTest::everyKindOfRunChartDraws() {
    QFETCH(const int, kind);
    const auto chart = static_cast<ChartKind>(kind);
    const std::vector<RunRecord> runs = runsOf(chart);
    exportChart(fileNamed("runs.png"), runChart(chart, runs));
    const QImage image(m_folder.filePath(QStringLiteral("runs.png")));
    constexpr int drawnAtLeast = 500;  // pixels
    const QColor drawn = chart == ChartKind::Tiles ? tileShades().front() : ChartStyle::series(0);
    QVERIFY(countPixels(image, drawn) > drawnAtLeast);
    exportChart(fileNamed("runs.json"), runChart(chart, runs));
    QVERIFY(!QJsonDocument::fromJson(contentOf(fileNamed("runs.json"))).array().isEmpty());
}

void ChartsTest::lanesAreThoseOfTheCounters() {
    RunRecord run = someRun(1);
    run.trace = someTrace();
    const ChartSheet sheet = runChart(ChartKind::Lanes, {run});
    std::vector<StepDeviceTimes> back = parseDeviceTimes(csvOf(sheet.numbers));
    QCOMPARE(back.front().step, 1);  // as the charts count
    for (StepDeviceTimes& step : back)
        --step.step;
    QCOMPARE(back, run.deviceTimes);
    const auto chart = sheet.draw();
    QVERIFY2(chart->title().isEmpty(), qPrintable(chart->title()));
    QCOMPARE(laneLabels(*chart), QStringList({QStringLiteral("Device 1"), QStringLiteral("Device 0")}));
    QCOMPARE(legendOf(*chart), QStringList({QStringLiteral("Computing"), QStringLiteral("Exchange"),
                                            QStringLiteral("Waiting")}));
    exportChart(fileNamed("lanes.png"), sheet);
    const QImage image(m_folder.filePath(QStringLiteral("lanes.png")));
    // Of the two lanes' time three quarters are computing, the rest is half exchange and half waiting.
    const int computing = countPixels(image, ChartStyle::series(0));
    for (const int other : {1, 6}) {
        const double ratio = static_cast<double>(countPixels(image, ChartStyle::series(other))) / computing;
        QVERIFY2(std::abs(ratio - 1.0 / 6) < 0.02, qPrintable(QString::number(ratio)));
    }
}

void ChartsTest::oldRunsShowTheirTrace() {
    RunRecord run = someRun(1);
    run.deviceTimes.clear();
    run.trace = someTrace();
    const ChartSheet sheet = runChart(ChartKind::Lanes, {run});
    const auto chart = sheet.draw();
    QVERIFY(chart->title().contains(QLatin1String("trace")));
    QCOMPARE(laneLabels(*chart), QStringList({QStringLiteral("Thread 3"), QStringLiteral("Thread 2")}));
    QCOMPARE(sheet.numbers.columns.front(), "thread");
    exportChart(fileNamed("traced.png"), sheet);
    const QImage image(m_folder.filePath(QStringLiteral("traced.png")));
    QVERIFY(countPixels(image, ChartStyle::series(5)) > 500);
}

void ChartsTest::chartsRefuseRunsThatDoNotGiveThem() {
    RunRecord begun = someRun(1);
    begun.steps.clear();
    begun.timings.reset();
    begun.deviceTimes.clear();
    begun.memory.clear();
    for (const ChartKindRow& row : chartKinds()) {
        QVERIFY_THROWS_EXCEPTION(Error, runChart(row.kind, {}));
        QVERIFY_THROWS_EXCEPTION(Error, runChart(row.kind, {begun}));
    }
    for (const ChartKindRow& row : chartKinds())
        if (row.oneRun)
            QVERIFY_THROWS_EXCEPTION(Error, runChart(row.kind, {someRun(1), someRun(2)}));
    QVERIFY_THROWS_EXCEPTION(Error, runChart(ChartKind::Tiles, {someRun(1), someRun(2)}));  // other meshes
}

// Qt's SVG writer ignores clips: what lies outside the page would be drawn by other programs.
void ChartsTest::vectorFilesStayInsideTheirPage() {
    for (const ChartKindRow& row : chartKinds()) {
        const QByteArray svg = chartSvg(runChart(row.kind, runsOf(row.kind)));
        const QRectF page = QSvgRenderer(svg).viewBoxF();
        const std::vector<QPointF> corners = cornersOf(svg);
        QVERIFY(corners.size() > 50);
        for (const QPointF& corner : corners)
            QVERIFY2(page.contains(corner), qPrintable(QStringLiteral("%1: %2 %3")
                                                           .arg(QLatin1String(row.name.data()))
                                                           .arg(corner.x())
                                                           .arg(corner.y())));
    }
}

void ChartsTest::longNamesAreShortenedApart() {
    const QFontMetricsF letters(ChartStyle::font());
    const double room = usualNameRoom(letters);
    const auto differing = [](const QStringList& names) {
        return QSet<QString>(names.begin(), names.end()).size();
    };
    const QString same = QStringLiteral("the same beginning of all names");
    const QStringList shortNames{QStringLiteral("ring"), QStringLiteral("ulysses")};
    QCOMPARE(shortenedNames(shortNames, letters, room), shortNames);
    QCOMPARE(shortenedNames({same, same}, letters, room).size(), 2);
    const QStringList inTheMiddle{same + QLatin1String(" u2 ") + same, same + QLatin1String(" u4 ") + same};
    QCOMPARE(shortenedNames(inTheMiddle, letters, room),
             QStringList({QStringLiteral("\u2026u2\u2026"), QStringLiteral("\u2026u4\u2026")}));
    for (const QStringList& names :
         {QStringList{same + QLatin1String(" 1"), same + QLatin1String(" 2")},
          QStringList{QLatin1String("1 ") + same, QLatin1String("2 ") + same},
          QStringList{same + QLatin1String(" 1 ") + same, same + QLatin1String(" 2 ") + same}}) {
        const QStringList shortened = shortenedNames(names, letters, room);
        QCOMPARE(differing(shortened), 2);
        for (const QString& name : shortened) {
            QVERIFY2(letters.horizontalAdvance(name) <= room, qPrintable(name));
            QVERIFY(name.contains(QChar(0x2026)));
        }
    }
}

void ChartsTest::everyBarHasItsName_data() {
    addManyRuns();
}

void ChartsTest::everyBarHasItsName() {
    QFETCH(const QSize, size);
    QFETCH(const int, runs);
    QFETCH(const bool, longNames);
    QChartView view(runChart(ChartKind::Stages, manyRuns(runs, longNames)).draw().release());
    view.resize(size);
    view.show();
    QCoreApplication::processEvents();
    const QRectF plot = view.chart()->plotArea();
    QVERIFY2(plot.left() < 0.4 * size.width(), "names leave room for the bars");
    QSet<QString> names;
    double above = plot.bottom();
    auto written = writtenIn(*view.scene());
    std::ranges::sort(written, std::greater<>(), [](const auto& each) { return each.second.top(); });
    for (const auto& [text, place] : written) {
        if (place.right() > plot.left() + 1 || text == QLatin1String("Seconds"))
            continue;
        QVERIFY2(place.left() >= -1, qPrintable(text));
        QVERIFY2(place.bottom() <= above + 1, "names do not lie upon each other");
        above = place.top();
        names += text;
    }
    QCOMPARE(names.size(), runs);
    auto* axis = qobject_cast<QBarCategoryAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    QCOMPARE(categoryName(*axis, 0), QString::fromStdString(manyRuns(runs, longNames).back().name));
}

void ChartsTest::everyRunIsInTheLegend_data() {
    addManyRuns();
}

void ChartsTest::everyRunIsInTheLegend() {
    QFETCH(const QSize, size);
    QFETCH(const int, runs);
    QFETCH(const bool, longNames);
    for (const ChartKind kind : {ChartKind::Memory, ChartKind::Steps}) {
        QChartView view(runChart(kind, manyRuns(runs, longNames)).draw().release());
        view.resize(size);
        view.show();
        QCoreApplication::processEvents();
        QSet<QString> entries;
        const QList<QLegendMarker*> markers = view.chart()->legend()->markers();
        for (const QLegendMarker* marker : markers)
            if (marker->isVisible())
                entries += marker->label();
        QCOMPARE(entries.size(), kind == ChartKind::Memory ? runs + 1 : runs);  // and what was planned
        const QRectF plot = view.chart()->plotArea();
        QVERIFY2(plot.width() > 0.4 * size.width() && plot.height() > 0.5 * size.height(),
                 "the legend leaves room for the chart");
        QSet<QString> seen;
        for (const auto& [text, place] : writtenIn(*view.scene()))
            if (entries.contains(text)) {
                seen += text;
                QVERIFY2(view.sceneRect().adjusted(-1, -1, 1, 1).contains(place), qPrintable(text));
                QVERIFY2(!plot.intersects(place.adjusted(2, 2, -2, -2)), qPrintable(text));
            }
        QCOMPARE(seen, entries);
    }
}

void ChartsTest::efficiencyIsToldFromSpeed() {
    std::vector<RunRecord> runs = manyRuns(6, false);
    for (int index = 0; RunRecord & run : runs)
        run.attention = "mode_number_" + std::to_string(++index);
    QChartView view(runChart(ChartKind::Scaling, runs).draw().release());
    view.resize(785, 200);
    view.show();
    QCoreApplication::processEvents();
    QChart& chart = *view.chart();
    qsizetype rings = 0;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all)
        if (const auto* marks = qobject_cast<HollowMarks*>(series)) {
            ++rings;
            QCOMPARE(marks->color(), chart.backgroundBrush().color());
            QVERIFY(marks->borderColor() != marks->color());
        }
    QCOMPARE(rings, 6);
    const auto axes = chart.axes(Qt::Vertical);
    const auto right = std::ranges::find(axes, Qt::AlignRight, &QAbstractAxis::alignment);
    QVERIFY2(qobject_cast<QValueAxis*>(*right)->max() > 105, "the mark at 100 % is whole");
    int labels = 0;
    for (const auto& [text, place] : writtenIn(*view.scene())) {
        QVERIFY2(!text.endsWith(QLatin1String("...")), qPrintable(text));
        labels += static_cast<int>(place.left() > chart.plotArea().right() && text == QLatin1String("100"));
    }
    QCOMPARE(labels, 1);
}

void ChartsTest::lanesAreDrawnByTheirSteps() {
    RunRecord run = someRun(1);
    for (StepDeviceTimes& step : run.deviceTimes)
        step.devices.front().computing += 0.01 * step.step;
    const std::vector<QPointF> few = cornersOf(chartSvg(runChart(ChartKind::Lanes, {run})));
    QVERIFY2(few.size() < 1000, qPrintable(QString::number(few.size())));
    const auto boundsOf = [](const QChart& chart) {
        return qobject_cast<QAreaSeries*>(chart.series().constLast())->upperSeries()->points();
    };
    constexpr int steps = 10'000;
    run.deviceTimes.clear();
    for (int step = 0; step < steps; ++step)
        run.deviceTimes.push_back({.step = step,
                                   .devices = {{.computing = step % 2 == 0 ? 0.25 : 0.5,
                                                .exchanging = 0,
                                                .waiting = step % 2 == 0 ? 0.25 : 0}}});
    const auto chart = runChart(ChartKind::Lanes, {run}).draw();
    QVERIFY(boundsOf(*chart).size() < 2000);
    const auto* computing = qobject_cast<QAreaSeries*>(chart->series().constFirst());
    // From afar three quarters of the time; looked at closely, all of it in every second step.
    QVERIFY(std::abs(computing->upperSeries()->at(0).y() - (0.1 + 0.8 * 0.75)) < 0.01);
    auto* time = qobject_cast<QValueAxis*>(chart->axes(Qt::Horizontal).constFirst());
    time->setRange(100, 102);
    const QList<QPointF> near = computing->upperSeries()->points();
    QCOMPARE(near.size(), 8);  // four steps
    QVERIFY(std::abs(near[0].y() - (0.1 + 0.8 * 0.5)) < 1e-9);
    QVERIFY(std::abs(near[2].y() - (0.1 + 0.8)) < 1e-9);
}

QTEST_MAIN(ChartsTest)
#include "charts_test.moc"
