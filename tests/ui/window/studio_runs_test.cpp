// SPDX-License-Identifier: GPL-3.0-or-later
// Runs from the button to the video: with the engine and the embedded model.
#include <QAction>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <filesystem>

#include "engine/base/files.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "engine/runs/run_folder.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/charts/step_chart.h"
#include "ui/player/live_preview.h"
#include "ui/player/player_widget.h"
#include "ui/running/devices_panel.h"
#include "ui/running/run_bar.h"
#include "ui/running/stage_strip.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/consequences_bar.h"
#include "ui/settings/problem_panel.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/tour.h"

using namespace meshreel;
using namespace meshreel::testing;

class StudioRunsTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void runsAProject();
    void runsOnLaunchedRanks();
    void aRunLetsTheMeasurementOfThisMachineWait();
    void cancelledRunIsResumed();
    void pausedRunIsResumedFromTheBar_data();
    void pausedRunIsResumedFromTheBar();
    void nothingPausesBehindTheLastStep();
    void decodesARunAgain();
    void cancelledDecodingIsNotGoneOnWith();
    void aResultIsContinued();
    void exportsTheChart();
    void newUsersReachAVideoWithThreeClicks();
};

void StudioRunsTest::runsAProject() {
    bool sawPreview = false;
    const RunController& controller = m_window->runs().controller();
    onEvent<Preview>(controller, this, [this, &sawPreview](const Preview&) {
        const ResultsView& results = m_window->panels().results();
        sawPreview = sawPreview || (results.showsPreview() && !results.preview().shownFrame().isNull());
    });
    int progresses = 0;
    onEvent<Progress>(controller, this, [&progresses](const Progress&) { ++progresses; });
    QList<QImage> decoded;
    bool isWhole = false;  // the video itself has arrived, perhaps together with its last frames
    connect(&controller, &RunController::happened, this,
            [this, &decoded, &isWhole](const std::vector<StudioEvent>& events) {
                for (const StudioEvent& happened : events) {
                    isWhole = isWhole || std::holds_alternative<FramesReady>(happened.event);
                    if (const auto* part = std::get_if<DecodedFrames>(&happened.event)) {
                        QCOMPARE(static_cast<qsizetype>(part->first), decoded.size());
                        decoded.append(happened.pictures.frames);
                    }
                }
                const ResultsView& results = m_window->panels().results();
                if (decoded.isEmpty() || isWhole)
                    return;
                QVERIFY(results.showsPreview());
                QVERIFY(results.preview().length() >= decoded.size());
                QVERIFY(!results.preview().shownFrame().isNull());
            });
    fillIn(fewSteps);
    clickRun();
    QVERIFY(m_window->panels().results().showsPreview());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(sawPreview);
    QVERIFY(progresses > 0);
    QVERIFY2(!m_window->banner().isVisible(), qPrintable(m_window->banner().text()));

    const ResultsView& results = m_window->panels().results();
    QVERIFY(!results.showsPreview());
    QCOMPARE(results.chart().chart().pointCount(), fewSteps);
    QCOMPARE(results.player().clip().frames.size(), m_window->document().project().numFrames);
    QCOMPARE(results.player().clip().frames.first().size(), QSize(64, 64));
    QVERIFY(results.player().playback().isPlaying());
    QCOMPARE(decoded, results.player().clip().frames);
    QVERIFY(results.summary().text().contains(QLatin1String("TIMING SUMMARY")));
    for (const LiveStage& stage : m_window->runBar().stages().stages().stages())
        QCOMPARE(stage.state, LiveStage::State::Done);

    QTRY_COMPARE_WITH_TIMEOUT(m_window->history().rowCount(), 1, runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Done), runMilliseconds);
    QVERIFY(lastRun().video && std::filesystem::exists(*lastRun().video));
    QCOMPARE(RunFolder::open(lastRun().folder).steps().size(), static_cast<std::size_t>(fewSteps));
}

