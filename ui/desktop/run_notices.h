// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace meshreel {

class DesktopSession;
class RunPresenter;

/// Keeps the machine awake while a run goes on, and has the desktop tell its end to whoever looks elsewhere.
class RunNotices : public QObject {
    Q_OBJECT

  public:
    /// Nothing is told while `window` is the active one.
    RunNotices(RunPresenter& runs, QWidget* window);

  private:
    void tell(const QString& title, const QString& text);

    DesktopSession* m_desktop;
    QWidget* m_window;
};

}  // namespace meshreel
