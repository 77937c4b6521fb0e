// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline of a run, as people use it: wheel, keys, drags, clicks, search, and two runs together.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/runs/run_folder.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "ui/timeline/timeline_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/timeline/trace_model.h"

using namespace meshreel;
using meshreel::testing::makeRun;

namespace {

constexpr int patience = 30000;  ///< milliseconds

/// Two devices, four steps of a second, ten blocks a step with an exchange in each; device 1 begins 1 ms
/// later.
ChromeTrace smallTrace() {
    ChromeTrace trace{.spans = {}, .rows = {{0, "device 0"}, {1, "device 1"}}};
    for (int device = 0; device < 2; ++device)
        for (int step = 0; step < 4; ++step) {
            const double begin = 5 + step + 0.001 * device;
            const auto add = [&](const std::string& name, const char* category, double start,
                                 double seconds) {
                trace.spans.push_back({.name = name,
                                       .category = category,
                                       .thread = device,
                                       .start = start,
                                       .seconds = seconds});
            };
            add("step " + std::to_string(step + 1), "step", begin, 1);
            for (int block = 0; block < 10; ++block) {
                add("transformer_block " + std::to_string(block), "engine", begin + 0.1 * block, 0.1);
                add("exchange", "attention", begin + 0.1 * block + 0.02, 0.03);
            }
        }
    return trace;
}

std::shared_ptr<const TraceModel> small() {
    return std::make_shared<const TraceModel>(smallTrace());
}

void writeTrace(const std::filesystem::path& run, double begin) {
    auto events = nlohmann::json::array();
    for (const TracedSpan& span : smallTrace().spans)
        events.push_back({{"name", span.name},
                          {"cat", span.category},
                          {"ph", "X"},
                          {"ts", (span.start + begin) * 1e6},
                          {"dur", span.seconds * 1e6},
                          {"pid", 1},
                          {"tid", span.thread}});
    events.push_back(
        {{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", "device 1"}}}});
    RunFolder::open(run).write(run_file::trace, nlohmann::json{{"traceEvents", events}}.dump());
}

}  // namespace

class TimelineTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void slicesLieInRowsAsTheyNest();
    void statisticsCountPartsOfSlices();
    void aRowIsDrawnByItsPixelsNotItsSlices();
    void theWheelZoomsAtThePointer();
    void keysZoomMoveAndFrame();
    void aDragMovesAndAClickSelects();
    void aDragAlongTheRulerMeasures();
    void slicesAreSteppedThrough();
    void namesAreSearched();
    void twoRunsStandOnOneAxis();
    void tracesAreReadWhenTheyAreSeen();
    void whatHasNoTraceIsTold();
    void rowsOutOfSightAreReached();
    void whatIsFarAwayIsPainted();
    void spansThatOverlapWithoutEndAreRefused();

  private:
    [[nodiscard]] TimelinePlace placeOf(const char* name, int lane, std::size_t nth = 0) const;
    void wheel(const QPoint& at, int angle, Qt::KeyboardModifiers modifiers = {});
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {});

    std::unique_ptr<TimelineView> m_view;
};

void TimelineTest::init() {
    m_view = std::make_unique<TimelineView>();
    m_view->resize(900, 400);
    m_view->setTraces({{QStringLiteral("a"), small()}});
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
}

TimelinePlace TimelineTest::placeOf(const char* name, int lane, std::size_t nth) const {
    const TraceModel& model = *m_view->traces().front().trace;
    std::vector<SlicePlace> found = model.find(model.namesWith(QLatin1String(name)));
    std::erase_if(found, [lane](const SlicePlace& place) { return place.lane != lane; });
    return {0, found.at(nth)};
}

void TimelineTest::wheel(const QPoint& at, int angle, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(at, m_view->viewport()->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(m_view->viewport(), &event);
}

void TimelineTest::drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers) {
    QWidget* on = m_view->viewport();
    QTest::mousePress(on, Qt::LeftButton, modifiers, from);
    QMouseEvent move(QEvent::MouseMove, to, on->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, modifiers);
    QApplication::sendEvent(on, &move);
    QTest::mouseRelease(on, Qt::LeftButton, modifiers, to);
}

void TimelineTest::slicesLieInRowsAsTheyNest() {
    const TraceModel model(smallTrace());
    QCOMPARE(model.lanes().size(), 2U);
    QCOMPARE(model.lanes()[1].name, QStringLiteral("Device 1"));
    QCOMPARE(model.lanes()[0].rows.size(), 3U);  // steps, blocks, exchanges
    QCOMPARE(model.lanes()[0].rows[0].slices.size(), 4U);
    QCOMPARE(model.lanes()[0].rows[1].slices.size(), 40U);
    QCOMPARE(model.lanes()[0].rows[2].slices.size(), 40U);
    QCOMPARE(model.slices(), 168U);
    QVERIFY2(std::abs(model.seconds() - 4.001) < 1e-9, "it begins with its first span");
    const TraceSlice& exchange = model.lanes()[0].rows[2].slices[15];
    QCOMPARE(model.names()[static_cast<std::size_t>(exchange.step)], QStringLiteral("step 2"));
    for (const TraceLane& lane : model.lanes())
        for (const TraceRow& row : lane.rows)
            for (std::size_t i = 1; i < row.slices.size(); ++i)
                QVERIFY(row.slices[i].start >= row.slices[i - 1].end - 1e-9);
}

void TimelineTest::statisticsCountPartsOfSlices() {
    const TraceModel model(smallTrace());
    const auto find = [&model](const std::vector<NameStatistics>& all, const char* name) {
        return *std::ranges::find_if(
            all, [&](const NameStatistics& of) { return model.names()[of.name] == QLatin1String(name); });
    };
    const std::vector<NameStatistics> whole = model.statistics({0, model.seconds()});
    const NameStatistics exchange = find(whole, "exchange");
    QCOMPARE(exchange.count, 80U);
    QVERIFY(std::abs(exchange.total - 80 * 0.03) < 1e-9);
    QVERIFY(std::abs(exchange.mean() - 0.03) < 1e-9);
    for (std::size_t i = 1; i < whole.size(); ++i)
        QVERIFY(whole[i].total <= whole[i - 1].total);
    // A quarter of the first step of device 0, and what of device 1 falls into it.
    const std::vector<NameStatistics> part = model.statistics({0.25, 0.5});
    const NameStatistics step = find(part, "step 1");
    QCOMPARE(step.count, 2U);
    QVERIFY(std::abs(step.total - 0.5) < 1e-9);
    QVERIFY(std::abs(step.most - 0.25) < 1e-9);
}

void TimelineTest::aRowIsDrawnByItsPixelsNotItsSlices() {
    TraceRow row;
    constexpr int count = 1'000'000;
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        row.covered.push_back(sum);
        row.slices.push_back({.start = 1e-3 * i, .end = 1e-3 * i + 5e-4});
        sum += 5e-4;
    }
    row.covered.push_back(sum);
    std::vector<DrawnSlice> drawn;
    constexpr int pixels = 1000;
    layOutRow(row, 0, 1.0, pixels, drawn);  // a thousand slices a pixel
    QVERIFY2(drawn.size() <= 2 * pixels, qPrintable(QString::number(drawn.size())));
    std::size_t together = 0;
    std::set<int> places;
    for (const DrawnSlice& piece : drawn) {
        together += piece.count;
        places.insert(piece.left);
        QVERIFY(std::abs(piece.covered - 0.5) < 0.01);
    }
    QCOMPARE(places.size(), std::size_t{pixels});
    QCOMPARE(together, std::size_t{count});
    drawn.clear();
    layOutRow(row, 500.0, 1e-5, pixels, drawn);  // ten slices, each of fifty pixels
    QCOMPARE(drawn.size(), 10U);
    for (const DrawnSlice& piece : drawn)
        QVERIFY(piece.count == 1 && std::abs(piece.right - piece.left - 50) <= 1);
    drawn.clear();
    layOutRow(row, 2000, 1e-5, pixels, drawn);
    QVERIFY(drawn.empty());
}

