// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_mode.h"

#include <algorithm>
#include <array>

namespace meshreel {

namespace {

using enum AttentionKernel;

constexpr std::array modes{
    AttentionMode{
        .name = "dot_product",
        .exchange = Exchange::Gather,
        .rotation = Rotation::None,
        .kernel = DotProduct,
        .crossAttention = "dot_product",
        .help = "Dense softmax attention: every score of a query at once; the reference, and good for short "
                "sequences.",
        .when = "For short sequences, and to check the others against.",
        .limits = "Every device needs the memory for the keys and values of the whole sequence, and for all "
                  "scores of a query at once."},
    AttentionMode{
        .name = "flash",
        .exchange = Exchange::Gather,
        .rotation = Rotation::None,
        .kernel = Flash,
        .minimumLength = true,
        .crossAttention = "flash",
        .help = "Blocked attention with a running softmax: memory grows with the block sizes, not with the "
                "square of the sequence.",
        .when = "On one device, and on a few when every device has the memory for all keys and values.",
        .limits = "Every device needs the memory for the keys and values of the whole sequence."},
    AttentionMode{.name = "tokamax_flash",
                  .exchange = Exchange::Gather,
                  .rotation = Rotation::None,
                  .kernel = Flash,
                  .minimumLength = true,
                  .crossAttention = "tokamax_flash",
                  .help = "MaxDiffusion's other flash kernel; the same as flash here.",
                  .when = "For projects written for MaxDiffusion that name it.",
                  .limits = "Every device needs the memory for the keys and values of the whole sequence."},
    AttentionMode{
        .name = "ring",
        .exchange = Exchange::None,
        .rotation = Rotation::Ring,
        .kernel = Flash,
        .minimumDevices = 2,
        .crossAttention = "tokamax_flash",
        .help = "Ring attention: each device keeps its queries while keys and values travel around.",
        .when = "For projects that name it; tokamax_ring computes the same and also runs on one device.",
        .limits = "Refused on one device, where tokamax_ring runs."},
    AttentionMode{
        .name = "tokamax_ring",
        .exchange = Exchange::None,
        .rotation = Rotation::Ring,
        .kernel = Flash,
        .crossAttention = "tokamax_flash",
        .help = "Ring attention over the whole context axis, accumulating un-normalised partials.",
        .when = "When the devices outnumber the heads, or keys and values of the whole sequence do not fit.",
        .limits = "None: it takes any number of devices, heads and tokens."},
    AttentionMode{.name = "tokamax_ring_custom",
                  .exchange = Exchange::None,
                  .rotation = Rotation::Ring,
                  .kernel = Custom,
                  .headsPerTile = true,
                  .crossAttention = "tokamax_flash",
                  .help = "Ring attention with the custom blocked kernel.",
                  .when = "As tokamax_ring, where the custom kernel is the faster one.",
                  .limits = "None: it takes any number of devices, heads and tokens."},
    AttentionMode{
        .name = "ulysses",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::None,
        .kernel = Flash,
        .minimumLength = true,
        .crossAttention = "tokamax_flash",
        .longCrossAttention = "ulysses",
        .help = "Ulysses: devices trade sequence shards for head groups before the kernel and back after it.",
        .when = "From three devices on: the least traffic; equal work where the devices divide the heads.",
        .limits =
            "The tensor axis must leave a device at least as many heads as the context axis has devices."},
    AttentionMode{
        .name = "ulysses_custom",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::None,
        .kernel = Custom,
        .minimumLength = true,
        .headsPerTile = true,
        .crossAttention = "tokamax_flash",
        .help = "Ulysses with the custom blocked kernel.",
        .when = "As ulysses, where the custom kernel is the faster one.",
        .limits =
            "The tensor axis must leave a device at least as many heads as the context axis has devices."},
    AttentionMode{.name = "ulysses_custom_fixed_m",
                  .exchange = Exchange::Ulysses,
                  .rotation = Rotation::None,
                  .kernel = CustomFixedM,
                  .minimumLength = true,
                  .crossAttention = "tokamax_flash",
                  .help = "Ulysses with the custom kernel, a bound in place of the running maximum.",
                  .when = "As ulysses_custom, for heads whose scores stay small enough for a fixed bound.",
                  .limits = "The tensor axis must leave a device at least as many heads as the context axis "
                            "has devices; heads_per_tile must be 1."},
    AttentionMode{
        .name = "ulysses_custom_fixed_m_per_q_block",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::None,
        .kernel = CustomFixedM,
        .minimumLength = true,
        .boundPerBlock = true,
        .crossAttention = "tokamax_flash",
        .help = "Ulysses with the custom kernel; each block of queries has a bound of its own.",
        .when = "As ulysses_custom_fixed_m, when some queries of a head are too large for its bound.",
        .limits = "The tensor axis must leave a device at least as many heads as the context axis has "
                  "devices; heads_per_tile must be 1."},
    AttentionMode{
        .name = "ulysses_ring",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::Ring,
        .kernel = Flash,
        .minimumLength = true,
        .crossAttention = "tokamax_flash",
        .help = "Ulysses inside groups of ulysses_shards devices, a ring between the groups.",
        .when = "When the devices outnumber the heads, or hosts are linked more slowly than their devices.",
        .limits = "ulysses_shards must divide the context axis and be at most the heads that the "
                  "tensor axis leaves to a device."},
    AttentionMode{.name = "ulysses_ring_custom",
                  .exchange = Exchange::Ulysses,
                  .rotation = Rotation::Ring,
                  .kernel = Custom,
                  .headsPerTile = true,
                  .crossAttention = "tokamax_flash",
                  .help = "Ulysses and ring with the custom blocked kernel.",
                  .when = "As ulysses_ring, where the custom kernel is the faster one.",
                  .limits = "ulysses_shards must divide the context axis and be at most the heads that the "
                            "tensor axis leaves to a device."},
    AttentionMode{
        .name = "ulysses_ring_custom_bidir",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::BidirectionalRing,
        .kernel = Custom,
        .headsPerTile = true,
        .crossAttention = "tokamax_flash",
        .help = "Ulysses and a ring whose keys travel both ways along a line, for links that do not wrap.",
        .when = "As ulysses_ring_custom, from about 16 ring devices on links that have no way around.",
        .limits = "ulysses_shards must divide the context axis and be at most the heads that the "
                  "tensor axis leaves to a device."},
    AttentionMode{
        .name = "ulysses_ring_custom_fixed_m",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::Ring,
        .kernel = CustomFixedM,
        .crossAttention = "tokamax_flash",
        .help = "Ulysses and ring with the custom kernel, a bound in place of the running maximum.",
        .when = "As ulysses_ring_custom, for heads whose scores stay small enough for a fixed bound.",
        .limits = "ulysses_shards must divide the context axis and be at most the heads that the "
                  "tensor axis leaves to a device; heads_per_tile must be 1."},
    AttentionMode{
        .name = "ulysses_ring_custom_fixed_m_per_q_block",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::Ring,
        .kernel = CustomFixedM,
        .boundPerBlock = true,
        .crossAttention = "tokamax_flash",
        .help = "Ulysses and ring with the custom kernel; each block of queries has a bound of its own.",
        .when = "As ulysses_ring_custom_fixed_m, when some queries of a head are too large for its bound.",
        .limits = "ulysses_shards must divide the context axis and be at most the heads that the "
                  "tensor axis leaves to a device; heads_per_tile must be 1."},
    AttentionMode{.name = "cudnn_flash_te",
                  .exchange = Exchange::Gather,
                  .rotation = Rotation::None,
                  .kernel = TransformerEngine,
                  .crossAttention = "cudnn_flash_te",
                  .help = "NVIDIA Transformer Engine's cuDNN attention.",
                  .when = "Never here.",
                  .limits = "",
                  .instead =
                      "It is a part of NVIDIA's Transformer Engine, which Meshreel does not have; use flash, "
                      "which computes the same attention"},
};

}  // namespace

std::span<const AttentionMode> attentionModes() {
    return modes;
}

const AttentionMode& denseMode() {
    return *std::ranges::find(modes, DotProduct, &AttentionMode::kernel);
}

const AttentionMode* findAttentionMode(std::string_view name) {
    const auto found = std::ranges::find(modes, name, &AttentionMode::name);
    return found == modes.end() ? nullptr : &*found;
}

}  // namespace meshreel
