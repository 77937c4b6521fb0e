// SPDX-License-Identifier: GPL-3.0-or-later
// A chart that is looked into: wheel, drag and keys, values under the pointer, the legend, the scale.
#include <QAbstractBarSeries>
#include <QAction>
#include <QApplication>
#include <QBarSet>
#include <QCategoryAxis>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QLegendMarker>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QMap>
#include <QMenu>
#include <QScatterSeries>
#include <QSignalSpy>
#include <QTest>
#include <QValueAxis>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_legend.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/run_charts.h"
#include "ui/charts/step_chart.h"
#include "ui/charts/tile_chart.h"
#include "ui/charts/zoomed_chart.h"

using namespace meshreel;

namespace {

constexpr QSize viewSize{800, 400};
constexpr int manySteps = 10'000;

/// Its seconds go up and down between one and two with a period of seven steps.
RunRecord runPrefix(const std::string& name, int steps, int devices = 1) {
    RunRecord run{.name = name,
                  .attention = "ulysses",
                  .width = 64,
                  .height = 64,
                  .frames = 17,
                  .devices = devices,
                  .steps = {},
                  .timings = TimingSummary{.hasTrace = true},
                  .trace = {}};
    for (int step = 0; step < steps; ++step)
        run.steps.push_back({.step = step, .seconds = 1 + (step % 7) / 6.0});
    run.timings->load = 3;
    run.timings->denoiseTotal = 5;
    return run;
}

/// So many sizes of each kind, 128 apart; the larger ones are slower, block_kv more so.
std::vector<TileTime> gridOfTiles(int sizes) {
    constexpr std::int64_t step = 128;
    std::vector<TileTime> tiles;
    for (int q = 1; q <= sizes; ++q)
        for (int kv = 1; kv <= sizes; ++kv)
            tiles.push_back({.blockQ = q * step, .blockKv = kv * step, .seconds = 0.001 * (q + 10 * kv)});
    return tiles;
}

void show(ChartView& view, std::unique_ptr<QChart> chart, ChartZoom* zoom = nullptr) {
    view.resize(viewSize);
    view.draw(std::move(chart), zoom);
    view.show();
    (void)view.grab();
}

void showSteps(ChartView& view, int steps, ChartZoom* zoom = nullptr) {
    show(view, runChart(ChartKind::Steps, {runPrefix("run", steps)}).draw(), zoom);
}

QValueAxis* across(const ChartView& view) {
    return qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Horizontal).constFirst());
}

double shown(const ChartView& view) {
    return across(view)->max() - across(view)->min();
}

void wheel(ChartView& view, const QPointF& position, int notches, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(position, view.viewport()->mapToGlobal(position), {}, {0, 120 * notches}, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view.viewport(), &event);
}

void dragBy(ChartView& view, const QPoint& from, const QPoint& by, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(view.viewport(), Qt::LeftButton, modifiers, from);
    for (const QPoint& to : {from + by / 2, from + by}) {
        QMouseEvent move(QEvent::MouseMove, to, view.viewport()->mapToGlobal(to), Qt::NoButton,
                         Qt::LeftButton, modifiers);
        QApplication::sendEvent(view.viewport(), &move);
    }
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, modifiers, from + by);
}

void pointAt(ChartView& view, const QPointF& position) {
    QMouseEvent move(QEvent::MouseMove, position, view.viewport()->mapToGlobal(position), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(view.viewport(), &move);
}

QLegendMarker* entryAt(const ChartView& view, const QString& label) {
    const QList<QLegendMarker*> entries = view.legend()->entries();
    const auto found = std::ranges::find(entries, label, &QLegendMarker::label);
    return found == entries.end() ? nullptr : *found;
}

template <typename Item>
Item* itemOf(const QChart& chart) {
    const QList<QGraphicsItem*> items = chart.childItems();
    for (QGraphicsItem* item : items)
        if (auto* found = dynamic_cast<Item*>(item))
            return found;
    return nullptr;
}

}  // namespace

