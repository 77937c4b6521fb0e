// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <filesystem>
#include <functional>

#include "engine/project/project.h"
#include "ui/runs/use_menu.h"
#include "ui/values/background.h"

namespace meshreel {

class DockHost;
class MessageBanner;
class ProjectDocument;
class ProjectEditor;
class ProjectFiles;
class ResultsView;
class RunPresenter;
struct MessageAction;

/// Where what is opened goes. All of it outlives the PathOpener.
struct OpeningPlaces {
    ProjectDocument& document;
    ProjectFiles& files;
    RunPresenter& runs;
    ResultsView& results;
    ProjectEditor& editor;
    DockHost& docks;
    MessageBanner& banner;
};

/// Opens what people choose or drop: project files, run folders, videos, and pictures as inputs; models,
/// their parts and adapters become the project's. Emits signals for comparing and importing. Shows problems
/// in the banner. Reads runs and videos on another thread; a later request replaces them.
class PathOpener : public QObject {
    Q_OBJECT

  public:
    PathOpener(const OpeningPlaces& places, QObject* parent);

    void open(const QString& path);
    /// Opens one path; or several pictures, which become reference images; or several runs, which are
    /// compared. Rejects any other combination with a message.
    void openDropped(const QStringList& paths);
    /// Shows a run beside the present project.
    void showRun(const QString& folder);
    void useProjectOfRun(const QString& folder);
    /// Lets the present project go on from a run's video or a video file, after this frame or, where it is
    /// -1, the last one: one step of undoing.
    void continueClip(const QString& clip, int frame);
    /// Lets a result or a frame of it be an input of the present project, which takes a task and a model that
    /// it is for where its own are not: one step of undoing. A frame is kept as a file (keepFrame()).
    void useResult(const UseRequest& request);
    /// Takes over these settings of a run, and no others: one step of undoing.
    void usePart(const QString& folder, RunPart part);
    /// The project of the file as a new one.
    void usePreset(const QString& file);
    /// Asks first if the present project would be lost. `origin` says where it comes from.
    void useProject(const Project& project, const QString& origin);

  signals:
    /// A storyboard was chosen or dropped.
    void storyboardRequested(const QString& path);
    /// It is shown.
    void opened(const QString& path);
    /// Runs that were dropped together.
    void compareRequested(const QStringList& folders);
    /// The project has a seed now that a file, a run or a video fixes.
    void seedGiven();
    /// A table (CSV), whose rows are to be queued.
    void tableGiven(const QStringList& file);
    /// A config of MaxDiffusion; its report is to be shown first.
    void importRequested(const QString& file);

  private:
    /// Calls `then` when the project of the run has taken the place of the present one.
    void takeProjectOfRun(const QString& folder, const std::function<void()>& then);
    void openVideoFile(const QString& path);
    void useWeights(const QString& path);
    /// Throws Error for a picture whose look cannot be used.
    void useLook(const QString& path);
    void useInput(const char* key, const QStringList& paths);
    /// Sets a key to what was dropped, and shows it.
    void useText(const char* key, const QString& text);
    /// Says what another program wrote into a picture or a video, which is not read.
    void tellForeign(const QString& path);
    void takeAs(ResultUse use, const std::filesystem::path& file);
    [[nodiscard]] MessageAction undoAction();
    /// Returns whether a project out of a run or video in the folder may replace the present one: the user
    /// agrees to what it names, and nothing would be lost.
    bool mayTakeOver(const Project& project, const QString& folder);
    void takeOver(const Project& project, const QString& origin);

    OpeningPlaces m_places;
    LatestOnly m_reading;
};

}  // namespace meshreel
