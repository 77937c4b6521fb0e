// SPDX-License-Identifier: GPL-3.0-or-later
// The whole Studio: its widgets, the engine, and the embedded model.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDropEvent>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QUrl>
#include <algorithm>
#include <filesystem>
#include <functional>

#include "engine/base/atomic_file.h"
#include "engine/media/video_writer.h"
#include "engine/planning/model/model_library.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/checkpoint.h"
#include "tests/support/made_run.h"
#include "tests/support/random_adapter.h"
#include "ui/activity/devices_panel.h"
#include "ui/attention/attention_panel.h"
#include "ui/charts/step_chart.h"
#include "ui/compare/compare_panel.h"
#include "ui/importing/import_dialog.h"
#include "ui/player/live_preview.h"
#include "ui/player/player_widget.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/queue_panel.h"
#include "ui/tour/tour.h"
#include "ui/tune/tune_form.h"
#include "ui/tune/tune_panel.h"
#include "ui/widgets/chart_panel.h"
#include "ui/widgets/history_panel.h"
#include "ui/widgets/key_field.h"
#include "ui/widgets/key_row.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/problem_panel.h"
#include "ui/widgets/project_editor.h"
#include "ui/widgets/run_bar.h"
#include "ui/widgets/stage_strip.h"
#include "ui/widgets/summary_panel.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"
#include "ui/window/project_files.h"
#include "ui/window/results_view.h"
#include "ui/window/run_presenter.h"
#include "ui/yaml/yaml_editor.h"
#include "ui/yaml/yaml_panel.h"

using namespace meshreel;
using meshreel::testing::makeRun;

namespace {

constexpr int fewSteps = 3;
constexpr int manySteps = 40;
constexpr int runMilliseconds = 120'000;  ///< more than any run here takes on a busy machine

/// Answers the next message box with the button, and notes that there was one.
class Answer {
  public:
    explicit Answer(QMessageBox::StandardButton button) {
        poll([button](const QMessageBox& box) { return box.button(button); });
    }
    explicit Answer(const char* words) {
        poll([words](const QMessageBox& box) {
            const QList<QAbstractButton*> buttons = box.buttons();
            return *std::ranges::find(buttons, QLatin1String(words), &QAbstractButton::text);
        });
    }
    [[nodiscard]] bool asked() const { return m_asked; }

    /// The button that Enter presses.
    [[nodiscard]] const QString& standard() const { return m_standard; }

  private:
    void poll(const std::function<QAbstractButton*(const QMessageBox&)>& choose) {
        m_timer.callOnTimeout([this, choose] {
            if (const auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
                m_asked = true;
                if (const QPushButton* standard = box->defaultButton())
                    m_standard = standard->text();
                choose(*box)->click();
            }
        });
        constexpr int pollMilliseconds = 20;
        m_timer.start(pollMilliseconds);
    }

    QTimer m_timer;
    bool m_asked = false;
    QString m_standard;
};

}  // namespace

class StudioTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void cleanup();

    void runsAProject();
    void runsOnLaunchedRanks();
    void cancelledRunIsResumed();
    void pausedRunIsResumedFromTheBar_data();
    void pausedRunIsResumedFromTheBar();
    void opensARun();
    void anotherRunIsOpenedDuringARun();
    void whatIsOpenedLastIsShown();
    void runsThatCannotBeReadAreExplained();
    void queuedRunThatCannotBeReadFails();
    void decodesARunAgain();
    void dropOfAVideoRestoresItsProject();
    void illegalSizeIsExplained();
    void missingModelIsExplained();
    void pathThatIsNothingIsExplained();
    void savesAndOpens();
    void asksBeforeLosingChanges();
    void exportsTheChart();
    void runsTheQueue();
    void queuedRunGoesOnAfterARestart();
    void queuedRunIsResumedFromTheBar();
    void queueStopsThoughItIsTooLateToPause();
    void nothingPausesBehindTheLastStep();
    void gridIsQueuedAtOnce();
    void nothingRunsBesideTune();
    void closingDuringTuneAsks();
    void closingDuringARunAsks_data();
    void closingDuringARunAsks();
    void newUsersReachAVideoWithThreeClicks();
    void droppedPicturesBecomeInputs();
    void attentionLeadsToTune();
    void picturesAreKnownByAnyEnding_data();
    void picturesAreKnownByAnyEnding();
    void filesDroppedOnTextsGoToTheWindow_data();
    void filesDroppedOnTextsGoToTheWindow();
    void droppedProjectsOpen();
    void severalProjectsAreNotOpenedTogether();
    void droppedWeightsBecomeAdaptersAndParts();
    void projectsDroppedOnTheQueueAreQueued();
    void droppedRunsAreShownOrCompared();
    void droppedConfigIsImportedWithItsReport();

  private:
    void typeText(const char* key, const QString& text);
    void fillIn(int steps);
    void clickRun();
    void runToEnd(int steps);
    /// On the window, or a widget in it, which takes them or leaves them to the window.
    void drop(const QStringList& files, QWidget* target = nullptr);
    /// Of block sizes, which takes longer than any test.
    void startLongSearch();
    QAction* action(const char* text) const;
    QPushButton* button(const char* name) { return m_window->findChild<QPushButton*>(QLatin1String(name)); }
    /// Whether the history shows the last run with this status.
    bool lastRunIs(RunStatus status);
    RunSummary lastRun() const { return summarizeRun(m_lastFolder.toStdString()); }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    QString m_lastFolder;  ///< of the run begun last
};