void TimelineTest::theWheelZoomsAtThePointer() {
    const TimeSpan whole = m_view->shown();
    QCOMPARE(whole.from, 0.0);
    const QPoint at(m_view->plot().left() + m_view->plot().width() / 4, m_view->plot().center().y());
    const double under = m_view->timeAt(at.x());
    wheel(at, 480);
    QVERIFY(m_view->shown().seconds() < whole.seconds());
    QVERIFY2(std::abs(m_view->timeAt(at.x()) - under) < 1e-9, "what is under the pointer stays there");
    const TimeSpan zoomed = m_view->shown();
    wheel(at, -120, Qt::ShiftModifier);
    QVERIFY(std::abs(m_view->shown().seconds() - zoomed.seconds()) < 1e-12);
    QVERIFY(m_view->shown().from > zoomed.from);
    wheel(at, -9600, Qt::ControlModifier);
    QCOMPARE(m_view->shown().from, 0.0);
    QCOMPARE(m_view->shown().seconds(), whole.seconds());
    for (int i = 0; i < 100; ++i)
        wheel(at, 960);
    QVERIFY2(m_view->shown().seconds() > 0, "there is an end to it");
}

void TimelineTest::keysZoomMoveAndFrame() {
    const TimeSpan whole = m_view->shown();
    QTest::keyClick(m_view.get(), Qt::Key_W);
    QTest::keyClick(m_view.get(), Qt::Key_W);
    const TimeSpan zoomed = m_view->shown();
    QVERIFY(zoomed.seconds() < whole.seconds() / 2);
    QTest::keyClick(m_view.get(), Qt::Key_D);
    QVERIFY(m_view->shown().from > zoomed.from);
    QTest::keyClick(m_view.get(), Qt::Key_A);
    QVERIFY(std::abs(m_view->shown().from - zoomed.from) < 1e-9);
    QTest::keyClick(m_view.get(), Qt::Key_S);
    QVERIFY(m_view->shown().seconds() > zoomed.seconds());
    QTest::keyClick(m_view.get(), Qt::Key_F);  // nothing is selected
    const TimelinePlace block = placeOf("transformer_block 7", 1, 2);
    m_view->select(block);
    QTest::keyClick(m_view.get(), Qt::Key_F);
    const TraceSlice& slice = m_view->traces().front().trace->at(block.slice);
    QVERIFY(m_view->shown().from < slice.start && slice.end < m_view->shown().to);
    QVERIFY(m_view->shown().seconds() < 1.3 * slice.seconds());
    QTest::keyClick(m_view.get(), Qt::Key_M);
    QVERIFY(m_view->measured() && std::abs(m_view->measured()->seconds() - slice.seconds()) < 1e-9);
    QTest::keyClick(m_view.get(), Qt::Key_0);
    QCOMPARE(m_view->shown().seconds(), whole.seconds());
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_view->measured() && !m_view->selected());
}

