// SPDX-License-Identifier: GPL-3.0-or-later
// What a run uses and tells, and what the desktop is asked for meanwhile.
#include <fcntl.h>
#include <unistd.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QDBusConnection>
#include <QDBusUnixFileDescriptor>
#include <QLineEdit>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>
#include <QTreeView>
#include <cmath>

#include "ui/activity/activity_graph.h"
#include "ui/activity/activity_panel.h"
#include "ui/desktop/desktop_session.h"

using namespace meshreel;

namespace {

/// A bus of its own for the test.
class PrivateBus {
  public:
    PrivateBus() {
        m_daemon.start(
            QStringLiteral("dbus-daemon"),
            {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
        if (m_daemon.waitForStarted() && m_daemon.waitForReadyRead())
            m_address = QString::fromLocal8Bit(m_daemon.readAllStandardOutput()).trimmed();
    }
    ~PrivateBus() {
        m_daemon.kill();
        m_daemon.waitForFinished();
    }
    [[nodiscard]] QDBusConnection connection(const QString& name) const {
        return QDBusConnection::connectToBus(m_address, name);
    }

  private:
    QProcess m_daemon;
    QString m_address;
};

}  // namespace

/// logind and the notification server, as far as the Studio talks to them.
class FakeDesktop : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.login1.Manager")

  public slots:
    QDBusUnixFileDescriptor Inhibit(const QString& what, const QString& /*who*/, const QString& why,
                                    const QString& mode) {
        inhibited = what + QLatin1Char('|') + why + QLatin1Char('|') + mode;
        int ends[2] = {-1, -1};
        if (pipe(ends) != 0)
            return {};
        reader = ends[0];
        fcntl(reader, F_SETFL, O_NONBLOCK);
        const QDBusUnixFileDescriptor held(ends[1]);
        close(ends[1]);
        return held;
    }

  public:
    /// Whether nobody holds what Inhibit() gave away.
    [[nodiscard]] bool released() const {
        char byte = 0;
        return read(reader, &byte, 1) == 0;
    }

    QString inhibited;
    int reader = -1;
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

class ActivityTest : public QObject {
    Q_OBJECT