void StudioTest::initTestCase() {
    qputenv("XDG_DATA_HOME", m_folder.filePath(QStringLiteral("data")).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder.filePath(QStringLiteral("settings")));
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("StudioTest"));
}

void StudioTest::init() {
    m_window = std::make_unique<MainWindow>();
    m_window->show();
    connect(&m_window->runs().controller(), &RunController::folderReady, this,
            [this](const QString& folder) { m_lastFolder = folder; });
}

void StudioTest::cleanup() {
    m_window.reset();
}

void StudioTest::typeText(const char* key, const QString& text) {
    KeyRow* row = m_window->panels().editor().row(QLatin1String(key));
    QVERIFY(row != nullptr);
    if (auto* line = row->field().findChild<QLineEdit*>()) {
        line->selectAll();
        QTest::keyClicks(line, text);
    } else {
        auto* paragraph = row->field().findChild<QPlainTextEdit*>();
        QVERIFY(paragraph != nullptr);
        paragraph->selectAll();
        QTest::keyClicks(paragraph, text);
    }
}

void StudioTest::fillIn(int steps) {
    typeText("prompt", QStringLiteral("a red ball moving right on a black background"));
    typeText("num_inference_steps", QString::number(steps));
}

void StudioTest::clickRun() {
    QVERIFY(button("run")->isEnabled());
    QTest::mouseClick(button("run"), Qt::LeftButton);
    QVERIFY(m_window->runs().isBusy());
    QVERIFY(!button("run")->isEnabled());
}

void StudioTest::startLongSearch() {
    TunePanel& tune = m_window->panels().tune();
    TileTuningOptions options = tune.form().options();
    options.timing.iterations = 10000;
    tune.form().setOptions(options);
    tune.start();
    QVERIFY(tune.tuner().isBusy());
}

QAction* StudioTest::action(const char* text) const {
    const QList<QAction*> actions = m_window->findChildren<QAction*>();
    const auto found = std::ranges::find_if(actions, [text](const QAction* action) {
        return action->text() == QLatin1String(text) && action->menu() == nullptr;
    });
    return found == actions.end() ? nullptr : *found;
}

bool StudioTest::lastRunIs(RunStatus status) {
    const QModelIndex index = m_window->history().indexOf(m_lastFolder);
    return index.isValid() && m_window->history().run(index).state.status == status;
}

void StudioTest::runToEnd(int steps) {
    fillIn(steps);
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Done), runMilliseconds);
}

