// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Factors between units that numbers are stored in and those that they are shown in.

namespace meshreel {

inline constexpr double giga = 1e9;
inline constexpr double tera = 1e12;
inline constexpr double percent = 100;  ///< of a share of 1
inline constexpr double millisecondsPerSecond = 1e3;

}  // namespace meshreel