  private slots:
    void samplesAreRatesSinceTheOneBefore();
    void manySamplesAreThinned();
    void graphSaysItsValue();
    void panelFollowsARun();
    void logIsSearchedAndFiltered();
    void desktopIsKeptAwakeAndTold();
    void nothingHappensWithoutABus();
};

void ActivityTest::samplesAreRatesSinceTheOneBefore() {
    ActivitySamples samples;
    samples.add(0, 100, 5);
    QVERIFY(samples.samples().empty());
    samples.add(2, 106, 7);
    samples.add(2, 107, 7);  // no time has gone by
    QCOMPARE(samples.samples().size(), 1U);
    QCOMPARE(samples.samples()[0].busyCpus, 3.0);
    QCOMPARE(samples.samples()[0].bytes, std::uint64_t{7});
    samples.clear();
    samples.add(0, 200, 5);
    QVERIFY(samples.samples().empty());
    QVERIFY(processCpuSeconds() > 0);
}

void ActivityTest::manySamplesAreThinned() {
    ActivitySamples samples;
    for (std::size_t i = 0; i <= 3 * ActivitySamples::mostSamples; ++i)
        samples.add(static_cast<double>(i), static_cast<double>(i), 1);
    QVERIFY(samples.samples().size() <= ActivitySamples::mostSamples);
    QVERIFY(samples.samples().size() >= ActivitySamples::mostSamples / 2);
    QCOMPARE(samples.samples().back().seconds, 3.0 * ActivitySamples::mostSamples);
}

void ActivityTest::graphSaysItsValue() {
    ActivityGraph graph(QStringLiteral("Processors"), [](double value) { return QString::number(value); });
    QCOMPARE(graph.valueText(), QStringLiteral("Processors"));
    graph.setPoints({{0, 1}, {1, 3}}, 4);
    QCOMPARE(graph.valueText(), QStringLiteral("Processors: 3 of 4"));
    QCOMPARE(graph.accessibleDescription(), graph.valueText());
    QVERIFY(!graph.grab().isNull());
}

void ActivityTest::panelFollowsARun() {
    ActivityPanel panel;
    panel.resize(600, 300);
    panel.show();
    panel.begin();
    QTRY_VERIFY(panel.samples().samples().size() >= 2);
    panel.end();
    const std::size_t count = panel.samples().samples().size();
    QVERIFY(panel.samples().samples().back().bytes > 0);
    QTest::qWait(700);  // longer than the time between two samples
    QCOMPARE(panel.samples().samples().size(), count);
    panel.begin();
    QVERIFY(panel.samples().samples().size() < count);
}

void ActivityTest::logIsSearchedAndFiltered() {
    ActivityPanel panel;
    const QAbstractItemModelTester tester(&panel.log(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    panel.addLines({{QTime(8, 0), QStringLiteral("Loading the model"), false},
                    {QTime(8, 1), QStringLiteral("the cache is full"), true},
                    {QTime(8, 2), QStringLiteral("Step 1: 2 s"), false}});
    panel.addLines({});
    const QAbstractItemModel& shown = *panel.view().model();
    QCOMPARE(shown.rowCount(), 3);
    panel.search().setText(QStringLiteral("STEP"));
    QCOMPARE(shown.rowCount(), 1);
    QCOMPARE(shown.index(0, LogModel::When).data().toString(), QStringLiteral("08:02:00"));
    panel.search().clear();
    panel.warningsOnly().setChecked(true);
    QCOMPARE(shown.rowCount(), 1);
    QCOMPARE(shown.index(0, LogModel::Words).data().toString(), QStringLiteral("the cache is full"));
    panel.begin();
    QCOMPARE(panel.log().rowCount(), 0);
}

void ActivityTest::desktopIsKeptAwakeAndTold() {
    if (QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty())
        QSKIP("This needs the program dbus-daemon (Debian package dbus-daemon)");
    const PrivateBus bus;
    FakeDesktop logind;
    FakeNotifications notifications;
    QDBusConnection server = bus.connection(QStringLiteral("server"));
    QVERIFY(server.registerService(QStringLiteral("org.freedesktop.login1")));
    QVERIFY(server.registerObject(QStringLiteral("/org/freedesktop/login1"), &logind,
                                  QDBusConnection::ExportAllSlots));
    QVERIFY(server.registerService(QStringLiteral("org.freedesktop.Notifications")));
    QVERIFY(server.registerObject(QStringLiteral("/org/freedesktop/Notifications"), &notifications,
                                  QDBusConnection::ExportAllSlots));

    const QDBusConnection client = bus.connection(QStringLiteral("client"));
    DesktopSession desktop(client, client, nullptr);
    QSignalSpy awakened(&desktop, &DesktopSession::awakened);
    desktop.keepAwake(QStringLiteral("a run"));
    QTRY_COMPARE(awakened.count(), 1);
    QCOMPARE(logind.inhibited, QStringLiteral("sleep:idle|a run|block"));
    QVERIFY(!logind.released());
    desktop.allowSleep();
    QTRY_VERIFY(logind.released());
    desktop.notify(QStringLiteral("Done"), QStringLiteral("ball"));
    QTRY_COMPARE(notifications.told, QStringList({QStringLiteral("Done|ball")}));
    close(logind.reader);
}

void ActivityTest::nothingHappensWithoutABus() {
    const QDBusConnection none =
        QDBusConnection::connectToBus(QStringLiteral("unix:path=/nowhere"), QStringLiteral("none"));
    DesktopSession desktop(none, none, nullptr);
    desktop.keepAwake(QStringLiteral("a run"));
    desktop.notify(QStringLiteral("Done"), {});
    desktop.allowSleep();
    QVERIFY(!desktop.keepsAwake());
}

QTEST_MAIN(ActivityTest)
#include "activity_test.moc"
