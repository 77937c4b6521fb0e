// SPDX-License-Identifier: GPL-3.0-or-later
// Three people do in the real window what they came for, and their actions are counted: a click, a shortcut,
// a text that is typed, a drop.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QImage>
#include <QPushButton>
#include <QSettings>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <filesystem>
#include <future>
#include <memory>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_facts.h"
#include "engine/models/families/model_family.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "engine/timing/timing_summary.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/compare/compare_panel.h"
#include "ui/compare/comparison.h"
#include "ui/compare/comparison_tables.h"
#include "ui/library/import_dialog.h"
#include "ui/player/player_widget.h"
#include "ui/queue/queue_panel.h"
#include "ui/running/run_bar.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/recent_strip.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/consequences_bar.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/problem_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/variations.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/dock_host.h"
#include "ui/window/project_files.h"
#include "ui/window/workspaces.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

constexpr QSize usualWindow{1280, 800};

double share(const QWidget& part, const QWidget& whole) {
    return static_cast<double>(part.width()) * part.height() /
           (static_cast<double>(whole.width()) * whole.height());
}

/// How often anything is laid out.
class LayoutCounter : public QObject {
  public:
    LayoutCounter() { qApp->installEventFilter(this); }
    [[nodiscard]] int count() const { return m_count; }

  protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        m_count += event->type() == QEvent::LayoutRequest ? 1 : 0;
        return false;
    }

  private:
    int m_count = 0;
};

}  // namespace

class StudioUseTest : public StudioTestCase {
    Q_OBJECT

  private slots:
    void aFirstVideoTakesTwoActions();
    void anExampleIsAClick();
    void aVideoOfAPictureTakesThreeActions();
    void anImportLeadsToAPlanOfItsModel();
    void pastedBlocksAreComparedInTwoActions();
    void theViewerHasTheRoom_data();
    void theViewerHasTheRoom();
    void workspacesKeepTheirLayouts();
    void theDrawerOpensAndCloses();
    void anIdleWindowRests();
    void runQueuesWhileSomethingRuns();
    void videosHaveSeedsOfTheirOwn();
    void theMessageByRunLeadsToTheProblem();
    void thisMachineDecidesThoughOtherHardwareIsPlannedFor();
    void nothingIsLost();
    void whatARunHasNeedsNoSaving();
    void waitingRunsAreAnnounced();
    void aQueueThatIsToRunIsNotAnnounced();
    void messagesOfferWhatCanBeDone();
    // These leave edits that are kept for the next start.
    void otherHardwareIsAModeThatCanBeSeenAndLeft();
    void aRunWaitsForTheCheckOfTheLastEdit();
    void anEditWhileARunWaitsForItsCheckWithdrawsIt();

  private:
    void typeAt(QWidget* where, const QString& text) {
        QTest::keyClicks(where, text);
        ++m_actions;
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QTest::keyClick(QApplication::focusWidget() == nullptr ? m_window.get() : QApplication::focusWidget(),
                        key, modifiers);
        ++m_actions;
    }
    void dropOne(const QString& file) {
        drop({file});
        ++m_actions;
    }
    void click(QWidget* where) {
        QVERIFY(where != nullptr);
        QVERIFY(where->isVisible() && where->isEnabled());
        QTest::mouseClick(where, Qt::LeftButton);
        ++m_actions;
    }
    void start() {
        m_window.reset();  // which has the queue
        QSettings().clear();
        openWindow();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_actions = 0;
    }
    [[nodiscard]] QPushButton* offer(const QString& words) const {
        for (auto* button : m_window->banner().findChildren<QPushButton*>())
            if (button->text() == words && button->isVisible())
                return button;
        return nullptr;
    }

    int m_actions = 0;
};

void StudioUseTest::aFirstVideoTakesTwoActions() {
    start();
    typeAt(QApplication::focusWidget(), QStringLiteral("a big yellow star growing on a navy background"));
    press(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->runs().isBusy(), runMilliseconds);  // once it is checked
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), 2 * runMilliseconds);
    PlayerWidget& player = m_window->panels().results().player();
    QVERIFY(player.isVisible() && !player.clip().isEmpty() && player.playback().isPlaying());
    QCOMPARE(m_actions, 2);
    // It stands among the recent results, and fills the screen with a key.
    const RecentStrip& recent = m_window->panels().recent();
    QTRY_VERIFY_WITH_TIMEOUT(recent.model()->rowCount() > 0, runMilliseconds);
    QVERIFY(recent.isVisible());
    QTest::keyClick(&player, Qt::Key_F);
    auto* full = player.findChild<FullScreenView*>();
    QVERIFY(full != nullptr && full->isFullScreen());
    QTest::keyClick(full, Qt::Key_Escape);
    QTRY_VERIFY(player.findChild<FullScreenView*>() == nullptr);
}

