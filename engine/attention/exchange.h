// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"

namespace meshreel {

/// Returns how devices of the context axis get what they attend to: as the mode says, or by trading tokens
/// for heads where a gathering mode is asked to shard heads instead (attention_sharding_uniform: false).
inline Exchange selectExchange(const AttentionSettings& settings) {
    const bool headsInstead = settings.mode->exchange == Exchange::Gather && !settings.uniformSharding;
    return headsInstead ? Exchange::Ulysses : settings.mode->exchange;
}

}  // namespace meshreel
