// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QPoint>
#include <QUrl>

class QAbstractItemView;
class QWidget;

namespace meshreel::testing {

/// What a drag carried, and whether it was taken where it was let go.
struct DraggedData {
    bool began = false;  ///< a QDrag was at hand
    QList<QUrl> urls;
    bool taken = false;
};

/// Presses the mouse at a place of a view, moves it as far as a drag needs, on to a place of another widget
/// (also in another window), and lets go: with the events of the window system, so that views, QDrag and what
/// is dropped on do what they do for people. Places are those of the view's viewport and of the target.
DraggedData dragAndDrop(QAbstractItemView& view, const QPoint& from, QWidget& target, const QPoint& to);

}  // namespace meshreel::testing
