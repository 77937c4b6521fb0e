// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <vector>

#include "ui/attention/tile_plan.h"

namespace meshreel {

/// Where a score matrix and its tiles lie on the screen: queries down, keys to the right.
struct TileDrawing {
    QRectF tiles;                      ///< all of them, padding included
    QRectF matrix;                     ///< the scores there are: the same corner, as large or smaller
    QRectF first;                      ///< the first tile
    std::vector<double> rowEdges;      ///< between tiles, from top to bottom
    std::vector<double> columnEdges;   ///< from left to right
    std::vector<double> computeEdges;  ///< inside the first tile: block_kv_compute
    std::int64_t rowsPerEdge =
        1;  ///< tiles between two edges drawn: more than 1 where they would run together
    std::int64_t columnsPerEdge = 1;
};

/// Both sides of the area are used; matrices are drawn neither wider nor higher than three to one.
TileDrawing drawTiles(const TilePlan& plan, const QRectF& area);

}  // namespace meshreel
