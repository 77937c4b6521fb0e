// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QDBusUnixFileDescriptor>
#include <QObject>

class QWidget;

namespace meshreel {

class EngineUse;
class RunController;

/// What the Studio asks of the desktop around it: to stay awake while a run goes on, and to tell its end. On
/// systems that answer to neither nothing happens.
class DesktopSession : public QObject {
    Q_OBJECT

  public:
    explicit DesktopSession(QObject* parent = nullptr);
    /// On other buses, for tests.
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

/// Keeps the machine awake while the engine computes, and has the desktop tell the end of a run to whoever
/// looks elsewhere.
class RunNotices : public QObject {
    Q_OBJECT

  public:
    /// Nothing is told while `window` is the active one.
    RunNotices(const EngineUse& engine, const RunController& controller, QWidget* window);

  private:
    void keepAwake();
    void tell(const QString& title, const QString& text);

    const EngineUse& m_engine;
    DesktopSession* m_desktop;
    QWidget* m_window;
};

}  // namespace meshreel
