// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop is asked for while a run goes on, and what it is told at the end: by way of a bus and
// services of the test's own.
#include <fcntl.h>
#include <unistd.h>

#include <QDBusConnection>
#include <QDBusUnixFileDescriptor>
#include <QFileInfo>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/support/charts/test_classes.h"
#include "ui/running/desktop_session.h"
#include "ui/running/run_bar.h"
#include "ui/running/run_controller.h"
#include "ui/running/run_notices.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/studies/tile_tuner.h"
#include "ui/values/engine_use.h"
#include "ui/widgets/message_banner.h"

using namespace meshreel;

namespace {

constexpr int runMilliseconds = 60'000;  ///< more than any run here takes on a busy machine

class PrivateBus {
  public:
    PrivateBus() {
        m_daemon.start(
            QStringLiteral("dbus-daemon"),
            {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
        if (m_daemon.waitForStarted() && m_daemon.waitForReadyRead())
            m_address = m_daemon.readAllStandardOutput().trimmed();
    }
    ~PrivateBus() {
        m_daemon.kill();
        m_daemon.waitForFinished();
    }
    [[nodiscard]] const QByteArray& address() const { return m_address; }
    [[nodiscard]] QDBusConnection connection(const QString& name) const {
        return QDBusConnection::connectToBus(QString::fromLocal8Bit(m_address), name);
    }

  private:
    QProcess m_daemon;
    QByteArray m_address;
};

/// The embedded model, a few steps of a small video.
Project smallProject(int steps) {
    Project project;
    project.prompt = "a ball";
    project.width = project.height = 32;
    project.numFrames = 5;
    project.numInferenceSteps = steps;
    return project;
}

/// What shows a run, and notices of it for a window.
struct Stage {
    QWidget window;
    RunBar bar;
    ResultsView results;
    MessageBanner banner{&window};
    RunPresenter runs{bar, results, banner, nullptr};
    TileTuner tuner;
    EngineUse engine;

    Stage() {
        engine.watch(EngineWork::Run, runs, &RunPresenter::busyChanged);
        engine.watch(EngineWork::BlockSizes, tuner, &TileTuner::busyChanged);
        new RunNotices(engine, runs.controller(), &window);
    }
};

}  // namespace

/// logind, as far as the Studio talks to it.
class FakeLogind : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.login1.Manager")

  public slots:
    QDBusUnixFileDescriptor Inhibit(const QString& what, const QString& /*who*/, const QString& why,
                                    const QString& mode) {
        forget();
        inhibited = what + QLatin1Char('|') + why + QLatin1Char('|') + mode;
        int ends[2] = {-1, -1};
        if (pipe(ends) != 0)
            return {};
        m_reader = ends[0];
        fcntl(m_reader, F_SETFL, O_NONBLOCK);
        const QDBusUnixFileDescriptor held(ends[1]);
        close(ends[1]);
        return held;
    }

  public:
    ~FakeLogind() override { forget(); }

    /// Whether nobody holds what Inhibit() gave away.
    [[nodiscard]] bool released() const {
        char byte = 0;
        return m_reader >= 0 && read(m_reader, &byte, 1) == 0;
    }

    void forget() {
        if (m_reader >= 0)
            close(m_reader);
        m_reader = -1;
        inhibited.clear();
    }

    QString inhibited;

  private:
    int m_reader = -1;
};

class FakeNotifications : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

  public slots:
    uint Notify(const QString& /*application*/, uint /*replaces*/, const QString& /*icon*/,
                const QString& title, const QString& text, const QStringList& /*actions*/,
                const QVariantMap& /*hints*/, int /*milliseconds*/) {
        told += title + QLatin1Char('|') + text;
        return 1;
    }

  public:
    QStringList told;
};

class DesktopTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void desktopIsKeptAwakeAndTold();
    void sleepIsAllowedThoughTheAnswerComesLater();
    void nothingHappensWithoutABus();
    void runsKeepAwakeAndTellTheirEnd();
    void studiesKeepAwake();
    void failuresAreTold();
    void whoeverCancelledIsNotTold();
    void whoeverLooksIsNotTold();

  private:
    QTemporaryDir m_folder;
    std::unique_ptr<PrivateBus> m_bus;
    FakeLogind m_logind;
    FakeNotifications m_notifications;
};

void DesktopTest::initTestCase() {
    qputenv("MESHREEL_RUNS", m_folder.filePath(QStringLiteral("runs")).toLocal8Bit());
    if (QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty())
        QSKIP("This needs the program dbus-daemon (Debian package dbus-daemon)");
    m_bus = std::make_unique<PrivateBus>();
    for (const char* bus : {"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"})
        qputenv(bus, m_bus->address());
    QDBusConnection server = m_bus->connection(QStringLiteral("server"));
    QVERIFY(server.registerService(QStringLiteral("org.freedesktop.login1")));
    QVERIFY(server.registerObject(QStringLiteral("/org/freedesktop/login1"), &m_logind,
                                  QDBusConnection::ExportAllSlots));
    QVERIFY(server.registerService(QStringLiteral("org.freedesktop.Notifications")));
    QVERIFY(server.registerObject(QStringLiteral("/org/freedesktop/Notifications"), &m_notifications,
                                  QDBusConnection::ExportAllSlots));
}

