// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "engine/events/run_event.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace meshreel {

class StageStrip;

/// Run, Pause, Resume and Cancel, why Run is not possible, and how far the run is, as a whole and by stages,
/// whose strip stands elsewhere in the window. Always of one height, but for the longest sentences; a focus
/// within the bar stays there.
class RunBar : public QWidget {
    Q_OBJECT

  public:
    explicit RunBar(QWidget* parent = nullptr);

    /// Empty when the project can be run.
    void setObstacle(const QString& reason);
    /// Why no run may begin or go on, whatever the project; empty when one may.
    void setEngineObstacle(const QString& reason);
    /// Whether there is a step left behind which the run can pause; there is when it begins.
    void setPausable(bool pausable);
    void showBusy();
    void follow(const RunEvent& event);
    /// The work is being stopped; `sentence` says how.
    void showStopping(const QString& sentence);
    /// `sentence` stays until the next run. `resumable`: the run that ended can go on.
    void showIdle(const QString& sentence, bool resumable = false);

    [[nodiscard]] QString statusText() const;
    [[nodiscard]] StageStrip& stages() const { return *m_stages; }

  signals:
    void runRequested();
    void pauseRequested();
    void resumeRequested();
    void cancelRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void showProgress(const Progress& progress);
    void refresh();
    void reserveHeight();
    void passFocusOn(bool mayRun);
    [[nodiscard]] bool mayPause() const { return m_busy && m_pausable && !m_stopping; }
    [[nodiscard]] bool mayResume() const { return !m_busy && m_resumable && m_engineObstacle.isEmpty(); }

    QPushButton* m_run;
    QPushButton* m_pause;
    QPushButton* m_resume;
    QPushButton* m_cancel;
    QProgressBar* m_progress;
    StageStrip* m_stages;
    QLabel* m_status;
    QWidget* m_news;  ///< status and progress
    QString m_obstacle;
    QString m_engineObstacle;
    QString m_sentence;
    bool m_busy = false;
    bool m_stopping = false;
    bool m_pausable = false;
    bool m_resumable = false;
};

}  // namespace meshreel
