// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace meshreel {

// Problems on which a device's kernels are compared.

/// Heads of bf16 and how many rows they have.
struct AttentionSize {
    std::int64_t heads = 0;
    std::int64_t headDim = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
};

/// Linear layers of one size that are computed one after the other.
struct LayerSize {
    std::int64_t rows = 0;
    std::int64_t outs = 0;
    std::int64_t ins = 0;
    std::int64_t count = 1;
};

}  // namespace meshreel
