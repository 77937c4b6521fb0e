// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/desktop_session.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QStringList>
#include <QVariantMap>
#include <utility>

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

}  // namespace meshreel

#include "moc_desktop_session.cpp"
