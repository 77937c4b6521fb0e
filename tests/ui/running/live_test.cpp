// SPDX-License-Identifier: GPL-3.0-or-later
// A run as it goes on: its stages, and frames in place of the preview as they are decoded.
#include <QApplication>
#include <QClipboard>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/charts/test_classes.h"
#include "ui/charts/step_chart.h"
#include "ui/player/live_preview.h"
#include "ui/running/devices_panel.h"
#include "ui/running/event_queue.h"
#include "ui/running/run_bar.h"
#include "ui/running/stage_strip.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/results_view.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"
#include "ui/widgets/panel_parts.h"

using namespace meshreel;

namespace {

using StageState = LiveStage::State;

/// A plain picture of a grey level.
QImage grey(int level, int side) {
    QImage image(side, side, QImage::Format_RGB888);
    image.fill(QColor(level, level, level));
    return image;
}

/// Frame i has the level first + i.
Clip greys(int first, int count, int side, double rate) {
    Clip clip;
    clip.framesPerSecond = rate;
    for (int i = 0; i < count; ++i)
        clip.frames.append(grey(first + i, side));
    return clip;
}

int levelOf(const LivePreview& preview) {
    return preview.shownFrame().pixelColor(0, 0).red();
}

Progress denoising(int done, int steps) {
    return {.phase = Phase::Denoise, .stepsDone = done, .steps = steps, .fraction = 0.5, .secondsLeft = 65};
}

void follow(StageStrip& strip, const std::vector<RunEvent>& events) {
    for (const RunEvent& event : events)
        strip.follow(event);
}

StepRecord stepRecord(int step) {
    StepRecord record;
    record.step = step;
    record.seconds = 1;
    return record;
}

StudioEvent shown(RunEvent event, Clip pictures = {}) {
    return {.event = std::move(event), .when = {}, .pictures = std::move(pictures)};
}

OpenedRun pastRun() {
    OpenedRun run;
    run.project.prompt = "of the past";
    run.steps = {stepRecord(0)};
    run.summary = QStringLiteral("of the past, too");
    run.clip = greys(10, 2, 8, 4);
    return run;
}

StageState stateOf(const StageStrip& strip, Phase phase) {
    return strip.stages().stages()[static_cast<std::size_t>(phase)].state;
}

QString valueOf(const StageStrip& strip, Phase phase, double elapsed = 0) {
    return strip.stages().value(strip.stages().stages()[static_cast<std::size_t>(phase)], elapsed);
}

/// Where a picture has the colour.
QRect extentOf(const QImage& picture, const QColor& colour) {
    QRect extent;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            if (picture.pixelColor(x, y) == colour)
                extent |= QRect(x, y, 1, 1);
    return extent;
}

}  // namespace

class LiveTest : public QObject {
    Q_OBJECT

  private slots:
    void durationsAreShort_data();
    void durationsAreShort();
    void cellsShareTheRoom();
    void stagesFollowTheRun();
    void stagesTellWhatWasKeptAndWhatWasNotNeeded();
    void aRunThatEndsInAStageStopsThere();
    void stripReadsFromTheRightWhereTextDoes();
    void stripFitsTheBar();
    void barFollowsTheStages();
    void keysForTheBarReachNothingElse();
    void barKeepsItsHeight();
    void barTellsTheEndBesideTheObstacle();
    void previewOfAStoppedRunPromisesNothing();
    void longPromptsLeaveTheVideoItsRoom();
    void anotherRunIsLookedAtMeanwhile();
    void endOfARunIsKeptForTheWayBack();
    void decodedFramesTakeThePlaceOfThePreview();
    void positionGoesOnInTime();
    void withoutAPreviewTheClipGrows();
    void picturesKeepOneSize();
    void queueMakesPicturesOfPixels();
    void queueKeepsTheNewestProgressAndAllElse();
    void largeFramesAreMadeSmaller();
};

void LiveTest::durationsAreShort_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("tenths") << 1.24 << QStringLiteral("1.2 s");
    QTest::newRow("below ten") << 9.94 << QStringLiteral("9.9 s");
    QTest::newRow("seconds") << 12.4 << QStringLiteral("12 s");
    QTest::newRow("below a minute") << 59.4 << QStringLiteral("59 s");
    QTest::newRow("a minute") << 59.6 << QStringLiteral("1:00");
    QTest::newRow("minutes") << 125.0 << QStringLiteral("2:05");
    QTest::newRow("hours") << 3725.0 << QStringLiteral("1:02:05");
}

