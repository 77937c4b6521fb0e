// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

/// An operation as `meshreel isa` shows it.
struct KernelOperation {
    std::string_view name;  ///< "bf16 matmul"
    std::vector<KernelCandidate> candidates;
};

/// Returns every operation that has more than one implementation.
std::vector<KernelOperation> kernelOperations();

}  // namespace meshreel
