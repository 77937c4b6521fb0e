// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

/// One implementation of an operation, with what it needs. An operation's candidates stand in one table, the
/// best first; its dispatch takes the first that is not rejected, and `meshreel isa` prints the same table.
struct KernelCandidate {
    static constexpr std::size_t maxNeeds = 6;

    std::string_view name;                     ///< "oneDNN on AMX tiles"
    std::array<CpuFeature, maxNeeds> needs{};  ///< of the CPU; the rest is null
    std::string_view limits = {};              ///< of shapes and types; empty: none
};

/// Why this process cannot use it (CPUID, XCR0, permission, --isa); empty when it can.
std::string whyRejected(const KernelCandidate& candidate);

}  // namespace meshreel
