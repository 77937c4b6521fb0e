// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/text_encoder/umt5_config.h"

namespace meshreel {

/// Floating-point operations, a multiply-add being two, of encoding one text of `tokens`: the projections,
/// the gated feed-forward and attention of all layers.
double textEncodeFlops(const Umt5Config& config, std::int64_t tokens);

}  // namespace meshreel
