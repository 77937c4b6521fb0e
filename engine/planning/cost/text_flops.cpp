// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/text_flops.h"

namespace meshreel {

double textEncodeFlops(const Umt5Config& config, std::int64_t tokens) {
    const auto length = static_cast<double>(tokens);
    const auto width = static_cast<double>(config.dModel);
    const auto inner = static_cast<double>(config.heads * config.dKv);
    const double projections = 4 * width * inner + 3 * width * static_cast<double>(config.dFf);
    return static_cast<double>(config.layers) * 2 * length * (projections + 2 * length * inner);
}

}  // namespace meshreel