void LiveTest::durationsAreShort() {
    QFETCH(double, seconds);
    QTEST(shortDurationText(seconds), "text");
}

void LiveTest::cellsShareTheRoom() {
    QCOMPARE(cellWidths({10, 20, 30}, 60), (std::vector<int>{10, 20, 30}));
    QCOMPARE(cellWidths({10, 20, 30}, 67), (std::vector<int>{13, 22, 32}));
    QCOMPARE(cellWidths({10, 20, 30}, 40), (std::vector<int>{10, 15, 15}));
    QCOMPARE(cellWidths({10, 20, 30}, -5), (std::vector<int>{0, 0, 0}));
}

void LiveTest::stagesFollowTheRun() {
    StageStrip strip;
    strip.begin();
    for (const LiveStage& stage : strip.stages().stages())
        QCOMPARE(stage.state, StageState::Ahead);
    follow(strip, {PhaseStarted{Phase::Load}});
    QCOMPARE(stateOf(strip, Phase::Load), StageState::Going);
    QCOMPARE(valueOf(strip, Phase::Load), QString());
    QCOMPARE(valueOf(strip, Phase::Load, 3), QStringLiteral("3.0 s"));
    follow(strip, {PhaseFinished{Phase::Load, 1.2}, PhaseStarted{Phase::Compile},
                   PhaseFinished{Phase::Compile, 0.5}, PhaseStarted{Phase::Conditioning},
                   PhaseFinished{Phase::Conditioning, 2}, PhaseStarted{Phase::Denoise}});
    QCOMPARE(valueOf(strip, Phase::Load), QStringLiteral("1.2 s"));
    strip.follow(denoising(3, 20));
    QCOMPARE(valueOf(strip, Phase::Denoise), QStringLiteral("3/20"));
    QVERIFY(strip.accessibleDescription().contains(QStringLiteral("Steps: 3 of 20 done")));
    QVERIFY(strip.accessibleDescription().contains(QStringLiteral("About 1 min 05 s left")));
    QVERIFY(strip.toolTip().contains(QStringLiteral("1.2 s")));
    follow(strip, {PhaseFinished{Phase::Denoise, 130}, PhaseStarted{Phase::Decode}});
    QCOMPARE(valueOf(strip, Phase::Denoise), QStringLiteral("2:10"));
    strip.follow(Progress{.phase = Phase::Decode, .stepsDone = 20, .steps = 20, .decoded = 0.25});
    QCOMPARE(valueOf(strip, Phase::Decode), QStringLiteral("25 %"));
    follow(strip, {PhaseFinished{Phase::Decode, 4}, PhaseStarted{Phase::Format}});
    QCOMPARE(stateOf(strip, Phase::Format), StageState::Going);
    follow(strip, {PhaseFinished{Phase::Format, 1}});
    strip.end();
    for (const LiveStage& stage : strip.stages().stages())
        QCOMPARE(stage.state, StageState::Done);
    QVERIFY(!strip.accessibleDescription().contains(QStringLiteral("left")));
}

void LiveTest::stagesTellWhatWasKeptAndWhatWasNotNeeded() {
    StageStrip strip;
    strip.begin();
    follow(strip,
           {PhaseStarted{Phase::Load}, PhaseFinished{Phase::Load, 1}, PhaseStarted{Phase::Compile},
            FoundInCache{Phase::Compile}, PhaseFinished{Phase::Compile, 0.1}, PhaseStarted{Phase::Decode}});
    QCOMPARE(valueOf(strip, Phase::Compile), QStringLiteral("cached"));
    QVERIFY(strip.toolTip().contains(QStringLiteral("0.1 s")));
    QCOMPARE(stateOf(strip, Phase::Conditioning), StageState::PassedOver);
    QCOMPARE(stateOf(strip, Phase::Denoise), StageState::PassedOver);
    strip.begin();
    QCOMPARE(valueOf(strip, Phase::Compile), QString());
}

void LiveTest::aRunThatEndsInAStageStopsThere() {
    StageStrip strip;
    strip.begin();
    follow(strip, {PhaseStarted{Phase::Denoise}});
    strip.follow(denoising(5, 20));
    strip.end();
    QCOMPARE(stateOf(strip, Phase::Denoise), StageState::Stopped);
    QCOMPARE(stateOf(strip, Phase::Decode), StageState::Ahead);
    QVERIFY(strip.toolTip().contains(QStringLiteral("5 of 20")));
    QVERIFY(!strip.toolTip().contains(QStringLiteral("left")));
}

