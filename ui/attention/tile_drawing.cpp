// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attention/tile_drawing.h"

#include <algorithm>
#include <cmath>

namespace meshreel {

namespace {

constexpr double leastDistance = 5;  ///< of two edges
constexpr double mostAspect = 3;

struct Axis {
    double begin;
    double length;
    std::int64_t tiles;
};

std::int64_t tilesPerEdge(const Axis& axis) {
    const auto most = static_cast<std::int64_t>(std::max(1.0, std::floor(axis.length / leastDistance)));
    return (axis.tiles + most - 1) / most;
}

std::vector<double> edgesOf(const Axis& axis, std::int64_t tilesEach) {
    std::vector<double> edges;
    for (std::int64_t tile = tilesEach; tile < axis.tiles; tile += tilesEach)
        edges.push_back(axis.begin +
                        axis.length * static_cast<double>(tile) / static_cast<double>(axis.tiles));
    return edges;
}

QSizeF fitted(double aspect, const QSizeF& area) {
    const double shown = std::clamp(aspect, 1 / mostAspect, mostAspect);
    return area.width() > area.height() * shown ? QSizeF(area.height() * shown, area.height())
                                                : QSizeF(area.width(), area.width() / shown);
}

}  // namespace

TileDrawing drawTiles(const TilePlan& plan, const QRectF& area) {
    const auto rowsCovered = static_cast<double>(plan.rows() * plan.blocks.blockQ);
    const auto columnsCovered = static_cast<double>(plan.columns() * plan.blocks.blockKv);
    TileDrawing drawing;
    drawing.tiles = QRectF(area.topLeft(), fitted(columnsCovered / rowsCovered, area.size()));
    drawing.matrix = QRectF(drawing.tiles.topLeft(),
                            QSizeF(drawing.tiles.width() * static_cast<double>(plan.keys) / columnsCovered,
                                   drawing.tiles.height() * static_cast<double>(plan.queries) / rowsCovered));
    drawing.first =
        QRectF(drawing.tiles.topLeft(), QSizeF(drawing.tiles.width() / static_cast<double>(plan.columns()),
                                               drawing.tiles.height() / static_cast<double>(plan.rows())));
    const Axis down{drawing.tiles.top(), drawing.tiles.height(), plan.rows()};
    const Axis across{drawing.tiles.left(), drawing.tiles.width(), plan.columns()};
    drawing.rowsPerEdge = tilesPerEdge(down);
    drawing.columnsPerEdge = tilesPerEdge(across);
    drawing.rowEdges = edgesOf(down, drawing.rowsPerEdge);
    drawing.columnEdges = edgesOf(across, drawing.columnsPerEdge);
    const Axis inside{drawing.first.left(), drawing.first.width(),
                      plan.blocks.blockKv / plan.blocks.blockKvCompute};
    drawing.computeEdges = edgesOf(inside, tilesPerEdge(inside));
    return drawing;
}

}  // namespace meshreel
