// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Clips u8 [time, height, width, 3], all of one size, as one picture u8 [height, width, 3]: a row of six
/// frames for each clip, in two columns, in the order of reading.
Tensor contactSheet(const std::vector<Tensor>& clips);

}  // namespace meshreel