void LiveTest::stripReadsFromTheRightWhereTextDoes() {
    StageStrip strip;
    QPalette colours = strip.palette();
    colours.setColor(QPalette::Highlight, Qt::red);
    strip.setPalette(colours);
    strip.resize(600, strip.sizeHint().height());
    strip.begin();
    follow(strip, {PhaseStarted{Phase::Load}, PhaseFinished{Phase::Load, 1}});
    const QRect left = extentOf(strip.grab().toImage(), Qt::red);
    QVERIFY(left.isValid());
    QVERIFY(left.right() < strip.width() / 2);
    strip.setLayoutDirection(Qt::RightToLeft);
    const QRect right = extentOf(strip.grab().toImage(), Qt::red);
    QVERIFY(right.left() > strip.width() / 2);
    QCOMPARE(right.width(), left.width());
}

void LiveTest::stripFitsTheBar() {
    constexpr int narrow = 296;  // of the window's run bar
    int wanted = 0;
    const StageStrip strip;
    QFont font = strip.font();
    font.setPointSizeF(font.pointSizeF() * 0.85);
    for (const LiveStage& stage : strip.stages().stages())
        wanted += QFontMetrics(font).horizontalAdvance(RunStages::title(stage.phase));
    QVERIFY2(wanted < narrow, qPrintable(QString::number(wanted)));
    QCOMPARE(strip.minimumSizeHint().width(), 0);
}

void LiveTest::barFollowsTheStages() {
    RunBar bar;
    bar.showBusy();
    bar.follow(PhaseStarted{Phase::Denoise});
    bar.follow(denoising(3, 20));
    QCOMPARE(valueOf(bar.stages(), Phase::Denoise), QStringLiteral("3/20"));
    QCOMPARE(bar.statusText(), QStringLiteral("Denoising, step 3 of 20 · about 1 min 05 s left"));
    bar.showStopping(QStringLiteral("Stopping"));
    bar.follow(denoising(4, 20));
    QCOMPARE(valueOf(bar.stages(), Phase::Denoise), QStringLiteral("4/20"));
    bar.showIdle(QStringLiteral("Cancelled"), true);
    QCOMPARE(stateOf(bar.stages(), Phase::Denoise), StageState::Stopped);
}

void LiveTest::keysForTheBarReachNothingElse() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* field = new QLineEdit(QStringLiteral("a model"), &window);
    column->addWidget(field);
    auto* bar = new RunBar(&window);
    column->addWidget(bar);
    const auto button = [bar](const char* name) { return bar->findChild<QPushButton*>(QLatin1String(name)); };
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    connect(bar, &RunBar::runRequested, bar, &RunBar::showBusy);
    connect(bar, &RunBar::pauseRequested, bar, [bar] { bar->showStopping(QStringLiteral("Pausing")); });
    button("run")->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QCOMPARE(QApplication::focusWidget(), button("run"));  // which queues now
    QCOMPARE(button("run")->text(), QStringLiteral("Queue"));
    bar->follow(denoising(1, 20));
    QCOMPARE(QApplication::focusWidget(), button("run"));
    bar->setObstacle(QStringLiteral("The prompt is empty"));
    QCOMPARE(QApplication::focusWidget(), button("pause"));
    bar->setObstacle({});
    QCOMPARE(QApplication::focusWidget(), button("pause"));
    const QSignalSpy cancelled(bar, &RunBar::cancelRequested);
    const QSignalSpy queued(bar, &RunBar::runRequested);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QCOMPARE(bar->statusText(), QStringLiteral("Pausing"));
    QCOMPARE(QApplication::focusWidget(), bar);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QCOMPARE(cancelled.count(), 0);
    QCOMPARE(queued.count(), 0);
    bar->showIdle(QStringLiteral("Paused"), true);
    QCOMPARE(QApplication::focusWidget(), button("resume"));
    button("run")->setFocus();
    bar->setObstacle({});  // as every edit does
    QCOMPARE(QApplication::focusWidget(), button("run"));
    bar->setObstacle(QStringLiteral("The prompt is empty"));
    QCOMPARE(QApplication::focusWidget(), button("resume"));
    bar->showBusy();
    QCOMPARE(QApplication::focusWidget(), button("pause"));
    bar->showIdle(QStringLiteral("Done"));  // with nothing that could be pressed
    QCOMPARE(QApplication::focusWidget(), bar);
    QCOMPARE(field->text(), QStringLiteral("a model"));
    field->setFocus();
    bar->setObstacle({});
    bar->showBusy();
    bar->showIdle(QStringLiteral("Done"));
    QCOMPARE(QApplication::focusWidget(), field);
}

