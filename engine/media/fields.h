// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace meshreel {

/// Takes the comb out of a frame that was recorded as two half frames, a field of even lines and one of odd
/// lines, with time between them. A pixel of the later field that lies above or below both its neighbours of
/// the earlier one, by more than noise, becomes their mean; a picture that does not move keeps its lines.
/// `rgb` [height, width, 3]; `laterField`: 1 when the odd lines are the later ones, else 0.
void removeComb(std::span<std::uint8_t> rgb, std::int64_t width, std::int64_t laterField);

}  // namespace meshreel