class ChartViewTest : public QObject {
    Q_OBJECT

  private slots:
    void wheelZoomsAboutThePointer();
    void keysZoomMoveAndReset();
    void dragMovesAndShiftDragMarksAPart();
    void zoomingShowsDetail();
    void viewsThatShareAZoomShowTheSamePart();
    void chartThatGrowsKeepsThePart();
    void pointingTellsValues();
    void lanesTellTheirShares();
    void keysGoFromValueToValue();
    void keysGoFromBarToBar();
    void memoryTellsBarAndPlan();
    void controlZoomsUprightByKeys();
    void lanesAreZoomedByRows();
    void tilesAreZoomedAndTold();
    void tilesKeepThePartWhileASearchGoesOn();
    void clickMarksAStep();
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

void ChartViewTest::wheelZoomsAboutThePointer() {
    ChartView view;
    showSteps(view, 100);
    const double whole = shown(view);
    const QRectF plot = view.chart()->plotArea();
    const QPointF pointer(plot.left() + plot.width() / 4, plot.center().y());
    const double under = view.chart()->mapToValue(pointer).x();
    wheel(view, pointer, 4);
    QVERIFY(shown(view) < whole / 2);
    QVERIFY(std::abs(view.chart()->mapToValue(pointer).x() - under) < 0.5);
    wheel(view, pointer, -10);
    QCOMPARE(shown(view), whole);
    const auto* up = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    const double height = up->max() - up->min();
    wheel(view, pointer, 2, Qt::ControlModifier);
    QVERIFY(up->max() - up->min() < height);
    QCOMPARE(shown(view), whole);
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, pointer.toPoint());
    QCOMPARE(up->max() - up->min(), height);
}

void ChartViewTest::keysZoomMoveAndReset() {
    ChartView view;
    showSteps(view, 100);
    const double whole = shown(view);
    QTest::keyClick(&view, Qt::Key_Plus);
    QTest::keyClick(&view, Qt::Key_Plus);
    const double low = across(view)->min();
    QVERIFY(shown(view) < whole && low > 0);
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(across(view)->min() > low);
    QTest::keyClick(&view, Qt::Key_Left);
    QVERIFY(std::abs(across(view)->min() - low) < 1e-9);
    for (int i = 0; i < 50; ++i)
        QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(across(view)->min(), 0.0);
    QTest::keyClick(&view, Qt::Key_Minus);
    QVERIFY(shown(view) < whole);
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(shown(view), whole);
    for (int i = 0; i < 80; ++i)
        QTest::keyClick(&view, Qt::Key_Plus);
    QVERIFY2(shown(view) >= 2, "less than two steps is nothing to look at");
    QTest::keyClick(&view, Qt::Key_Home);
    QCOMPARE(shown(view), whole);
}

void ChartViewTest::dragMovesAndShiftDragMarksAPart() {
    ChartView view;
    showSteps(view, 100);
    const QRectF plot = view.chart()->plotArea();
    const QPoint middle = plot.center().toPoint();
    view.zoom(0.5);
    const double low = across(view)->min();
    const double length = shown(view);
    dragBy(view, middle, {80, 0});
    QVERIFY(std::abs(across(view)->min() - (low - 80 / plot.width() * length)) < 0.1);
    QVERIFY(std::abs(shown(view) - length) < 1e-9);
    view.showEverything();
    const double from = view.chart()->mapToValue(middle).x();
    const double to = view.chart()->mapToValue(middle + QPoint(100, 0)).x();
    dragBy(view, middle, {100, 10}, Qt::ShiftModifier);
    QVERIFY(std::abs(across(view)->min() - from) < 0.5);
    QVERIFY(std::abs(across(view)->max() - to) < 0.5);
}

