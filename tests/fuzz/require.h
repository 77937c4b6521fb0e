// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>

namespace meshreel::testing {

/// libFuzzer keeps an input as a finding when the program aborts.
inline void require(bool condition) {
    if (!condition)
        std::abort();
}

}  // namespace meshreel::testing
