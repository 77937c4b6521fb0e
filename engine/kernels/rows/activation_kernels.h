// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace meshreel {

/// The activations of elementwise.h that are made of exponentials, on the calling thread. An element becomes
/// the same bits on every instruction set, wherever it stands.
struct ActivationKernels {
    std::string_view isa;  ///< as RowKernels'
    void (*geluTanh)(std::span<float> values);
    void (*geluQuick)(std::span<float> values);
    void (*silu)(std::span<float> values);
};

/// Those that this CPU can run, the widest first; on the instruction sets of rowKernelCandidates().
std::span<const ActivationKernels> availableActivationKernels();

/// The widest of them.
inline const ActivationKernels& activationKernels() {
    return availableActivationKernels().front();
}

}  // namespace meshreel
