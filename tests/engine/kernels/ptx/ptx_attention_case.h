// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gpu/ptx_kernel.h"
#include "engine/kernels/ptx/ptx_attention.h"
#include "tests/support/ptx/ptx_machine.h"

namespace meshreel {

/// An attention of heads beside each other that the interpreter computes.
struct PtxAttentionCase {
    enum class Into { Partial, WideRows, NarrowRows };

    std::string_view name;
    PtxAttentionSize size;
    std::uint32_t heads = 1;
    std::uint32_t queries = 0;
    std::uint32_t keys = 0;
    Into into = Into::Partial;
    bool hasMarks = false;           ///< every third key is hidden
    std::uint32_t lastKeyCount = 1;  ///< how many keys the last one stands for
    float gain = 1.0F;               ///< of queries: how much scores differ
};

inline void PrintTo(const PtxAttentionCase& attention, std::ostream* stream) {
    *stream << attention.name;
}

/// A kernel of attention for the case: its text with what a launch gives it.
struct PtxAttentionText {
    std::string text;
    std::uint32_t dynamicBytes = 0;

    PtxAttentionText(std::string words) : text(std::move(words)) {}
    PtxAttentionText(const PtxKernel& kernel) : text(kernel.text), dynamicBytes(kernel.dynamicBytes) {}
    PtxAttentionText(std::string words, std::uint32_t bytes) : text(std::move(words)), dynamicBytes(bytes) {}
};

struct PtxAttentionResult {
    double error = 0;      ///< |y - expected| at most
    double logError = 0;   ///< of log2 of the sum of all weights, of partials
    double mostAbove = 0;  ///< how far a score is above the partial's maximum, at most
    testing::PtxWork work;
};

/// Computes all blocks from the text and compares every output with its definition in double.
PtxAttentionResult computeAttention(const PtxAttentionCase& attention, const PtxAttentionText& text);

/// Computes the keys in two parts, the first of `keysOfFirst`, merges the partials as a ring does, and
/// returns how far the result is from the attention over all keys.
double computeInTwoParts(const PtxAttentionCase& attention, std::uint32_t keysOfFirst,
                         const PtxAttentionText& text);

/// Computes a block on tensors that are addresses alone. Returns what was written of output, maximum and sum.
std::vector<testing::PtxMemory::Region> reachAttention(const PtxAttentionCase& attention,
                                                       const PtxAttentionText& text,
                                                       const testing::PtxGrid& block);

}  // namespace meshreel