void StudioTest::runsAProject() {
    bool sawPreview = false;
    connect(&m_window->runs().controller(), &RunController::previewReady, this, [this, &sawPreview] {
        const ResultsView& results = m_window->panels().results();
        sawPreview = sawPreview || (results.showsPreview() && !results.preview().shownFrame().isNull());
    });
    QSignalSpy progress(&m_window->runs().controller(), &RunController::progressed);
    QList<QImage> decoded;
    connect(&m_window->runs().controller(), &RunController::framesDecoded, this,
            [this, &decoded](const ClipPart& part) {
                QCOMPARE(part.first, static_cast<int>(decoded.size()));
                decoded.append(part.clip.frames);
                const ResultsView& results = m_window->panels().results();
                QVERIFY(results.showsPreview());
                QCOMPARE(results.preview().length(), part.total);
                QVERIFY(!results.preview().shownFrame().isNull());
            });
    fillIn(fewSteps);
    clickRun();
    QVERIFY(m_window->panels().results().showsPreview());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(sawPreview);
    QVERIFY(progress.count() > 0);
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

void StudioTest::runsOnLaunchedRanks() {
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
    m_window->openPath(file);
    int decoded = 0;
    connect(&m_window->runs().controller(), &RunController::framesDecoded, this,
            [&decoded](const ClipPart& part) { decoded += static_cast<int>(part.clip.frames.size()); });
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

    init();  // another window, as after a restart
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(m_lastFolder);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(lanes().steps(), live);
}

void StudioTest::cancelledRunIsResumed() {
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

void StudioTest::pausedRunIsResumedFromTheBar_data() {
    QTest::addColumn<bool>("atOnce");
    QTest::newRow("behind the step at hand") << false;
    QTest::newRow("not waiting for it after all") << true;
}

void StudioTest::pausedRunIsResumedFromTheBar() {
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

void StudioTest::opensARun() {
    runToEnd(fewSteps);
    const QString run = m_lastFolder;
    init();  // another window, as after a restart
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(run);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->panels().results().chart().chart().pointCount(), fewSteps);
    QVERIFY(m_window->panels().results().summary().text().contains(QLatin1String("Denoise Total")));
    QVERIFY(!m_window->panels().results().player().clip().isEmpty());
    QCOMPARE(m_window->document().project().numInferenceSteps, fewSteps);
    QVERIFY(!m_window->document().isModified());
}

void StudioTest::anotherRunIsOpenedDuringARun() {
    const QString other = m_folder.filePath(QStringLiteral("other"));
    makeRun(other.toStdString(), 1);
    const ResultsView& results = m_window->panels().results();
    const auto points = [&results] { return results.chart().chart().pointCount(); };
    fillIn(manySteps);
    QVERIFY(m_window->files().saveTo(m_folder.filePath(QStringLiteral("going-on.yaml"))));
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(points() >= 1, runMilliseconds);
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(other);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QVERIFY2(!m_window->banner().isVisible(), qPrintable(m_window->banner().text()));
    QCOMPARE(m_window->document().project().prompt, std::string("ball number 1"));
    QVERIFY(m_window->runs().isBusy());
    QVERIFY(!results.showsPreview());
    QCOMPARE(points(), 3);  // of the one opened
    emit m_window->panels().history().openRequested(m_lastFolder);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, runMilliseconds);
    QVERIFY(results.showsPreview());
    QVERIFY(!results.isAside());
    QTest::mouseClick(button("cancel"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QCOMPARE(points(), lastRun().stepsDone);
}

void StudioTest::whatIsOpenedLastIsShown() {
    const auto folder = [this](const char* name) { return m_folder.filePath(QLatin1String(name)); };
    const QString former = folder("former");
    const QString latter = folder("latter");
    makeRun(former.toStdString(), 0);
    makeRun(latter.toStdString(), 1);
    const QString project = folder("last.yaml");
    writeFileAtomically(project.toStdString(), "version: 1\nprompt: opened last\n");
    const std::string prompt = RunFolder::open(latter.toStdString()).project().prompt;
    QVERIFY(prompt != RunFolder::open(former.toStdString()).project().prompt);

    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    m_window->openPath(former);
    m_window->openPath(latter);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(opened.first().first().toString(), latter);
    QCOMPARE(m_window->document().project().prompt, prompt);

    m_window->openPath(former);
    m_window->openPath(project);  // which needs no reading on another thread
    QCOMPARE(opened.count(), 2);
    QTest::qWait(200);
    QCOMPARE(opened.count(), 2);
    QCOMPARE(m_window->document().project().prompt, std::string("opened last"));

    m_window->openPath(former);
    m_window.reset();  // while it is being read
}

void StudioTest::runsThatCannotBeReadAreExplained() {
    const QString run = m_folder.filePath(QStringLiteral("damaged"));
    makeRun(run.toStdString(), 0);
    std::filesystem::remove(std::filesystem::path(run.toStdString()) / run_file::project);
    const MessageBanner& banner = m_window->banner();
    const auto explains = [&banner] {
        return banner.isVisible() && banner.text().contains(QLatin1String("project.yaml"));
    };
    m_window->openPath(run);
    QTRY_VERIFY(explains());
    m_window->banner().hide();
    m_window->runs().resume(run, false);
    QTRY_VERIFY(explains());
    QVERIFY(!m_window->runs().isBusy());
    QVERIFY(!button("resume")->isVisible());
    m_window->banner().hide();
    m_window->runs().decodeAgain(run);
    QTRY_VERIFY(explains());
    QVERIFY(!m_window->runs().isBusy());
}

void StudioTest::queuedRunThatCannotBeReadFails() {
    const QString run = m_folder.filePath(QStringLiteral("gone"));
    makeRun(run.toStdString(), 0);
    std::filesystem::remove(std::filesystem::path(run.toStdString()) / run_file::project);
    RunQueue& queue = m_window->queue();
    fillIn(2);
    m_window->panels().queue().actions().add->trigger();
    QVERIFY(queue.start().has_value());
    queue.setFolder(run);
    queue.end(QueuedRun::State::Waiting, {});
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE(queue.at(0).state, QueuedRun::State::Failed);
    QVERIFY2(queue.at(0).remark.contains(QLatin1String("project.yaml")), qPrintable(queue.at(0).remark));
    queue.remove({0});
}

void StudioTest::decodesARunAgain() {
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

void StudioTest::dropOfAVideoRestoresItsProject() {
    runToEnd(fewSteps);
    const std::filesystem::path video = m_folder.filePath(QStringLiteral("alone.mp4")).toStdString();
    std::filesystem::copy_file(*lastRun().video, video, std::filesystem::copy_options::overwrite_existing);
    init();
    QVERIFY(m_window->document().project().prompt.empty());

    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(video.string()))});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().prompt,
             std::string("a red ball moving right on a black background"));
    QCOMPARE(m_window->document().project().numInferenceSteps, fewSteps);
    QCOMPARE(m_window->panels().results().player().clip().frames.size(),
             m_window->document().project().numFrames);
}

