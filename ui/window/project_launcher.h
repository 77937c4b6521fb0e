// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "engine/project/project.h"

class QWidget;

namespace meshreel {

class MessageBanner;
class ProjectDocument;
class RunPresenter;
class RunQueue;

/// Runs the window's project: now, when its turn comes, or over a grid of settings. All of it outlives this.
class ProjectLauncher : public QObject {
    Q_OBJECT

  public:
    ProjectLauncher(ProjectDocument& document, RunQueue& queue, RunPresenter& runs, MessageBanner& banner,
                    QWidget* window);

    // Projects with errors do not run; where nothing else shows that, the banner says so.
    void run();
    void addToQueue();
    /// Asks for the settings first.
    void addGridToQueue();

  signals:
    void begun();
    void queued();

  private:
    [[nodiscard]] Project project() const;

    ProjectDocument& m_document;
    RunQueue& m_queue;
    RunPresenter& m_runs;
    MessageBanner& m_banner;
    QWidget* m_window;
};

}  // namespace meshreel
