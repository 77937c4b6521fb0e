// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>

#include "engine/estimates/machine_rates.h"

namespace meshreel {

/// What a measurement of rates had timed when it was stopped. No rates yet: nothing of both is fitted.
struct UnfinishedRates {
    MachineRates rounds;  ///< those that ended: their samples and first steps
    MachineRates round;   ///< the one that did not: what it has timed, and its factors of first steps

    /// How many things have been timed.
    [[nodiscard]] std::size_t timed() const;
};

/// Those that this build kept of the machine; nothing where there are none.
std::optional<UnfinishedRates> readUnfinishedRates(const MachineIdentity& machine);

/// Keeps them in <userCacheFolder()>/rates/unfinished, in the format of rates. Throws as writeRates().
void writeUnfinishedRates(const UnfinishedRates& rates);

/// Nothing is gone on with any more.
void forgetUnfinishedRates(const MachineIdentity& machine);

}  // namespace meshreel
