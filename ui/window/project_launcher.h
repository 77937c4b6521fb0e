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
    ProjectLauncher(ProjectDocument& document, PlanWatch& planWatch, RunQueue& queue, RunPresenter& runs,
                    MessageBanner& banner, QWidget* window);

    /// Returns what keeps the project from running, its field first; empty when nothing known does. Includes
    /// the forecast unless one is pending; run() waits for a pending one.
    [[nodiscard]] QString obstacle() const;

    // Projects with an obstacle do not run: it is pointed at. What was edited since the last forecast is
    // checked first.
    /// Runs at once, or after the current run; several with seeds of their own, one after the other, if
    /// requested.
    void run();
    void addToQueue();
    /// Asks for the settings first.
    void addGridToQueue();
    /// Takes project files, run folders and tables (CSV), each of whose rows is a run of the window's
    /// project; the message names what cannot be queued.
    void addFilesToQueue(const QStringList& paths);
    /// Asks for a table first.
    void addTableToQueue();

    /// How many videos run() makes. More than one, or fresh seeds: each has a random seed.
    void setVideos(int videos) { m_videos = videos; }
    void setFreshSeeds(bool fresh) { m_freshSeeds = fresh; }

  signals:
    /// Whether the project begins as soon as it is checked, unless it is edited before.
    void checking(bool isChecking);
    /// A run begins, of the document as it is now.
    void begun();
    void queued();
    /// What is queued is to run without being asked again.
    void queueWanted();
    /// The project cannot run: its problems are to be shown.
    void stoppedByProblems();

  private:
    [[nodiscard]] bool isChecked(void (ProjectLauncher::*then)());
    void goOn();
    void takeFreshSeed();
    /// Queues the rows that can run, and adds a line to `refused` for each other one. Throws Error for a file
    /// that is no table, and for one that the user does not agree to.
    void queueTable(const QString& path, QStringList& refused);
    [[nodiscard]] Project project() const;
    /// Errors of the forecast that pass are none.
    [[nodiscard]] QString obstacleUnless(bool (*passes)(const Problem&)) const;

    ProjectDocument& m_document;
    PlanWatch& m_planWatch;
    RunQueue& m_queue;
    RunPresenter& m_runs;
    MessageBanner& m_banner;
    QWidget* m_window;
    void (ProjectLauncher::*m_waiting)() = nullptr;  ///< what begins once the project is checked
    int m_videos = 1;
    bool m_freshSeeds = false;
};

}  // namespace meshreel