void StudioTest::illegalSizeIsExplained() {
    fillIn(fewSteps);
    typeText("width", QStringLiteral("70"));
    QVERIFY(!button("run")->isEnabled());
    QVERIFY(m_window->panels().editor().row(QStringLiteral("width"))->field().isInvalid());
    QVERIFY(!m_window->panels().editor().row(QStringLiteral("width"))->message().isEmpty());
    QVERIFY(m_window->runBar().statusText().startsWith(QLatin1String("Width")));
    typeText("width", QStringLiteral("64"));
    QVERIFY(button("run")->isEnabled());
    QVERIFY(m_window->runBar().statusText().isEmpty());
}

void StudioTest::missingModelIsExplained() {
    fillIn(fewSteps);
    typeText("pretrained_model_name_or_path", QStringLiteral("no-such-model"));
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(m_window->banner().isVisible());
    QVERIFY2(m_window->banner().text().contains(QLatin1String("no-such-model")),
             qPrintable(m_window->banner().text()));
    // What the click was too early to know is known now.
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QVERIFY(!button("run")->isEnabled());
    QVERIFY2(m_window->runBar().statusText().contains(QLatin1String("no-such-model")),
             qPrintable(m_window->runBar().statusText()));
    emit m_window->panels().queue().addRequested();
    QCOMPARE(m_window->queue().rowCount(), 0);
    QVERIFY(m_window->banner().text().contains(QLatin1String("Problems")));
    typeText("pretrained_model_name_or_path", QStringLiteral("tiny-wan-t2v"));
    QTRY_VERIFY(button("run")->isEnabled());
}

void StudioTest::pathThatIsNothingIsExplained() {
    m_window->openPath(m_folder.filePath(QStringLiteral("nowhere.mp4")));
    QVERIFY(m_window->banner().isVisible());
    QVERIFY(m_window->banner().text().contains(QLatin1String("nowhere.mp4")));
}

void StudioTest::savesAndOpens() {
    fillIn(fewSteps);
    QVERIFY(m_window->isWindowModified());
    const QString file = m_folder.filePath(QStringLiteral("ball.yaml"));
    QVERIFY(m_window->files().saveTo(file));
    QVERIFY(!m_window->isWindowModified());
    QVERIFY(m_window->windowTitle().startsWith(QLatin1String("ball.yaml")));
    QCOMPARE(m_window->files().recentFiles().first(), file);
    const Project saved = m_window->document().project();
    QVERIFY(!m_window->banner().isVisible());
    typeText("width", QStringLiteral("wide"));
    QVERIFY(m_window->files().saveTo(file));
    QVERIFY(m_window->banner().isVisible());

    init();
    m_window->openPath(file);
    QCOMPARE(m_window->document().project(), saved);
    QVERIFY(!m_window->isWindowModified());
    typeText("seed", QStringLiteral("12"));
    QVERIFY(m_window->isWindowModified());
}

void StudioTest::asksBeforeLosingChanges() {
    fillIn(fewSteps);
    {
        const Answer no(QMessageBox::Cancel);
        QVERIFY(!m_window->close());
        QVERIFY(no.asked());
    }
    QVERIFY(m_window->isVisible());
    const Answer yes(QMessageBox::Discard);
    QVERIFY(m_window->close());
    QVERIFY(yes.asked());
}