void ChartViewTest::zoomingShowsDetail() {
    ChartView view;
    showSteps(view, manySteps);
    const auto* line = qobject_cast<QLineSeries*>(entryAt(view, QStringLiteral("run"))->series());
    QCOMPARE(line->count(), 0);  // a band stands for it
    while (shown(view) > 100)
        view.zoom(0.5);
    QVERIFY(line->count() > 50 && line->count() < 110);
    const QPointF first = line->at(1);
    QCOMPARE(first.x(), std::round(first.x()));
    QCOMPARE(first.y(), 1 + (static_cast<int>(first.x() - 1) % 7) / 6.0);
}

void ChartViewTest::viewsThatShareAZoomShowTheSamePart() {
    ChartZoom zoom;
    ChartView one;
    ChartView other;
    showSteps(one, 100, &zoom);
    showSteps(other, 50, &zoom);
    wheel(one, one.chart()->plotArea().center(), 5);
    QVERIFY(across(one)->min() > 10);
    QCOMPARE(across(other)->min(), across(one)->min());
    QTest::keyClick(&other, Qt::Key_0);
    QCOMPARE(across(one)->min(), 0.0);
    zoom.show(AxisSpan{80, 90});  // the shorter run has none of it
    QCOMPARE(across(one)->min(), 80.0);
    QCOMPARE(across(other)->min(), 0.0);
}

void ChartViewTest::chartThatGrowsKeepsThePart() {
    ChartView view;
    auto chart = std::make_unique<StepChart>();
    StepChart* steps = chart.get();
    steps->setRecords(runPrefix("run", 50).steps, 200);
    show(view, std::move(chart));
    view.zoom(0.25);
    const double low = across(view)->min();
    steps->setRecords(runPrefix("run", 120).steps, 200);
    QCOMPARE(across(view)->min(), low);
    steps->setRecords(runPrefix("run", 300).steps, 300);
    QCOMPARE(across(view)->min(), low);
    view.showEverything();
    QVERIFY(across(view)->max() > 300);
}

void ChartViewTest::pointingTellsValues() {
    ChartView view;
    showSteps(view, 20);
    const QPointF at = view.chart()->mapToPosition({5, 1 + 4 / 6.0});
    pointAt(view, at + QPointF(3, 4));
    QVERIFY(view.pointedAt());
    QCOMPARE(view.pointedAt()->point.x(), 5.0);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("run\nStep: 5\nSeconds: 1.6667"));
    pointAt(view, view.chart()->plotArea().bottomLeft() + QPointF(5, -5));
    QVERIFY(!view.pointedAt());

    auto chart = std::make_unique<StepChart>();
    StepChart* steps = chart.get();
    steps->setRecords(runPrefix("run", manySteps).steps);
    show(view, std::move(chart));
    pointAt(view, steps->mapToPosition({5000, 1.5}));
    QVERIFY2(view.pointedAt(), "a band tells its steps");
    QVERIFY(std::abs(view.pointedAt()->point.x() - 5000) < 30);
    QVERIFY(view.pointedAt()->words.contains(QStringLiteral("sigma")));
}

void ChartViewTest::lanesTellTheirShares() {
    RunRecord run = runPrefix("run", 2);
    for (const int thread : {0, 1}) {
        run.trace.push_back({"step", "step", thread, 0, 1});
        run.trace.push_back({"attend", "attention", thread, 0, thread == 0 ? 0.5 : 1.0});
    }
    run.devices = 2;
    ChartView view;
    show(view, runChart(ChartKind::Lanes, {run}).draw());
    pointAt(view, view.chart()->mapToPosition({0.25, 1.5}));  // the upper lane
    QVERIFY(view.pointedAt());
    QVERIFY2(view.pointedAt()->words.startsWith(QStringLiteral("Thread 0")),
             qPrintable(view.pointedAt()->words));
    QVERIFY(view.pointedAt()->words.contains(QStringLiteral("Attention: 100 %")));
}

