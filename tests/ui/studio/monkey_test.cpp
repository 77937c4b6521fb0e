// SPDX-License-Identifier: GPL-3.0-or-later
// Random legal events, each at a widget that a person could reach: nothing may crash, hang or leave the
// project and its view apart. MESHREEL_MONKEY_EVENTS is how many (10000 for a long walk);
// MESHREEL_MONKEY_SEED repeats a walk that failed.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QDockWidget>
#include <QDrag>
#include <QKeyEvent>
#include <QMenuBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <array>
#include <random>

#include "engine/project/project_file.h"
#include "tests/support/charts/test_classes.h"
#include "ui/runs/run_presenter.h"
#include "ui/theme/appearance.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

using namespace meshreel;

namespace {

constexpr unsigned usualEvents = 500;
constexpr int eventsPerRun = 50;  ///< at least, before a run that was stopped is begun anew
constexpr int stopMilliseconds = 120'000;

/// Says no to whatever asks: dialogs, menus and drags would wait for ever otherwise.
class Refuser {
  public:
    Refuser() {
        m_timer.callOnTimeout([] {
            if (QWidget* popup = QApplication::activePopupWidget())
                popup->close();
            if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget()))
                dialog->reject();
            QDrag::cancel();
        });
        constexpr int pollMilliseconds = 5;
        m_timer.start(pollMilliseconds);
    }

  private:
    QTimer m_timer;
};

/// Files and folders are not opened in other programs.
class NoOtherPrograms : public QObject {
    Q_OBJECT

  public:
    NoOtherPrograms() { QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "ignore"); }
    ~NoOtherPrograms() override { QDesktopServices::unsetUrlHandler(QStringLiteral("file")); }

  public slots:
    void ignore(const QUrl& /*url*/) {}
};

class Monkey {
  public:
    Monkey(MainWindow& window, unsigned seed) : m_window(window), m_random(seed) {}

    void act() {
        using Act = void (Monkey::*)();
        // As often as they stand here.
        static constexpr std::array acts{&Monkey::click, &Monkey::click, &Monkey::click,    &Monkey::press,
                                         &Monkey::press, &Monkey::type,  &Monkey::type,     &Monkey::trigger,
                                         &Monkey::turn,  &Monkey::drag,  &Monkey::rearrange};
        const Act chosen = acts.at(upTo(acts.size()));
        (this->*chosen)();
        QApplication::processEvents();
    }

  private:
    std::size_t upTo(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_random);
    }

    QWidget* anyWidget() {
        QList<QWidget*> reachable;
        for (QWidget* widget : m_window.findChildren<QWidget*>())
            if (widget->isVisible() && widget->isEnabled() && !widget->visibleRegion().isEmpty())
                reachable += widget;
        return reachable.isEmpty()
                   ? &m_window
                   : reachable.at(static_cast<qsizetype>(upTo(static_cast<std::size_t>(reachable.size()))));
    }

    QPoint anyPlace(const QWidget& widget) {
        return {static_cast<int>(upTo(static_cast<std::size_t>(std::max(1, widget.width())))),
                static_cast<int>(upTo(static_cast<std::size_t>(std::max(1, widget.height()))))};
    }

    void click() {
        QWidget* widget = anyWidget();
        const Qt::MouseButton button = upTo(8) == 0 ? Qt::RightButton : Qt::LeftButton;
        if (upTo(6) == 0)
            QTest::mouseDClick(widget, Qt::LeftButton, Qt::NoModifier, anyPlace(*widget));
        else
            QTest::mouseClick(widget, button, Qt::NoModifier, anyPlace(*widget));
    }

    void press() {
        static constexpr std::array keys{Qt::Key_Tab,    Qt::Key_Backtab, Qt::Key_Up,      Qt::Key_Down,
                                         Qt::Key_Left,   Qt::Key_Right,   Qt::Key_Home,    Qt::Key_End,
                                         Qt::Key_Return, Qt::Key_Space,   Qt::Key_Escape,  Qt::Key_Delete,
                                         Qt::Key_F2,     Qt::Key_PageUp,  Qt::Key_PageDown};
        static constexpr std::array commands{Qt::Key_Z, Qt::Key_Y, Qt::Key_F,
                                             Qt::Key_A, Qt::Key_C, Qt::Key_V};
        if (upTo(4) == 0)
            QTest::keyClick(focused(), commands.at(upTo(commands.size())), Qt::ControlModifier);
        else
            QTest::keyClick(focused(), keys.at(upTo(keys.size())),
                            upTo(5) == 0 ? Qt::ShiftModifier : Qt::NoModifier);
    }

    void type() {
        static const std::array texts{QStringLiteral("0"),     QStringLiteral("17"),
                                      QStringLiteral("-1"),    QStringLiteral("ball"),
                                      QStringLiteral("1e9"),   QStringLiteral("ü—漢"),
                                      QStringLiteral("a: [b"), QStringLiteral("99999999999999999999")};
        // QTest::keyClicks() knows only Latin letters.
        QKeyEvent event(QEvent::KeyPress, Qt::Key_unknown, Qt::NoModifier, texts.at(upTo(texts.size())));
        QApplication::sendEvent(focused(), &event);
    }

    /// Any action but those that end the window or the walk.
    void trigger() {
        QList<QAction*> actions;
        for (QAction* action : m_window.findChildren<QAction*>())
            if (action->isEnabled() && action->menu() == nullptr && !action->isSeparator() &&
                action->shortcut() != QKeySequence(QKeySequence::Quit))
                actions += action;
        if (!actions.isEmpty())
            actions.at(static_cast<qsizetype>(upTo(static_cast<std::size_t>(actions.size()))))->trigger();
    }

    void turn() {
        QWidget* widget = anyWidget();
        const QPoint at = anyPlace(*widget);
        QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(0, upTo(2) == 0 ? 120 : -120), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }

    void drag() {
        QWidget* widget = anyWidget();
        QTest::mousePress(widget, Qt::LeftButton, Qt::NoModifier, anyPlace(*widget));
        QTest::mouseMove(widget, anyPlace(*widget));
        QTest::mouseRelease(widget, Qt::LeftButton, Qt::NoModifier, anyPlace(*widget));
    }

    void rearrange() {
        const QList<QDockWidget*> docks = m_window.docks().findChildren<QDockWidget*>();
        QDockWidget* dock = docks.at(static_cast<qsizetype>(upTo(static_cast<std::size_t>(docks.size()))));
        switch (upTo(5)) {
            case 0:
                dock->setFloating(!dock->isFloating());
                break;
            case 1:
                chooseAppearance(upTo(2) == 0 ? Appearance::Dark : Appearance::Light);
                break;
            case 2:
                m_window.resize(900 + static_cast<int>(upTo(600)), 600 + static_cast<int>(upTo(400)));
                break;
            default:
                m_window.docks().showPanel(dock->widget());
        }
    }

    QWidget* focused() {
        QWidget* widget = QApplication::focusWidget();
        return widget == nullptr ? &m_window : widget;
    }

    MainWindow& m_window;
    std::mt19937 m_random;
};

