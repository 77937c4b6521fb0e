// SPDX-License-Identifier: GPL-3.0-or-later
// A chart that is looked into: wheel, drag and keys, values under the pointer.
#include <QAbstractBarSeries>
#include <QApplication>
#include <QCategoryAxis>
#include <QImage>
#include <QLineSeries>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QValueAxis>
#include <cmath>
#include <memory>

#include "tests/support/charts/shown_chart.h"
#include "tests/support/charts/test_classes.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/run_charts.h"
#include "ui/charts/step_chart.h"
#include "ui/charts/tile_chart.h"
#include "ui/charts/zoomed_chart.h"

using namespace meshreel;

namespace {

constexpr int manySteps = 10'000;

/// So many sizes of each kind, 128 apart; the larger ones are slower, block_kv more so.
std::vector<TileTime> gridOfTiles(int sizes) {
    constexpr std::int64_t step = 128;
    std::vector<TileTime> tiles;
    for (int q = 1; q <= sizes; ++q)
        for (int kv = 1; kv <= sizes; ++kv)
            tiles.push_back({.blockQ = q * step, .blockKv = kv * step, .seconds = 0.001 * (q + 10 * kv)});
    return tiles;
}

QValueAxis* across(const ChartView& view) {
    return qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Horizontal).constFirst());
}

double shown(const ChartView& view) {
    return across(view)->max() - across(view)->min();
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
};

void ChartViewTest::wheelZoomsAboutThePointer() {
    ChartView view;
    testing::showSteps(view, 100);
    const double whole = shown(view);
    const QRectF plot = view.chart()->plotArea();
    const QPointF pointer(plot.left() + plot.width() / 4, plot.center().y());
    const double under = view.chart()->mapToValue(pointer).x();
    testing::wheel(view, pointer, 4);
    QVERIFY(shown(view) < whole / 2);
    QVERIFY(std::abs(view.chart()->mapToValue(pointer).x() - under) < 0.5);
    testing::wheel(view, pointer, -10);
    QCOMPARE(shown(view), whole);
    const auto* up = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    const double height = up->max() - up->min();
    testing::wheel(view, pointer, 2, Qt::ControlModifier);
    QVERIFY(up->max() - up->min() < height);
    QCOMPARE(shown(view), whole);
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, pointer.toPoint());
    QCOMPARE(up->max() - up->min(), height);
}

void ChartViewTest::keysZoomMoveAndReset() {
    ChartView view;
    testing::showSteps(view, 100);
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
    testing::showSteps(view, 100);
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
    testing::showSteps(view, manySteps);
    const auto* line = qobject_cast<QLineSeries*>(testing::entryAt(view, QStringLiteral("run"))->series());
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
    testing::showSteps(one, 100, &zoom);
    testing::showSteps(other, 50, &zoom);
    testing::wheel(one, one.chart()->plotArea().center(), 5);
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
    steps->setRecords(testing::runPrefix("run", 50).steps, 200);
    testing::show(view, std::move(chart));
    view.zoom(0.25);
    const double low = across(view)->min();
    steps->setRecords(testing::runPrefix("run", 120).steps, 200);
    QCOMPARE(across(view)->min(), low);
    steps->setRecords(testing::runPrefix("run", 300).steps, 300);
    QCOMPARE(across(view)->min(), low);
    view.showEverything();
    QVERIFY(across(view)->max() > 300);
}

void ChartViewTest::pointingTellsValues() {
    ChartView view;
    testing::showSteps(view, 20);
    const QPointF at = view.chart()->mapToPosition({5, 1 + 4 / 6.0});
    testing::pointAt(view, at + QPointF(3, 4));
    QVERIFY(view.pointedAt());
    QCOMPARE(view.pointedAt()->point.x(), 5.0);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("run\nStep: 5\nSeconds: 1.6667"));
    testing::pointAt(view, view.chart()->plotArea().bottomLeft() + QPointF(5, -5));
    QVERIFY(!view.pointedAt());

    auto chart = std::make_unique<StepChart>();
    StepChart* steps = chart.get();
    steps->setRecords(testing::runPrefix("run", manySteps).steps);
    testing::show(view, std::move(chart));
    testing::pointAt(view, steps->mapToPosition({5000, 1.5}));
    QVERIFY2(view.pointedAt(), "a band tells its steps");
    QVERIFY(std::abs(view.pointedAt()->point.x() - 5000) < 30);
    QVERIFY(view.pointedAt()->words.contains(QStringLiteral("sigma")));
}

void ChartViewTest::lanesTellTheirShares() {
    RunRecord run = testing::runPrefix("run", 2);
    for (const int thread : {0, 1}) {
        run.trace.push_back({"step", "step", thread, 0, 1});
        run.trace.push_back({"attend", "attention", thread, 0, thread == 0 ? 0.5 : 1.0});
    }
    run.devices = 2;
    ChartView view;
    testing::show(view, runChart(ChartKind::Lanes, {run}).draw());
    testing::pointAt(view, view.chart()->mapToPosition({0.25, 1.5}));  // the upper lane
    QVERIFY(view.pointedAt());
    QVERIFY2(view.pointedAt()->words.startsWith(QStringLiteral("Thread 0")),
             qPrintable(view.pointedAt()->words));
    QVERIFY(view.pointedAt()->words.contains(QStringLiteral("Attention: 100 %")));
}

