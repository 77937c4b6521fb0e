// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/block_presets.h"

#include <array>
#include <cstdint>

#include "engine/kernels/attention/kernel_table.h"

namespace meshreel {

namespace {

constexpr std::int64_t tunedVmem = 64 << 20;  ///< bytes, of the recipes for the custom kernels

bool hasBlocks(const AttentionMode& mode) {
    return mode.runs() && rowOf(mode.kernel).isBlocked;
}

bool isFlash(const AttentionMode& mode) {
    return mode.kernel == AttentionKernel::Flash;
}

bool isCustomWithoutRing(const AttentionMode& mode) {
    return mode.kernel == AttentionKernel::Custom && mode.rotation == Rotation::None;
}

bool isCustomRing(const AttentionMode& mode) {
    return mode.kernel == AttentionKernel::Custom && mode.rotation != Rotation::None;
}

bool isAnyCustom(const AttentionMode& mode) {
    return rowOf(mode.kernel).isCustom;
}

bool isAnyCustomWithoutRing(const AttentionMode& mode) {
    return rowOf(mode.kernel).isCustom && mode.rotation == Rotation::None;
}

bool isAnyCustomRing(const AttentionMode& mode) {
    return rowOf(mode.kernel).isCustom && mode.rotation != Rotation::None;
}

bool isFixedM(const AttentionMode& mode) {
    return rowOf(mode.kernel).boundsScores;
}

constexpr std::string_view flashOnly =
    "Found for the flash kernel: choose flash, ulysses, tokamax_ring or ulysses_ring to use these sizes.";
constexpr std::string_view customOnly =
    "Found for the custom kernels: choose ulysses_custom or ulysses_ring_custom to use these sizes.";
constexpr std::string_view customRingOnly =
    "Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these "
    "sizes.";

FlashBlockSizes custom(std::int64_t queries, std::int64_t keys) {
    return {.blockQ = queries,
            .blockKv = keys,
            .blockKvCompute = keys,
            .blockKvComputeIn = 1024,
            .vmemLimitBytes = tunedVmem};
}

}  // namespace

std::span<const BlockPreset> blockPresets() {
    static const std::array presets{
        BlockPreset{.name = "This machine's caches",
                    .source = "",
                    .sizes = {},
                    .suits = hasBlocks,
                    .otherwise = "dot_product computes without blocks: choose flash to use block sizes."},
        BlockPreset{.name = "TPU v6e, Wan 14B and 27B",
                    .source = "MaxDiffusion, comments of base_wan_14b.yml and base_wan_27b.yml",
                    .sizes = {.blockQ = 3024, .blockKv = 2048, .blockKvCompute = 1024},
                    .suits = isFlash,
                    .otherwise = flashOnly},
        BlockPreset{.name = "TPU v5p, Wan 14B",
                    .source = "MaxDiffusion, comments of base_wan_14b.yml",
                    .sizes = {.blockQ = 3024, .blockKv = 2048, .blockKvCompute = 1024},
                    .suits = isFlash,
                    .otherwise = flashOnly},
        BlockPreset{.name = "TPU v6e, Wan Animate",
                    .source = "MaxDiffusion, base_wan_animate.yml",
                    .sizes = {.blockQ = 2048, .blockKv = 4096, .blockKvCompute = 1024},
                    .suits = isFlash,
                    .otherwise = flashOnly},
        BlockPreset{.name = "TPU v7x, Ulysses",
                    .source = "MaxDiffusion, comments of base_wan_27b.yml",
                    .sizes = custom(8448, 1024),
                    .suits = isCustomWithoutRing,
                    .otherwise = "Found for the custom kernel without a ring: choose ulysses_custom to use "
                                 "these sizes."},
        BlockPreset{.name = "TPU v7x, Ulysses and a ring of up to 8",
                    .source = "MaxDiffusion, comments of base_wan_27b.yml",
                    .sizes = custom(9472, 1024),
                    .suits = isCustomRing,
                    .otherwise = customRingOnly},
        BlockPreset{.name = "TPU v7x, a ring of 16 or more",
                    .source = "MaxDiffusion, comments of base_wan_27b.yml",
                    .sizes = custom(4096, 1024),
                    .suits = isCustomRing,
                    .otherwise = customRingOnly},
        BlockPreset{
            .name = "TPU v6e, Ulysses over 4",
            .source = "MaxDiffusion, pull request 479",
            .sizes = {.blockQ = 9472, .blockKv = 1024, .blockKvCompute = 512, .blockKvComputeIn = 512},
            .suits = isAnyCustomWithoutRing,
            .otherwise = "Found for the custom kernel without a ring: choose ulysses_custom to use "
                         "these sizes."},
        BlockPreset{
            .name = "TPU v7x, Ulysses over 2 and a ring of 2",
            .source = "MaxDiffusion, pull request 479",
            .sizes = {.blockQ = 6400, .blockKv = 2048, .blockKvCompute = 2048, .blockKvComputeIn = 2048},
            .suits = isAnyCustomRing,
            .otherwise = customRingOnly},
        BlockPreset{
            .name = "TPU v7x, Wan 2.1 and 2.2 recipes",
            .source = "tpu-recipes, Ironwood",
            .sizes = {.blockQ = 4864, .blockKv = 1024, .blockKvCompute = 1024, .blockKvComputeIn = 1024},
            .suits = isAnyCustom,
            .otherwise = customOnly},
        BlockPreset{
            .name = "TPU v6e, Wan 2.2 recipe",
            .source = "tpu-recipes, Trillium",
            .sizes = {.blockQ = 3328, .blockKv = 2816, .blockKvCompute = 256, .blockKvComputeIn = 256},
            .suits = isAnyCustom,
            .otherwise = customOnly},
        BlockPreset{.name = "TPU v7x, fixed bound",
                    .source = "MaxDiffusion, script for the fixed-m kernels",
                    .sizes = custom(6400, 2048),
                    .suits = isFixedM,
                    .otherwise = "Found for the kernel with a fixed bound: choose ulysses_custom_fixed_m or "
                                 "ulysses_ring_custom_fixed_m to use these sizes."},
    };
    return presets;
}

}  // namespace meshreel
