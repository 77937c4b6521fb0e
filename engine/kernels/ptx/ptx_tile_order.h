// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/kernels/ptx/ptx_writer.h"

namespace meshreel {

/// Which tile of a grid of tiles is the number-th, as registers.
struct PtxTilePlace {
    std::string row;
    std::string column;
};

/// Tiles go down eight rows of tiles before they go on to the next column: what runs at one time then reads
/// little more than it must, which the second cache holds. `number` is below across · down. Changes `number`.
PtxTilePlace orderTiles(PtxWriter& ptx, const std::string& number, const std::string& across,
                        const std::string& down);

}  // namespace meshreel