void ChartViewTest::lanesAreZoomedByRows() {
    RunRecord run = runPrefix("run", 2, 8);
    for (int thread = 0; thread < 8; ++thread)
        run.trace.push_back({"step", "step", thread, 0, 1});
    ChartView view;
    show(view, runChart(ChartKind::Lanes, {run}).draw());
    const auto* rows = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    QCOMPARE(rows->max() - rows->min(), 8.0);
    const QPointF lowest = view.chart()->mapToPosition({0.5, 0.5});
    wheel(view, lowest, 20, Qt::ControlModifier);
    QVERIFY2(std::abs(rows->max() - rows->min() - 1) < 1e-9, "less than a lane is nothing to look at");
    pointAt(view, view.chart()->plotArea().center());
    QVERIFY(view.pointedAt());
    QVERIFY2(view.pointedAt()->words.startsWith(QStringLiteral("Thread 7")),
             qPrintable(view.pointedAt()->words));
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(rows->max() - rows->min(), 8.0);
}

void ChartViewTest::tilesAreZoomedAndTold() {
    ChartView view;
    show(view, std::make_unique<TileChart>(gridOfTiles(4)));
    const auto* up = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    const auto toldAt = [&view](double x, double y) {
        const QRectF plot = view.chart()->plotArea();
        pointAt(view, {plot.left() + x * plot.width(), plot.bottom() - y * plot.height()});
        return view.pointedAt() ? view.pointedAt()->words : QString();
    };
    QCOMPARE(toldAt(0.1, 0.1), QStringLiteral("block_q 128 · block_kv 128: 11.0 ms"));
    QCOMPARE(toldAt(0.9, 0.1), QStringLiteral("block_q 512 · block_kv 128: 14.0 ms"));
    QCOMPARE(toldAt(0.1, 0.9), QStringLiteral("block_q 128 · block_kv 512: 41.0 ms"));

    const QPointF corner = view.chart()->plotArea().topRight() + QPointF(-2, 2);
    const QColor slowest = view.grab().toImage().pixelColor(corner.toPoint() + QPoint(-3, 3));
    wheel(view, corner, 20);
    wheel(view, corner, 20, Qt::ControlModifier);
    QVERIFY(std::abs(shown(view) - 1) < 1e-9);
    QVERIFY(std::abs(up->max() - up->min() - 1) < 1e-9);
    QCOMPARE(toldAt(0.1, 0.1), QStringLiteral("block_q 512 · block_kv 512: 44.0 ms"));
    const QImage picture = view.grab().toImage();
    const QRectF plot = view.chart()->plotArea();
    for (const QPointF& at : {plot.topLeft() + QPointF(20, 20), plot.bottomRight() - QPointF(20, 20)})
        QCOMPARE(picture.pixelColor(at.toPoint()), slowest);  // the one cell fills the plot
    QVERIFY2(picture.pixelColor((plot.bottomLeft() + QPointF(-6, 6)).toPoint()) != slowest,
             "cells stay inside it");

    QTest::keyClick(&view, Qt::Key_Left);
    QVERIFY(across(view)->max() < 4);
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(shown(view), 4.0);
    QCOMPARE(up->max() - up->min(), 4.0);
    QTest::keyClick(&view, Qt::Key_Plus);
    QVERIFY(shown(view) < 4);
}

void ChartViewTest::tilesKeepThePartWhileASearchGoesOn() {
    ChartView view;
    auto chart = std::make_unique<TileChart>(gridOfTiles(4));
    TileChart* tiles = chart.get();
    show(view, std::move(chart));
    QTest::keyClick(&view, Qt::Key_Plus);
    const double part = shown(view);
    QVERIFY(part < 4);
    std::vector<TileTime> later = gridOfTiles(4);
    for (TileTime& tile : later)
        tile.seconds = 1;
    tiles->setTiles(later);
    QCOMPARE(shown(view), part);
    QCOMPARE(tiles->series().size(), 1);  // one colour
    tiles->setTiles(gridOfTiles(6));
    QCOMPARE(shown(view), part);
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(shown(view), 6.0);
    QCOMPARE(tiles->series().size(), static_cast<qsizetype>(tileShades().size()));
    QCOMPARE(qobject_cast<QCategoryAxis*>(across(view))->categoriesLabels().last(), QStringLiteral("768"));
}