void ChartViewTest::lanesAreZoomedByRows() {
    RunRecord run = testing::runPrefix("run", 2, 8);
    for (int thread = 0; thread < 8; ++thread)
        run.trace.push_back({"step", "step", thread, 0, 1});
    ChartView view;
    testing::show(view, runChart(ChartKind::Lanes, {run}).draw());
    const auto* rows = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    QCOMPARE(rows->max() - rows->min(), 8.0);
    const QPointF lowest = view.chart()->mapToPosition({0.5, 0.5});
    testing::wheel(view, lowest, 20, Qt::ControlModifier);
    QVERIFY2(std::abs(rows->max() - rows->min() - 1) < 1e-9, "less than a lane is nothing to look at");
    testing::pointAt(view, view.chart()->plotArea().center());
    QVERIFY(view.pointedAt());
    QVERIFY2(view.pointedAt()->words.startsWith(QStringLiteral("Thread 7")),
             qPrintable(view.pointedAt()->words));
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(rows->max() - rows->min(), 8.0);
}

void ChartViewTest::tilesAreZoomedAndTold() {
    ChartView view;
    testing::show(view, std::make_unique<TileChart>(gridOfTiles(4)));
    const auto* up = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).constFirst());
    const auto toldAt = [&view](double x, double y) {
        const QRectF plot = view.chart()->plotArea();
        testing::pointAt(view, {plot.left() + x * plot.width(), plot.bottom() - y * plot.height()});
        return view.pointedAt() ? view.pointedAt()->words : QString();
    };
    QCOMPARE(toldAt(0.1, 0.1), QStringLiteral("block_q 128 · block_kv 128: 11.0 ms"));
    QCOMPARE(toldAt(0.9, 0.1), QStringLiteral("block_q 512 · block_kv 128: 14.0 ms"));
    QCOMPARE(toldAt(0.1, 0.9), QStringLiteral("block_q 128 · block_kv 512: 41.0 ms"));

    const QPointF corner = view.chart()->plotArea().topRight() + QPointF(-2, 2);
    const QColor slowest = view.grab().toImage().pixelColor(corner.toPoint() + QPoint(-3, 3));
    testing::wheel(view, corner, 20);
    testing::wheel(view, corner, 20, Qt::ControlModifier);
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
    testing::show(view, std::move(chart));
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
    testing::show(view,
                  runChart(ChartKind::Steps, {testing::runPrefix("a", 3), testing::runPrefix("b", 2)}).draw(),
                  &zoom);
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

    testing::showSteps(view, manySteps);  // a band
    QTest::keyClick(&view, Qt::Key_Period);
    QVERIFY(view.pointedAt());
    const double first = view.pointedAt()->point.x();
    QTest::keyClick(&view, Qt::Key_Period);
    QVERIFY(view.pointedAt()->point.x() > first);
}

void ChartViewTest::keysGoFromBarToBar() {
    ChartView view;
    testing::show(view, runChart(ChartKind::Stages, {testing::runPrefix("a", 3)}).draw());
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
    std::vector<RunRecord> runs{testing::runPrefix("a", 3), testing::runPrefix("b", 3)};
    for (RunRecord& run : runs)
        run.memory = {{.phase = "Load", .planned = 4U << 20, .held = 3U << 20, .mappedFiles = 0}};
    runs[1].memory.front().held = 5U << 20;
    ChartView view;
    testing::show(view, runChart(ChartKind::Memory, runs).draw());
    const QString ofA = QStringLiteral("Load\na\nHeld at most: 3 MiB\nPlanned: 4 MiB");
    QTest::keyClick(&view, Qt::Key_Period);
    QVERIFY(view.pointedAt());
    QCOMPARE(view.pointedAt()->words, ofA);
    QTest::keyClick(&view, Qt::Key_Period);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("Load\nb\nHeld at most: 5 MiB\nPlanned: 4 MiB"));
    const auto* outlines = testing::itemOf<BarOutlines>(*view.chart());
    QCOMPARE(outlines->lengthFor(0, 0), 4.0);
    emit testing::entryAt(view, QStringLiteral("a"))->clicked();
    QCOMPARE(outlines->lengthFor(0, 0), 0.0);
    QCOMPARE(outlines->lengthFor(1, 0), 4.0);
    emit testing::entryAt(view, QStringLiteral("a"))->clicked();
    QCOMPARE(outlines->lengthFor(0, 0), 4.0);
    emit testing::entryAt(view, QStringLiteral("Planned"))->clicked();
    QCOMPARE(outlines->lengthFor(1, 0), 0.0);
    QTest::keyClick(&view, Qt::Key_Comma);
    QCOMPARE(view.pointedAt()->words, QStringLiteral("Load\na\nHeld at most: 3 MiB"));
    // It is seen where more was held than planned.
    emit testing::entryAt(view, QStringLiteral("Planned"))->clicked();
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
    testing::showSteps(view, 100);
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
    testing::showSteps(view, 20, &zoom);
    const QSignalSpy marked(&zoom, &ChartZoom::markChanged);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                      view.chart()->mapToPosition({5, 1 + 4 / 6.0}).toPoint());
    QCOMPARE(zoom.mark(), std::optional(5.0));
    QCOMPARE(marked.count(), 1);
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!zoom.mark());
}

MESHREEL_TEST_CLASS(ChartViewTest)
#include "chart_view_test.moc"
