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

    void generate(const Project& project);
    void resume(const QString& folder, bool allowDifferentMachine);
    void decodeAgain(const QString& folder);
    void cancel();

  signals:
    /// A job began, found its folder, or ended: the history looks different.
    void runsChanged();
    void busyChanged(bool busy);
    /// The run of this folder is shown, done.
    void runShown(const QString& folder);

  private:
    void connectController();
    void begin();
    void showFinished(const RunFinished& outcome);
    void end(const QString& sentence);

    RunController m_controller;
    RunBar& m_bar;
    ResultsView& m_results;
    MessageBanner& m_banner;
};

}  // namespace meshreel
