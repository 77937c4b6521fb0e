// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart shows: its legend and menu, its scale, and the marks of steps.
#include <QAbstractBarSeries>
#include <QAction>
#include <QBarSet>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QMap>
#include <QMenu>
#include <QScatterSeries>
#include <QTest>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "tests/support/charts/shown_chart.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_legend.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/run_charts.h"
#include "ui/charts/step_chart.h"

using namespace meshreel;

class ChartContentTest : public QObject {
    Q_OBJECT

  private slots:
    void legendHidesAndShows();
    void barsAreHiddenByTheLegend();
    void menuNamesTheSeries();
    void menuCopiesTheChart();
    void aStageKeepsItsColour();
    void liveChartKeepsWhatIsHidden();
    void valuesMayBeLogarithmic();
    void aChartMayBeginLogarithmic();
    void expertSwitchesAreMarked();
    void everyColdStepIsMarked();
    void coldMarksAreHollowInEveryLook_data();
    void coldMarksAreHollowInEveryLook();
    void repeatsHaveErrorBars();
};

void ChartContentTest::legendHidesAndShows() {
    ChartView view;
    testing::show(
        view, runChart(ChartKind::Steps, {testing::runPrefix("a", 20), testing::runPrefix("b", 20)}).draw());
    QCOMPARE(view.legend()->entries().size(), 2);
    QLegendMarker* entry = testing::entryAt(view, QStringLiteral("b"));
    const auto visible = [&view] {
        const QList<QAbstractSeries*> all = view.chart()->series();
        return std::ranges::count_if(all, &QAbstractSeries::isVisible);
    };
    QCOMPARE(visible(), 4);  // lines and the marks of their cold steps
    emit entry->clicked();
    QVERIFY(!entry->series()->isVisible());
    QCOMPARE(visible(), 2);
    QVERIFY(entry->isVisible() && entry->font().strikeOut());
    QCOMPARE(view.legend()->entries().size(), 2);
    testing::pointAt(view, view.chart()->mapToPosition({5, 1 + 4 / 6.0}));
    QVERIFY(view.pointedAt() && view.pointedAt()->words.startsWith(QLatin1Char('a')));
    emit entry->clicked();
    QCOMPARE(visible(), 4);
    QVERIFY(!entry->font().strikeOut());
    QCOMPARE(view.legend()->entries().size(), 2);
}

void ChartContentTest::barsAreHiddenByTheLegend() {
    ChartView view;
    testing::show(view, runChart(ChartKind::Stages, {testing::runPrefix("a", 3)}).draw());
    QLegendMarker* entry = testing::entryAt(view, QStringLiteral("Load"));
    QVERIFY(entry != nullptr);
    auto* bars = qobject_cast<QAbstractBarSeries*>(view.chart()->series().constFirst());
    emit entry->clicked();
    QCOMPARE(bars->barSets().constFirst()->at(0), 0.0);
    emit entry->clicked();
    QCOMPARE(bars->barSets().constFirst()->at(0), 3.0);
}

void ChartContentTest::menuNamesTheSeries() {
    ChartView view;
    testing::show(
        view,
        runChart(ChartKind::Steps, {testing::runPrefix("a&b", 20), testing::runPrefix("c", 20)}).draw());
    QMenu menu;
    view.fill(menu);
    QCOMPARE(menu.actions().constFirst()->text(), QStringLiteral("a&&b"));
    menu.actions().constFirst()->trigger();
    QVERIFY(!testing::entryAt(view, QStringLiteral("a&amp;b"))->series()->isVisible());
    QVERIFY(menu.actions().contains(view.logarithmic()));
    testing::show(view, runChart(ChartKind::Stages, {testing::runPrefix("a", 3)}).draw());
    QMenu stages;
    view.fill(stages);
    QVERIFY(!stages.actions().contains(view.logarithmic()));
    QVERIFY(!view.logarithmic()->isEnabled());
}

void ChartContentTest::menuCopiesTheChart() {
    ChartView view;
    testing::show(view, runChart(ChartKind::Steps, {testing::runPrefix("one", 20)}).draw());
    QMenu menu;
    view.fill(menu);
    const QList<QAction*> entries = menu.actions();
    const auto copy = std::ranges::find(entries, QStringLiteral("Copy chart"), &QAction::text);
    QVERIFY(copy != entries.end());
    QGuiApplication::clipboard()->clear();
    (*copy)->trigger();
    const QImage picture = QGuiApplication::clipboard()->image();
    QCOMPARE(picture.size(), 2 * view.viewport()->size());
    std::set<QRgb> colours;
    for (int x = 0; x < picture.width(); ++x)
        colours.insert(picture.pixel(x, picture.height() / 2));
    QVERIFY(colours.size() > 2);  // something is drawn
}

