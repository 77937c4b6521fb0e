// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

class QWidget;

namespace meshreel {

class DesktopSession;
class EngineUse;
class RunController;

/// Keeps the machine awake while the engine computes, and lets the desktop announce the end of a run when the
/// user looks elsewhere.
class RunNotices : public QObject {
    Q_OBJECT

  public:
    /// Announces nothing while `window` is the active one.
    RunNotices(const EngineUse& engine, const RunController& controller, QWidget* window);

  private:
    void keepAwake();
    void tell(const QString& title, const QString& text);

    const EngineUse& m_engine;
    DesktopSession* m_desktop;
    QWidget* m_window;
};

}  // namespace meshreel
