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
    bool began = false;  ///< the view began a QDrag
    QList<QUrl> urls;
    bool taken = false;
};

/// Presses the mouse at a place of a view and moves it as far as a drag needs, with the events of the window
/// system, so that the view decides whether a QDrag begins and what it carries. That is dropped at a place of
/// another widget, which is asked as for people. Places are those of the view's viewport and of the target.
DraggedData dragAndDrop(QAbstractItemView& view, const QPoint& from, QWidget& target, const QPoint& to);

}  // namespace meshreel::testing
