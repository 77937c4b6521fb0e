// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// The GPUs that a user asks for: the value of the key `gpus`. A GPU that is named twice is two devices.
struct GpuChoice {
    static constexpr std::string_view key = "gpus";
    static constexpr std::string_view automaticName = "auto";
    static constexpr std::string_view noneName = "none";

    bool automatic = false;  ///< a real one, if there is one
    /// Numbers as `meshreel devices` counts them: for each device of the mesh in order, or for those of each
    /// process.
    std::vector<int> numbers = {};

    /// Returns a real one, if there is one.
    static GpuChoice anyReal() { return {.automatic = true}; }
    /// Returns the choice of the CPU.
    static GpuChoice none() { return {}; }

    [[nodiscard]] bool isNone() const { return !automatic && numbers.empty(); }
    /// "auto", "none", "0" or "0,2": as parseGpuChoice() reads it.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const GpuChoice&, const GpuChoice&) = default;
};

/// "auto", "none", "0" or "0,2". The problem of another text is at the key `gpus`, with values that are read.
std::variant<GpuChoice, Problem> parseGpuChoice(std::string_view text);

}  // namespace meshreel