void StudioTest::exportsTheChart() {
    runToEnd(fewSteps);
    for (const char* name : {"chart.png", "chart.svg", "chart.pdf", "chart.csv"}) {
        const QString file = m_folder.filePath(QLatin1String(name));
        emit m_window->panels().results().chart().exportRequested(file);
        QVERIFY2(std::filesystem::file_size(file.toStdString()) > 0, name);
    }
    QVERIFY(!QImage(m_folder.filePath(QStringLiteral("chart.png"))).isNull());
    QCOMPARE(parseStepCsv(readFile(m_folder.filePath(QStringLiteral("chart.csv")).toStdString())).size(),
             static_cast<std::size_t>(fewSteps));
    m_window->banner().hide();
    emit m_window->panels().results().chart().exportRequested(
        m_folder.filePath(QStringLiteral("missing/chart.png")));
    QVERIFY(m_window->banner().isVisible());
}

void StudioTest::runsTheQueue() {
    fillIn(2);
    QAction* add = m_window->panels().queue().actions().add;
    add->trigger();
    typeText("seed", QStringLiteral("5"));
    add->trigger();
    QCOMPARE(m_window->queue().waiting(), 2);
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().at(1).state, QueuedRun::State::Done, 2 * runMilliseconds);
    QCOMPARE(m_window->queue().at(0).state, QueuedRun::State::Done);
    QTRY_VERIFY(!m_window->panels().queue().isGoing());
    QCOMPARE(RunFolder::open(m_lastFolder.toStdString()).project().seed, 5);
    m_window->queue().clearFinished();
    QCOMPARE(m_window->queue().rowCount(), 0);
}

void StudioTest::queuedRunGoesOnAfterARestart() {
    fillIn(manySteps);
    m_window->panels().queue().actions().add->trigger();
    m_window->panels().queue().setGoing(true);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().results().chart().chart().pointCount() >= 2, runMilliseconds);
    QTest::mouseClick(button("pause"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(!m_window->panels().queue().isGoing());
    QVERIFY(button("resume")->isVisible());
    const int stepsDone = lastRun().stepsDone;
    QVERIFY(stepsDone < manySteps);
    QCOMPARE(m_window->panels().results().chart().chart().pointCount(),
             stepsDone);  // of the last step nothing is lost

    m_window.reset();
    init();
    QCOMPARE(m_window->queue().waiting(), 1);
    const QString folder = m_lastFolder;
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().at(0).state, QueuedRun::State::Done, runMilliseconds);
    QCOMPARE(m_lastFolder, folder);
    QCOMPARE(m_window->panels().results().chart().chart().pointCount(), manySteps);
    m_window->queue().clearFinished();
}