void StudioRunsTest::runsOnLaunchedRanks() {
    const std::string hosts = m_folder.filePath(QStringLiteral("hosts.txt")).toStdString();
    writeFileAtomically(hosts, "localhost slots=2\n");
    const QString file = m_folder.filePath(QStringLiteral("ranks.yaml"));
    writeFileAtomically(file.toStdString(),
                        "prompt: a red ball moving right on a black background\n"
                        "num_inference_steps: 3\n"
                        "ici_context_parallelism: 2\n"
                        "attention: ulysses\n"
                        "hosts: " +
                            hosts + "\n");
    trustFolder(m_folder.path().toStdString());
    m_window->openPath(file);
    int decoded = 0;
    connect(&m_window->runs().controller(), &RunController::happened, this,
            [&decoded](const std::vector<StudioEvent>& events) {
                for (const StudioEvent& happened : events)
                    if (std::holds_alternative<DecodedFrames>(happened.event))
                        decoded += static_cast<int>(happened.pictures.frames.size());
            });
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Done), runMilliseconds);

    QCOMPARE(decoded, static_cast<int>(m_window->document().project().numFrames));
    for (const LiveStage& stage : m_window->runBar().stages().stages().stages())
        QCOMPARE(stage.state, LiveStage::State::Done);
    const ResultsView& results = m_window->panels().results();
    QCOMPARE(results.chart().chart().pointCount(), fewSteps);
    QTRY_COMPARE(results.player().clip().frames.size(), m_window->document().project().numFrames);
    QVERIFY(results.summary().text().contains(QLatin1String("TIMING SUMMARY")));
    const auto lanes = [this]() -> const DeviceLaneModel& {
        return m_window->panels().results().devices().model();
    };
    const std::vector<StepDeviceTimes> live = lanes().steps();
    QCOMPARE(lanes().rowCount(), 2);
    QCOMPARE(live.size(), static_cast<std::size_t>(fewSteps));

    openWindow();
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(m_lastFolder);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(lanes().steps(), live);
}

void StudioRunsTest::aRunLetsTheMeasurementOfThisMachineWait() {
    const QByteArray before = qgetenv("XDG_CACHE_HOME");
    qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("unmeasured")).toLocal8Bit());
    openWindow();
    MeasureItem& measuring = m_window->consequences().measureItem();
    fillIn(2);
    action("&Measure this machine")->trigger();
    QVERIFY(measuring.isMeasuring());
    clickRun();
    QTRY_VERIFY(!measuring.isMeasuring());
    QVERIFY2(m_window->banner().text().contains(QLatin1String("waits")),
             qPrintable(m_window->banner().text()));
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY2(measuring.isMeasuring(), "it goes on by itself");
    emit measuring.cancelRequested();
    QTRY_VERIFY_WITH_TIMEOUT(!measuring.isMeasuring(), runMilliseconds);
    QVERIFY2(!QTest::qWaitFor([&measuring] { return measuring.isMeasuring(); }, 100),
             "not behind a cancellation");
    qputenv("XDG_CACHE_HOME", before);
}

void StudioRunsTest::cancelledRunIsResumed() {
    fillIn(manySteps);
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().results().chart().chart().pointCount() >= 2, runMilliseconds);
    QTest::mouseClick(button("cancel"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Cancelled), runMilliseconds);
    QVERIFY(lastRun().stepsDone < manySteps);
    QVERIFY(button("run")->isEnabled());

    QSignalSpy takenUp(&m_window->runs().controller(), &RunController::takenUp);
    m_window->runs().resume(m_lastFolder, false);
    QVERIFY(m_window->runs().isBusy());
    QTRY_COMPARE_WITH_TIMEOUT(takenUp.count(), 1, runMilliseconds);
    QVERIFY(m_window->panels().results().showsPreview());
    QVERIFY(m_window->panels().results().chart().chart().pointCount() >= 2);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Done), runMilliseconds);
    QCOMPARE(m_window->panels().results().chart().chart().pointCount(), manySteps);
    QCOMPARE(m_window->panels().results().devices().model().history().steps(), manySteps);
    QVERIFY(!m_window->panels().results().player().clip().isEmpty());
}

void StudioRunsTest::pausedRunIsResumedFromTheBar_data() {
    QTest::addColumn<bool>("atOnce");
    QTest::newRow("behind the step at hand") << false;
    QTest::newRow("not waiting for it after all") << true;
}

