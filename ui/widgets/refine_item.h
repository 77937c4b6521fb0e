// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace meshreel {

struct RefinementStatus;

/// A few words, beside the predicted time, on what is measured for it in the background, and a way to stop
/// that.
class RefineItem : public QWidget {
    Q_OBJECT

  public:
    explicit RefineItem(QWidget* parent = nullptr);

    /// Says nothing of what is off.
    void showStatus(const RefinementStatus& status);

  signals:
    void stopRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void ink();

    QLabel* m_words;
    QToolButton* m_stop;
};

}  // namespace meshreel
