// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace meshreel {

class DockHost;
class EngineUse;
class MessageBanner;
class PathOpener;
class ProjectDocument;
class ProjectFiles;
class RunPresenter;
class StoryboardDocument;
class StoryboardFiles;
class StoryboardPanel;

/// Does to the storyboard and its film what their panel and the menus ask for, and tells the panel whether
/// its film can be made. All of it outlives this.
class StoryboardActions : public QObject {
    Q_OBJECT

  public:
    struct Places {
        StoryboardDocument& storyboard;
        StoryboardFiles& files;
        ProjectDocument& project;  ///< whose settings a new storyboard has
        ProjectFiles& projectFiles;
        StoryboardPanel& panel;
        DockHost& docks;
        PathOpener& opener;
        RunPresenter& runs;
        const EngineUse& engine;
        MessageBanner& banner;
    };

    explicit StoryboardActions(const Places& places);

  signals:
    /// It is shown.
    void opened(const QString& path);

  private:
    void connectFiles();
    void connectMaking();
    void startNew();
    void load(const QString& path);
    void makeFilm();
    void refreshObstacle();

    Places m_places;
};

}  // namespace meshreel
