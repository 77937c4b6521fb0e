// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel::testing {

/// Calls of operator new by this thread so far: objects, names and tables, which Tensor's meter does not
/// count. For programs that link meshreel_test_allocations.
std::int64_t allocationsOfThisThread();

/// Why that says nothing of the engine; null when it does.
const char* whyAllocationsAreNotCounted();

}  // namespace meshreel::testing
