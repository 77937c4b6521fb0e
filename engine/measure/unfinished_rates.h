// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>

#include "engine/estimates/machine_rates.h"

namespace meshreel {

/// What a measurement of rates had timed when it was stopped. No rates yet: nothing of both is fitted.
struct UnfinishedRates {
    MachineRates rounds;  ///< finished rounds: their samples and first steps
    MachineRates round;   ///< the one that did not: what it has timed, and its factors of first steps

    /// Returns how many things have been timed.
    [[nodiscard]] std::size_t timed() const;
};

/// Returns what this build saved for the machine; nothing when there is none.
std::optional<UnfinishedRates> readUnfinishedRates(const MachineIdentity& machine);

/// Keeps them in <userCacheFolder()>/rates/unfinished, in the format of rates. Throws as writeRates() does.
void writeUnfinishedRates(const UnfinishedRates& rates);

/// Deletes them, so that nothing continues from them.
void forgetUnfinishedRates(const MachineIdentity& machine);

}  // namespace meshreel
