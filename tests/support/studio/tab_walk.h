// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

namespace meshreel::testing {

/// Where Tab leads in the active window, from where the focus is until it comes round.
struct TabWalk {
    QList<QWidget*> stops;  ///< controls
    QStringList troubles;   ///< stops out of sight, and where Tab leads no further
};

TabWalk walkByTab(QWidget& window);

/// Controls of a part of the window that neither Tab, nor the arrow keys among those that exclude each other,
/// nor a menu or shortcut lead to.
QStringList unreachableControls(const QWidget& part, const TabWalk& walk);

/// Where Tab does not follow the order of reading in a part of the window: it leaves the part and comes back,
/// or goes to a control that stands above the last one in its column, or before it in its line.
QStringList leapsIn(const QWidget& part, const TabWalk& walk);

}  // namespace meshreel::testing
