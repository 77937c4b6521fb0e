// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include "app/runner/command.h"
#include "engine/attention/attention_volume.h"

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
        return 0;
    };
}

}  // namespace meshreel
