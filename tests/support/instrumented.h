// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel::testing {

/// Whether a sanitizer instruments this program and those that it starts. They need memory and address space
/// of their own, so that no plan and no limit fits them: tests of either skip themselves.
#if defined(__has_feature)
inline constexpr bool isInstrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool isInstrumented = false;
#endif

inline constexpr auto needsItsOwnMemory = "a sanitizer needs memory of its own";

}  // namespace meshreel::testing
