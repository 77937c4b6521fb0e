// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <vector>

class QLabel;
class QPushButton;

namespace meshreel {

/// Explains one part in the tour, with the buttons to continue. Keeps the keyboard among its buttons.
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

/// Returns the place of a callout of `size` beside `target` within `window`: on the side with the most room,
/// inside. In the middle for an empty target.
QRect calloutPlace(const QSize& size, const QRect& target, const QRect& window);

/// One thing that the tour points at.
struct TourStop {
    QPointer<QWidget> target;
    QString title;
    QString text;
};

/// A walk over the parts of a window: everything but the current part is dimmed, and a callout beside it says
/// what it is for. Escape ends it, the arrow keys go forwards and backwards. Deletes itself at its end.
class Tour : public QWidget {
    Q_OBJECT

  public:
    /// Covers the window of `window`; `stops` holds one at least.
    Tour(QWidget* window, std::vector<TourStop> stops);

    /// Returns whether the user has seen or skipped the tour before, here.
    static bool wasSeen();

    [[nodiscard]] int stop() const { return m_stop; }
    void goTo(int stop);

  signals:
    void ended();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void end();
    void place();
    /// Returns the place of the target in this widget; empty when it is in another window or hidden.
    [[nodiscard]] QRect targetArea() const;

    std::vector<TourStop> m_stops;
    TourCallout* m_callout;
    int m_stop = 0;
};

}  // namespace meshreel