unsigned numberFrom(const char* variable, unsigned usual) {
    bool given = false;
    const unsigned number = qEnvironmentVariable(variable).toUInt(&given);
    return given ? number : usual;
}

unsigned eventCount() {
    return numberFrom("MESHREEL_MONKEY_EVENTS", usualEvents);
}

/// Tells the seed, so that the walk can be repeated.
unsigned seedOf(unsigned usual) {
    const unsigned seed = numberFrom("MESHREEL_MONKEY_SEED", usual);
    qInfo("MESHREEL_MONKEY_SEED=%u MESHREEL_MONKEY_EVENTS=%u", seed, eventCount());
    return seed;
}

}  // namespace

class MonkeyTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void cleanup();
    void survivesRandomEvents();
    void survivesRandomEventsDuringARun();

  private:
    void checkWindow();

    QTemporaryDir m_folder;
    NoOtherPrograms m_noOtherPrograms;
    std::unique_ptr<MainWindow> m_window;
};

void MonkeyTest::initTestCase() {
    qputenv("XDG_DATA_HOME", m_folder.filePath(QStringLiteral("data")).toLocal8Bit());
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder.filePath(QStringLiteral("settings")));
    QCoreApplication::setOrganizationName(QStringLiteral("Meshreel"));
    QCoreApplication::setApplicationName(QStringLiteral("MonkeyTest"));
}

void MonkeyTest::init() {
    m_window = std::make_unique<MainWindow>();
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void MonkeyTest::cleanup() {
    m_window.reset();
}

/// What must hold whatever was done: the window is there, and the text of the project reads as the project,
/// but for what was refused.
void MonkeyTest::checkWindow() {
    QVERIFY(m_window->isVisible());
    const ProjectDocument& document = m_window->document();
    if (!document.hasRefusedTexts())
        QCOMPARE(readProject(document.yaml().toStdString(), {}).project, document.project());
}

void MonkeyTest::survivesRandomEvents() {
    const Refuser refuser;
    Monkey monkey(*m_window, seedOf(1));
    for (unsigned event = 0; event < eventCount(); ++event) {
        monkey.act();
        if (m_window->runs().isBusy())
            m_window->runs().cancel();
    }
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), stopMilliseconds);
    checkWindow();
}

void MonkeyTest::survivesRandomEventsDuringARun() {
    const Refuser refuser;
    Project project;
    project.prompt = "a red ball moving right on a black background";
    project.numInferenceSteps = 1000;
    project.devices = 2;
    project.iciContextParallelism = -1;
    project.attention = "ulysses";
    Monkey monkey(*m_window, seedOf(2));
    for (unsigned event = 0; event < eventCount(); ++event) {
        if (event % eventsPerRun == 0 && !m_window->runs().isBusy())
            m_window->runs().generate(project);
        monkey.act();
    }
    // Closing asks, and what goes on goes on: a run that the monkey has not cancelled, or else the search,
    // sweep or measurement that was begun meanwhile and keeps a run from beginning.
    if (m_window->runs().isBusy())
        m_window->runs().cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), stopMilliseconds);
    m_window->runs().generate(project);
    const bool runs = m_window->runs().isBusy();
    QVERIFY(!m_window->close());
    QVERIFY(m_window->isVisible());
    QCOMPARE(m_window->runs().isBusy(), runs);
    m_window->runs().cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy(), stopMilliseconds);
    checkWindow();
}

MESHREEL_TEST_CLASS(MonkeyTest)
#include "monkey_test.moc"