void StudioRunsTest::pausedRunIsResumedFromTheBar() {
    QFETCH(const bool, atOnce);
    const RunBar& bar = m_window->runBar();
    const auto points = [this] { return m_window->panels().results().chart().chart().pointCount(); };
    QSignalSpy cancelled(&m_window->runs().controller(), &RunController::cancelled);
    fillIn(manySteps);
    QVERIFY(!button("pause")->isVisible());
    clickRun();
    QVERIFY(button("pause")->isVisible() && button("pause")->isEnabled());
    QVERIFY(!button("resume")->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(points() >= 1, runMilliseconds);
    QTest::mouseClick(button("pause"), Qt::LeftButton);
    QVERIFY(bar.statusText().startsWith(QLatin1String("Pausing")));
    QVERIFY(!button("pause")->isEnabled());
    QVERIFY(button("cancel")->isEnabled());
    if (atOnce) {
        QTest::mouseClick(button("cancel"), Qt::LeftButton);
        QVERIFY(bar.statusText().startsWith(QLatin1String("Stopping")));
    }
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, runMilliseconds);
    QCOMPARE(cancelled.first().first().toBool(), !atOnce);
    QVERIFY2(bar.statusText().startsWith(atOnce ? QLatin1String("Cancelled") : QLatin1String("Paused")),
             qPrintable(bar.statusText()));
    QVERIFY(button("resume")->isVisible() && button("run")->isVisible() && !button("pause")->isVisible());
    const QString folder = m_lastFolder;
    const int stepsDone = lastRun().stepsDone;
    QVERIFY(stepsDone >= 1 && stepsDone < manySteps);

    QTest::mouseClick(button("resume"), Qt::LeftButton);
    QVERIFY(m_window->runs().isBusy());
    QVERIFY(!button("resume")->isVisible() && button("pause")->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(bar.statusText().startsWith(QLatin1String("Done")));
    QVERIFY(!button("resume")->isVisible());
    QCOMPARE(m_lastFolder, folder);
    QCOMPARE(points(), manySteps);
}

void StudioRunsTest::nothingPausesBehindTheLastStep() {
    const QAction* pause = action("&Pause after this step");
    int before = 0;
    int behind = 0;
    onEvent<Progress>(m_window->runs().controller(), this, [&](const Progress& progress) {
        const bool isLeft = progress.stepsDone < progress.steps;
        QCOMPARE(button("pause")->isEnabled(), isLeft);
        QCOMPARE(pause->isEnabled(), isLeft);
        ++(isLeft ? before : behind);
    });
    QVERIFY(!pause->isEnabled());
    runToEnd(fewSteps);
    QVERIFY(before > 0 && behind > 0);
    QVERIFY(!pause->isEnabled());

    const QString run = m_lastFolder;
    before = behind = 0;
    m_window->runs().decodeAgain(run);
    QVERIFY(m_window->runs().isBusy());
    QVERIFY(button("pause")->isVisible() && !button("pause")->isEnabled());
    m_window->runs().pause();
    QVERIFY(!m_window->runs().controller().pauseAsked());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
}

void StudioRunsTest::decodesARunAgain() {
    runToEnd(fewSteps);
    const RunFolder run = RunFolder::open(lastRun().folder);
    const QList<QImage> before = m_window->panels().results().player().clip().frames;
    std::filesystem::remove(*run.video());
    bool wasShownWithout = false;
    connect(&m_window->runs().controller(), &RunController::takenUp, this, [this, &wasShownWithout] {
        wasShownWithout = m_window->panels().results().player().clip().isEmpty();
    });
    m_window->runs().decodeAgain(m_lastFolder);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(wasShownWithout);
    QVERIFY2(!m_window->banner().isVisible(), qPrintable(m_window->banner().text()));
    QVERIFY(run.video().has_value());
    QCOMPARE(m_window->panels().results().player().clip().frames, before);
}

void StudioRunsTest::cancelledDecodingIsNotGoneOnWith() {
    runToEnd(fewSteps);
    RunPresenter& runs = m_window->runs();
    runs.decodeAgain(m_lastFolder);
    connect(&runs.controller(), &RunController::takenUp, &runs, &RunPresenter::cancel);
    QTRY_VERIFY_WITH_TIMEOUT(!runs.isBusy(), runMilliseconds);
    QCOMPARE(m_window->runBar().statusText(), QStringLiteral("Cancelled"));
    QVERIFY(!button("resume")->isVisible());
    const QList<QLabel*> labels = m_window->panels().results().findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(
        labels, [](const QLabel* label) { return label->text() == QLatin1String("Cancelled"); }));
    QVERIFY(std::ranges::none_of(
        labels, [](const QLabel* label) { return label->text().contains(QLatin1String("Resume")); }));
}

