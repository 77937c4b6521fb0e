// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/screen_fit.h"

#include <QScreen>
#include <QWidget>
#include <QWindow>
#include <algorithm>

namespace meshreel {

namespace {

constexpr QMargins usualFrame{8, 40, 8, 8};  ///< as large as desktops draw them

/// Along one axis: the start of `length` pixels at `start` when they lie between two ends, as far as they
/// can.
int startBetween(int start, int length, int first, int last) {
    return std::max(first, std::min(start, last - length + 1));
}

QMargins frameOf(const QWidget& window) {
    const QWindow* handle = window.windowHandle();
    const QMargins known = handle == nullptr ? QMargins() : handle->frameMargins();
    return known.isNull() && !window.isVisible() ? usualFrame : known;
}

}  // namespace

QRect fittedPlace(const QRect& wanted, const QMargins& frame, const QRect& available) {
    const QRect room = available.marginsRemoved(frame);
    const QSize size = wanted.size().boundedTo(room.size());
    return {startBetween(wanted.left(), size.width(), room.left(), room.right()),
            startBetween(wanted.top(), size.height(), room.top(), room.bottom()), size.width(),
            size.height()};
}

void fitIntoScreen(QWidget& window) {
    if (window.isMaximized() || window.isFullScreen())
        return;
    const QRect now = window.geometry();
    const QRect fitted = fittedPlace(now, frameOf(window), window.screen()->availableGeometry());
    // Where the desktop has not placed it yet, it does so by itself.
    const bool isPlaced = window.isVisible() || window.testAttribute(Qt::WA_Moved);
    if (isPlaced && fitted != now)
        window.setGeometry(fitted);
    else if (fitted.size() != now.size())
        window.resize(fitted.size());
}

}  // namespace meshreel
