// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "engine/film/storyboard.h"
#include "engine/planning/forecast.h"
#include "engine/project/project.h"
#include "ui/running/event_queue.h"
#include "ui/running/run_controller.h"
#include "ui/values/opened_run.h"

namespace meshreel {

class MessageBanner;
class ResultsView;
class RunBar;

/// Shows the engine's job: its events go to the results, the run bar and, when it needs a word, the
/// banner.
class RunPresenter : public QObject {
    Q_OBJECT

  public:
    RunPresenter(RunBar& bar, ResultsView& results, MessageBanner& banner, QObject* parent);

    [[nodiscard]] RunController& controller() { return m_controller; }
    [[nodiscard]] bool isBusy() const { return m_controller.isBusy(); }
    /// Returns whether the current job makes a film, or the last one did.
    [[nodiscard]] bool makesFilm() const { return m_makesFilm; }
    /// Returns the folder of the current run, or else of the last; empty until it is known.
    [[nodiscard]] const QString& folder() const { return m_folder; }

    /// Why no job may begin although none is running; empty when one may.
    void setObstacle(const QString& reason);
    [[nodiscard]] bool mayBegin() const { return !isBusy() && m_obstacle.isEmpty(); }

    // Does nothing unless a job may begin.
    void generate(const Project& project);
    void resume(const QString& folder, bool allowDifferentMachine);
    void decodeAgain(const QString& folder);
    /// As RunController::makeFilm(); the results follow the shot that is made.
    void makeFilm(const Storyboard& storyboard, const std::filesystem::path& folder,
                  const std::shared_ptr<const PredictionBasis>& basis);
    /// The run that was stopped last.
    void resumeStopped();

    void cancel();
    /// Pauses at the end of the current step; does nothing when no step is left.
    void pause();

  signals:
    /// A job began, found its folder, or ended: the history looks different.
    void runsChanged();
    void busyChanged(bool busy);
    void mayBeginChanged(bool may);
    /// Whether there is a step left after which the current job can pause.
    void pausableChanged(bool pausable);
    /// The run of this folder is shown, done.
    void runShown(const QString& folder);

  private:
    void connectController();
    void follow(const std::vector<StudioEvent>& events);
    void followShots(const std::vector<StudioEvent>& events);
    void begin();
    void setPausable(bool pausable);
    void takeUp(const OpenedRun& run);
    void showFinished(const RunFinished& outcome);
    void end(const QString& sentence, bool resumable = false);

    RunController m_controller;
    RunBar& m_bar;
    ResultsView& m_results;
    MessageBanner& m_banner;
    QString m_folder;
    QString m_obstacle;
    int m_stepsDone = 0;  ///< in the current job or the last one
    int m_steps = 0;
    bool m_pausable = false;
    bool m_makesFilm = false;
    bool m_denoises = false;  ///< the current job can be resumed, unlike decoding again
};

}  // namespace meshreel
