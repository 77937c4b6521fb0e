// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/real_drag.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QChildEvent>
#include <QDrag>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QTest>
#include <QWindow>

namespace meshreel::testing {

namespace {

/// Takes the QDrag that a view begins on to a place of another widget and lets it go there. The window system
/// of tests ends each drag where it begins, so this does what another one would do with it, before it is
/// deleted.
class DragHand : public QObject {
  public:
    DragHand(QAbstractItemView& view, QWidget& target, const QPoint& place)
        : m_target(target), m_place(place) {
        view.installEventFilter(this);
    }

    [[nodiscard]] const DraggedData& dragged() const { return m_dragged; }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::ChildAdded)
            static_cast<QChildEvent*>(event)->child()->installEventFilter(this);
        else if (event->type() == QEvent::DeferredDelete)
            if (const auto* drag = qobject_cast<QDrag*>(watched); drag != nullptr && !m_dragged.began)
                letGo(*drag);
        return false;
    }

  private:
    void letGo(const QDrag& drag) {
        m_dragged.began = true;
        m_dragged.urls = drag.mimeData()->urls();
        QDragEnterEvent enter(m_place, drag.supportedActions(), drag.mimeData(), Qt::LeftButton,
                              Qt::NoModifier);
        QApplication::sendEvent(&m_target, &enter);
        if (!enter.isAccepted())
            return;
        QDragMoveEvent move(m_place, drag.supportedActions(), drag.mimeData(), Qt::LeftButton,
                            Qt::NoModifier);
        QApplication::sendEvent(&m_target, &move);
        QDropEvent drop(m_place, drag.supportedActions(), drag.mimeData(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&m_target, &drop);
        m_dragged.taken = drop.isAccepted();
    }

    QWidget& m_target;
    QPoint m_place;
    DraggedData m_dragged;
};

}  // namespace

DraggedData dragAndDrop(QAbstractItemView& view, const QPoint& from, QWidget& target, const QPoint& to) {
    DragHand hand(view, target, to);
    QWindow* window = view.window()->windowHandle();
    const QPoint pressed = view.viewport()->mapTo(view.window(), from);
    QTest::mousePress(window, Qt::LeftButton, Qt::NoModifier, pressed);
    const int enough = QApplication::startDragDistance() + 2;
    for (int moved = 1; moved <= 2 * enough && !hand.dragged().began; ++moved)
        QTest::mouseMove(window, pressed + QPoint(moved, 0));
    QTest::mouseRelease(window, Qt::LeftButton, Qt::NoModifier, pressed + QPoint(2 * enough, 0));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return hand.dragged();
}

}  // namespace meshreel::testing