void StudioTest::queuedRunIsResumedFromTheBar() {
    RunQueue& queue = m_window->queue();
    QueuePanel& panel = m_window->panels().queue();
    fillIn(manySteps);
    panel.actions().add->trigger();
    typeText("num_inference_steps", QStringLiteral("2"));
    panel.actions().add->trigger();
    panel.setGoing(true);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().results().chart().chart().pointCount() >= 1, runMilliseconds);
    QTest::mouseClick(button("pause"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(!panel.isGoing());
    QCOMPARE(queue.at(0).state, QueuedRun::State::Waiting);
    const QString folder = m_lastFolder;

    QTest::mouseClick(button("resume"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(queue.at(0).state, QueuedRun::State::Running, runMilliseconds);
    QVERIFY(panel.isGoing());  // which the pause had stopped
    QTRY_COMPARE_WITH_TIMEOUT(queue.at(1).state, QueuedRun::State::Done, 2 * runMilliseconds);
    QCOMPARE(queue.at(0).state, QueuedRun::State::Done);
    QCOMPARE(queue.at(0).folder, folder);
    QVERIFY(queue.at(1).folder != folder);
    queue.clearFinished();
}

void StudioTest::queueStopsThoughItIsTooLateToPause() {
    RunQueue& queue = m_window->queue();
    RunController& controller = m_window->runs().controller();
    fillIn(2);
    for (int run = 0; run < 2; ++run)
        m_window->panels().queue().actions().add->trigger();
    connect(&controller, &RunController::framesReady, &controller, &RunController::pauseAfterStep);
    m_window->panels().queue().setGoing(true);
    QTRY_COMPARE_WITH_TIMEOUT(queue.at(0).state, QueuedRun::State::Done, runMilliseconds);
    QTRY_VERIFY(!m_window->panels().queue().isGoing());
    QTest::qWait(100);
    QVERIFY(!m_window->runs().isBusy());
    QCOMPARE(queue.at(1).state, QueuedRun::State::Waiting);
    queue.remove({0, 1});
}

void StudioTest::nothingPausesBehindTheLastStep() {
    const QAction* pause = action("&Pause after this step");
    int before = 0;
    int behind = 0;
    connect(&m_window->runs().controller(), &RunController::progressed, this,
            [&](const RunProgress& progress) {
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

void StudioTest::gridIsQueuedAtOnce() {
    fillIn(2);
    QSignalSpy changed(&m_window->queue(), &RunQueue::changed);
    QTimer answer;
    answer.callOnTimeout([] {
        if (auto* dialog = qobject_cast<GridDialog*>(QApplication::activeModalWidget())) {
            dialog->setAxis(0, *findProjectKey("seed"), QStringLiteral("1..1000"));
            dialog->accept();
        }
    });
    constexpr int pollMilliseconds = 20;
    answer.start(pollMilliseconds);
    m_window->panels().queue().actions().addGrid->trigger();
    QCOMPARE(m_window->queue().rowCount(), 1000);
    QCOMPARE(changed.count(), 1);
    m_window->panels().queue().table().selectAll();
    m_window->panels().queue().actions().remove->trigger();
    QCOMPARE(m_window->queue().rowCount(), 0);
    QCOMPARE(changed.count(), 2);
}

void StudioTest::nothingRunsBesideTune() {
    fillIn(2);
    QueuePanel& queue = m_window->panels().queue();
    TunePanel& tune = m_window->panels().tune();
    startLongSearch();
    QVERIFY(!button("run")->isEnabled() && !action("&Run")->isEnabled());
    QVERIFY(!action("&Measure this machine")->isEnabled());
    QVERIFY2(m_window->runBar().statusText().contains(QLatin1String("Tune")),
             qPrintable(m_window->runBar().statusText()));
    m_window->runs().generate(m_window->document().project());
    QVERIFY(!m_window->runs().isBusy());
    queue.actions().add->trigger();
    queue.setGoing(true);
    QTest::qWait(100);
    QVERIFY(!m_window->runs().isBusy() && queue.isGoing());  // it waits

    tune.tuner().cancel();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().at(0).state, QueuedRun::State::Running, runMilliseconds);
    QVERIFY(!tune.tuner().isBusy());
    tune.start();
    QVERIFY(!tune.tuner().isBusy());
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().at(0).state, QueuedRun::State::Done, runMilliseconds);
    QVERIFY(button("run")->isEnabled() && action("&Run")->isEnabled());
    QTRY_VERIFY(action("&Measure this machine")->isEnabled());
    m_window->queue().clearFinished();
}

void StudioTest::closingDuringTuneAsks() {
    fillIn(2);
    QVERIFY(m_window->files().saveTo(m_folder.filePath(QStringLiteral("tuning.yaml"))));
    startLongSearch();
    {
        const Answer no("Keep running");
        QVERIFY(!m_window->close());
        QVERIFY(no.asked());
    }
    QVERIFY(m_window->panels().tune().tuner().isBusy());
    const Answer yes("Stop and quit");
    QVERIFY(m_window->close());
    QVERIFY(yes.asked());
}

void StudioTest::closingDuringARunAsks_data() {
    QTest::addColumn<int>("stepsBefore");
    QTest::newRow("before the first step") << 0;
    QTest::newRow("behind a step") << 1;
}

void StudioTest::closingDuringARunAsks() {
    QFETCH(const int, stepsBefore);
    m_lastFolder.clear();
    fillIn(manySteps);
    QVERIFY(m_window->files().saveTo(m_folder.filePath(QStringLiteral("closing.yaml"))));
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(!m_lastFolder.isEmpty(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().results().chart().chart().pointCount() >= stepsBefore,
                             runMilliseconds);
    {
        const Answer no("Keep running");
        QVERIFY(!m_window->close());
        QVERIFY(no.asked());
        QCOMPARE(no.standard(), QStringLiteral("Keep running"));
    }
    QVERIFY(m_window->runs().isBusy());
    {
        const Answer yes("Stop and quit");
        QVERIFY(m_window->close());
    }
    m_window.reset();
    QCOMPARE(lastRun().state.status, RunStatus::Cancelled);
    init();
    m_window->runs().resume(m_lastFolder, false);
    QVERIFY(m_window->runs().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Done), runMilliseconds);
}

void StudioTest::newUsersReachAVideoWithThreeClicks() {
    QSettings().clear();
    init();
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
    const ProblemPanel& problems = m_window->panels().problems();
    const QString cure = QStringLiteral("Set Prompt to");
    QTRY_VERIFY(buttonSaying(problems, cure) != nullptr);
    click(buttonSaying(problems, cure));
    QVERIFY(!m_window->document().project().prompt.empty());
    click(button("run"));
    QVERIFY(m_window->runs().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), 2 * runMilliseconds);
    const ResultsView& results = m_window->panels().results();
    QCOMPARE(results.player().clip().frames.size(), m_window->document().project().numFrames);
    QVERIFY(results.player().isVisible());
    QCOMPARE(clicks, 3);
}

void StudioTest::drop(const QStringList& files, QWidget* target) {
    QWidget* receiver = target != nullptr ? target : m_window.get();
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files)
        urls += QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(receiver, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(receiver, &event);
}

void StudioTest::droppedPicturesBecomeInputs() {
    QStringList pictures;
    for (const char* name : {"a.png", "b.png"}) {
        pictures += m_folder.filePath(QLatin1String(name));
        QImage(8, 8, QImage::Format_RGB888).save(pictures.last());
    }
    drop(pictures.mid(0, 1));
    QVERIFY2(!m_window->document().project().image.empty(), qPrintable(m_window->banner().text()));
    QCOMPARE(m_window->document().project().image, pictures.first().toStdString());
    drop(pictures);
    QCOMPARE(m_window->document().project().referenceImages,
             pictures.join(QStringLiteral(", ")).toStdString());
    QVERIFY(m_window->banner().isVisible());
    m_window->document().undoStack().undo();
    QVERIFY(m_window->document().project().referenceImages.empty());

    const std::filesystem::path clip = m_folder.filePath(QStringLiteral("plain.gif")).toStdString();
    VideoOptions options;
    options.format = VideoFormat::Gif;
    writeVideo(clip, Tensor::zeros({2, 16, 16, 3}, DType::U8), options);
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    drop({QString::fromStdString(clip.string())});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().video, clip.string());
    QCOMPARE(m_window->panels().results().player().clip().frames.size(), 2);
}

void StudioTest::attentionLeadsToTune() {
    const StudioPanels& panels = m_window->panels();
    m_window->docks().showPanel(&panels.attention());
    QTRY_VERIFY(!panels.attention().visibleRegion().isEmpty());
    QVERIFY(panels.tune().visibleRegion().isEmpty());
    emit panels.attention().tuneRequested();
    QTRY_VERIFY(!panels.tune().visibleRegion().isEmpty());
}

void StudioTest::picturesAreKnownByAnyEnding_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("capitals") << QStringLiteral("IMG_1.JPG");
    QTest::newRow("WebP") << QStringLiteral("still.webp");
}

void StudioTest::picturesAreKnownByAnyEnding() {
    QFETCH(QString, name);
    const QString file = m_folder.filePath(name);
    if (name.endsWith(QLatin1String("webp")))  // a lossless point, as Qt may lack its writer
        writeFileAtomically(
            file.toStdString(),
            QByteArray::fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==").toStdString());
    else
        QVERIFY(QImage(8, 8, QImage::Format_RGB888).save(file));
    drop({file});
    QCOMPARE(m_window->document().project().image, file.toStdString());
    QVERIFY(m_window->document().project().video.empty());
}

void StudioTest::filesDroppedOnTextsGoToTheWindow_data() {
    QTest::addColumn<bool>("onPrompt");
    QTest::newRow("prompt") << true;
    QTest::newRow("text of the project") << false;
}

void StudioTest::filesDroppedOnTextsGoToTheWindow() {
    QFETCH(bool, onPrompt);
    const QString file = m_folder.filePath(QStringLiteral("dropped.png"));
    QVERIFY(QImage(8, 8, QImage::Format_RGB888).save(file));
    QPlainTextEdit* text =
        onPrompt
            ? m_window->panels().editor().row(QStringLiteral("prompt"))->field().findChild<QPlainTextEdit*>()
            : &m_window->panels().yaml().editor();
    QVERIFY(text != nullptr);
    drop({file}, text->viewport());
    QVERIFY2(!text->toPlainText().contains(QLatin1String("file:")), qPrintable(text->toPlainText()));
    QCOMPARE(m_window->document().project().image, file.toStdString());
    QVERIFY(m_window->document().project().prompt.empty());
}

void StudioTest::droppedProjectsOpen() {
    const QString file = m_folder.filePath(QStringLiteral("dropped.YAML"));
    writeFileAtomically(file.toStdString(), "version: 1\nprompt: a dropped ball\n");
    drop({file});
    QCOMPARE(m_window->document().project().prompt, std::string("a dropped ball"));
    QCOMPARE(m_window->document().file(), std::filesystem::path(file.toStdString()));
}

void StudioTest::severalProjectsAreNotOpenedTogether() {
    QStringList files;
    for (const char* name : {"one.yaml", "two.yaml"}) {
        files += m_folder.filePath(QLatin1String(name));
        writeFileAtomically(files.last().toStdString(), "version: 1\nprompt: another ball\n");
    }
    drop(files);
    QVERIFY(m_window->document().file().empty());
    QVERIFY2(m_window->banner().text().contains(QLatin1String("None of these 2")),
             qPrintable(m_window->banner().text()));
    const QString picture = m_folder.filePath(QStringLiteral("beside.png"));
    QVERIFY(QImage(8, 8, QImage::Format_RGB888).save(picture));
    drop({files.first(), picture});
    QVERIFY(m_window->document().file().empty());
}

void StudioTest::droppedWeightsBecomeAdaptersAndParts() {
    const std::filesystem::path model = findModel("tiny-wan-t2v");
    const QString adapter = m_folder.filePath(QStringLiteral("style.safetensors"));
    meshreel::testing::writeRandomAdapter(adapter.toStdString(), Checkpoint::open(model / "transformer"));
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    drop({adapter});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().lora.size(), 1U);
    QCOMPARE(m_window->document().project().lora.front().file, adapter.toStdString());
    drop({QString::fromStdString((model / "vae" / "diffusion_pytorch_model.safetensors").string())});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, runMilliseconds);
    QVERIFY(m_window->document().project().vaeFile.ends_with("diffusion_pytorch_model.safetensors"));
    drop({QString::fromStdString((model / "").string())});
    QCOMPARE(opened.count(), 3);
    QVERIFY(m_window->document().project().model.find("tiny-wan-t2v") != std::string::npos);
}

