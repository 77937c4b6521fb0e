// SPDX-License-Identifier: GPL-3.0-or-later
// What the status line and the drawer say belongs to the project that is open, and to nothing before it.
#include <QAction>
#include <QDockWidget>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QToolButton>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/charts/step_chart.h"
#include "ui/running/devices_panel.h"
#include "ui/running/run_bar.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/recent_strip.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/consequences_bar.h"
#include "ui/settings/problem_panel.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"
#include "ui/window/workspaces.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

const QString tpu = QStringLiteral("tpu-v7x");

}  // namespace

class StudioAnswersTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void otherHardwareIsKeptWithItsFile();
    void otherHardwareIsThereAgainAfterACrash();
    void runFollowsTheNewestAnswerHoweverSlow();
    void aLongPromptIsAWarningAndLooksLikeOne();
    void aFullDiskNamesTheWayToAnotherFolder();
    void howARunEndedIsNotSaidOfAnotherProject();
    void howARunEndedIsNotSaidOfAnotherRun();
    void aStoppedRunCanBeResumedBesideAnotherProject();
    void aRunBegunInMeshShowsItsLanesThere();
    void aRunBegunInMeasureMovesNothing();
    void finishedRunsTellTheTimeInWords();

  private:
    void set(const char* key, const QString& text) {
        m_window->document().setText(*findProjectKey(key), text);
    }
    void runByKey() {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->runs().isBusy(), runMilliseconds);
    }
    [[nodiscard]] QString status() const { return m_window->runBar().statusText(); }
    [[nodiscard]] QDockWidget* dock(const QWidget& panel) const { return m_window->docks().findDock(&panel); }
    [[nodiscard]] QImage problemsMark() const {
        const QToolButton* button = m_window->drawer().drawerButton(dock(m_window->panels().problems()));
        constexpr QSize size{14, 14};
        return button->icon().pixmap(size).toImage();
    }
    [[nodiscard]] QWidget* chip() const {
        return m_window->consequences().findChild<QWidget*>(QStringLiteral("targetChip"));
    }
};

void StudioAnswersTest::otherHardwareIsKeptWithItsFile() {
    const QString file = m_folder.filePath(QStringLiteral("planned.yaml"));
    fillIn(2);
    QVERIFY(m_window->files().saveTo(file));
    m_window->target().choose(tpu);
    QTRY_VERIFY(chip() != nullptr && chip()->isVisible());
    const QString words = m_window->consequences().text();
    QVERIFY2(words.contains(QStringLiteral("Predicting for 1 × TPU v7x")), qPrintable(words));
    QVERIFY2(words.contains(QLatin1String("Memory here")), qPrintable(words));
    QVERIFY(!m_window->files().hasUnsavedChanges());
    m_window->document().startNew();
    QTRY_VERIFY(chip() == nullptr);
    openWindow();
    QVERIFY(m_window->target().name().isEmpty());
    m_window->openPath(file);
    QTRY_VERIFY(chip() != nullptr && chip()->isVisible());
    m_window->consequences().findChild<QToolButton*>(QStringLiteral("planHere"))->click();
    QTRY_VERIFY(chip() == nullptr);
    openWindow();
    m_window->openPath(file);
    QVERIFY2(m_window->target().name().isEmpty(), "it was left");
}

void StudioAnswersTest::otherHardwareIsThereAgainAfterACrash() {
    set("prompt", QStringLiteral("a violet torus"));
    m_window->target().choose(tpu);
    const auto isKept = [] {
        return std::ranges::any_of(std::filesystem::directory_iterator(userDataFolder()),
                                   [](const std::filesystem::directory_entry& entry) {
                                       return entry.path().extension() == ".yaml" &&
                                              readFile(entry.path()).find("tpu-v7x") != std::string::npos;
                                   });
    };
    QTRY_VERIFY(isKept());
    m_window.reset();  // without being closed
    openWindow();
    m_window->goOnWithLastSession();
    QCOMPARE(m_window->document().project().prompt, std::string("a violet torus"));
    QCOMPARE(m_window->target().name(), tpu);
    QVERIFY(!m_window->document().hasRefusedTexts());
    m_window->document().startNew();
    QVERIFY(m_window->close());
}

