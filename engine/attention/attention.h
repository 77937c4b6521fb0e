// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/attention/attention_settings.h"
#include "engine/kernels/execution.h"

namespace meshreel {

/// Tensors of one attention, row-major, heads beside each other.
struct AttentionInputs {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t headDim = 0;
    std::int64_t queryLength = 0;
    std::int64_t keyLength = 0;
    std::span<const float> query;             ///< [batch, queryLength, heads, headDim]
    std::span<const float> key;               ///< [batch, keyLength, heads, headDim]
    std::span<const float> value;             ///< [batch, keyLength, heads, headDim]
    std::span<const std::uint8_t> keep = {};  ///< [batch, keyLength], 0 = masked; empty: all are attended
    std::span<const float> bias = {};  ///< [heads, queryLength, keyLength] added to the scores; empty: none
    double scale = 0.0;                ///< of q·k, usually 1/√headDim; must be set
};

/// out [batch, queryLength, heads, headDim] = softmax(scale·q·kᵀ + bias)·v over the kept keys; a query
/// without any kept key gives zeros. The workers share (batch, head, query block) in static parts. Throws
/// Error{Project} for a mode that does not run or illegal blocks, Error{Internal} for spans of wrong size or
/// a bias with a custom kernel.
void attend(const Execution& execution, const AttentionSettings& settings, const AttentionInputs& inputs,
            std::span<float> out);

/// The kernel at these lengths: "dot_product", "flash", "custom" or "custom_fixed_m".
std::string_view effectiveKernelName(const AttentionSettings& settings, std::int64_t queryLength,
                                     std::int64_t keyLength);

}  // namespace meshreel