void LiveTest::barKeepsItsHeight() {
    RunBar bar;
    bar.setFixedWidth(320);
    const auto height = [&bar] {
        const QLayout& layout = *bar.layout();
        return layout.hasHeightForWidth() ? layout.totalHeightForWidth(bar.width())
                                          : layout.totalSizeHint().height();
    };
    const int atFirst = height();
    bar.showBusy();
    QCOMPARE(height(), atFirst);
    bar.follow(denoising(3, 20));  // two lines
    QCOMPARE(height(), atFirst);
    bar.showIdle(QStringLiteral("Cancelled"), true);
    QCOMPARE(height(), atFirst);
    bar.setObstacle(QStringLiteral("Prompt: The prompt is empty"));
    QCOMPARE(height(), atFirst);
}

void LiveTest::barTellsTheEndBesideTheObstacle() {
    RunBar bar;
    bar.setObstacle(QStringLiteral("Prompt: The prompt is empty"));
    QCOMPARE(bar.statusText(), QStringLiteral("Prompt: The prompt is empty"));
    bar.showBusy();
    QVERIFY(!bar.statusText().contains(QLatin1String("Prompt")));
    bar.showIdle(QStringLiteral("Cancelled"), true);
    QCOMPARE(bar.statusText(), QStringLiteral("Cancelled · Prompt: The prompt is empty"));
    bar.setObstacle({});
    QCOMPARE(bar.statusText(), QStringLiteral("Cancelled"));
    bar.forgetOutcome();
    QVERIFY(bar.statusText().isEmpty());
    QVERIFY2(!bar.findChild<QPushButton*>(QStringLiteral("resume"))->isHidden(), "it can still go on");
    bar.showIdle(QStringLiteral("Done"));
    bar.setObstacle(QStringLiteral("Prompt: The prompt is empty"));
    QCOMPARE(bar.statusText(), QStringLiteral("Prompt: The prompt is empty"));
    bar.setObstacle({});
    QCOMPARE(bar.statusText(), QStringLiteral("Done"));
    bar.forgetOutcome();
    QVERIFY(bar.statusText().isEmpty());
}

void LiveTest::previewOfAStoppedRunPromisesNothing() {
    LivePreview preview;
    const auto caption = [&] { return preview.findChild<QLabel*>()->text(); };
    const QString promise = caption();
    QVERIFY(!promise.isEmpty());
    preview.setClip(greys(100, 3, 8, 4));
    preview.end();
    QVERIFY(!caption().isEmpty() && caption() != promise);
    preview.clear();  // for the next run
    QCOMPARE(caption(), promise);
    preview.end();
    QCOMPARE(caption(), QString());
}

void LiveTest::longPromptsLeaveTheVideoItsRoom() {
    const QString prompt = QStringLiteral("A harbour at dawn, with many boats & some fog. ").repeated(25);
    ResultsView results;
    results.resize(600, 500);
    results.show();
    results.beginLive(QStringLiteral("a ball"), 20);
    QApplication::processEvents();
    const int room = results.preview().height();
    results.beginLive(prompt, 20);
    QApplication::processEvents();
    auto* title = results.findChild<ClampedText*>();
    QCOMPARE(results.preview().height(), room);
    QCOMPARE(title->text(), prompt);
    QCOMPARE(title->lines(title->width()).size(), 1);
    QVERIFY(title->height() >= title->heightForWidth(title->width()));
    QVERIFY(title->lines(title->width()).last().endsWith(QChar(0x2026)));
    QVERIFY(title->toolTip().contains(QLatin1String("boats &amp; some fog")));
    title->actions().first()->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), prompt);
    title->setText(QStringLiteral("a ball"));
    QVERIFY(title->toolTip().isEmpty());
}

