// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/numbers.h"

#include <algorithm>

namespace meshreel {

double computeMedian(std::vector<double> values) {
    const std::size_t half = values.size() / 2;
    std::ranges::sort(values);
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace meshreel
