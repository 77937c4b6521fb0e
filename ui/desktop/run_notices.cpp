// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/run_notices.h"

#include <QFileInfo>
#include <QWidget>

#include "ui/desktop/desktop_session.h"
#include "ui/window/run_presenter.h"

namespace meshreel {

RunNotices::RunNotices(RunPresenter& runs, QWidget* window)
    : QObject(window), m_desktop(new DesktopSession(this)), m_window(window) {
    connect(&runs, &RunPresenter::busyChanged, this, [this](bool busy) {
        if (busy)
            m_desktop->keepAwake(tr("A video is being generated"));
        else
            m_desktop->allowSleep();
    });
    connect(&runs.controller(), &RunController::finished, this, [this](const RunFinished& outcome) {
        tell(tr("The video is done"), QFileInfo(outcome.folder).fileName());
    });
    connect(&runs.controller(), &RunController::failed, this,
            [this](const Trouble& trouble) { tell(tr("The run failed"), trouble.message); });
}

void RunNotices::tell(const QString& title, const QString& text) {
    if (!m_window->isActiveWindow())
        m_desktop->notify(title, text);
}

}  // namespace meshreel
