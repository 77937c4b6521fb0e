// SPDX-License-Identifier: GPL-3.0-or-later
#include <QBuffer>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/point_reduction.h"
#include "ui/charts/run_charts.h"
#include "ui/charts/step_chart.h"
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

/// A finished run with a trace of two devices.
RunRecord someRun(int devices) {
    RunRecord run{.name = "run-" + std::to_string(devices),
                  .attention = "ulysses",
                  .width = 64,
                  .height = 64,
                  .frames = 17,
                  .devices = devices,
                  .workersPerDevice = 1,
                  .steps = someSteps(),
                  .timings = TimingSummary{},
                  .trace = {}};
    for (StepRecord& step : run.steps)
        step.seconds /= devices;
    run.timings->load = 1;
    run.timings->denoiseTotal = 3 / devices;
    for (const int thread : {0, 1})
        for (int step = 0; step < stepCount; ++step) {
            run.trace.push_back({"step", "step", thread, 0.25 * step, 0.25});
            run.trace.push_back({"attend", "attention", thread, 0.25 * step, 0.125});
            run.trace.push_back({"rotate", "attention", thread, 0.25 * step + 0.125, 0.0625});
        }
    return run;
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
    void pngShowsTheLine();
    void svgIsADrawing();
    void pdfIsWhole();
    void csvReadsBack();
    void otherFormatsAreRefused();
    void failedExportLeavesTheOldFile();
    void reducedLinesKeepTheirPeaks();
    void everyKindOfRunChartDraws_data();
    void everyKindOfRunChartDraws();
    void chartsRefuseRunsThatDoNotGiveThem();
    void vectorFilesStayInsideTheirPage();

  private:
    std::filesystem::path fileNamed(const char* name) const {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }

    QTemporaryDir m_folder;
};

void ChartsTest::modelTellsItsRows() {
    StepTableModel model;
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
    QCOMPARE(parseStepCsv(contentOf(fileNamed("steps.csv")).toStdString()), someSteps());
}

void ChartsTest::otherFormatsAreRefused() {
    QVERIFY_EXCEPTION_THROWN(exportChart(fileNamed("steps.bmp"), stepSheet(someSteps(), StepMetric::Seconds)),
                             Error);
    QVERIFY(!std::filesystem::exists(fileNamed("steps.bmp")));
}

void ChartsTest::failedExportLeavesTheOldFile() {
    QVERIFY_EXCEPTION_THROWN(
        exportChart(fileNamed("missing/steps.png"), stepSheet(someSteps(), StepMetric::Seconds)), Error);
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
    QVERIFY(reduced.size() <= 4 * columns);
    QVERIFY(reduced.contains(points[77777]) && reduced.contains(points[4321]));
    QCOMPARE(reduced.first(), points.first());
    QCOMPARE(reduced.last(), points.last());
    QVERIFY(std::ranges::is_sorted(reduced, {}, &QPointF::x));
    QCOMPARE(reducedPoints(points.first(50), columns), points.first(50));
}

void ChartsTest::everyKindOfRunChartDraws_data() {
    QTest::addColumn<int>("kind");
    for (const ChartKindRow& row : chartKinds())
        QTest::newRow(row.name.data()) << static_cast<int>(row.kind);
}

void ChartsTest::everyKindOfRunChartDraws() {
    QFETCH(const int, kind);
    const auto chart = static_cast<ChartKind>(kind);
    const std::vector<RunRecord> runs =
        chart == ChartKind::Lanes ? std::vector{someRun(1)} : std::vector{someRun(1), someRun(2)};
    exportChart(fileNamed("runs.png"), runChart(chart, runs));
    const QImage image(m_folder.filePath(QStringLiteral("runs.png")));
    constexpr int drawnAtLeast = 500;  // pixels
    QVERIFY(countPixels(image, ChartStyle::series(0)) > drawnAtLeast);
    exportChart(fileNamed("runs.json"), runChart(chart, runs));
    QVERIFY(!QJsonDocument::fromJson(contentOf(fileNamed("runs.json"))).array().isEmpty());
}

void ChartsTest::chartsRefuseRunsThatDoNotGiveThem() {
    RunRecord begun = someRun(1);
    begun.steps.clear();
    begun.timings.reset();
    begun.trace.clear();
    for (const ChartKindRow& row : chartKinds()) {
        QVERIFY_EXCEPTION_THROWN(runChart(row.kind, {}), Error);
        QVERIFY_EXCEPTION_THROWN(runChart(row.kind, {begun}), Error);
    }
    QVERIFY_EXCEPTION_THROWN(runChart(ChartKind::Lanes, {someRun(1), someRun(2)}), Error);
}

// Qt's SVG writer ignores clips: what lies outside the page would be drawn by other programs.
void ChartsTest::vectorFilesStayInsideTheirPage() {
    for (const ChartKindRow& row : chartKinds()) {
        exportChart(fileNamed("page.svg"), runChart(row.kind, {someRun(1)}));
        QSvgRenderer drawing(contentOf(fileNamed("page.svg")));
        const QRectF page = drawing.viewBoxF();
        QXmlStreamReader xml(contentOf(fileNamed("page.svg")));
        static const QRegularExpression number(QStringLiteral("-?[0-9.]+,-?[0-9.]+"));
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement || xml.name() != QLatin1String("polyline"))
                continue;
            const QString points = xml.attributes().value(QLatin1String("points")).toString();
            for (auto match = number.globalMatch(points); match.hasNext();) {
                const QStringList pair = match.next().captured().split(QLatin1Char(','));
                QVERIFY2(page.contains(pair[0].toDouble(), pair[1].toDouble()),
                         qPrintable(pair.join(QLatin1Char(' '))));
            }
        }
    }
}

QTEST_MAIN(ChartsTest)
#include "charts_test.moc"