/// Edits, answers and looks at errors that overlap, as on a busy machine.
void StudioAnswersTest::runFollowsTheNewestAnswerHoweverSlow() {
    constexpr int rounds = 12;
    fillIn(2);
    const auto asked = std::make_shared<std::atomic<int>>(0);
    PlanWatch& watch = m_window->planWatch();
    watch.setPatience(std::chrono::milliseconds(5));
    watch.setPlanner([asked](const Project& project, const ForecastOptions& options, OpenedFiles& files) {
        ++*asked;
        QThread::msleep(project.memoryBudget > 0 ? 40 : 10);  // the answer with the error is the late one
        return makeForecast(project, options, files);
    });
    for (int round = 0; round < rounds; ++round) {
        const bool isShort = round % 2 == 0;
        const int before = *asked;
        set("memory_budget", isShort ? QStringLiteral("0.001") : QStringLiteral("0"));
        if (isShort && round % 3 == 0)
            QTRY_VERIFY_WITH_TIMEOUT(*asked > before + 2, runMilliseconds);  // an answer, and looks at it
        if (round % 4 == 1)
            continue;  // edited again before there is one
        QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), runMilliseconds);
        QCOMPARE(button("run")->isEnabled(), !isShort);
        QCOMPARE(m_window->panels().problems().worst() == Severity::Error, isShort);
    }
    set("memory_budget", QStringLiteral("0.001"));
    QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!watch.isPending(), runMilliseconds);
    QVERIFY(!m_window->runs().isBusy() && !button("run")->isEnabled());
    const int answered = *asked;
    QTRY_VERIFY_WITH_TIMEOUT(*asked > answered + 2, runMilliseconds);
    QVERIFY2(!button("run")->isEnabled(), "looks change nothing");
}

void StudioAnswersTest::aLongPromptIsAWarningAndLooksLikeOne() {
    fillIn(2);
    const ProblemPanel& problems = m_window->panels().problems();
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QCOMPARE(problemsMark().isNull(), problems.diagnoses().empty());
    set("prompt", QStringLiteral("a red ball ").repeated(200));
    const auto isCut = [](const Diagnosis& found) { return found.problem.id == ProblemId("prompt-cut"); };
    QTRY_VERIFY_WITH_TIMEOUT(std::ranges::any_of(problems.diagnoses(), isCut), runMilliseconds);
    QVERIFY(problems.worst() == Severity::Warning);
    QVERIFY(button("run")->isEnabled());
    const QImage warning = problemsMark();
    QVERIFY(!warning.isNull());
    set("width", QStringLiteral("40"));
    QTRY_VERIFY_WITH_TIMEOUT(problems.worst() == Severity::Error, runMilliseconds);
    QVERIFY(problemsMark() != warning);
    set("width", QStringLiteral("64"));
    QTRY_VERIFY_WITH_TIMEOUT(problems.worst() == Severity::Warning, runMilliseconds);
    QCOMPARE(problemsMark(), warning);
}

void StudioAnswersTest::aFullDiskNamesTheWayToAnotherFolder() {
    fillIn(2);
    m_window->planWatch().setPlanner(
        [](const Project& project, const ForecastOptions& options, OpenedFiles& files) {
            ProjectForecast forecast = makeForecast(project, options, files);
            PlanOptions full;
            full.runsFolder = options.runsFolder;
            full.diskBytes = 1;
            try {
                (void)makePlan(project, full);
            } catch (const Error& refused) {
                forecast.problems.push_back(refused.problem());
            }
            return forecast;
        });
    m_window->drawer().open(dock(m_window->panels().problems()));
    QTRY_VERIFY_WITH_TIMEOUT(!button("run")->isEnabled(), runMilliseconds);
    QStringList words{status()};
    for (const QLabel* label : m_window->panels().problems().findChildren<QLabel*>())
        words += label->text();
    const QString all = words.join(QLatin1Char('\n'));
    QVERIFY2(all.contains(QLatin1String("The run writes up to")), qPrintable(all));
    QVERIFY2(!all.contains(QLatin1String("the run writes up to")), qPrintable(all));
    QVERIFY2(all.contains(QLatin1String("Choose the folder for runs")), qPrintable(all));
    const QList<QAction*> entries = m_window->findChildren<QAction*>();
    QVERIFY2(std::ranges::find(entries, QStringLiteral("Choose the folder for r&uns…"), &QAction::text) !=
                 entries.end(),
             "the menu has it");
}