void DesktopTest::init() {
    m_logind.forget();
    m_notifications.told.clear();
}

void DesktopTest::desktopIsKeptAwakeAndTold() {
    const QDBusConnection client = m_bus->connection(QStringLiteral("client"));
    DesktopSession desktop(client, client, nullptr);
    QSignalSpy awakened(&desktop, &DesktopSession::awakened);
    desktop.keepAwake(QStringLiteral("a run"));
    QTRY_COMPARE(awakened.count(), 1);
    QCOMPARE(m_logind.inhibited, QStringLiteral("sleep:idle|a run|block"));
    QVERIFY(!m_logind.released());
    desktop.allowSleep();
    QTRY_VERIFY(m_logind.released());
    desktop.notify(QStringLiteral("Done"), QStringLiteral("ball"));
    QTRY_COMPARE(m_notifications.told, QStringList({QStringLiteral("Done|ball")}));
}

void DesktopTest::sleepIsAllowedThoughTheAnswerComesLater() {
    const QDBusConnection client = m_bus->connection(QStringLiteral("late"));
    DesktopSession desktop(client, client, nullptr);
    desktop.keepAwake(QStringLiteral("a short run"));
    desktop.allowSleep();  // nothing of the answer was heard yet
    QTRY_VERIFY(!m_logind.inhibited.isEmpty());
    QTRY_VERIFY(m_logind.released());
    QVERIFY(!desktop.keepsAwake());
}

void DesktopTest::nothingHappensWithoutABus() {
    const QDBusConnection none =
        QDBusConnection::connectToBus(QStringLiteral("unix:path=/nowhere"), QStringLiteral("none"));
    DesktopSession desktop(none, none, nullptr);
    desktop.keepAwake(QStringLiteral("a run"));
    desktop.notify(QStringLiteral("Done"), {});
    desktop.allowSleep();
    QVERIFY(!desktop.keepsAwake());
}

void DesktopTest::runsKeepAwakeAndTellTheirEnd() {
    Stage stage;
    QSignalSpy finished(&stage.runs.controller(), &RunController::finished);
    stage.runs.generate(smallProject(3));
    const auto isInhibited = [this] {
        return m_logind.inhibited.startsWith(QLatin1String("sleep:idle|")) &&
               m_logind.inhibited.endsWith(QLatin1String("|block"));
    };
    QTRY_VERIFY(isInhibited());
    QVERIFY(stage.runs.isBusy());
    QVERIFY(!m_logind.released());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, runMilliseconds);
    const QString folder = finished.first().first().value<RunFinished>().folder;
    QTRY_VERIFY(m_logind.released());
    QTRY_COMPARE(m_notifications.told.size(), 1);
    QVERIFY(m_notifications.told.constFirst().endsWith(QLatin1Char('|') + QFileInfo(folder).fileName()));
}

void DesktopTest::studiesKeepAwake() {
    Stage stage;
    QSignalSpy cancelled(&stage.tuner, &TileTuner::cancelled);
    stage.tuner.start(smallProject(1), {.timing = {.iterations = 10000}});
    QTRY_VERIFY(m_logind.inhibited.startsWith(QLatin1String("sleep:idle|")));
    QVERIFY(!m_logind.released());
    stage.tuner.cancel();
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, runMilliseconds);
    QTRY_VERIFY(m_logind.released());
}

void DesktopTest::failuresAreTold() {
    Stage stage;
    Project project = smallProject(3);
    project.model = "no-such-model";
    stage.runs.generate(project);
    QTRY_COMPARE_WITH_TIMEOUT(m_notifications.told.size(), 1, runMilliseconds);
    const QString told = m_notifications.told.constFirst();
    QVERIFY2(told.section(QLatin1Char('|'), 1).contains(QLatin1String("no-such-model")), "it says why");
    QTRY_VERIFY(m_logind.released());
}

void DesktopTest::whoeverCancelledIsNotTold() {
    Stage stage;
    QSignalSpy cancelled(&stage.runs.controller(), &RunController::cancelled);
    stage.runs.generate(smallProject(1000));
    QTRY_VERIFY(!m_logind.inhibited.isEmpty());
    stage.runs.cancel();
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, runMilliseconds);
    QTRY_VERIFY(m_logind.released());
    QCOMPARE(m_notifications.told, QStringList());
}

void DesktopTest::whoeverLooksIsNotTold() {
    Stage stage;
    stage.window.show();
    stage.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&stage.window));
    QSignalSpy finished(&stage.runs.controller(), &RunController::finished);
    stage.runs.generate(smallProject(1));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, runMilliseconds);
    QTRY_VERIFY(m_logind.released());
    QVERIFY(!QTest::qWaitFor([this] { return !m_notifications.told.isEmpty(); }, 100));
}

MESHREEL_TEST_CLASS(DesktopTest)
#include "desktop_test.moc"