void StudioUseTest::anExampleIsAClick() {
    start();
    auto* example = m_window->findChild<QToolButton*>(QStringLiteral("example"));
    click(example);
    const std::string first = m_window->document().project().prompt;
    QVERIFY(!first.empty());
    QVERIFY(!m_window->document().hasErrors());
    click(example);
    m_window->document().undoStack().undo();
    QCOMPARE(m_window->document().project().prompt, first);
}

void StudioUseTest::aVideoOfAPictureTakesThreeActions() {
    start();
    const QString picture = m_folder.filePath(QStringLiteral("start.png"));
    QImage image(64, 64, QImage::Format_RGB32);
    image.fill(QColor(10, 20, 80));
    QVERIFY(image.save(picture));
    dropOne(picture);
    typeAt(QApplication::focusWidget(), QStringLiteral("a green ball growing on a navy background"));
    press(Qt::Key_Return, Qt::ControlModifier);
    QVERIFY2(m_window->runs().isBusy(), qPrintable(m_window->banner().text()));
    QCOMPARE(m_actions, 3);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), 4 * runMilliseconds);
    QVERIFY2(!m_window->panels().results().player().clip().isEmpty(), qPrintable(m_window->banner().text()));
    QCOMPARE(RunFolder::open(m_lastFolder.toStdString()).project().model, std::string("tiny-wan-i2v"));
}

void StudioUseTest::anImportLeadsToAPlanOfItsModel() {
    start();
    const QString config = m_folder.filePath(QStringLiteral("base_wan_27b.yml"));
    writeFileAtomically(
        config.toStdString(),
        "height: 720\nwidth: 1280\nnum_frames: 81\nprompt: a cat\nici_context_parallelism: 8\n"
        "attention: ulysses\nlearning_rate: 1.e-5\nscan_layers: True\n");
    QTimer open;
    open.callOnTimeout([this] {
        auto* dialog = qobject_cast<ImportDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr)
            return;
        for (auto* button : dialog->findChildren<QPushButton*>())
            if (button->isDefault() && button->isEnabled()) {
                ++m_actions;
                button->click();
                return;
            }
    });
    constexpr int pollMilliseconds = 20;
    open.start(pollMilliseconds);
    dropOne(config);
    QTRY_COMPARE(m_window->document().project().width, 1280);
    open.stop();
    m_window->activateWindow();  // the desktop does so when a dialog is gone
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    press(Qt::Key_2, Qt::ControlModifier);
    QVERIFY(m_actions <= 3);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->planWatch().forecast().model != nullptr, runMilliseconds);
    QVERIFY2(m_window->planWatch().forecast().model->experts() == 2, "Wan 2.2 has two experts");
    QVERIFY(m_window->docks().findChild<QDockWidget*>(QStringLiteral("mesh"))->isVisible());
}

void StudioUseTest::pastedBlocksAreComparedInTwoActions() {
    start();
    const std::string blocks = formatTimingSummary({.load = 1, .compile = 2, .inference = 3}, "2D Ring") +
                               formatTimingSummary({.load = 1, .compile = 2, .inference = 4}, "Ulysses");
    QGuiApplication::clipboard()->setText(QString::fromStdString(blocks));
    press(Qt::Key_3, Qt::ControlModifier);
    ComparePanel& compare = m_window->panels().compare();
    QVERIFY(compare.isVisible());
    compare.setFocus();
    press(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(compare.runs().size(), 2U);
    QVERIFY(m_actions <= 4);
    // Speeds are relative to the first, or to the one that is chosen: 3 s against 4 s.
    const TimingComparison& timings = compare.tables().timings();
    const auto speed = [&timings](int row) {
        return timings.index(row, timings.findColumn("speed")).data().toString();
    };
    QCOMPARE(speed(0), QStringLiteral("1.00×"));
    QCOMPARE(speed(1), QStringLiteral("0.75×"));
    QTableView& table = compare.tables().timingTable();
    table.setCurrentIndex(table.model()->index(1, 0));
    compare.findChild<QAction*>(QStringLiteral("baseline"))->trigger();
    QCOMPARE(speed(1), QStringLiteral("1.00×"));
    QCOMPARE(speed(0), QStringLiteral("1.33×"));
}

void StudioUseTest::theViewerHasTheRoom_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("usual") << usualWindow;
    QTest::newRow("large") << QSize(2560, 1440);
}

