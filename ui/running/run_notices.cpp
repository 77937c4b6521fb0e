// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/run_notices.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <QGuiApplication>
#include <QWidget>
#include <utility>

#include "ui/running/run_controller.h"
#include "ui/values/engine_texts.h"
#include "ui/values/engine_use.h"

namespace meshreel {

namespace {

constexpr int untilTheDesktopSaysSo = -1;  ///< how long a notification stays

}  // namespace

DesktopSession::DesktopSession(QObject* parent)
    : DesktopSession(QDBusConnection::sessionBus(), QDBusConnection::systemBus(), parent) {}

DesktopSession::DesktopSession(QDBusConnection session, QDBusConnection system, QObject* parent)
    : QObject(parent), m_session(std::move(session)), m_system(std::move(system)) {}

void DesktopSession::keepAwake(const QString& reason) {
    if (!m_system.isConnected() || m_awake.isValid())
        return;
    // https://www.freedesktop.org/wiki/Software/systemd/inhibit
    QDBusMessage call = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.login1"), QStringLiteral("/org/freedesktop/login1"),
        QStringLiteral("org.freedesktop.login1.Manager"), QStringLiteral("Inhibit"));
    call << QStringLiteral("sleep:idle") << QGuiApplication::applicationDisplayName() << reason
         << QStringLiteral("block");
    auto* answer = new QDBusPendingCallWatcher(m_system.asyncCall(call), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this,
            [this, number = ++m_asked](QDBusPendingCallWatcher* watcher) {
                const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *watcher;
                if (!reply.isError() && number == m_asked) {
                    m_awake = reply.value();
                    emit awakened();
                }
                watcher->deleteLater();
            });
}

void DesktopSession::allowSleep() {
    ++m_asked;
    m_awake = QDBusUnixFileDescriptor();
}

void DesktopSession::notify(const QString& title, const QString& text) {
    if (!m_session.isConnected())
        return;
    // https://specifications.freedesktop.org/notification-spec
    QDBusMessage call = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("/org/freedesktop/Notifications"),
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
    call << QGuiApplication::applicationDisplayName() << 0U << QGuiApplication::desktopFileName() << title
         << text << QStringList() << QVariantMap() << untilTheDesktopSaysSo;
    m_session.asyncCall(call);
}

namespace {

QString reasonFor(EngineWork work) {
    switch (work) {
        case EngineWork::Run:
            return RunNotices::tr("A video is being generated");
        case EngineWork::BlockSizes:
            return RunNotices::tr("Block sizes are being timed");
        case EngineWork::Sweep:
            return RunNotices::tr("A sweep is being timed");
        case EngineWork::Measurement:
            return RunNotices::tr("This machine is being measured");
    }
    return {};
}

}  // namespace

RunNotices::RunNotices(const EngineUse& engine, const RunController& controller, QWidget* window)
    : QObject(window), m_engine(engine), m_desktop(new DesktopSession(this)), m_window(window) {
    connect(&engine, &EngineUse::changed, this, &RunNotices::keepAwake);
    connect(&controller, &RunController::finished, this, [this](const RunFinished& outcome) {
        tell(tr("The video is done"), QFileInfo(outcome.folder).fileName());
    });
    connect(&controller, &RunController::failed, this,
            [this](const Problem& problem) { tell(tr("The run failed"), sentenceText(problem.message)); });
}

void RunNotices::keepAwake() {
    if (const std::optional<EngineWork> work = m_engine.atHand())
        m_desktop->keepAwake(reasonFor(*work));
    else
        m_desktop->allowSleep();
}

void RunNotices::tell(const QString& title, const QString& text) {
    if (!m_window->isActiveWindow())
        m_desktop->notify(title, text);
}

}  // namespace meshreel