void StudioRunsTest::aResultIsContinued() {
    fillIn(fewSteps);
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    ResultsView& results = m_window->panels().results();
    auto* button = results.findChild<QToolButton*>(QStringLiteral("continueClip"));
    QVERIFY(button != nullptr);
    QVERIFY(button->isVisibleTo(&results));
    ProjectDocument& document = m_window->document();
    const Project before = document.project();
    button->click();
    QCOMPARE(std::filesystem::path(document.project().continueFrom), lastRun().folder);
    QCOMPARE(document.project().continueAt, std::string("last"));
    QCOMPARE(*document.project().seed, *before.seed + 1);
    document.undoStack().undo();
    QVERIFY(document.project() == before);

    results.player().playback().pause();
    results.player().playback().seek(4);
    button->menu()->actions().at(1)->trigger();
    QCOMPARE(document.project().continueAt, std::string("4"));
    document.resetKey(*findProjectKey("continue_from"));
    QVERIFY(document.project().continueFrom.empty());
    document.undoStack().undo();
    QVERIFY(!document.project().continueFrom.empty());

    document.setText(*findProjectKey("batch_prompts"), QStringLiteral("a red ball\na blue star"));
    document.setText(*findProjectKey("batch_seeds"), QStringLiteral("5, 9"));
    const Project batch = document.project();
    button->click();
    QCOMPARE(document.project().prompt, std::string("a red ball"));
    QVERIFY(document.project().batchPrompts.empty());
    QVERIFY(document.project().batchSeeds.empty());
    QCOMPARE(*document.project().seed, std::uint64_t{6});
    document.undoStack().undo();
    QVERIFY(document.project() == batch);
}

void StudioRunsTest::exportsTheChart() {
    runToEnd(fewSteps);
    for (const char* name : {"chart.png", "chart.svg", "chart.pdf", "chart.csv"}) {
        const QString file = m_folder.filePath(QLatin1String(name));
        emit m_window->panels().results().chart().exportRequested(file);
        QVERIFY2(std::filesystem::file_size(file.toStdString()) > 0, name);
    }
    QVERIFY(!QImage(m_folder.filePath(QStringLiteral("chart.png"))).isNull());
    QCOMPARE(parseStepCsv(readFile(m_folder.filePath(QStringLiteral("chart.csv")).toStdString())).size(),
             static_cast<std::size_t>(fewSteps));
    m_window->banner().closeAll();
    emit m_window->panels().results().chart().exportRequested(
        m_folder.filePath(QStringLiteral("missing/chart.png")));
    QVERIFY(m_window->banner().isVisible());
}

void StudioRunsTest::newUsersReachAVideoWithThreeClicks() {
    QSettings().clear();
    openWindow();
    m_window->resize(1280, 800);
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QVERIFY(!Tour::wasSeen());
    m_window->startTour();  // as the program does at the first start
    int clicks = 0;
    const auto click = [&clicks](QWidget* where) {
        QVERIFY(where != nullptr);
        QVERIFY(where->isVisible() && !where->visibleRegion().isEmpty());
        QTest::mouseClick(where, Qt::LeftButton);
        ++clicks;
    };
    const auto buttonSaying = [](const QWidget& in, const QString& words) -> QWidget* {
        const QList<QPushButton*> buttons = in.findChildren<QPushButton*>();
        const auto found = std::ranges::find_if(
            buttons, [&](const QPushButton* button) { return button->text().contains(words); });
        return found == buttons.end() ? nullptr : *found;
    };
    click(buttonSaying(*m_window->findChild<Tour*>(), QStringLiteral("Skip")));
    click(m_window->findChild<QToolButton*>(QStringLiteral("example")));
    QVERIFY(!m_window->document().project().prompt.empty());
    QTRY_VERIFY(button("run")->isEnabled());
    click(button("run"));
    QVERIFY(m_window->runs().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), 2 * runMilliseconds);
    const ResultsView& results = m_window->panels().results();
    QCOMPARE(results.player().clip().frames.size(), m_window->document().project().numFrames);
    QVERIFY(results.player().isVisible());
    QCOMPARE(clicks, 3);
}

MESHREEL_TEST_CLASS(StudioRunsTest)
#include "studio_runs_test.moc"