/// Whatever is left out beside it.
void ChartContentTest::aStageKeepsItsColour() {
    const auto coloursOf = [](const ChartSheet& sheet) {
        QMap<QString, QColor> colours;
        const std::unique_ptr<QChart> chart = sheet.draw();
        for (QBarSet* set : qobject_cast<QAbstractBarSeries*>(chart->series().constFirst())->barSets())
            colours[set->label()] = set->color();
        return colours;
    };
    const std::vector<RunRecord> runs{testing::runPrefix("one", 3)};
    const QMap<QString, QColor> all = coloursOf(runChart(ChartKind::Stages, runs));
    const QMap<QString, QColor> inference = coloursOf(inferenceChart(runs));
    QVERIFY(inference.size() >= 3 && inference.size() < all.size());
    for (auto stage = inference.begin(); stage != inference.end(); ++stage)
        QCOMPARE(stage.value(), all.value(stage.key()));
}

void ChartContentTest::liveChartKeepsWhatIsHidden() {
    ChartView view;
    auto chart = std::make_unique<StepChart>();
    StepChart* steps = chart.get();
    testing::show(view, std::move(chart));
    steps->setRecords(testing::runPrefix("run", 10).steps, 20);
    QLegendMarker* entry = testing::entryAt(view, QStringLiteral("Seconds per step"));
    emit entry->clicked();
    steps->setRecords(testing::runPrefix("run", 11).steps, 20);
    QVERIFY(!entry->series()->isVisible());
    steps->setMetric(StepMetric::Latents);
    QVERIFY(entry->series()->isVisible() && !entry->font().strikeOut());
}

