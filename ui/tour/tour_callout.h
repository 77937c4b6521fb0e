// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace meshreel {

/// What the tour says of one part, with the buttons to go on. Keeps the keyboard among its buttons.
class TourCallout : public QFrame {
    Q_OBJECT

  public:
    explicit TourCallout(QWidget* parent);

    void showStop(const QString& title, const QString& text, int stop, int stops);

  signals:
    void nextRequested();
    void backRequested();
    void skipRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    QLabel* m_title;
    QLabel* m_text;
    QLabel* m_count;
    QPushButton* m_skip;
    QPushButton* m_back;
    QPushButton* m_next;
};

/// Where a callout of `size` stands beside `target` within `window`: on the side with the most room, inside.
/// In the middle for an empty target.
QRect calloutPlace(const QSize& size, const QRect& target, const QRect& window);

}  // namespace meshreel
