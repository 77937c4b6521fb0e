// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMargins>
#include <QRect>

class QWidget;

namespace meshreel {

/// What becomes of a window's contents at `wanted` so that it lies on `available` with a frame of these
/// margins around it: moved first, then made smaller. All in device-independent pixels.
QRect fittedPlace(const QRect& wanted, const QMargins& frame, const QRect& available);

/// Lets no part of a window lie beyond its screen, title bar included; does nothing to one that fills it.
/// Where the frame is not known yet, as before the window is shown, a large one is assumed.
void fitIntoScreen(QWidget& window);

}  // namespace meshreel