void StudioUseTest::theViewerHasTheRoom() {
    QFETCH(const QSize, size);
    start();
    m_window->resize(size);
    const ResultsView& viewer = m_window->panels().results();
    QTRY_VERIFY2(share(viewer, *m_window) >= 0.4, qPrintable(QString::number(share(viewer, *m_window))));
    const QWidget& form = m_window->panels().editor();  // which follows the window a little later
    QTRY_VERIFY2(form.width() >= 360 && form.width() <= 460, qPrintable(QString::number(form.width())));
}

void StudioUseTest::workspacesKeepTheirLayouts() {
    start();
    const auto dock = [this](const char* name) {
        return m_window->docks().findChild<QDockWidget*>(QLatin1String(name));
    };
    QVERIFY(dock("project")->isVisible() && dock("compare")->isHidden());
    dock("models")->close();
    press(Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(m_window->workspaces().current(), Workspace::Measure);
    QVERIFY(dock("compare")->isVisible() && dock("project")->isHidden());
    press(Qt::Key_1, Qt::ControlModifier);
    QVERIFY(dock("project")->isVisible() && dock("models")->isHidden());
    m_window->workspaces().show(Workspace::Runs);
    m_window->close();
    openWindow();
    QCOMPARE(m_window->workspaces().current(), Workspace::Runs);
    QCOMPARE(m_window->workspaces().tabs().currentIndex(), 3);
    m_window->workspaces().show(Workspace::Create);
    QVERIFY(dock("models")->isHidden());
    m_window->workspaces().reset();
    QVERIFY(!dock("models")->isHidden());
}

void StudioUseTest::theDrawerOpensAndCloses() {
    start();
    QDockWidget* chart = m_window->docks().findDock(&m_window->panels().results().chart());
    QDockWidget* problems = m_window->docks().findDock(&m_window->panels().problems());
    QVERIFY(chart->isHidden() && problems->isHidden());
    click(m_window->drawer().drawerButton(chart));
    QVERIFY(chart->isVisible());
    click(m_window->drawer().drawerButton(problems));
    QVERIFY(problems->isVisible() && chart->isHidden());
    click(m_window->drawer().drawerButton(problems));
    QVERIFY(problems->isHidden());
}

void StudioUseTest::anIdleWindowRests() {
    constexpr int watchMilliseconds = 200;
    constexpr int mostLayouts = 60;  // what is planned meanwhile may change some words
    start();
    // That it comes to rest, and how soon depends on the machine.
    const auto isAtRest = [] {
        const LayoutCounter counter;
        return !QTest::qWaitFor([&counter] { return counter.count() >= mostLayouts; }, watchMilliseconds);
    };
    for (int workspace = 0; workspace < m_window->workspaces().tabs().count(); ++workspace) {
        m_window->workspaces().tabs().setCurrentIndex(workspace);
        for (QDockWidget* dock : m_window->docks().drawer()) {
            m_window->drawer().open(dock);
            QTRY_VERIFY2(isAtRest(), qPrintable(dock->objectName()));
            dock->hide();
            QTRY_VERIFY2(isAtRest(), qPrintable(dock->objectName()));
        }
    }
}

void StudioUseTest::runQueuesWhileSomethingRuns() {
    start();
    fillIn(fewSteps);
    press(Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->runs().isBusy(), runMilliseconds);  // once it is checked
    QVERIFY(button("run")->isVisible() && button("run")->isEnabled());
    QCOMPARE(button("run")->text(), QStringLiteral("Queue"));
    typeText("num_inference_steps", QStringLiteral("2"));
    press(Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(m_window->queue().waiting(), 1);
    const auto* badge = m_window->findChild<QToolButton*>(QStringLiteral("queueBadge"));
    QVERIFY(badge->isVisible() && badge->text().contains(QLatin1Char('1')));
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().count(QueuedRun::State::Done), 1, 2 * runMilliseconds);
    QCOMPARE(badge->text(), QStringLiteral("Queue"));
    m_window->queue().clearFinished();
}

void StudioUseTest::videosHaveSeedsOfTheirOwn() {
    start();
    fillIn(2);
    m_window->panels().editor().variations().set(3, true);
    click(button("run"));
    QCOMPARE(m_window->queue().waiting(), 2);
    const Seed first = m_window->queue().at(0).project.seed;
    QVERIFY(first != m_window->queue().at(1).project.seed);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().count(QueuedRun::State::Done), 2, 3 * runMilliseconds);
    m_window->queue().clearFinished();
}

