// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "engine/project/project.h"
#include "ui/controller/run_controller.h"

namespace meshreel {

class MessageBanner;
class ResultsView;
class RunBar;

/// Shows the engine's job: what it tells goes to the results, the run bar and, when it needs a word, the
/// banner.
class RunPresenter : public QObject {
    Q_OBJECT

  public:
    RunPresenter(RunBar& bar, ResultsView& results, MessageBanner& banner, QObject* parent);

    [[nodiscard]] RunController& controller() { return m_controller; }
    [[nodiscard]] bool isBusy() const { return m_controller.isBusy(); }

    // Nothing happens while a job goes on.
    void generate(const Project& project);
    void resume(const QString& folder, bool allowDifferentMachine);
    void decodeAgain(const QString& folder);
    /// The run that was stopped last.
    void resumeStopped();

    void cancel();
    /// At the end of the step at hand.
    void pause();

  signals:
    /// A job began, found its folder, or ended: the history looks different.
    void runsChanged();
    void busyChanged(bool busy);
    /// The run of this folder is shown, done.
    void runShown(const QString& folder);

  private:
    void connectController();
    void begin();
    void takeUp(const OpenedRun& run);
    void showFinished(const RunFinished& outcome);
    void end(const QString& sentence, bool resumable = false);

    RunController m_controller;
    RunBar& m_bar;
    ResultsView& m_results;
    MessageBanner& m_banner;
    QString m_folder;         ///< of the run at hand or the last one; empty until it is known
    bool m_denoises = false;  ///< the job at hand can be gone on with, unlike decoding again
};

}  // namespace meshreel
