// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/real_drag.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDrag>
#include <QElapsedTimer>
#include <QMimeData>
#include <QTest>
#include <QTimer>
#include <QWindow>

namespace meshreel::testing {

namespace {

constexpr int pollMilliseconds = 10;
constexpr int longestDrag = 10'000;  ///< milliseconds

void moveOver(const QWidget& widget, const QPoint& place) {
    QTest::mouseMove(widget.window()->windowHandle(), widget.mapTo(widget.window(), place));
}

}  // namespace

DraggedData dragAndDrop(QAbstractItemView& view, const QPoint& from, QWidget& target, const QPoint& to) {
    DraggedData dragged;
    const QWidget& source = *view.viewport();
    QWindow* window = view.window()->windowHandle();
    const QPoint pressed = source.mapTo(view.window(), from);

    // QDrag::exec() comes back only behind the drop, so all that follows its beginning is done by a timer.
    QTimer follow;
    QElapsedTimer clock;
    clock.start();
    QObject::connect(&follow, &QTimer::timeout, &follow, [&] {
        auto* drag = view.findChild<QDrag*>();
        if (drag == nullptr)
            return;
        if (clock.elapsed() > longestDrag)
            return QDrag::cancel();
        if (dragged.began)
            return;
        dragged.began = true;
        dragged.urls = drag->mimeData()->urls();
        moveOver(target, to - QPoint(1, 1));
        moveOver(target, to);
        QObject::connect(drag, &QObject::destroyed, &follow, &QTimer::stop);
        QTest::mouseRelease(target.window()->windowHandle(), Qt::LeftButton, Qt::NoModifier,
                            target.mapTo(target.window(), to));
        dragged.taken = drag->target() != nullptr;
    });
    follow.start(pollMilliseconds);

    QTest::mousePress(window, Qt::LeftButton, Qt::NoModifier, pressed);
    const int enough = QApplication::startDragDistance() + 2;
    for (int moved = 1; moved <= 2 * enough && !dragged.began; ++moved)
        QTest::mouseMove(window, pressed + QPoint(moved, 0));
    if (!dragged.began)
        QTest::mouseRelease(window, Qt::LeftButton, Qt::NoModifier, pressed);
    return dragged;
}

}  // namespace meshreel::testing
