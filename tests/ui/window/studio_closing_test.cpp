// SPDX-License-Identifier: GPL-3.0-or-later
// What waits for what goes on, and what is asked before it is lost.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <functional>

#include "engine/project/presets.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/charts/step_chart.h"
#include "ui/queue/queue_panel.h"
#include "ui/running/run_bar.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/project_editor.h"
#include "ui/studies/tune_panel.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

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

class StudioClosingTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void asksBeforeLosingChanges();
    void aNewProjectAsksOnlyForWhatWasChanged();
    void nothingRunsBesideTune();
    void closingDuringTuneAsks();
    void closingDuringARunAsks_data();
    void closingDuringARunAsks();
    void endsWithAFloatingPanelInUse();
};

void StudioClosingTest::asksBeforeLosingChanges() {
    fillIn(fewSteps);
    QVERIFY(m_window->files().saveTo(m_folder.filePath(QStringLiteral("changed.yaml"))));
    typeText("num_inference_steps", QString::number(manySteps));  // of a file; a project without one is kept
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

void StudioClosingTest::aNewProjectAsksOnlyForWhatWasChanged() {
    QAction* startNew = m_window->files().actions().startNew;
    {
        const Answer untouched(QMessageBox::Cancel);
        startNew->trigger();
        QVERIFY(!untouched.asked());
        typeText("num_inference_steps", QStringLiteral("31"));
        m_window->document().resetKey(*findProjectKey("num_inference_steps"));
        startNew->trigger();  // what was typed was taken back
        QVERIFY(!untouched.asked());
    }
    fillIn(fewSteps);
    {
        const Answer no(QMessageBox::Cancel);
        startNew->trigger();
        QVERIFY(no.asked());
    }
    QCOMPARE(m_window->document().project().numInferenceSteps, fewSteps);
    {
        const Answer no(QMessageBox::Cancel);
        m_window->openPath(
            QString::fromStdString((presetFolder() / "wan2.2-t2v-a14b-720p-ring2d-cp4.yaml").string()));
        QVERIFY2(no.asked(), "another project takes its place");
    }
    {
        const Answer unasked(QMessageBox::Cancel);
        QVERIFY2(m_window->close(), "it is kept, and there at the next start");
        QVERIFY(!unasked.asked());
    }
    m_window.reset();  // which has the kept project
    openWindow();
    m_window->goOnWithLastSession();
    QCOMPARE(m_window->document().project().numInferenceSteps, fewSteps);
    const Answer yes(QMessageBox::Discard);
    m_window->files().actions().startNew->trigger();
    QVERIFY(yes.asked());
    QVERIFY(m_window->document().project().prompt.empty());
}

void StudioClosingTest::nothingRunsBesideTune() {
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
    addToQueue();
    queue.setGoing(true);
    QVERIFY(!QTest::qWaitFor([this] { return m_window->runs().isBusy(); }, 100));
    QVERIFY(queue.isGoing());  // it waits

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

void StudioClosingTest::closingDuringTuneAsks() {
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

void StudioClosingTest::closingDuringARunAsks_data() {
    QTest::addColumn<int>("stepsBefore");
    QTest::newRow("before the first step") << 0;
    QTest::newRow("behind a step") << 1;
}

void StudioClosingTest::closingDuringARunAsks() {
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
    openWindow();
    m_window->runs().resume(m_lastFolder, false);
    QVERIFY(m_window->runs().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(lastRunIs(RunStatus::Done), runMilliseconds);
}

// A floating dock is a window of its own, which closes and gives up the focus while its host is destroyed:
// the sanitizers see whether anybody of the host is told.
void StudioClosingTest::endsWithAFloatingPanelInUse() {
    m_window->show();
    QDockWidget* dock = m_window->docks().findDock(&m_window->panels().editor());
    QVERIFY(dock != nullptr);
    dock->setFloating(true);
    dock->activateWindow();
    m_window->panels().editor().focusPrompt();
    QTRY_COMPARE(QApplication::activeWindow(), dock);
    m_window.reset();
    QCOMPARE(QApplication::activeWindow(), nullptr);
}

MESHREEL_TEST_CLASS(StudioClosingTest)
#include "studio_closing_test.moc"