void LiveTest::anotherRunIsLookedAtMeanwhile() {
    ResultsView results;
    results.show();
    const auto* title = results.findChild<ClampedText*>();
    auto* back = results.findChild<QPushButton*>(QStringLiteral("backToLive"));
    results.beginLive(QStringLiteral("going on"), 20);
    results.follow({shown(stepRecord(0)), shown(stepRecord(1)), shown(Preview{}, greys(100, 3, 8, 4))});
    QVERIFY(!back->isVisible());
    const OpenedRun other = pastRun();
    results.showRun(other);
    QVERIFY(back->isVisible());
    QVERIFY(!results.showsPreview());
    QCOMPARE(title->text(), QStringLiteral("of the past"));
    QCOMPARE(results.player().clip().frames.size(), other.clip.frames.size());
    // The one going on goes on behind it.
    results.follow({shown(stepRecord(2)),
                    shown(StepDeviceTimes{.step = 2, .devices = {{.computing = 1}, {.computing = 2}}}),
                    shown(Preview{}, greys(101, 3, 8, 4))});
    results.setCaption(QStringLiteral("a caption"));
    QCOMPARE(results.chart().chart().pointCount(), 1);
    QCOMPARE(results.devices().model().rowCount(), 0);
    QVERIFY(!results.showsPreview());
    QTest::mouseClick(back, Qt::LeftButton);
    QVERIFY(!back->isVisible());
    QVERIFY(results.showsPreview());
    QCOMPARE(levelOf(results.preview()), 101);
    QCOMPARE(title->text(), QStringLiteral("going on"));
    QCOMPARE(results.chart().chart().pointCount(), 3);
    QCOMPARE(results.devices().model().rowCount(), 2);
}

void LiveTest::endOfARunIsKeptForTheWayBack() {
    ResultsView results;
    results.show();
    auto* back = results.findChild<QPushButton*>(QStringLiteral("backToLive"));
    results.beginLive(QStringLiteral("going on"), 20);
    results.showRun(pastRun());
    const QString words = back->text();
    results.follow({shown(FramesReady{}, greys(50, 5, 8, 4))});
    results.setSummary(QStringLiteral("its summary"));
    results.setCaption(QStringLiteral("Done"));
    results.endLive();
    QCOMPARE(results.player().clip().frames.size(), pastRun().clip.frames.size());
    QCOMPARE(results.summary().text(), QStringLiteral("of the past, too"));
    QVERIFY(back->text() != words);
    results.beginLive(QStringLiteral("the next of a queue"), 20);
    QVERIFY(!results.showsPreview());  // people go on looking at what they opened
    results.follow({shown(FramesReady{}, greys(60, 7, 8, 4))});
    results.setSummary(QStringLiteral("its summary"));
    results.endLive();
    back->click();
    QCOMPARE(results.player().clip().frames.size(), 7);
    QCOMPARE(results.summary().text(), QStringLiteral("its summary"));
    results.showRun(pastRun());
    QVERIFY(!back->isVisible());  // no run goes on
}

void LiveTest::decodedFramesTakeThePlaceOfThePreview() {
    LivePreview preview;
    const auto caption = [&] { return preview.findChild<QLabel*>()->text(); };
    const QString promise = caption();
    QVERIFY(!promise.isEmpty());
    preview.setClip(greys(100, 3, 8, 4));  // latent frames of 9 frames, 4 each but the first
    preview.addDecoded({.clip = greys(0, 1, 8, 12), .first = 0, .total = 9});
    QCOMPARE(preview.length(), 9);
    QVERIFY(caption().startsWith(QLatin1String("1 of 9 ")));
    const std::vector<int> first{0, 101, 101, 101, 101, 102, 102, 102, 102};
    for (int frame = 0; frame < 9; ++frame) {
        preview.seek(frame);
        QCOMPARE(levelOf(preview), first[static_cast<std::size_t>(frame)]);
    }
    preview.seek(2);
    preview.addDecoded({.clip = greys(1, 4, 8, 12), .first = 1, .total = 9});
    QCOMPARE(levelOf(preview), 2);  // the picture in sight is replaced in place
    preview.seek(5);
    QCOMPARE(levelOf(preview), 102);
    preview.addDecoded({.clip = greys(5, 4, 8, 12), .first = 5, .total = 9});
    QCOMPARE(levelOf(preview), 5);
    QVERIFY(caption().startsWith(QLatin1String("9 of 9 ")));
    preview.clear();
    QVERIFY(preview.shownFrame().isNull());
    QCOMPARE(caption(), promise);
}

void LiveTest::positionGoesOnInTime() {
    LivePreview preview;
    preview.setClip(greys(100, 3, 8, 0.01));
    preview.seek(2);
    preview.addDecoded({.clip = greys(0, 1, 8, 0.03), .first = 0, .total = 9});
    QCOMPARE(preview.position(), 6);
}

