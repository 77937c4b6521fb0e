// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace meshreel {

/// Stands where the predicted time would: offers to measure the machine, and tells how far that is.
class MeasureItem : public QWidget {
    Q_OBJECT

  public:
    explicit MeasureItem(QWidget* parent = nullptr);

    /// Offers the measurement again when it ended.
    void setMeasuring(bool measuring);
    void showTimed(int count, const QString& what);
    /// Why nothing can be measured now; empty when it can.
    void setObstacle(const QString& reason);
    [[nodiscard]] bool isMeasuring() const;

  signals:
    void measureRequested();
    void cancelRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void ink();

    QLabel* m_title;
    QPushButton* m_measure;
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    QLabel* m_remark;
};

}  // namespace meshreel
