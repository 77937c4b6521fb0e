// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "engine/events/run_event.h"

class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace meshreel {

class ClampedText;
class StageStrip;

/// The status line of the window: Run, Pause, Resume and Cancel; why Run is not possible, which leads to the
/// first problem, or the progress of the run; and, at its end, the stages of the current run or else what the
/// window puts there. Its height is fixed; a focus within it stays there. During a run, Run queues.
class RunBar : public QWidget {
    Q_OBJECT

  public:
    explicit RunBar(QWidget* parent = nullptr);

    /// What is shown at the end while nothing runs; the bar owns it.
    void setOutlook(QWidget* outlook);
    /// Empty when the project can be run.
    void setObstacle(const QString& reason);
    /// Whether a run that was asked for begins as soon as the project is checked.
    void setChecking(bool checking);
    /// Why no run may begin or go on, whatever the project; empty when one may.
    void setEngineObstacle(const QString& reason);
    /// Whether there is a step left after which the run can pause; there is when it begins.
    void setPausable(bool pausable);
    void showBusy();
    void follow(const RunEvent& event);
    /// The work is being stopped; `sentence` says how.
    void showStopping(const QString& sentence);
    /// `sentence` stays until the next run or forgetOutcome(). `resumable`: the run that ended can be
    /// resumed.
    void showIdle(const QString& sentence, bool resumable = false);
    /// Names the run that Resume goes on with.
    void nameStopped(const QString& run);

    /// Another project or run is in sight: how the last run ended is not said of it. Resume stays, as the
    /// stopped run can still go on.
    void forgetOutcome();

    [[nodiscard]] QString statusText() const;
    [[nodiscard]] StageStrip& stages() const { return *m_stages; }

  signals:
    /// Also during a run: this one is to follow.
    void runRequested();
    /// The first problem was asked for.
    void problemRequested();
    void pauseRequested();
    void resumeRequested();
    void cancelRequested();

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showProgress(const Progress& progress);
    void refresh();
    void shareRoom();
    void passFocusOn(bool mayRun);
    [[nodiscard]] bool mayPause() const { return m_busy && m_pausable && !m_stopping; }
    [[nodiscard]] bool mayResume() const { return !m_busy && m_resumable && m_engineObstacle.isEmpty(); }

    QPushButton* m_run;
    QPushButton* m_pause;
    QPushButton* m_resume;
    QPushButton* m_cancel;
    QToolButton* m_toProblem;
    ClampedText* m_status;
    QProgressBar* m_progress;
    StageStrip* m_stages;
    QStackedWidget* m_end;  ///< stages, or the window's outlook
    QWidget* m_outlook = nullptr;
    QString m_obstacle;
    QString m_engineObstacle;
    QString m_sentence;
    bool m_checking = false;
    bool m_busy = false;
    bool m_isSharing = false;
    bool m_stopping = false;
    bool m_pausable = false;
    bool m_resumable = false;
};

}  // namespace meshreel
