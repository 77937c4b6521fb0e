// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/kernels/attention/sparse_rule.h"

namespace meshreel {

/// What the plan of an attention prescribes for the kernel of one device.
struct AttentionKernelPlan {
    AttentionKernel kernel = AttentionKernel::DotProduct;
    bool boundPerBlock = false;  ///< fixed m: each block_q queries of a head have a bound of their own
    ExponentBase base = ExponentBase::Two;  ///< base of the custom kernels
    FlashBlockSizes blocks = {};            ///< without zeros; as many heads per tile as the mode allows
    std::optional<SparseRule> sparse = {};  ///< which blocks of keys are attended to; none: all
};

}  // namespace meshreel