void StudioAnswersTest::howARunEndedIsNotSaidOfAnotherProject() {
    runToEnd(2);
    QVERIFY2(status().startsWith(QLatin1String("Done")), qPrintable(status()));
    m_window->document().startNew();
    QVERIFY2(!status().contains(QLatin1String("Done")), qPrintable(status()));
    runToEnd(2);
    QVERIFY2(status().startsWith(QLatin1String("Done")), qPrintable(status()));
    set("num_inference_steps", QStringLiteral("3"));
    QVERIFY2(!status().contains(QLatin1String("Done")), qPrintable(status()));
}

void StudioAnswersTest::howARunEndedIsNotSaidOfAnotherRun() {
    runToEnd(2);
    const QString first = m_lastFolder;
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY2(status().startsWith(QLatin1String("Done")), qPrintable(status()));
    QSignalSpy opened(m_window.get(), &MainWindow::opened);
    emit m_window->panels().recent().openRequested(first);
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, runMilliseconds);
    QVERIFY2(status().isEmpty(), qPrintable(status()));
}

void StudioAnswersTest::aStoppedRunCanBeResumedBesideAnotherProject() {
    fillIn(manySteps);
    clickRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->panels().results().chart().chart().pointCount() >= 1, runMilliseconds);
    QTest::mouseClick(button("cancel"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY2(status().startsWith(QLatin1String("Cancelled")), qPrintable(status()));
    const QString run = QFileInfo(m_lastFolder).fileName();
    m_window->document().startNew();
    QVERIFY2(!status().contains(QLatin1String("Cancelled")), qPrintable(status()));
    QVERIFY(button("resume")->isVisible());
    QVERIFY2(button("resume")->toolTip().contains(run), qPrintable(button("resume")->toolTip()));
}

void StudioAnswersTest::aRunBegunInMeshShowsItsLanesThere() {
    fillIn(2);
    const QDockWidget* lanes = dock(m_window->panels().results().devices());
    m_window->workspaces().show(Workspace::Mesh);
    QVERIFY(lanes->isHidden());
    runByKey();
    QCOMPARE(m_window->workspaces().current(), Workspace::Mesh);
    QVERIFY(lanes->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY2(lanes->isVisible(), "they are edited beside the shapes");
    // Another page of the drawer that was opened stays.
    QDockWidget* chart = dock(m_window->panels().results().chart());
    m_window->drawer().open(chart);
    runByKey();
    QCOMPARE(m_window->workspaces().current(), Workspace::Mesh);
    QVERIFY(chart->isVisible() && !lanes->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
}

void StudioAnswersTest::aRunBegunInMeasureMovesNothing() {
    fillIn(2);
    m_window->workspaces().show(Workspace::Measure);
    runByKey();
    QCOMPARE(m_window->workspaces().current(), Workspace::Measure);
    QVERIFY(std::ranges::none_of(m_window->docks().drawer(), &QDockWidget::isVisible));
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    m_window->workspaces().show(Workspace::Create);
    QVERIFY2(!m_window->panels().results().isAside(), "the run is what the viewer shows");
}

void StudioAnswersTest::finishedRunsTellTheTimeInWords() {
    const QByteArray cache = qgetenv("XDG_CACHE_HOME");
    const QByteArray runs = qgetenv("MESHREEL_RUNS");
    qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("unmeasured")).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("taught")).toLocal8Bit());
    openWindow();
    set("gpus", QStringLiteral("none"));
    const auto words = [this] { return m_window->consequences().text(); };
    fillIn(2);
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QVERIFY2(!words().contains(QLatin1String("a step")), "nothing is known yet");
    for (int run = 0; run < 2; ++run) {
        clickRun();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    }
    QTRY_VERIFY2_WITH_TIMEOUT(words().contains(QLatin1String("from 2 runs like this on this machine")),
                              qPrintable(words()), runMilliseconds);
    QVERIFY2(m_window->consequences().measureItem().isVisible(), "measuring is offered beside it");
    qputenv("XDG_CACHE_HOME", cache);
    qputenv("MESHREEL_RUNS", runs);
}

MESHREEL_TEST_CLASS(StudioAnswersTest)
#include "studio_answers_test.moc"
