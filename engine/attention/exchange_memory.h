// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention/attention_settings.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// What attendSharded() takes from its scratch at most, maxima and sums apart, in shards of the query of one
/// of `contextDevices` devices whose numbers of tokens are equal. The settings are legal.
int exchangedShards(const AttentionSettings& settings, DType type, int contextDevices);

}  // namespace meshreel