void LiveTest::withoutAPreviewTheClipGrows() {
    LivePreview preview;
    preview.addDecoded({.clip = greys(10, 1, 8, 0.01), .first = 0, .total = 9});
    QCOMPARE(preview.length(), 1);
    QCOMPARE(levelOf(preview), 10);
    preview.addDecoded({.clip = greys(11, 4, 8, 0.01), .first = 1, .total = 9});
    QCOMPARE(preview.length(), 5);
    preview.seek(4);
    QCOMPARE(levelOf(preview), 14);
    QVERIFY(preview.findChild<QLabel*>()->text().startsWith(QLatin1String("5 of 9 ")));
}

void LiveTest::picturesKeepOneSize() {
    LivePreview preview;
    preview.setClip(greys(100, 3, 4, 0.01));
    preview.addDecoded({.clip = greys(0, 1, 16, 0.01), .first = 0, .total = 9});
    preview.seek(8);
    QCOMPARE(preview.shownFrame().size(), QSize(16, 16));
    QCOMPARE(levelOf(preview), 102);
}

namespace {

/// The waiting events of the engine.
std::vector<StudioEvent> takenFrom(EventQueue& queue) {
    std::vector<StudioEvent> events;
    for (JobEvent& event : queue.take())
        events.push_back(std::get<StudioEvent>(event));
    return events;
}

}  // namespace

void LiveTest::queueMakesPicturesOfPixels() {
    EventQueue queue;
    Tensor frames = Tensor::empty({2, 1, 2, 3}, DType::U8);
    const auto bytes = frames.data<std::uint8_t>();
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    queue.put(DecodedFrames{.first = 0, .total = 4, .frames = frames});
    queue.put(DecodedFrames{.first = 2, .total = 4, .frames = frames});
    bytes[0] = 99;  // of the engine: what was put stays
    const std::vector<StudioEvent> events = takenFrom(queue);
    QCOMPARE(events.size(), std::size_t{2});
    const auto& second = std::get<DecodedFrames>(events[1].event);
    QCOMPARE(second.first, std::int64_t{2});
    QCOMPARE(second.total, std::int64_t{4});
    QCOMPARE(second.frames.elements(), std::int64_t{0});
    QCOMPARE(events[0].pictures.frames.size(), 2);
    QCOMPARE(events[0].pictures.frames[0].pixelColor(0, 0), QColor(1, 2, 3));
    QCOMPARE(events[0].pictures.frames[1].pixelColor(1, 0), QColor(10, 11, 12));
}

void LiveTest::queueKeepsTheNewestProgressAndAllElse() {
    EventQueue queue;
    QSignalSpy arrived(&queue, &EventQueue::arrived);
    const Preview preview{.step = 0, .frames = Tensor::zeros({1, 1, 2, 3}, DType::U8)};
    for (int step = 0; step < 3; ++step) {
        queue.put(RunCheckpoint{});
        queue.put(stepRecord(step));
        queue.put(Preview{.step = step, .frames = preview.frames});
        queue.put(denoising(step, 3));
    }
    queue.put(PhaseStarted{Phase::Decode});
    queue.put(LatentsReady{});
    queue.put(RunEnd(RunCancelled{}));
    QCOMPARE(arrived.count(), 1);
    const std::vector<JobEvent> waiting = queue.take();
    QCOMPARE(waiting.size(), std::size_t{7});
    const auto event = [&](std::size_t index) { return std::get<StudioEvent>(waiting[index]).event; };
    for (int step = 0; step < 3; ++step)
        QCOMPARE(std::get<StepRecord>(event(static_cast<std::size_t>(step))).step, step);
    QCOMPARE(std::get<Preview>(event(3)).step, 2);
    QCOMPARE(std::get<Progress>(event(4)).stepsDone, 2);
    QCOMPARE(std::get<PhaseStarted>(event(5)).phase, Phase::Decode);
    QVERIFY(std::holds_alternative<RunEnd>(waiting[6]));
    QVERIFY(queue.take().empty());
    queue.put(stepRecord(3));
    QCOMPARE(arrived.count(), 2);
}

void LiveTest::largeFramesAreMadeSmaller() {
    EventQueue queue;
    queue.put(DecodedFrames{.first = 0, .total = 1, .frames = Tensor::zeros({1, 720, 1280, 3}, DType::U8)});
    QCOMPARE(takenFrom(queue)[0].pictures.frames[0].size(), QSize(832, 468));
}

MESHREEL_TEST_CLASS(LiveTest)
#include "live_test.moc"
