// SPDX-License-Identifier: GPL-3.0-or-later
// What measures the Studio: rows as the other benchmarks have them, and failures that are told.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "tests/support/charts/test_classes.h"
#include "ui/benchmarks/ui_benchmarks.h"

using namespace meshreel;

class UiBenchmarksTest : public QObject {
    Q_OBJECT

  private slots:
    void rowsTellTheirLimit();
    void timelinesArePannedAtEveryZoom();
    void aWindowThatIsNotPaintedIsTold();
};

void UiBenchmarksTest::rowsTellTheirLimit() {
    const BenchmarkRow row = measureChartPan();
    QCOMPARE(row.name, std::string("ui.chart.pan"));
    QCOMPARE(row.unit, std::string("ms"));
    QVERIFY(row.value > 0);
    QVERIFY(row.rounds > 1);
    const nlohmann::ordered_json json = benchmarkJson(std::vector{row}, 1);
    const nlohmann::ordered_json& written = json.at("rows").at(0);
    QCOMPARE(written.at("ratio").get<double>(), row.value / written.at("limit").get<double>());
    QVERIFY(json.at("machine").contains("cpu"));
}

void UiBenchmarksTest::timelinesArePannedAtEveryZoom() {
    const BenchmarkRow row = measureTimelinePan();
    QCOMPARE(row.name, std::string("ui.timeline.pan"));
    QVERIFY2(row.rounds >= 100, "a hundred frames have a 95th");
    QVERIFY(row.value > 0);
}

void UiBenchmarksTest::aWindowThatIsNotPaintedIsTold() {
    QVERIFY_THROWS_EXCEPTION(Error, (void)measureFirstPaint(QStringLiteral("/bin/false"), {}));
}

MESHREEL_TEST_CLASS(UiBenchmarksTest)
#include "ui_benchmarks_test.moc"
