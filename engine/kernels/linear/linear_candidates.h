// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/host_linear.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What multiplies for a candidate that any CPU can take.
inline constexpr std::string_view openBlas = "OpenBLAS";

struct WeightBlock {
    std::int64_t outputs = 1;
    std::int64_t inputs = 1;

    /// Elements of a weight that is filled up to whole blocks.
    [[nodiscard]] std::int64_t filled(std::int64_t out, std::int64_t in) const {
        return (out + outputs - 1) / outputs * outputs * ((in + inputs - 1) / inputs * inputs);
    }
};

/// One way to compute a linear layer in one arithmetic.
struct LinearCandidate {
    KernelCandidate kernel;
    std::string_view library;
    /// weight [out, in] of any floating type; bias f32 [out] or no elements.
    std::unique_ptr<HostLinear> (*pack)(const Tensor& weight, Tensor bias) = nullptr;
    /// Makes a layer for a weight that is used once, when reordering it would take longer than it saves.
    std::unique_ptr<HostLinear> (*stream)(const Tensor& weight, Tensor bias) = nullptr;
    std::unique_ptr<HostLinear> (*fromParts)(const PackedForm& form) = nullptr;
    std::string (*format)(std::int64_t out, std::int64_t in) = nullptr;
    WeightBlock block = {};     ///< pack() fills a weight up to multiples of it
    bool sharesWeight = false;  ///< pack() uses a weight of the arithmetic's own type in place
};

/// Returns the best first. The first question for an arithmetic loads OpenBLAS, and tries the libraries.
std::span<const LinearCandidate> linearCandidates(Arithmetic arithmetic);

/// Returns the one that this process takes.
const LinearCandidate& linearCandidate(Arithmetic arithmetic);

/// Returns the candidate that would be used if we had no kernels of our own.
const LinearCandidate& libraryCandidate(Arithmetic arithmetic);

/// What people should know of the libraries that multiply here.
struct LibraryRemarks {
    std::vector<Sentence> notes;     ///< the user's variables make a difference
    std::vector<Sentence> refusals;  ///< one computes wrong or crashes; what takes its place
};
LibraryRemarks libraryRemarks(std::initializer_list<Arithmetic> used);

}  // namespace meshreel
