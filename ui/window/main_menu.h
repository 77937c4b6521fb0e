// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QObject>

class QAction;
class QMainWindow;
class QMenu;
class QString;
class QUndoGroup;

namespace meshreel {

class DockHost;
class EngineUse;
class PredictionSource;
class ProjectDocument;
class ProjectFiles;
class ProjectLauncher;
class RateRefinement;
class RunPresenter;
class QueueTimes;
class RunQueue;
class StoryboardFiles;
class Workspaces;

/// The installed presets by model, each named as its file; what it says of itself is its tool tip.
class PresetMenu : public QMenu {
    Q_OBJECT

  public:
    explicit PresetMenu(QWidget* parent);

  signals:
    void chosen(const QString& file);

  private:
    void fill();
};

/// What entries of the menus reach by themselves. All of it outlives the menus.
struct MenuTargets {
    ProjectDocument& document;
    ProjectFiles& files;
    StoryboardFiles& storyboards;
    QUndoGroup& undo;  ///< of the project and the storyboard
    DockHost& docks;
    Workspaces& workspaces;
    RunQueue& queue;
    QueueTimes& queueTimes;
    RunPresenter& runs;
    ProjectLauncher& launcher;
    PredictionSource& predictions;
    RateRefinement& refinement;
    EngineUse& engine;
};

/// The menus and the bar of the window's workspaces. What concerns the window as a whole it is asked for.
class MainMenu : public QObject {
    Q_OBJECT

  public:
    /// Adds them to `window`.
    MainMenu(const MenuTargets& targets, QMainWindow& window);

  signals:
    void presetRequested(const QString& file);
    void looksRequested();
    void runFolderRequested();
    void importRequested();
    /// New runs are to go elsewhere.
    void runsFolderRequested();
    void searchRequested();
    /// By the prompt helper.
    void rewriteRequested();
    /// The waiting and the running ones are to be seen.
    void queueRequested();
    void fullScreenRequested();
    void referenceRequested();
    void tourRequested();

  private:
    [[nodiscard]] QMenu* addMenu(const QString& title);
    void makeFileMenu();
    void makeEditMenu();
    void makeViewMenu();
    void makeRunMenu();
    void makeHelpMenu();
    void makeToolBar();
    QWidget* makeQueueBadge(QWidget* parent);
    void showAbout();

    MenuTargets m_targets;
    QMainWindow& m_window;
    QAction* m_undo;
    QAction* m_redo;
};

}  // namespace meshreel
