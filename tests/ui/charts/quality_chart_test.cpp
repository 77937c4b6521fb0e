// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of quality against time: intervals, names, words at points.
#include <QChart>
#include <QChartView>
#include <QTest>
#include <QValueAxis>
#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/runs/records/chart_kind.h"
#include "tests/support/charts/charted_runs.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/quality_chart.h"
#include "ui/charts/run_charts.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

/// Settings in a row, each better than the one before; every pair of neighbours was compared.
std::vector<RunRecord> ratedRuns(int count, const std::string& name = "num_inference_steps ") {
    std::vector<PairOutcome> outcomes;
    for (int item = 1; item < count; ++item)
        for (int vote = 0; vote < 5; ++vote)
            outcomes.push_back(
                {static_cast<std::size_t>(item), static_cast<std::size_t>(item) - 1, vote < 4 ? 1.0 : 0.0});
    const PairRanking ranking(static_cast<std::size_t>(count), outcomes);
    std::vector<RunRecord> runs;
    for (int run = 0; run < count; ++run) {
        runs.push_back(someRun(1));
        runs.back().rating = {.setting = name + std::to_string(10 + run),
                              .ranked = ranking.items()[static_cast<std::size_t>(run)]};
        runs.back().timings->inference = 20 + 10 * run;
    }
    return runs;
}

QualityMarks* marksOf(const QChart& chart) {
    const QList<QGraphicsItem*> items = chart.childItems();
    for (QGraphicsItem* item : items)
        if (auto* marks = dynamic_cast<QualityMarks*>(item))
            return marks;
    return nullptr;
}

}  // namespace

class QualityChartTest : public QObject {
    Q_OBJECT

  private slots:
    void aPointIsASetting();
    void namesLieBesideEachOther_data();
    void namesLieBesideEachOther();
    void onlySettingsThatWereComparedAreDrawn();
    void withoutVotesOrSecondsThereIsNone();
};

void QualityChartTest::aPointIsASetting() {
    QChartView view(runChart(ChartKind::Quality, ratedRuns(3)).draw().release());
    view.resize(800, 400);
    view.show();
    auto* chart = dynamic_cast<ReadableChart*>(view.chart());
    const QList<QPointF> places = chart->valuePlaces();
    QCOMPARE(places.size(), 3);
    const std::optional<ChartValue> best = chart->valueNear(places.front() + QPointF(2, 2));
    QVERIFY(best);
    QVERIFY2(best->words.startsWith(QLatin1String("num_inference_steps 12\nPreferred: ")),
             qPrintable(best->words));
    QVERIFY(best->words.endsWith(QLatin1String("Seconds of inference: 40.0")));
    QCOMPARE(best->point.x(), 40.0);
    QVERIFY(best->point.y() > 50);
    QVERIFY(!chart->valueNear({-100, -100}));
    auto* share = qobject_cast<QValueAxis*>(chart->axes(Qt::Vertical).constFirst());
    QCOMPARE(share->min(), 0.0);
    QCOMPARE(share->max(), 100.0);
}

void QualityChartTest::namesLieBesideEachOther_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("longNames");
    for (const int count : {2, 5, 20, 60})
        for (const bool longNames : {false, true})
            QTest::addRow("%d, %s", count, longNames ? "long" : "short") << count << longNames;
}

void QualityChartTest::namesLieBesideEachOther() {
    QFETCH(const int, count);
    QFETCH(const bool, longNames);
    const std::string name = longNames ? "negative_prompt " + std::string(200, 'x') + " " : "n ";
    QChartView view(runChart(ChartKind::Quality, ratedRuns(count, name)).draw().release());
    view.resize(800, 400);
    view.show();
    QCoreApplication::processEvents();
    const QualityMarks* marks = marksOf(*view.chart());
    QVERIFY(marks != nullptr);
    std::vector<QRectF> written = marks->namePlaces();
    QCOMPARE(written.size(), static_cast<std::size_t>(count));
    std::erase_if(written, [](const QRectF& place) { return place.isEmpty(); });
    QVERIFY(!written.empty());
    for (std::size_t one = 0; one < written.size(); ++one) {
        QVERIFY(view.chart()->plotArea().contains(written[one]));
        for (std::size_t other = 0; other < one; ++other)
            QVERIFY2(!written[one].intersects(written[other]), "names do not lie upon each other");
    }
    if (count == 2)
        QCOMPARE(written.size(), 2U);
}

void QualityChartTest::onlySettingsThatWereComparedAreDrawn() {
    std::vector<RunRecord> runs = ratedRuns(3);
    runs.push_back(someRun(1));
    runs.back().rating.setting = "num_inference_steps 99";
    runs.back().rating.ranked.group = 1;
    const ChartSheet sheet = runChart(ChartKind::Quality, runs);
    QChartView view(sheet.draw().release());
    view.resize(800, 400);
    view.show();
    QCOMPARE(dynamic_cast<ReadableChart*>(view.chart())->valuePlaces().size(), 3);
    QCOMPARE(sheet.numbers.rows.size(), 4U);
}

void QualityChartTest::withoutVotesOrSecondsThereIsNone() {
    std::vector<RunRecord> runs = ratedRuns(2);
    for (RunRecord& run : runs)
        run.rating.ranked = {};
    QVERIFY_THROWS_EXCEPTION(Error, runChart(ChartKind::Quality, runs));
    runs = ratedRuns(2);
    for (RunRecord& run : runs)
        run.timings.reset();
    QVERIFY_THROWS_EXCEPTION(Error, runChart(ChartKind::Quality, runs));
}

MESHREEL_TEST_CLASS(QualityChartTest)
#include "quality_chart_test.moc"
