// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

#include "engine/project/project.h"

class QWidget;

namespace meshreel {

class MessageBanner;
class PlanWatch;
class ProjectDocument;
class RunPresenter;
class RunQueue;
struct Problem;

/// Runs the window's project: now, when its turn comes, or over a grid of settings. All of it outlives this.
class ProjectLauncher : public QObject {
    Q_OBJECT

  public:
    ProjectLauncher(ProjectDocument& document, const PlanWatch& planWatch, RunQueue& queue,
                    RunPresenter& runs, MessageBanner& banner, QWidget* window);

    /// What keeps the project from running, its field first; empty when nothing that is known does. Of the
    /// forecast that is when none is pending.
    [[nodiscard]] QString obstacle() const;

    // Projects with an obstacle do not run; where nothing else shows that, the banner says so.
    void run();
    void addToQueue();
    /// Asks for the settings first.
    void addGridToQueue();
    /// Takes project files and run folders; the message names what cannot be queued.
    void addFilesToQueue(const QStringList& paths);

  signals:
    void begun();
    void queued();

  private:
    [[nodiscard]] Project project() const;
    /// Errors of the forecast that pass are none.
    [[nodiscard]] QString obstacleUnless(bool (*passes)(const Problem&)) const;

    ProjectDocument& m_document;
    const PlanWatch& m_planWatch;
    RunQueue& m_queue;
    RunPresenter& m_runs;
    MessageBanner& m_banner;
    QWidget* m_window;
};

}  // namespace meshreel
