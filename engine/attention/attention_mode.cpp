// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strings.h"

namespace meshreel {

namespace {

using enum AttentionKernel;

constexpr std::string_view needsDevices =
    "It divides one attention between several devices, and this version runs one; use flash, which computes "
    "the same "
    "numbers on one device";
constexpr std::string_view customOnOneDevice =
    "Its kernel makes sense only behind an exchange between several devices, and this version runs one; use "
    "flash, "
    "which computes the same numbers on one device";

constexpr std::array modes{
    AttentionMode{
        .name = "dot_product",
        .exchange = Exchange::None,
        .rotation = Rotation::None,
        .kernel = DotProduct,
        .minimumLength = false,
        .runs = true,
        .help = "Dense softmax attention: every score of a query at once; the reference, and good for short "
                "sequences.",
        .instead = ""},
    AttentionMode{
        .name = "flash",
        .exchange = Exchange::None,
        .rotation = Rotation::None,
        .kernel = Flash,
        .minimumLength = true,
        .runs = true,
        .help = "Blocked attention with a running softmax: memory grows with the block sizes, not with the "
                "square of the sequence.",
        .instead = ""},
    AttentionMode{.name = "tokamax_flash",
                  .exchange = Exchange::None,
                  .rotation = Rotation::None,
                  .kernel = Flash,
                  .minimumLength = true,
                  .runs = true,
                  .help = "MaxDiffusion's other flash kernel; the same as flash here.",
                  .instead = ""},
    AttentionMode{
        .name = "ring",
        .exchange = Exchange::None,
        .rotation = Rotation::Ring,
        .kernel = Flash,
        .minimumLength = false,
        .runs = false,
        .help = "Ring attention: each device keeps its queries while keys and values travel around.",
        .instead = needsDevices},
    AttentionMode{.name = "tokamax_ring",
                  .exchange = Exchange::None,
                  .rotation = Rotation::Ring,
                  .kernel = Flash,
                  .minimumLength = false,
                  .runs = false,
                  .help = "Ring attention over the whole context axis, accumulating un-normalised partials.",
                  .instead = needsDevices},
    AttentionMode{.name = "tokamax_ring_custom",
                  .exchange = Exchange::None,
                  .rotation = Rotation::Ring,
                  .kernel = Custom,
                  .minimumLength = false,
                  .runs = false,
                  .help = "Ring attention with the custom blocked kernel.",
                  .instead = needsDevices},
    AttentionMode{
        .name = "ulysses",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::None,
        .kernel = Flash,
        .minimumLength = true,
        .runs = false,
        .help = "Ulysses: devices trade sequence shards for head groups before the kernel and back after it.",
        .instead = needsDevices},
    AttentionMode{.name = "ulysses_custom",
                  .exchange = Exchange::Ulysses,
                  .rotation = Rotation::None,
                  .kernel = Custom,
                  .minimumLength = true,
                  .runs = false,
                  .help = "Ulysses with the custom blocked kernel.",
                  .instead = customOnOneDevice},
    AttentionMode{.name = "ulysses_custom_fixed_m",
                  .exchange = Exchange::Ulysses,
                  .rotation = Rotation::None,
                  .kernel = CustomFixedM,
                  .minimumLength = true,
                  .runs = false,
                  .help = "Ulysses with the custom kernel, a bound in place of the running maximum.",
                  .instead = customOnOneDevice},
    AttentionMode{.name = "ulysses_ring",
                  .exchange = Exchange::Ulysses,
                  .rotation = Rotation::Ring,
                  .kernel = Flash,
                  .minimumLength = true,
                  .runs = false,
                  .help = "Ulysses inside groups of ulysses_shards devices, a ring between the groups.",
                  .instead = needsDevices},
    AttentionMode{.name = "ulysses_ring_custom",
                  .exchange = Exchange::Ulysses,
                  .rotation = Rotation::Ring,
                  .kernel = Custom,
                  .minimumLength = false,
                  .runs = false,
                  .help = "Ulysses and ring with the custom blocked kernel.",
                  .instead = needsDevices},
    AttentionMode{
        .name = "ulysses_ring_custom_bidir",
        .exchange = Exchange::Ulysses,
        .rotation = Rotation::BidirectionalRing,
        .kernel = Custom,
        .minimumLength = false,
        .runs = false,
        .help = "Ulysses and a ring whose keys travel both ways along a line, for links that do not wrap.",
        .instead = needsDevices},
    AttentionMode{.name = "ulysses_ring_custom_fixed_m",
                  .exchange = Exchange::Ulysses,
                  .rotation = Rotation::Ring,
                  .kernel = CustomFixedM,
                  .minimumLength = false,
                  .runs = false,
                  .help = "Ulysses and ring with the custom kernel, a bound in place of the running maximum.",
                  .instead = needsDevices},
    AttentionMode{
        .name = "cudnn_flash_te",
        .exchange = Exchange::None,
        .rotation = Rotation::None,
        .kernel = TransformerEngine,
        .minimumLength = false,
        .runs = false,
        .help = "NVIDIA Transformer Engine's cuDNN attention.",
        .instead = "It exists only on NVIDIA GPUs and Meshreel computes on CPUs; use flash, which computes "
                   "the same attention"},
};

std::string runningNames() {
    std::string names;
    for (const AttentionMode& mode : modes)
        if (mode.runs)
            names += (names.empty() ? "" : ", ") + std::string(mode.name);
    return names;
}

}  // namespace

std::span<const AttentionMode> attentionModes() {
    return modes;
}

const AttentionMode* findAttentionMode(std::string_view name) {
    const auto found = std::ranges::find(modes, name, &AttentionMode::name);
    return found == modes.end() ? nullptr : &*found;
}

const AttentionMode& requireAttentionMode(std::string_view name) {
    const AttentionMode* mode = findAttentionMode(name);
    if (mode == nullptr) {
        std::vector<std::string_view> names;
        std::ranges::transform(modes, std::back_inserter(names), &AttentionMode::name);
        const std::string_view nearest = nearestName(name, names);
        throw Error(
            ErrorKind::Project, fmt::format("There is no attention mode '{}'", name), "attention",
            nearest.empty() ? "Modes that run: " + runningNames() : fmt::format("Did you mean {}?", nearest));
    }
    if (!mode->runs)
        throw Error(ErrorKind::Project, fmt::format("The attention mode {} does not run here", name),
                    "attention", std::string(mode->instead));
    return *mode;
}

}  // namespace meshreel
