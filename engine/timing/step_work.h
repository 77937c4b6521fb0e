// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace meshreel {

/// What a denoising step computed of its prediction; the rest was taken over from an earlier one.
enum class StepWork : std::uint8_t {
    Everything,
    PromptOnly,  ///< not the negative prompt's half
    FirstBlock,  ///< of the transformer's blocks only the first
    NoBlocks,    ///< embeddings and output projection only
    Nothing,
};

/// "full", "prompt", "first_block", "no_blocks", "none".
std::string_view nameOf(StepWork work);
std::optional<StepWork> stepWorkNamed(std::string_view name);

}  // namespace meshreel
