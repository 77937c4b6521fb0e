// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#if defined(__has_feature)
#define MESHREEL_CHECKS_ADDRESSES __has_feature(address_sanitizer)
#define MESHREEL_CHECKS_RACES __has_feature(thread_sanitizer)
#else
#define MESHREEL_CHECKS_ADDRESSES 0
#define MESHREEL_CHECKS_RACES 0
#endif

namespace meshreel::testing {

/// Whether a sanitizer instruments this program and those that it starts. They need memory and address space
/// of their own, so that no plan and no limit fits them: tests of either skip themselves.
inline constexpr bool isInstrumented = MESHREEL_CHECKS_ADDRESSES || MESHREEL_CHECKS_RACES;

/// Whether it is the thread sanitizer, which has allocation functions of its own and keeps several bytes for
/// each byte that a program has touched, those of mapped files included.
inline constexpr bool racesAreChecked = MESHREEL_CHECKS_RACES;

inline constexpr auto needsItsOwnMemory = "a sanitizer needs memory of its own";

}  // namespace meshreel::testing
