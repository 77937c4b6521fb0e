// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include "app/runner/command.h"
#include "engine/attention/attention_mode.h"

namespace meshreel {

Action declareModes(CLI::App&) {
    return [] {
        constexpr int nameWidth = 28;
        for (const AttentionMode& mode : attentionModes()) {
            fmt::print("{:<{}} {:<12} {}\n", mode.name, nameWidth, mode.runs ? "runs" : "not here yet",
                       mode.help);
            if (!mode.runs)
                fmt::print("{:<{}} {:<12} {}\n", "", nameWidth, "", mode.instead);
        }
        return 0;
    };
}

}  // namespace meshreel
