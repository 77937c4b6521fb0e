// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include "app/runner/command.h"
#include "engine/attention/attention_volume.h"
#include "engine/attention/block_presets.h"

namespace meshreel {

namespace {

constexpr int labelWidth = 17;

void printLine(std::string_view label, std::string_view text) {
    fmt::print("  {:<{}} {}\n", label, labelWidth, text);
}

void printCollectives(const AttentionMode& mode) {
    std::string_view label = "moves";
    for (const AttentionCollective& collective : attentionCollectives(mode)) {
        printLine(label, fmt::format("{}: {}{}", collective.name, collective.formula,
                                     collective.chunked ? ", in chunks" : ""));
        label = "then";
    }
}

void printMode(const AttentionMode& mode) {
    fmt::print("\n{}{}\n", mode.name, mode.runs ? "" : " (does not run here)");
    printLine("", mode.help);
    if (!mode.runs) {
        printLine("instead", mode.instead);
        return;
    }
    printLine("sharded", attentionSharding(mode));
    printCollectives(mode);
    printLine("when", mode.when);
    printLine("limits", mode.limits);
    if (mode.crossAttention != mode.name)
        printLine("cross-attention", mode.crossAttention);
}

/// Names of the modes that run with these sizes as they were found.
std::string modesFor(const BlockPreset& preset) {
    std::string names;
    for (const AttentionMode& mode : attentionModes())
        if (preset.suits(mode))
            names += fmt::format("{}{}", names.empty() ? "" : ", ", mode.name);
    return names;
}

void printPreset(const BlockPreset& preset) {
    fmt::print("\n{}\n", preset.name);
    if (preset.sizes == FlashBlockSizes{}) {
        printLine("sizes", "all 0: what suits the caches of a core is taken");
    } else {
        const FlashBlockSizes& sizes = preset.sizes;
        std::string words = fmt::format("block_q {}, block_kv {}, block_kv_compute {}", sizes.blockQ,
                                        sizes.blockKv, sizes.blockKvCompute);
        if (sizes.blockKvComputeIn > 0)
            words += fmt::format(", block_kv_compute_in {}", sizes.blockKvComputeIn);
        if (sizes.vmemLimitBytes > 0)
            words += fmt::format(", vmem_limit_bytes {}", sizes.vmemLimitBytes);
        printLine("sizes", words);
        printLine("published", preset.source);
        printLine("modes", modesFor(preset));
    }
}

}  // namespace

Action declareModes(CLI::App&) {
    return [] {
        fmt::print(
            "Attention modes, and the bytes that each moves to one device per attention when shards are "
            "even. C: devices of the\ncontext axis, U: ulysses_shards (C for ulysses), R = C/U; q, k: bytes "
            "of one device's queries, keys. One device moves\nnothing. Cross-attention keys (the text) are "
            "on every device and are not moved.\n");
        for (const AttentionMode& mode : attentionModes())
            printMode(mode);
        fmt::print(
            "\nBlock sizes to start from, in flash_block_sizes. Sizes of accelerators rarely suit a CPU's "
            "caches: `meshreel tune` finds\nwhat does.\n");
        for (const BlockPreset& preset : blockPresets())
            printPreset(preset);
        return 0;
    };
}

}  // namespace meshreel
