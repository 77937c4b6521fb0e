// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "tests/support/ptx/ptx_program.h"

namespace meshreel::testing {

/// What is known of an entry's registers without running it.
struct PtxLiveness {
    int most = 0;  ///< 32-bit registers that hold something needed, at the place with most of them
    int line = 0;  ///< of that place
    /// A register that may be read before it is written; -1: none. Sums of wgmma are not among them: its
    /// predicate says whether it reads them.
    int unwritten = -1;
    std::vector<int> words = {};  ///< live 32-bit registers before each instruction
};

/// Follows all ways through the entry. A guarded instruction may write or not.
PtxLiveness ptxLiveness(const PtxEntry& entry);

/// A place where more registers are live than a thread has.
struct PtxExcess {
    int line = 0;
    int live = 0;
    int room = 0;
};

/// Returns the worst one, if any. `room` registers are there at first, and from each setmaxnreg on as many as
/// it says, on all ways that come by it; 255 can be named.
std::optional<PtxExcess> ptxRegisterExcess(const PtxEntry& entry, const PtxLiveness& liveness, int room);

}  // namespace meshreel::testing
