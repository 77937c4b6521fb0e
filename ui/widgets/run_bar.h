// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/controller/run_news.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace meshreel {

/// Run and Cancel, why Run is not possible, and how far the run is.
class RunBar : public QWidget {
    Q_OBJECT

  public:
    explicit RunBar(QWidget* parent = nullptr);

    /// Empty when the project can be run.
    void setObstacle(const QString& reason);
    void showBusy();
    void showProgress(const RunProgress& progress);
    /// The work is being stopped.
    void showStopping();
    /// `sentence` stays until the next run.
    void showIdle(const QString& sentence);

    [[nodiscard]] QString statusText() const;

  signals:
    void runRequested();
    void cancelRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();

    QPushButton* m_run;
    QPushButton* m_cancel;
    QProgressBar* m_progress;
    QLabel* m_status;
    QString m_obstacle;
    QString m_sentence;
    bool m_busy = false;
};

}  // namespace meshreel
