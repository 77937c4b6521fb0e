// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace meshreel {

/// What computes one device's attention.
enum class AttentionKernel : std::uint8_t {
    DotProduct,         ///< dense softmax
    Flash,              ///< blocked, online softmax
    Custom,             ///< blocked, keys as rows, with block_kv_compute_in and heads_per_tile
    CustomFixedM,       ///< custom, with a bound of the row maximum in place of the running one
    TransformerEngine,  ///< cuDNN's, on NVIDIA GPUs
};

/// Which devices this version has a kernel for.
struct RunsOn {
    bool host = false;
    bool gpu = false;  ///< with a running maximum and its own blocks: block sizes have no effect there
};

/// What holds for a kernel, whatever the mode it is a part of.
struct AttentionKernelRow {
    AttentionKernel kernel;
    std::string_view name;
    RunsOn runsOn = {};
    bool isBlocked = false;     ///< takes block sizes; else it holds all scores of a query at once
    bool isCustom = false;      ///< has scratch per worker and takes no bias
    bool boundsScores = false;  ///< fixed m: a bound of the scores, which some heads do not keep
    RunsOn sparseOn = {};       ///< where it leaves blocks of keys out
};

/// In the order of the enumeration.
inline constexpr std::array attentionKernels{
    AttentionKernelRow{
        .kernel = AttentionKernel::DotProduct, .name = "dot_product", .runsOn = {.host = true, .gpu = true}},
    AttentionKernelRow{.kernel = AttentionKernel::Flash,
                       .name = "flash",
                       .runsOn = {.host = true, .gpu = true},
                       .isBlocked = true,
                       .sparseOn = {.host = true}},
    AttentionKernelRow{.kernel = AttentionKernel::Custom,
                       .name = "custom",
                       .runsOn = {.host = true, .gpu = true},
                       .isBlocked = true,
                       .isCustom = true,
                       .sparseOn = {.host = true}},
    AttentionKernelRow{.kernel = AttentionKernel::CustomFixedM,
                       .name = "custom_fixed_m",
                       .runsOn = {.host = true},
                       .isBlocked = true,
                       .isCustom = true,
                       .boundsScores = true},
    AttentionKernelRow{
        .kernel = AttentionKernel::TransformerEngine, .name = "transformer_engine", .isBlocked = true}};

constexpr const AttentionKernelRow& rowOf(AttentionKernel kernel) {
    return attentionKernels[static_cast<std::size_t>(kernel)];
}

/// What a GPU's kernels take of heads: multiples of `step` numbers, up to `widest`.
struct HeadsOnGpu {
    static constexpr std::int64_t widest = 128;
    static constexpr std::int64_t step = 4;
};

/// Returns the name used in records of runs.
constexpr std::string_view nameOf(AttentionKernel kernel) {
    return rowOf(kernel).name;
}

}  // namespace meshreel
