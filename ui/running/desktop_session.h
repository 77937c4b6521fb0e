// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QDBusUnixFileDescriptor>
#include <QObject>
#include <QString>

namespace meshreel {

/// What the Studio asks of its desktop: to stay awake during a run, and to announce its end. Does nothing on
/// systems that support neither.
class DesktopSession : public QObject {
    Q_OBJECT

  public:
    explicit DesktopSession(QObject* parent = nullptr);
    /// Uses other buses, for tests.
    DesktopSession(QDBusConnection session, QDBusConnection system, QObject* parent);

    /// Until allowSleep(), or until this process ends; `reason` is shown by the desktop.
    void keepAwake(const QString& reason);
    void allowSleep();
    [[nodiscard]] bool keepsAwake() const { return m_awake.isValid(); }

    void notify(const QString& title, const QString& text);

  signals:
    /// The system answered to keepAwake().
    void awakened();

  private:
    QDBusConnection m_session;
    QDBusConnection m_system;
    QDBusUnixFileDescriptor m_awake;  ///< logind keeps awake as long as it is open
    int m_asked = 0;
};

}  // namespace meshreel
