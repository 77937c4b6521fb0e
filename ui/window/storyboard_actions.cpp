// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/storyboard_actions.h"

#include "ui/project/project_document.h"
#include "ui/running/run_controller.h"
#include "ui/runs/run_presenter.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/shot_editor.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/storyboard/storyboard_files.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/storyboard/storyboard_strip.h"
#include "ui/values/engine_use.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/dock_host.h"
#include "ui/window/path_opener.h"
#include "ui/window/project_files.h"

namespace meshreel {

StoryboardActions::StoryboardActions(const Places& places) : m_places(places) {
    connectFiles();
    connectMaking();
    refreshObstacle();
}

void StoryboardActions::connectFiles() {
    StoryboardFiles* files = &m_places.files;
    const StoryboardPanel* panel = &m_places.panel;
    connect(files, &StoryboardFiles::newRequested, this, &StoryboardActions::startNew);
    connect(&m_places.storyboard, &StoryboardDocument::fileChanged, this, [this] {
        if (!m_places.storyboard.file().empty())
            m_places.projectFiles.remember(QString::fromStdString(m_places.storyboard.file().string()));
    });
    connect(files, &StoryboardFiles::openRequested, &m_places.opener, &PathOpener::open);
    connect(files, &StoryboardFiles::aboutToStore, &panel->editor(), &ShotEditor::writeName);
    connect(files, &StoryboardFiles::wentWrong, &m_places.banner, &MessageBanner::showProblem);
    // Queued: a question inside a drop would keep the program that it came from waiting.
    connect(&m_places.opener, &PathOpener::storyboardRequested, this, &StoryboardActions::load,
            Qt::QueuedConnection);
    connect(panel, &StoryboardPanel::newRequested, this, &StoryboardActions::startNew);
    connect(panel, &StoryboardPanel::openRequested, files, &StoryboardFiles::askToOpen);
    connect(panel, &StoryboardPanel::saveRequested, files, &StoryboardFiles::save);
    connect(panel, &StoryboardPanel::wentWrong, &m_places.banner, &MessageBanner::showProblem);
    connect(panel, &StoryboardPanel::shareRequested, this,
            [this] { m_places.storyboard.shareProject(m_places.project.runnableProject()); });
}

void StoryboardActions::connectMaking() {
    const StoryboardPanel* panel = &m_places.panel;
    RunPresenter* runs = &m_places.runs;
    connect(panel, &StoryboardPanel::makeRequested, this, &StoryboardActions::makeFilm);
    connect(panel, &StoryboardPanel::cancelRequested, runs, &RunPresenter::cancel);
    connect(&runs->controller(), &RunController::happened, &m_places.panel, &StoryboardPanel::follow);
    connect(runs, &RunPresenter::busyChanged, this,
            [this](bool busy) { m_places.panel.setMaking(busy && m_places.runs.makesFilm()); });
    connect(runs, &RunPresenter::mayBeginChanged, this, &StoryboardActions::refreshObstacle);
}

void StoryboardActions::startNew() {
    if (!m_places.files.startNew(m_places.project.runnableProject()))
        return;
    m_places.docks.showPanel(&m_places.panel);
    m_places.panel.editor().focusPrompt();
}

void StoryboardActions::load(const QString& path) {
    if (!m_places.files.load(path))
        return;
    m_places.docks.showPanel(&m_places.panel);
    m_places.panel.strip().setFocus(Qt::OtherFocusReason);
    emit opened(path);
}

/// A film is called after its file.
void StoryboardActions::makeFilm() {
    if (m_places.storyboard.file().empty() && !m_places.files.save())
        return;
    m_places.banner.closeAll();
    const FilmWatch& watch = m_places.panel.watch();
    m_places.runs.makeFilm(m_places.storyboard.board(), watch.folder(), watch.basis());
}

void StoryboardActions::refreshObstacle() {
    m_places.panel.setObstacle(m_places.runs.isBusy() ? tr("A run is in progress: wait until it ends.")
                                                      : m_places.engine.obstacleTo(EngineWork::Run));
}

}  // namespace meshreel

#include "moc_storyboard_actions.cpp"