void ChartViewTest::keysGoFromValueToValue() {
    ChartZoom zoom;
    ChartView view;
    show(view, runChart(ChartKind::Steps, {runPrefix("a", 3), runPrefix("b", 2)}).draw(), &zoom);
    QStringList told;
    for (int key = 0; key < 8; ++key) {
        QTest::keyClick(&view, Qt::Key_Period);
        QVERIFY(view.pointedAt());
        QCOMPARE(view.accessibleDescription(), view.pointedAt()->words);
        if (!told.contains(view.pointedAt()->words))
            told += view.pointedAt()->words;
    }
    QVERIFY2(told.size() >= 3, qPrintable(told.join(QLatin1Char('|'))));
    QCOMPARE(view.pointedAt()->point.x(), 3.0);
    QTest::keyClick(&view, Qt::Key_Return);
    QCOMPARE(zoom.mark(), std::optional(3.0));
    QTest::keyClick(&view, Qt::Key_Comma);
    QCOMPARE(view.pointedAt()->point.x(), 2.0);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.pointedAt());
    QVERIFY(!zoom.mark());

    showSteps(view, manySteps);  // a band
    QTest::keyClick(&view, Qt::Key_Period);
    QVERIFY(view.pointedAt());
    const double first = view.pointedAt()->point.x();
    QTest::keyClick(&view, Qt::Key_Period);
    QVERIFY(view.pointedAt()->point.x() > first);
}

void ChartViewTest::keysGoFromBarToBar() {
    ChartView view;
    show(view, runChart(ChartKind::Stages, {runPrefix("a", 3)}).draw());
    QTest::keyClick(&view, Qt::Key_Period);
    QVERIFY(view.pointedAt());
    QCOMPARE(view.pointedAt()->words, QStringLiteral("a\nLoad\nSeconds: 3"));
    QVERIFY(view.chart()->plotArea().contains(view.pointedAt()->position));
    QTest::keyClick(&view, Qt::Key_Period);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("a\nDenoising\nSeconds: 5"));
    QTest::keyClick(&view, Qt::Key_Comma);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("a\nLoad\nSeconds: 3"));
}

void ChartViewTest::memoryTellsBarAndPlan() {
    std::vector<RunRecord> runs{runPrefix("a", 3), runPrefix("b", 3)};
    for (RunRecord& run : runs)
        run.memory = {{.phase = "Load", .planned = 4U << 20, .held = 3U << 20, .mappedFiles = 0}};
    runs[1].memory.front().held = 5U << 20;
    ChartView view;
    show(view, runChart(ChartKind::Memory, runs).draw());
    const QString ofA = QStringLiteral("Load\na\nHeld at most: 3 MiB\nPlanned: 4 MiB");
    QTest::keyClick(&view, Qt::Key_Period);
    QVERIFY(view.pointedAt());
    QCOMPARE(view.pointedAt()->words, ofA);
    QTest::keyClick(&view, Qt::Key_Period);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("Load\nb\nHeld at most: 5 MiB\nPlanned: 4 MiB"));
    const auto* outlines = itemOf<BarOutlines>(*view.chart());
    QCOMPARE(outlines->lengthFor(0, 0), 4.0);
    emit entryAt(view, QStringLiteral("a"))->clicked();
    QCOMPARE(outlines->lengthFor(0, 0), 0.0);
    QCOMPARE(outlines->lengthFor(1, 0), 4.0);
    emit entryAt(view, QStringLiteral("a"))->clicked();
    QCOMPARE(outlines->lengthFor(0, 0), 4.0);
    emit entryAt(view, QStringLiteral("Planned"))->clicked();
    QCOMPARE(outlines->lengthFor(1, 0), 0.0);
    QTest::keyClick(&view, Qt::Key_Comma);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("Load\na\nHeld at most: 3 MiB"));
    // It is seen where more was held than planned.
    emit entryAt(view, QStringLiteral("Planned"))->clicked();
    const QImage image = view.grab().toImage();
    const auto* bars = qobject_cast<QAbstractBarSeries*>(view.chart()->series().constFirst());
    const QPointF plan =
        view.chart()->mapToPosition({bars->barWidth() / 4, 4}, view.chart()->series().constFirst());
    bool isDrawn = false;
    for (int y = -2; y <= 2; ++y)
        isDrawn |= image.pixelColor(plan.toPoint() + QPoint(0, y)).lightness() > 200;
    QVERIFY(isDrawn);
}

