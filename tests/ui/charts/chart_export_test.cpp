// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as files: drawings and tables.
#include <QImage>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "engine/base/error.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/roofline.h"
#include "tests/support/charts/charted_runs.h"
#include "tests/support/charts/drawings.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/roofline_chart.h"
#include "ui/charts/run_charts.h"
#include "ui/charts/step_chart.h"

using namespace meshreel;
using namespace meshreel::testing;

class ChartExportTest : public QObject {
    Q_OBJECT

  private slots:
    void pngShowsTheLine();
    void svgIsADrawing();
    void pdfIsWhole();
    void csvReadsBack();
    void sheetsOfStepsTellTheExpert();
    void sheetsOfScalingTellTheSpread();
    void otherFormatsAreRefused();
    void failedExportLeavesTheOldFile();
    void vectorFilesStayInsideTheirPage();
    void rooflinesStayInsideTheirPage();
    void rooflinesTellTheirNumbers();

  private:
    std::filesystem::path fileNamed(const char* name) const {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }

    QTemporaryDir m_folder;
};

void ChartExportTest::pngShowsTheLine() {
    exportChart(fileNamed("steps.png"), stepSheet(someSteps(), StepMetric::Seconds));
    const QImage image(m_folder.filePath(QStringLiteral("steps.png")));
    QVERIFY(image.width() >= 1200);
    constexpr int lineAtLeast = 500;  // pixels, for a line across most of the picture
    QVERIFY(countPixels(image, ChartStyle::print().line) > lineAtLeast);
    exportChart(fileNamed("none.png"), stepSheet({}, StepMetric::Seconds));
    const QImage empty(m_folder.filePath(QStringLiteral("none.png")));
    QVERIFY(countPixels(empty, ChartStyle::print().line) < lineAtLeast);
}

void ChartExportTest::svgIsADrawing() {
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

void ChartExportTest::pdfIsWhole() {
    exportChart(fileNamed("steps.pdf"), stepSheet(someSteps(), StepMetric::Seconds));
    const QByteArray bytes = contentOf(fileNamed("steps.pdf"));
    QVERIFY(bytes.startsWith("%PDF-"));
    QVERIFY(bytes.trimmed().endsWith("%%EOF"));
    QVERIFY(bytes.contains("/Type /Page"));
}

void ChartExportTest::csvReadsBack() {
    exportChart(fileNamed("steps.csv"), stepSheet(someSteps(), StepMetric::Seconds));
    std::vector<StepRecord> back = parseStepCsv(contentOf(fileNamed("steps.csv")).toStdString());
    QCOMPARE(back.front().step, 1);  // as the chart counts
    for (StepRecord& step : back)
        --step.step;
    QCOMPARE(back, someSteps());
}

void ChartExportTest::sheetsOfStepsTellTheExpert() {
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

void ChartExportTest::sheetsOfScalingTellTheSpread() {
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

void ChartExportTest::otherFormatsAreRefused() {
    QVERIFY_THROWS_EXCEPTION(
        Error, exportChart(fileNamed("steps.bmp"), stepSheet(someSteps(), StepMetric::Seconds)));
    QVERIFY(!std::filesystem::exists(fileNamed("steps.bmp")));
}

void ChartExportTest::failedExportLeavesTheOldFile() {
    QVERIFY_THROWS_EXCEPTION(
        Error, exportChart(fileNamed("missing/steps.png"), stepSheet(someSteps(), StepMetric::Seconds)));
    QVERIFY(!std::filesystem::exists(fileNamed("missing")));
}

// Qt's SVG writer ignores clips: what lies outside the page would be drawn by other programs.
void ChartExportTest::vectorFilesStayInsideTheirPage() {
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

void ChartExportTest::rooflinesStayInsideTheirPage() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> decades(-3, 3);
    for (const int count : {1, 60, 200}) {
        Roofline roofline{.machine = "One & only",
                          .bytesPerSecond = 2e10,
                          .peaks = {{"f32", 1e11}, {"bf16", 2e11}},
                          .points = {}};
        for (int index = 0; index < count; ++index)
            roofline.points.push_back(
                {.name = "linear.m" + std::to_string(index % 9) + ".x." + std::to_string(index),
                 .flopsPerByte = 100 * std::pow(10, decades(random)),
                 .flopsPerSecond = 1e10 * std::pow(10, decades(random) / 3)});
        const QByteArray svg = chartSvg(rooflineSheet(roofline));
        const QRectF page = QSvgRenderer(svg).viewBoxF();
        const std::vector<QPointF> corners = cornersOf(svg);
        QVERIFY(corners.size() > 50);
        for (const QPointF& corner : corners)
            QVERIFY2(
                page.contains(corner),
                qPrintable(QStringLiteral("%1 points: %2 %3").arg(count).arg(corner.x()).arg(corner.y())));
        const std::string machine = "One &amp; only";
        QVERIFY(svg.contains(machine.c_str()));
        QCOMPARE(svg.count(".x."), count);
    }
}

void ChartExportTest::rooflinesTellTheirNumbers() {
    const Roofline roofline{.machine = "One",
                            .bytesPerSecond = 2e10,
                            .peaks = {{"f32", 1e11}},
                            .points = {{"b", 2, 1e10}, {"a", 1, 5e9}}};
    QCOMPARE(toCsv(rooflineSheet(roofline).numbers),
             std::string("kind,name,flops_per_byte,flops_per_second,bytes_per_second\n"
                         "memory,One,,,20000000000\npeak,f32,,100000000000,\n"
                         "operation,a,1,5000000000,\noperation,b,2,10000000000,\n"));
}

MESHREEL_TEST_CLASS(ChartExportTest)
#include "chart_export_test.moc"
