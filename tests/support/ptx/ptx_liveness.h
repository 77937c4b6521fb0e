// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/ptx/ptx_program.h"

namespace meshreel::testing {

/// What is known of an entry's registers without running it.
struct PtxLiveness {
    int most = 0;        ///< 32-bit registers that hold something needed, at the place with most of them
    int line = 0;        ///< of that place
    int unwritten = -1;  ///< a register that may be read before it is written; -1: none
};

/// Follows all ways through the entry. A guarded instruction may write or not.
PtxLiveness ptxLiveness(const PtxEntry& entry);

}  // namespace meshreel::testing
