// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// What charts, and the numbers behind them, call the step that records count as 0.
inline constexpr int firstShownStep = 1;

}  // namespace meshreel