void ChartViewTest::controlZoomsUprightByKeys() {
    ChartView view;
    showSteps(view, 100);
    const auto* up = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    const double height = up->max() - up->min();
    const double whole = shown(view);
    QTest::keyClick(&view, Qt::Key_Plus, Qt::ControlModifier);
    QVERIFY(up->max() - up->min() < height);
    QCOMPARE(shown(view), whole);
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(up->max() - up->min(), height);
}

void ChartViewTest::clickMarksAStep() {
    ChartZoom zoom;
    ChartView view;
    showSteps(view, 20, &zoom);
    const QSignalSpy marked(&zoom, &ChartZoom::markChanged);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                      view.chart()->mapToPosition({5, 1 + 4 / 6.0}).toPoint());
    QCOMPARE(zoom.mark(), std::optional(5.0));
    QCOMPARE(marked.count(), 1);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!zoom.mark());
}

void ChartViewTest::legendHidesAndShows() {
    ChartView view;
    show(view, runChart(ChartKind::Steps, {runPrefix("a", 20), runPrefix("b", 20)}).draw());
    QCOMPARE(view.legend()->entries().size(), 2);
    QLegendMarker* entry = entryAt(view, QStringLiteral("b"));
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
    pointAt(view, view.chart()->mapToPosition({5, 1 + 4 / 6.0}));
    QVERIFY(view.pointedAt() && view.pointedAt()->words.startsWith(QLatin1Char('a')));
    emit entry->clicked();
    QCOMPARE(visible(), 4);
    QVERIFY(!entry->font().strikeOut());
    QCOMPARE(view.legend()->entries().size(), 2);
}

void ChartViewTest::barsAreHiddenByTheLegend() {
    ChartView view;
    show(view, runChart(ChartKind::Stages, {runPrefix("a", 3)}).draw());
    QLegendMarker* entry = entryAt(view, QStringLiteral("Load"));
    QVERIFY(entry != nullptr);
    auto* bars = qobject_cast<QAbstractBarSeries*>(view.chart()->series().constFirst());
    emit entry->clicked();
    QCOMPARE(bars->barSets().constFirst()->at(0), 0.0);
    emit entry->clicked();
    QCOMPARE(bars->barSets().constFirst()->at(0), 3.0);
}

void ChartViewTest::menuNamesTheSeries() {
    ChartView view;
    show(view, runChart(ChartKind::Steps, {runPrefix("a&b", 20), runPrefix("c", 20)}).draw());
    QMenu menu;
    view.fill(menu);
    QCOMPARE(menu.actions().constFirst()->text(), QStringLiteral("a&&b"));
    menu.actions().constFirst()->trigger();
    QVERIFY(!entryAt(view, QStringLiteral("a&amp;b"))->series()->isVisible());
    QVERIFY(menu.actions().contains(view.logarithmic()));
    show(view, runChart(ChartKind::Stages, {runPrefix("a", 3)}).draw());
    QMenu stages;
    view.fill(stages);
    QVERIFY(!stages.actions().contains(view.logarithmic()));
    QVERIFY(!view.logarithmic()->isEnabled());
}

