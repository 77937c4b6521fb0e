// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace meshreel {

/// Of videos and their latents: [batch, channels, frames, height, width].
constexpr std::size_t channelAxis = 1;
constexpr std::size_t frameAxis = 2;

}  // namespace meshreel
