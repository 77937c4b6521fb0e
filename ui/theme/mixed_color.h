// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace meshreel {

/// On the straight line between both; `share` from 0 (all `from`) to 1 (all `to`).
QColor mixedColor(const QColor& from, const QColor& to, double share);

}  // namespace meshreel