void TimelineTest::aDragMovesAndAClickSelects() {
    m_view->showSpan({1, 2});
    QSignalSpy selected(m_view.get(), &TimelineView::selectionChanged);
    const QPoint middle = m_view->plot().center();
    const double under = m_view->timeAt(middle.x());
    drag(middle, middle + QPoint(120, 0));
    QVERIFY(std::abs(m_view->timeAt(middle.x() + 120) - under) < 1e-9);
    QCOMPARE(selected.count(), 0);
    m_view->showAll();
    const TimelinePlace step = placeOf("step 3", 1);
    const QRect place = m_view->rectOf(step);
    QVERIFY(place.width() > 100);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, place.center());
    QCOMPARE(m_view->selected(), std::optional(step));
    const QString words = m_view->describe(step);
    QVERIFY2(words.contains(QLatin1String("step 3, 1.00 s, from 2.001")) &&
                 words.contains(QLatin1String("Device 1")),
             qPrintable(words));
    QCOMPARE(m_view->accessibleDescription(), words);
    const TimelinePlace exchange = placeOf("exchange", 0, 12);
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, m_view->rectOf(exchange).center());
    QCOMPARE(m_view->selected(), std::optional(exchange));
    QVERIFY2(m_view->shown().seconds() < 0.05, "a double click frames it");
    QVERIFY2(m_view->describe(exchange).endsWith(QLatin1String("step 2")),
             qPrintable(m_view->describe(exchange)));
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {},
                      QPoint(m_view->plot().center().x(), m_view->viewport()->height() - 2));
    QVERIFY2(!m_view->selected(), "there is nothing below the lanes");
}