void ChartViewTest::menuCopiesTheChart() {
    ChartView view;
    show(view, runChart(ChartKind::Steps, {runPrefix("one", 20)}).draw());
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
void ChartViewTest::aStageKeepsItsColour() {
    const auto coloursOf = [](const ChartSheet& sheet) {
        QMap<QString, QColor> colours;
        const std::unique_ptr<QChart> chart = sheet.draw();
        for (QBarSet* set : qobject_cast<QAbstractBarSeries*>(chart->series().constFirst())->barSets())
            colours[set->label()] = set->color();
        return colours;
    };
    const std::vector<RunRecord> runs{runPrefix("one", 3)};
    const QMap<QString, QColor> all = coloursOf(runChart(ChartKind::Stages, runs));
    const QMap<QString, QColor> inference = coloursOf(inferenceChart(runs));
    QVERIFY(inference.size() >= 3 && inference.size() < all.size());
    for (auto stage = inference.begin(); stage != inference.end(); ++stage)
        QCOMPARE(stage.value(), all.value(stage.key()));
}

void ChartViewTest::liveChartKeepsWhatIsHidden() {
    ChartView view;
    auto chart = std::make_unique<StepChart>();
    StepChart* steps = chart.get();
    show(view, std::move(chart));
    steps->setRecords(runPrefix("run", 10).steps, 20);
    QLegendMarker* entry = entryAt(view, QStringLiteral("Seconds per step"));
    emit entry->clicked();
    steps->setRecords(runPrefix("run", 11).steps, 20);
    QVERIFY(!entry->series()->isVisible());
    steps->setMetric(StepMetric::Latents);
    QVERIFY(entry->series()->isVisible() && !entry->font().strikeOut());
}

void ChartViewTest::valuesMayBeLogarithmic() {
    ChartView view;
    showSteps(view, 20);
    QVERIFY(view.logarithmic()->isEnabled());
    const auto height = [&view](double value) { return view.chart()->mapToPosition({5, value}).y(); };
    view.logarithmic()->trigger();
    (void)view.grab();
    QVERIFY(qobject_cast<QLogValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
    QVERIFY(std::abs((height(1) - height(1.5)) - (height(1.2) - height(1.8))) < 1);
    const double whole = height(1) - height(2);
    wheel(view, view.chart()->plotArea().center(), -1, Qt::ShiftModifier);
    QCOMPARE(height(1) - height(2), whole);
    showSteps(view, 30);  // another chart keeps the scale
    QVERIFY(qobject_cast<QLogValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
    view.logarithmic()->trigger();
    QVERIFY(qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);

    auto chart = std::make_unique<StepChart>();
    StepChart* steps = chart.get();
    steps->setRecords(runPrefix("run", 20).steps);
    show(view, std::move(chart));
    QVERIFY(view.logarithmic()->isEnabled());
    steps->setMetric(StepMetric::Latents);
    QVERIFY2(!view.logarithmic()->isEnabled(), "they are negative");
}

void ChartViewTest::aChartMayBeginLogarithmic() {
    const auto made = [](bool logarithmic) {
        auto chart = std::make_unique<StepChart>();
        chart->setRecords(runPrefix("run", 20).steps);
        chart->scaledAxis()->setLogarithmic(logarithmic);
        return chart;
    };
    ChartView view;
    show(view, made(true));
    QVERIFY(view.logarithmic()->isChecked());
    QCOMPARE(view.chart()->axes(Qt::Vertical).size(), 1);
    QVERIFY(qobject_cast<QLogValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
    show(view, made(false));
    QVERIFY2(!view.logarithmic()->isChecked(), "the reader asked for nothing");
    QVERIFY(qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst()) != nullptr);
}

void ChartViewTest::expertSwitchesAreMarked() {
    RunRecord run = runPrefix("run", 20);
    for (StepRecord& step : run.steps)
        step.expert = step.step < 8 ? 1 : 2;
    ChartView view;
    show(view, runChart(ChartKind::Steps, {run}).draw());
    const auto* marks = itemOf<StepMarks>(*view.chart());
    QCOMPARE(marks->marks().size(), 1U);
    QCOMPARE(marks->marks().front().place, 8.5);  // behind the eighth step
    QCOMPARE(marks->marks().front().words, QStringLiteral("Expert 2"));
    StepChart live;
    live.setRecords(runPrefix("run", 5).steps);
    QVERIFY(itemOf<StepMarks>(live)->marks().empty());
    live.setRecords(run.steps);
    QCOMPARE(itemOf<StepMarks>(live)->marks().size(), 1U);
    // It is seen: a column of the chart is dashed from top to bottom.
    const QRectF plot = view.chart()->plotArea();
    const QImage with = view.grab().toImage();
    show(view, runChart(ChartKind::Steps, {runPrefix("run", 20)}).draw());
    const QImage without = view.grab().toImage();
    const auto column = static_cast<int>(std::lround(view.chart()->mapToPosition({8.5, 1}).x()));
    int differing = 0;
    for (int y = static_cast<int>(plot.top()); y < static_cast<int>(plot.bottom()); ++y)
        differing += static_cast<int>(with.pixel(column, y) != without.pixel(column, y));
    QVERIFY(differing > plot.height() / 3 && differing < plot.height() * 0.9);
}

void ChartViewTest::everyColdStepIsMarked() {
    RunRecord run = runPrefix("run", 20);
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

void ChartViewTest::coldMarksAreHollowInEveryLook_data() {
    QTest::addColumn<QColor>("ground");
    QTest::addColumn<QColor>("text");
    QTest::newRow("light") << QColor(Qt::white) << QColor(Qt::black);
    QTest::newRow("dark") << QColor(0x1e, 0x22, 0x28) << QColor(Qt::white);
}

void ChartViewTest::coldMarksAreHollowInEveryLook() {
    QFETCH(QColor, ground);
    QFETCH(QColor, text);
    QPalette palette;
    palette.setColor(QPalette::Base, ground);
    palette.setColor(QPalette::Text, text);
    ChartView view;
    view.setPalette(palette);
    show(view, runChart(ChartKind::Steps, {runPrefix("run", 20)}).draw());
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

void ChartViewTest::repeatsHaveErrorBars() {
    std::vector<RunRecord> runs{runPrefix("one", 15), runPrefix("two", 15, 2), runPrefix("again", 15, 2)};
    for (StepRecord& step : runs[1].steps)
        step.seconds /= 2;
    for (StepRecord& step : runs[2].steps)
        step.seconds /= 1.5;
    ChartView view;
    show(view, runChart(ChartKind::Scaling, runs).draw());
    const auto* bars = itemOf<ErrorBars>(*view.chart());
    QCOMPARE(bars->bars().size(), 1U);
    QCOMPARE(bars->bars().front().place, 2.0);
    QVERIFY(bars->bars().front().low > 1 && bars->bars().front().high > bars->bars().front().low);
    const auto* speeds = qobject_cast<QLineSeries*>(entryAt(view, QStringLiteral("ulysses"))->series());
    pointAt(view,
            view.chart()->mapToPosition(speeds->at(1), entryAt(view, QStringLiteral("ulysses"))->series()));
    QVERIFY(view.pointedAt());
    QVERIFY2(view.pointedAt()->words.contains(QStringLiteral("Standard deviation of 2 runs")),
             qPrintable(view.pointedAt()->words));
    // Efficiency stands on the right axis, and its entry hides it for all lines.
    QLegendMarker* efficiency = entryAt(view, QStringLiteral("Efficiency"));
    const auto visible = [&view] {
        const QList<QAbstractSeries*> all = view.chart()->series();
        return std::ranges::count_if(all, &QAbstractSeries::isVisible);
    };
    const auto before = visible();
    emit efficiency->clicked();
    QCOMPARE(visible(), before - 3);  // its entry, its line and the rings on that
}

MESHREEL_TEST_CLASS(ChartViewTest)
#include "chart_view_test.moc"