void ChartContentTest::valuesMayBeLogarithmic() {
    ChartView view;
    testing::showSteps(view, 20);
    QVERIFY(view.logarithmic()->isEnabled());
    const auto height = [&view](double value) { return view.chart()->mapToPosition({5, value}).y(); };
    view.logarithmic()->trigger();
    (void)view.grab();
    QVERIFY(qobject_cast<QLogValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
    QVERIFY(std::abs((height(1) - height(1.5)) - (height(1.2) - height(1.8))) < 1);
    const double whole = height(1) - height(2);
    testing::wheel(view, view.chart()->plotArea().center(), -1, Qt::ShiftModifier);
    QCOMPARE(height(1) - height(2), whole);
    testing::showSteps(view, 30);  // another chart keeps the scale
    QVERIFY(qobject_cast<QLogValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
    view.logarithmic()->trigger();
    QVERIFY(qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);

    auto chart = std::make_unique<StepChart>();
    StepChart* steps = chart.get();
    steps->setRecords(testing::runPrefix("run", 20).steps);
    testing::show(view, std::move(chart));
    QVERIFY(view.logarithmic()->isEnabled());
    steps->setMetric(StepMetric::Latents);
    QVERIFY2(!view.logarithmic()->isEnabled(), "they are negative");
}

void ChartContentTest::aChartMayBeginLogarithmic() {
    const auto made = [](bool logarithmic) {
        auto chart = std::make_unique<StepChart>();
        chart->setRecords(testing::runPrefix("run", 20).steps);
        chart->scaledAxis()->setLogarithmic(logarithmic);
        return chart;
    };
    ChartView view;
    testing::show(view, made(true));
    QVERIFY(view.logarithmic()->isChecked());
    QCOMPARE(view.chart()->axes(Qt::Vertical).size(), 1);
    QVERIFY(qobject_cast<QLogValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
    testing::show(view, made(false));
    QVERIFY2(!view.logarithmic()->isChecked(), "the reader asked for nothing");
    QVERIFY(qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
}

void ChartContentTest::expertSwitchesAreMarked() {
    RunRecord run = testing::runPrefix("run", 20);
    for (StepRecord& step : run.steps)
        step.expert = step.step < 8 ? 1 : 2;
    ChartView view;
    testing::show(view, runChart(ChartKind::Steps, {run}).draw());
    const auto* marks = testing::itemOf<StepMarks>(*view.chart());
    QCOMPARE(marks->marks().size(), 1U);
    QCOMPARE(marks->marks().front().place, 8.5);  // behind the eighth step
    QCOMPARE(marks->marks().front().words, QStringLiteral("Expert 2"));
    StepChart live;
    live.setRecords(testing::runPrefix("run", 5).steps);
    QVERIFY(testing::itemOf<StepMarks>(live)->marks().empty());
    live.setRecords(run.steps);
    QCOMPARE(testing::itemOf<StepMarks>(live)->marks().size(), 1U);
    // It is seen: a column of the chart is dashed from top to bottom.
    const QRectF plot = view.chart()->plotArea();
    const QImage with = view.grab().toImage();
    testing::show(view, runChart(ChartKind::Steps, {testing::runPrefix("run", 20)}).draw());
    const QImage without = view.grab().toImage();
    const auto column = static_cast<int>(std::lround(view.chart()->mapToPosition({8.5, 1}).x()));
    int differing = 0;
    for (int y = static_cast<int>(plot.top()); y < static_cast<int>(plot.bottom()); ++y)
        differing += static_cast<int>(with.pixel(column, y) != without.pixel(column, y));
    QVERIFY(differing > plot.height() / 3 && differing < plot.height() * 0.9);
}

void ChartContentTest::everyColdStepIsMarked() {
    RunRecord run = testing::runPrefix("run", 20);
    for (StepRecord& step : run.steps)
        step.expert = step.step < 8 ? 1 : 2;
    run.resumedFrom = {4};
    const auto marked = [](const QChart& chart) {
        QList<double> places;
        const QList<QAbstractSeries*> all = chart.series();
        for (const QAbstractSeries* series : all)
            if (const auto* marks = qobject_cast<const QScatterSeries*>(series))
                for (const QPointF& point : marks->points())
                    places.append(point.x());
        return places;
    };
    const QList<double> expected{1, 5, 9};  // the first, behind the continuation, behind the switch
    QCOMPARE(marked(*runChart(ChartKind::Steps, {run}).draw()), expected);
    StepChart live;
    live.setRecords(run.steps, 20, run.resumedFrom);
    QCOMPARE(marked(live), expected);
    live.setMetric(StepMetric::Latents);
    QVERIFY(marked(live).isEmpty());
}

void ChartContentTest::coldMarksAreHollowInEveryLook_data() {
    QTest::addColumn<QColor>("ground");
    QTest::addColumn<QColor>("text");
    QTest::newRow("light") << QColor(Qt::white) << QColor(Qt::black);
    QTest::newRow("dark") << QColor(0x1e, 0x22, 0x28) << QColor(Qt::white);
}

void ChartContentTest::coldMarksAreHollowInEveryLook() {
    QFETCH(QColor, ground);
    QFETCH(QColor, text);
    QPalette palette;
    palette.setColor(QPalette::Base, ground);
    palette.setColor(QPalette::Text, text);
    ChartView view;
    view.setPalette(palette);
    testing::show(view, runChart(ChartKind::Steps, {testing::runPrefix("run", 20)}).draw());
    StepChart live;
    live.setStyle(ChartStyle::of(palette));
    for (const QChart* chart : {view.chart(), static_cast<QChart*>(&live)}) {
        const QList<QAbstractSeries*> all = chart->series();
        const auto isMark = [](QAbstractSeries* series) {
            return qobject_cast<QScatterSeries*>(series) != nullptr;
        };
        const auto marks = std::ranges::find_if(all, isMark);
        QVERIFY(marks != all.end());
        QCOMPARE(static_cast<QScatterSeries*>(*marks)->color(), ground);
    }
}

void ChartContentTest::repeatsHaveErrorBars() {
    std::vector<RunRecord> runs{testing::runPrefix("one", 15), testing::runPrefix("two", 15, 2),
                                testing::runPrefix("again", 15, 2)};
    for (StepRecord& step : runs[1].steps)
        step.seconds /= 2;
    for (StepRecord& step : runs[2].steps)
        step.seconds /= 1.5;
    ChartView view;
    testing::show(view, runChart(ChartKind::Scaling, runs).draw());
    const auto* bars = testing::itemOf<ErrorBars>(*view.chart());
    QCOMPARE(bars->bars().size(), 1U);
    QCOMPARE(bars->bars().front().place, 2.0);
    QVERIFY(bars->bars().front().low > 1 && bars->bars().front().high > bars->bars().front().low);
    const auto* speeds =
        qobject_cast<QLineSeries*>(testing::entryAt(view, QStringLiteral("ulysses"))->series());
    testing::pointAt(view, view.chart()->mapToPosition(
                               speeds->at(1), testing::entryAt(view, QStringLiteral("ulysses"))->series()));
    QVERIFY(view.pointedAt());
    QVERIFY2(view.pointedAt()->words.contains(QStringLiteral("Standard deviation of 2 runs")),
             qPrintable(view.pointedAt()->words));
    // Efficiency stands on the right axis, and its entry hides it for all lines.
    QLegendMarker* efficiency = testing::entryAt(view, QStringLiteral("Efficiency"));
    const auto visible = [&view] {
        const QList<QAbstractSeries*> all = view.chart()->series();
        return std::ranges::count_if(all, &QAbstractSeries::isVisible);
    };
    const auto before = visible();
    emit efficiency->clicked();
    QCOMPARE(visible(), before - 3);  // its entry, its line and the rings on that
}

MESHREEL_TEST_CLASS(ChartContentTest)
#include "chart_content_test.moc"