void TimelineTest::aDragAlongTheRulerMeasures() {
    TimelinePanel panel;
    panel.view().setTraces({{QStringLiteral("a"), small()}});
    QSignalSpy measured(m_view.get(), &TimelineView::measuredChanged);
    const auto xOf = [this](double time) {
        return m_view->plot().left() +
               static_cast<int>(std::lround(time / m_view->shown().seconds() * m_view->plot().width()));
    };
    drag(QPoint(xOf(1), 5), QPoint(xOf(2), 5));
    QCOMPARE(measured.count(), 1);
    QVERIFY(m_view->measured());
    QVERIFY2(std::abs(m_view->measured()->seconds() - 1) < 0.01,
             qPrintable(QString::number(m_view->measured()->seconds())));
    const QPoint lane = m_view->plot().center();
    drag(lane, lane - QPoint(100, 0), Qt::ShiftModifier);
    QCOMPARE(measured.count(), 2);
    QVERIFY(std::abs(m_view->measured()->to - m_view->timeAt(lane.x())) < 1e-6);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(xOf(1), 5));
    QVERIFY2(!m_view->measured(), "a click on the ruler measures nothing");

    StatisticsModel& statistics = panel.statistics();
    const QAbstractItemModelTester tester(&statistics,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    panel.view().measure(TimeSpan{0, 1});
    const auto totalOf = [&](const char* name) {
        for (int row = 0; row < statistics.rowCount(); ++row)
            if (statistics.index(row, StatisticsModel::Name).data().toString() == QLatin1String(name))
                return statistics.index(row, StatisticsModel::Total)
                    .data(StatisticsModel::SortRole)
                    .toDouble();
        return 0.0;
    };
    QVERIFY(std::abs(totalOf("step 1") - 1.999) < 1e-9);
    QCOMPARE(totalOf("step 3"), 0.0);
    QVERIFY2(panel.words().contains(QLatin1String("Measured: 1.00 s")), qPrintable(panel.words()));
    panel.view().measure(std::nullopt);
    QVERIFY2(std::abs(totalOf("step 3") - 2) < 1e-9, "without a measurement they are of all");
}

void TimelineTest::slicesAreSteppedThrough() {
    m_view->goTo(placeOf("transformer_block 4", 0, 1));
    QTest::keyClick(m_view.get(), Qt::Key_Period);
    QCOMPARE(m_view->selected(), std::optional(placeOf("transformer_block 5", 0, 1)));
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QCOMPARE(m_view->selected(), std::optional(placeOf("transformer_block 3", 0, 1)));
    m_view->goTo(placeOf("step 1", 0));
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QCOMPARE(m_view->selected(), std::optional(placeOf("step 1", 0)));
}

