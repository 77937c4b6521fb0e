// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSize>

class QWidget;

namespace meshreel {

class DockHost;
class DrawerBar;
class EngineUse;
class MessageBanner;
class ProjectDocument;
class ProjectFiles;
class ProjectRecovery;
class RunQueue;
class StoryboardDocument;
class StoryboardFiles;
class StoryboardRecovery;
class StudioPanels;
class Workspaces;

/// A window ends with nothing lost and begins as it ended: what is edited, what waits and what it looks like.
/// All of it outlives this.
class SessionKeeper : public QObject {
    Q_OBJECT

  public:
    struct Places {
        QWidget& window;
        ProjectDocument& document;
        ProjectFiles& files;
        StoryboardDocument& storyboard;
        StoryboardFiles& storyboardFiles;
        RunQueue& queue;
        const EngineUse& engine;
        const StudioPanels& panels;
        DockHost& docks;
        Workspaces& workspaces;
        DrawerBar& drawer;
        MessageBanner& banner;
    };

    explicit SessionKeeper(const Places& places);

    /// Brings back what the window looked like, on the screen that there is.
    void restoreLayout();
    /// Brings back what was being edited when the program ended last, and says how many runs wait
    /// unless the queue is going.
    void goOn();
    /// Keeps everything, once nothing would be lost or stopped that the user wants. Returns whether the
    /// window may close.
    [[nodiscard]] bool end();

  protected:
    /// Of the window.
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void goOnWithProject();
    void goOnWithStoryboard();
    void goOnWithQueue();
    void saveLayout() const;

    Places m_places;
    ProjectRecovery* m_recovery;
    StoryboardRecovery* m_storyboardRecovery;
    QSize m_fittedSize;  ///< to fit its screen with a frame that is not known yet
};

}  // namespace meshreel
