// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel::testing {

/// Calls of operator new by this thread so far: objects, names and tables, which Tensor's meter does not
/// count. For programs that link meshreel_test_allocations; 0 under the thread sanitizer, which has
/// allocation functions of its own.
std::int64_t allocationsOfThisThread();

}  // namespace meshreel::testing
