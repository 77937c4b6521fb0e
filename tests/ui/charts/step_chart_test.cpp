// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of steps, and what its lines are made of.
#include <QAreaSeries>
#include <QChartView>
#include <QFontMetricsF>
#include <QGraphicsTextItem>
#include <QLineSeries>
#include <QLocale>
#include <QRegularExpression>
#include <QScatterSeries>
#include <QTest>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "tests/support/charts/charted_runs.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/dense_line.h"
#include "ui/charts/step_chart.h"

using namespace meshreel;
using namespace meshreel::testing;

class StepChartTest : public QObject {
    Q_OBJECT

  private slots:
    void chartDrawsEachStep();
    void firstStepIsMarked();
    void longRunsAreDrawnByThePixel();
    void lowChartsHaveFewerTicks();
    void lowChartsKeepTheirLabelsRatherThanATitle();
    void numbersAreWrittenAsTheLanguageDoes();
    void reducedLinesKeepTheirPeaks();
    void bandsOfMovedLinesKeepTheirShape();
};

void StepChartTest::chartDrawsEachStep() {
    StepChart chart;
    chart.setRecords(someSteps());
    QCOMPARE(chart.pointCount(), stepCount);
    chart.setMetric(StepMetric::Latents);
    QCOMPARE(chart.pointCount(), stepCount);
    chart.setRecords({});
    QCOMPARE(chart.pointCount(), 0);
}

void StepChartTest::firstStepIsMarked() {
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

void StepChartTest::longRunsAreDrawnByThePixel() {
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

void StepChartTest::lowChartsHaveFewerTicks() {
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

void StepChartTest::lowChartsKeepTheirLabelsRatherThanATitle() {
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

void StepChartTest::numbersAreWrittenAsTheLanguageDoes() {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German));
    auto* chart = new StepChart;
    chart->setRecords(someSteps());
    ChartStyle::print().applyTo(*chart);
    QChartView view(chart);
    view.resize(480, 480);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QLocale::setDefault(before);
    QStringList numbers;
    const QList<QGraphicsItem*> items = view.scene()->items();
    for (const QGraphicsItem* item : items)
        if (const auto* text = dynamic_cast<const QGraphicsTextItem*>(item); text != nullptr)
            numbers << text->toPlainText();
    const auto has = [&](const char* pattern) {
        return numbers.indexOf(QRegularExpression(QLatin1StringView(pattern))) >= 0;
    };
    QVERIFY2(has("^0,\\d+$"), qPrintable(numbers.join(u' ')));
    QVERIFY2(has("^2$"), qPrintable(numbers.join(u' ')));  // of a count
    QVERIFY2(!has("\\d\\.\\d"), qPrintable(numbers.join(u' ')));
}

void StepChartTest::reducedLinesKeepTheirPeaks() {
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

void StepChartTest::bandsOfMovedLinesKeepTheirShape() {
    QVERIFY(computeEnvelope({}, 1).lower.isEmpty());
    QList<QPointF> points;
    for (int i = 0; i < 1000; ++i)
        points.append({static_cast<double>(i), i == 500 ? 7.0 : std::sin(i * 0.7)});
    constexpr double width = 10;
    const Envelope whole = computeEnvelope(points, width);
    QCOMPARE(whole.upper.size(), 100);
    QCOMPARE(whole.upper[50], QPointF(505, 7));
    for (qsizetype part = 0; part < whole.upper.size(); ++part) {
        QCOMPARE(whole.upper[part].x(), whole.lower[part].x());
        QVERIFY(whole.upper[part].y() >= whole.lower[part].y());
    }
    // The line that leaves a part enters the next one where it was.
    const Envelope steps = computeEnvelope({{5, 0}, {15, 4}, {16, 5}}, width);
    QCOMPARE(steps.lower[1].y(), 0.0);
    QCOMPARE(steps.upper[1].y(), 5.0);
    // A point may lie on a border that is rounded to the other side of it.
    for (int part = 1; part < 1000; ++part)
        QCOMPARE(computeEnvelope({{part * 0.1, 1}}, 0.1).upper.size(), 1);
    for (double thin = 1e-3; thin < 20; thin *= 1.01)
        QVERIFY(computeEnvelope(points, thin).upper.size() <= points.size());
    const Envelope later = computeEnvelope(points.mid(123), width);
    QCOMPARE(later.upper.mid(1), whole.upper.mid(13));
    QCOMPARE(later.lower.mid(1), whole.lower.mid(13));
}

MESHREEL_TEST_CLASS(StepChartTest)
#include "step_chart_test.moc"