void StudioTest::projectsDroppedOnTheQueueAreQueued() {
    QStringList files;
    for (const char* name : {"first.yaml", "second.yaml"}) {
        files += m_folder.filePath(QLatin1String(name));
        writeFileAtomically(files.last().toStdString(),
                            std::string("version: 1\nprompt: a ball of ") + name + '\n');
    }
    files += m_folder.filePath(QStringLiteral("wrong.yaml"));
    writeFileAtomically(files.last().toStdString(), "version: 1\nprompt: a ball\nwidth: 70\n");
    drop(files, &m_window->panels().queue());
    RunQueue& queue = m_window->queue();
    QCOMPARE(queue.rowCount(), 2);
    QCOMPARE(queue.at(1).project.prompt, std::string("a ball of second.yaml"));
    QVERIFY2(m_window->banner().text().contains(QLatin1String("wrong.yaml")),
             qPrintable(m_window->banner().text()));
    QVERIFY2(m_window->document().project().prompt.empty(), "the open project stays");
    queue.remove({0, 1});
}

void StudioTest::droppedRunsAreShownOrCompared() {
    QStringList runs;
    for (int count = 0; count < 2; ++count) {
        runToEnd(2);
        runs += m_lastFolder;
    }
    init();
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    drop(runs.mid(0, 1));
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QCOMPARE(m_window->document().project().numInferenceSteps, 2);
    const QString title = m_window->document().displayName();
    drop({runs.first() + u'/'});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, runMilliseconds);
    QCOMPARE(m_window->document().displayName(), title);

    ComparePanel& compare = m_window->panels().compare();
    QSignalSpy compared(&compare, &ComparePanel::compared);
    drop(runs);
    QTRY_COMPARE_WITH_TIMEOUT(compared.count(), 1, runMilliseconds);
    QCOMPARE(compare.runs().size(), 2U);
    QVERIFY(compare.isVisible());
    QCOMPARE(opened.count(), 2);
}

void StudioTest::droppedConfigIsImportedWithItsReport() {
    const QString file = m_folder.filePath(QStringLiteral("base_wan_14b.yml"));
    writeFileAtomically(file.toStdString(), "scan_layers: True\nheight: 720\nwidth: 1280\n");
    int reported = 0;
    QTimer answer;
    answer.callOnTimeout([&reported] {
        if (auto* dialog = qobject_cast<ImportDialog*>(QApplication::activeModalWidget())) {
            reported = dialog->findChild<QTableView*>()->model()->rowCount();
            dialog->accept();
        }
    });
    constexpr int pollMilliseconds = 20;
    answer.start(pollMilliseconds);
    drop({file});
    QTRY_COMPARE(reported, 3);
    QTRY_COMPARE(m_window->document().project().height, 720);
    QVERIFY(m_window->document().file().empty());
}

QTEST_MAIN(StudioTest)
#include "studio_test.moc"