void StudioUseTest::theMessageByRunLeadsToTheProblem() {
    start();
    fillIn(2);
    typeText("width", QStringLiteral("40"));
    QTRY_VERIFY(m_window->findChild<QToolButton*>(QStringLiteral("toProblem"))->isVisible());
    QVERIFY(!button("run")->isEnabled());
    m_window->workspaces().show(Workspace::Runs);
    click(m_window->findChild<QToolButton*>(QStringLiteral("toProblem")));
    QVERIFY(m_window->panels().problems().isVisible());
    QCOMPARE(m_window->workspaces().current(), Workspace::Create);
    QVERIFY(m_window->panels()
                .editor()
                .row(QStringLiteral("width"))
                ->field()
                .isAncestorOf(QApplication::focusWidget()));
}

void StudioUseTest::thisMachineDecidesThoughOtherHardwareIsPlannedFor() {
    start();
    fillIn(2);
    m_window->target().choose(QStringLiteral("tpu-v7x"));
    QTRY_VERIFY(m_window->planWatch().forecast().outlook != nullptr);
    const ProjectKey& budget = *findProjectKey("memory_budget");
    m_window->document().setText(budget, QStringLiteral("0.001"));  // GiB of this machine
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QVERIFY(m_window->planWatch().forecast().outlook != nullptr);
    QVERIFY(!button("run")->isEnabled());
    QVERIFY(m_window->findChild<QToolButton*>(QStringLiteral("toProblem"))->isVisible());
    QVERIFY2(!m_window->panels().problems().diagnoses().empty(), "this machine's problem is listed");
    const QString before = m_lastFolder;
    QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!m_window->runs().isBusy());
    QVERIFY(m_window->panels().problems().isVisible());
    m_window->document().setText(budget, QStringLiteral("0"));
    click(button("run"));
    QTRY_VERIFY(m_window->runs().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(m_lastFolder != before);
}

void StudioUseTest::otherHardwareIsAModeThatCanBeSeenAndLeft() {
    start();
    fillIn(2);
    const auto chip = [this] {
        return m_window->consequences().findChild<QWidget*>(QStringLiteral("targetChip"));
    };
    QTRY_VERIFY(m_window->planWatch().forecast().plan != nullptr);
    QVERIFY(chip() == nullptr);
    m_window->target().choose(QStringLiteral("tpu-v7x"));
    QTRY_VERIFY(chip() != nullptr && chip()->isVisible());
    QVERIFY2(!m_window->consequences().text().contains(QLatin1String("0.00")),
             qPrintable(m_window->consequences().text()));
    click(m_window->consequences().findChild<QToolButton*>(QStringLiteral("planHere")));
    QTRY_VERIFY(chip() == nullptr);
    QVERIFY(m_window->target().name().isEmpty());

    m_window->target().choose(QStringLiteral("tpu-v7x"));
    QTRY_VERIFY(chip() != nullptr);
    // A model that is nowhere: there is no plan, and the mode is still on.
    m_window->document().setText(*findProjectKey("pretrained_model_name_or_path"), QStringLiteral("nowhere"));
    QTRY_VERIFY(m_window->planWatch().forecast().plan == nullptr);
    QVERIFY(chip() != nullptr && chip()->isVisible());
    m_window->document().startNew();
    QVERIFY2(m_window->target().name().isEmpty(), "it was the other project's");
    QTRY_VERIFY(chip() == nullptr);
    m_window->target().choose(QStringLiteral("tpu-v7x"));
    openWindow();
    QVERIFY2(m_window->target().name().isEmpty(), "a new project begins without");
}