void TimelineTest::namesAreSearched() {
    const QTemporaryDir folder;
    const std::filesystem::path run = folder.filePath(QStringLiteral("run")).toStdString();
    makeRun(run, 1);
    writeTrace(run, 0);
    TimelinePanel panel;
    panel.resize(900, 500);
    panel.show();
    QVERIFY(!panel.search().isEnabled());
    panel.showRun(QString::fromStdString(run.string()));
    QTRY_VERIFY_WITH_TIMEOUT(panel.obstacle().isEmpty(), patience);
    QLineEdit& search = panel.search();
    QTest::keyClicks(&search, QStringLiteral("BLOCK 3"));
    QCOMPARE(panel.foundText(), QStringLiteral("8 found"));
    QTest::keyClick(&search, Qt::Key_Return);
    QCOMPARE(panel.foundText(), QStringLiteral("1 of 8"));
    const TimelinePlace first = *panel.view().selected();
    QTest::keyClick(&search, Qt::Key_Return);
    QCOMPARE(panel.foundText(), QStringLiteral("2 of 8"));
    QVERIFY(panel.view().selected() != std::optional(first));
    const TraceSlice& slice = panel.view().traces().front().trace->at(panel.view().selected()->slice);
    QVERIFY(panel.view().shown().from <= slice.start && slice.end <= panel.view().shown().to);
    QTest::keyClick(&search, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(&search, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(panel.foundText(), QStringLiteral("8 of 8"));  // it goes round
    search.setText(QStringLiteral("no such thing"));
    QCOMPARE(panel.foundText(), QStringLiteral("Nothing found"));
    QTest::keyClick(&search, Qt::Key_Return);
    search.clear();
    QVERIFY(panel.foundText().isEmpty());
    // What is not searched for is paler.
    const auto colorAt = [&panel](const TimelinePlace& place) {
        const QPoint middle = panel.view().rectOf(place).center();
        return panel.view().viewport()->grab().toImage().pixelColor(middle);
    };
    panel.view().showAll();
    panel.view().select(std::nullopt);
    const TraceModel& model = *panel.view().traces().front().trace;
    const TimelinePlace step{0, model.find(model.namesWith(QStringLiteral("step 2"))).front()};
    const QColor before = colorAt(step);
    search.setText(QStringLiteral("exchange"));
    QVERIFY(colorAt(step) != before);
}

void TimelineTest::twoRunsStandOnOneAxis() {
    ChromeTrace later = smallTrace();
    std::erase_if(later.spans, [](const TracedSpan& span) { return span.start > 7.5; });
    for (TracedSpan& span : later.spans)
        span.start += 100;  // its clock says something else
    m_view->setTraces(
        {{QStringLiteral("a"), small()}, {QStringLiteral("b"), std::make_shared<const TraceModel>(later)}});
    const TimelinePlace upper = placeOf("step 2", 0);
    const TimelinePlace lower{1, upper.slice};
    const QRect above = m_view->rectOf(upper);
    const QRect below = m_view->rectOf(lower);
    QCOMPARE(above.left(), below.left());
    QVERIFY(below.top() > above.bottom());
    QCOMPARE(below.width(), above.width());
    QVERIFY(m_view->describe(lower).endsWith(QLatin1String("b")));
    const TimeSpan shown{1, 2};
    m_view->showSpan(shown);
    m_view->select(lower);
    m_view->setTraces({m_view->traces().front()});
    QCOMPARE(m_view->shown().from, shown.from);  // the first stays as it is looked at
    QVERIFY(!m_view->selected());
}

void TimelineTest::tracesAreReadWhenTheyAreSeen() {
    const QTemporaryDir folder;
    const std::filesystem::path runs = folder.path().toStdString();
    for (const char* name : {"one", "two"}) {
        makeRun(runs / name, 1);
        writeTrace(runs / name, name[0] == 'o' ? 0 : 7);
    }
    const QString one = QString::fromStdString((runs / "one").string());
    const QString two = QString::fromStdString((runs / "two").string());
    TimelinePanel panel;
    QSignalSpy shown(&panel, &TimelinePanel::shown);
    QVERIFY(panel.obstacle().contains(QLatin1String("Choose a run")));
    panel.setRuns({{.folder = two, .name = QStringLiteral("second")}});
    panel.showRun(one);
    QCOMPARE(panel.runChoice().currentText(), QStringLiteral("one"));
    QVERIFY2(panel.obstacle().contains(QLatin1String("Reading")), qPrintable(panel.obstacle()));
    QTest::qWait(0);
    QCOMPARE(shown.count(), 0);
    panel.resize(1000, 600);
    panel.show();
    QTRY_COMPARE_WITH_TIMEOUT(shown.count(), 1, patience);
    QVERIFY(panel.obstacle().isEmpty());
    QCOMPARE(panel.view().traces().size(), 1U);
    QCOMPARE(panel.view().traces().front().trace->lanes()[1].name, QStringLiteral("Device 1"));
    QCOMPARE(panel.view().traces().front().trace->lanes()[0].name, QStringLiteral("Thread 0"));
    QComboBox& beside = panel.besideChoice();
    beside.setCurrentIndex(beside.findData(two));
    emit beside.activated(beside.currentIndex());
    QTRY_COMPARE_WITH_TIMEOUT(panel.view().traces().size(), 2U, patience);
    QCOMPARE(panel.view().traces()[1].name, QStringLiteral("second"));
    QVERIFY(std::abs(panel.view().traces()[1].trace->seconds() - 4.001) < 1e-6);
    beside.setCurrentIndex(0);
    emit beside.activated(0);
    QCOMPARE(panel.view().traces().size(), 1U);
}

void TimelineTest::whatHasNoTraceIsTold() {
    const QTemporaryDir folder;
    const std::filesystem::path runs = folder.path().toStdString();
    makeRun(runs / "none", 1);
    makeRun(runs / "broken", 1);
    RunFolder::open(runs / "broken").write(run_file::trace, "{");
    TimelinePanel panel;
    panel.show();
    QSignalSpy shown(&panel, &TimelinePanel::shown);
    panel.showRun(QString::fromStdString((runs / "none").string()));
    QTRY_COMPARE_WITH_TIMEOUT(shown.count(), 1, patience);
    QVERIFY2(panel.obstacle().contains(QLatin1String("left no trace")), qPrintable(panel.obstacle()));
    panel.showRun(QString::fromStdString((runs / "broken").string()));
    QTRY_COMPARE_WITH_TIMEOUT(shown.count(), 2, patience);
    QVERIFY2(panel.obstacle().contains(QLatin1String("not a Chrome trace")), qPrintable(panel.obstacle()));
    QSignalSpy requested(&panel, &TimelinePanel::runsRequested);
    panel.findChild<QPushButton*>()->click();
    QCOMPARE(requested.count(), 1);
}

void TimelineTest::rowsOutOfSightAreReached() {
    ChromeTrace trace;
    for (int device = 0; device < 40; ++device)
        trace.spans.push_back(
            {.name = "step 1", .category = "step", .thread = device, .start = 0, .seconds = 1});
    m_view->setTraces({{QStringLiteral("many"), std::make_shared<const TraceModel>(trace)}});
    const TimelinePlace last{0, {39, 0, 0}};
    QVERIFY(m_view->rectOf(last).isEmpty());
    QTest::keyClick(m_view.get(), Qt::Key_PageDown);
    QVERIFY(m_view->verticalScrollBar()->value() > 0);
    m_view->goTo(last);
    QVERIFY(!m_view->rectOf(last).isEmpty());
    const int before = m_view->verticalScrollBar()->value();
    wheel(QPoint(10, m_view->plot().center().y()), 240);  // over the names
    QVERIFY(m_view->verticalScrollBar()->value() < before);
}

void TimelineTest::whatIsFarAwayIsPainted() {
    constexpr double far = 1e9;  // seconds
    ChromeTrace trace;
    for (const double start : {0.0, far})
        trace.spans.push_back(
            {.name = "step 1", .category = "step", .thread = 0, .start = start, .seconds = 1});
    m_view->setTraces({{QStringLiteral("far"), std::make_shared<const TraceModel>(trace)}});
    constexpr double most = 1e30;
    m_view->zoom(most, far + 0.5);
    QVERIFY2(m_view->shown().seconds() > 0.9e-12 * far, "ticks and pixels can be told apart");
    QVERIFY(m_view->shown().from > far && m_view->shown().to < far + 1);
    const QImage image = m_view->viewport()->grab().toImage();  // which would not end
    const TimelinePlace last = placeOf("step 1", 0, 1);
    QVERIFY(!m_view->rectOf(last).isEmpty());
    QVERIFY(image.pixelColor(m_view->rectOf(last).center()) != m_view->palette().color(QPalette::Base));
    m_view->goTo(placeOf("step 1", 0, 0));
    QVERIFY(m_view->shown().from < 1);
}

void TimelineTest::spansThatOverlapWithoutEndAreRefused() {
    ChromeTrace trace;
    for (std::size_t span = 0; span < TraceModel::mostRows; ++span)
        trace.spans.push_back({.name = "stair",
                               .category = "engine",
                               .thread = 0,
                               .start = 1e-3 * static_cast<double>(span),
                               .seconds = 1});
    QCOMPARE(TraceModel(trace).lanes().front().rows.size(), TraceModel::mostRows);
    trace.spans.push_back({.name = "stair", .category = "engine", .thread = 1, .start = 0.5, .seconds = 1});
    QCOMPARE(TraceModel(trace).lanes().size(), 2U);  // another thread has its own rows
    trace.spans.back().thread = 0;
    QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(TraceModel(trace)));
}

MESHREEL_TEST_CLASS(TimelineTest)
#include "timeline_test.moc"
