// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"

namespace meshreel {

/// The context axis seen as ring × ulysses: device c stands at ring index c / ulysses and ulysses index
/// c % ulysses.
struct ContextSplit {
    int ring = 1;
    int ulysses = 1;
};

/// What is wrong with an attention on a mesh: the project key to blame, a sentence, and the cure.
struct AttentionProblemReport {
    std::string key;
    std::string message;
    std::string hint;
};

/// How the mode divides `contextDevices` devices. The settings must be legal (see attentionProblems).
ContextSplit contextSplit(const AttentionSettings& settings, int contextDevices);

/// Everything that keeps these settings from running `heads` heads (of the whole model; absent when not known
/// yet) on `contextDevices` × `tensorDevices` devices: modes that do not run, ulysses_shards unset or not
/// dividing, heads that do not divide, ring of one device, heads_per_tile, blocks, scratch limit.
std::vector<AttentionProblemReport> attentionProblems(const AttentionSettings& settings,
                                                      std::optional<std::int64_t> heads,
                                                      std::optional<std::int64_t> headDim, int contextDevices,
                                                      int tensorDevices);

/// The settings that cross-attention runs with: the mode's crossAttention in place of the mode.
AttentionSettings crossAttentionSettings(const AttentionSettings& settings);

}  // namespace meshreel
