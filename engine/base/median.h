// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace meshreel {

/// The mean of the middle two of an even number of values. There is one at least.
double medianOf(std::vector<double> values);

}  // namespace meshreel