void StudioUseTest::aRunWaitsForTheCheckOfTheLastEdit() {
    start();
    fillIn(2);
    QTRY_VERIFY(!m_window->planWatch().isPending());
    std::promise<void> gate;
    const std::shared_future<void> open = gate.get_future().share();
    m_window->planWatch().setPlanner(
        [open](const Project& project, const ForecastOptions& options, OpenedFiles& files) {
            open.wait();
            return makeForecast(project, options, files);
        });
    const ProjectKey& budget = *findProjectKey("memory_budget");
    m_window->document().setText(budget, QStringLiteral("0.001"));  // which only a plan knows
    click(button("run"));
    QVERIFY2(!m_window->runs().isBusy(), "the verdict was on an earlier project");
    QVERIFY(!button("run")->isEnabled());
    QVERIFY2(m_window->runBar().statusText().contains(QLatin1String("Checking")),
             qPrintable(m_window->runBar().statusText()));
    gate.set_value();
    QTRY_VERIFY(m_window->panels().problems().isVisible());
    QVERIFY(!m_window->runs().isBusy() && !button("run")->isEnabled());
    QVERIFY(!m_window->runBar().statusText().contains(QLatin1String("Checking")));
    m_window->document().setText(budget, QStringLiteral("0"));
    click(button("run"));
    QTRY_VERIFY(m_window->runs().isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
}

void StudioUseTest::anEditWhileARunWaitsForItsCheckWithdrawsIt() {
    start();
    fillIn(2);
    std::promise<void> gate;
    const std::shared_future<void> open = gate.get_future().share();
    m_window->planWatch().setPlanner(
        [open](const Project& project, const ForecastOptions& options, OpenedFiles& files) {
            open.wait();
            return makeForecast(project, options, files);
        });
    click(button("run"));
    QVERIFY(!m_window->runs().isBusy());
    typeText("num_inference_steps", QStringLiteral("3"));
    gate.set_value();
    QTRY_VERIFY(!m_window->planWatch().isPending());
    QVERIFY(!QTest::qWaitFor([this] { return m_window->runs().isBusy(); }, 200));
    QVERIFY(button("run")->isEnabled());
    QVERIFY2(m_window->banner().text().contains(QLatin1String("did not start")),
             qPrintable(m_window->banner().text()));
}

void StudioUseTest::nothingIsLost() {
    start();
    typeText("prompt", QStringLiteral("a blue ring"));
    const auto isKept = [] {
        const auto holdsIt = [](const std::filesystem::directory_entry& entry) {
            return entry.path().extension() == ".yaml" &&
                   readFile(entry.path()).find("a blue ring") != std::string::npos;
        };
        return std::ranges::any_of(std::filesystem::directory_iterator(userDataFolder()), holdsIt);
    };
    QTRY_VERIFY(isKept());  // a moment behind the last change
    m_window.reset();       // without being closed
    openWindow();
    QVERIFY(m_window->document().project().prompt.empty());
    m_window->goOnWithLastSession();
    QCOMPARE(m_window->document().project().prompt, std::string("a blue ring"));
    QVERIFY(m_window->document().isModified());
    click(offer(QStringLiteral("Start anew")));
    QVERIFY(m_window->document().project().prompt.empty());
    QVERIFY(m_window->close());
    openWindow();
    m_window->goOnWithLastSession();
    QVERIFY(m_window->document().project().prompt.empty());
}

void StudioUseTest::whatARunHasNeedsNoSaving() {
    start();
    const QString file = m_folder.filePath(QStringLiteral("stored.yaml"));
    fillIn(2);
    QVERIFY(m_window->files().saveTo(file));
    typeText("num_inference_steps", QStringLiteral("3"));
    QVERIFY(m_window->files().hasUnsavedChanges());
    click(button("run"));
    QVERIFY(!m_window->files().hasUnsavedChanges());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), runMilliseconds);
    QVERIFY(m_window->close());  // a question would keep it open
}

void StudioUseTest::waitingRunsAreAnnounced() {
    start();
    fillIn(2);
    addToQueue();
    m_window.reset();
    openWindow();
    m_window->goOnWithLastSession();
    QVERIFY(offer(QStringLiteral("Resume")) != nullptr);
    click(offer(QStringLiteral("Resume")));
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().count(QueuedRun::State::Done), 1, runMilliseconds);
    m_window->queue().clearFinished();
}

void StudioUseTest::aQueueThatIsToRunIsNotAnnounced() {
    start();
    fillIn(2);
    addToQueue();
    m_window.reset();
    openWindow();
    m_window->runQueue();
    m_window->goOnWithLastSession();
    QVERIFY(offer(QStringLiteral("Resume")) == nullptr);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->queue().count(QueuedRun::State::Done), 1, runMilliseconds);
    m_window->queue().clearFinished();
}

void StudioUseTest::messagesOfferWhatCanBeDone() {
    start();
    bool done = false;
    m_window->banner().showOffer(QStringLiteral("Written."),
                                 {{QStringLiteral("Show folder"), [&done] { done = true; }}});
    const QRect viewer = m_window->panels().results().geometry();
    click(offer(QStringLiteral("Show folder")));
    QVERIFY(done);
    QCOMPARE(m_window->banner().count(), 0);
    QCOMPARE(m_window->panels().results().geometry(), viewer);
}

MESHREEL_TEST_CLASS(StudioUseTest)
#include "studio_use_test.moc"
