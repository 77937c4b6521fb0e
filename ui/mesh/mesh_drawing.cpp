// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_drawing.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/attention/context_split.h"
#include "engine/mesh/mesh_layout.h"

namespace meshreel {

namespace {

constexpr double wideGap = 10;
constexpr double narrowGap = 4;
constexpr std::size_t mostWithWideGaps = 32;  ///< devices
constexpr double groupPadding = 6;
constexpr double blockGap = 22;
constexpr QSizeF roomForWords{84, 30};  ///< a cell from which more than its number can be written

struct MeshDrawings {
    Q_DECLARE_TR_FUNCTIONS(meshreel::MeshDrawing)
};

/// Rows and columns of one block: of ring and ulysses indices, one of them broken into several lines if it is
/// alone.
struct BlockGrid {
    int columns = 1;
    int rows = 1;
    bool ulyssesDown = false;  ///< ulysses groups are columns, else rows

    [[nodiscard]] QPointF place(const ContextSplit& split, int context) const {
        const int ring = context / split.ulysses;
        const int ulysses = context % split.ulysses;
        if (split.ulysses == 1 || split.ring == 1) {
            const int index = std::max(ring, ulysses);
            return QPointF(index % columns, index / columns);
        }
        return ulyssesDown ? QPointF(ring, ulysses) : QPointF(ulysses, ring);
    }
};

std::vector<BlockGrid> possibleGrids(const ContextSplit& split) {
    if (split.ulysses > 1 && split.ring > 1)
        return {{split.ulysses, split.ring, false}, {split.ring, split.ulysses, true}};
    std::vector<BlockGrid> grids;
    const int devices = split.devices();
    for (int columns = 1; columns <= devices; ++columns)
        grids.push_back({columns, (devices + columns - 1) / columns, false});
    return grids;
}

/// Blocks beside and below each other.
struct BlockPlaces {
    int columns = 1;
    int rows = 1;
};

double gapBetweenCells(const MeshPicture& picture) {
    return picture.devices.size() > mostWithWideGaps ? narrowGap : wideGap;
}

QSizeF cellSize(const BlockGrid& grid, const BlockPlaces& blocks, const QSizeF& area, double titleHeight,
                const QSizeF& largest, double cellGap) {
    const auto room = [cellGap](double whole, int count, double taken, int cells) {
        const double block = (whole - blockGap * (count - 1)) / count - taken;
        return (block - cellGap * (cells - 1)) / cells;
    };
    return {std::min(largest.width(), room(area.width(), blocks.columns, 2 * groupPadding, grid.columns)),
            std::min(largest.height(),
                     room(area.height(), blocks.rows, 2 * groupPadding + titleHeight, grid.rows))};
}

/// How good a cell of this size is to read: the smaller side counts, large cells hold words.
double legibility(const QSizeF& cell) {
    const bool holdsWords = cell.width() >= roomForWords.width() && cell.height() >= roomForWords.height();
    return std::min(cell.width(), 2 * cell.height()) + (holdsWords ? roomForWords.width() : 0);
}

QString blockTitle(const MeshShape& shape, const DeviceCoordinates& at) {
    QStringList words;
    if (shape.data > 1)
        words += MeshDrawings::tr("data %1").arg(at.data);
    if (shape.fsdp > 1)
        words += MeshDrawings::tr("fsdp %1").arg(at.fsdp);
    if (shape.tensor > 1)
        words += MeshDrawings::tr("tensor %1").arg(at.tensor);
    return words.join(QStringLiteral(" · "));
}

/// Numbers of one size for a mesh.
struct Measures {
    BlockGrid grid;
    QSizeF cell;
    double gap = wideGap;

    [[nodiscard]] QSizeF block() const {
        return {grid.columns * cell.width() + (grid.columns - 1) * gap + 2 * groupPadding,
                grid.rows * cell.height() + (grid.rows - 1) * gap + 2 * groupPadding};
    }
};

Measures bestMeasures(const MeshPicture& picture, const BlockPlaces& blocks, const QSizeF& area,
                      double titleHeight, const QSizeF& largest) {
    Measures best;
    double most = -1;
    for (const BlockGrid& grid : possibleGrids(picture.split)) {
        const QSizeF cell = cellSize(grid, blocks, area, titleHeight, largest, gapBetweenCells(picture));
        if (cell.width() > 0 && cell.height() > 0 && legibility(cell) > most) {
            most = legibility(cell);
            best = {grid, cell, gapBetweenCells(picture)};
        }
    }
    return best;
}

/// The outline of the devices of each host, whatever their order on the screen.
std::vector<QPainterPath> hostOutlines(const MeshPicture& picture, const std::vector<QRectF>& cells) {
    if (picture.hosts.size() < 2)
        return {};
    std::vector<QPainterPath> outlines(picture.hosts.size());
    const double reach =
        gapBetweenCells(picture) / 2 + 0.01;  // neighbours' frames overlap a little, and become one
    for (const PicturedDevice& device : picture.devices)
        outlines[device.host].addRect(
            cells[static_cast<std::size_t>(device.number)].adjusted(-reach, -reach, reach, reach));
    for (QPainterPath& outline : outlines) {
        outline.setFillRule(Qt::WindingFill);
        outline = outline.simplified();
    }
    return outlines;
}

}  // namespace

QRectF MeshDrawing::bounds() const {
    QRectF all;
    for (const DrawnGroup& block : blocks)
        all |= block.frame.adjusted(0, -titleHeight, 0, 0);
    return all;
}

int MeshDrawing::deviceAt(const QPointF& point) const {
    const auto found = std::ranges::find_if(cells, [&](const QRectF& cell) { return cell.contains(point); });
    return found == cells.end() ? -1 : static_cast<int>(found - cells.begin());
}

MeshDrawing drawMesh(const MeshPicture& picture, const QRectF& area, double titleHeight,
                     const QSizeF& largest) {
    const MeshShape shape = picture.layout.shape();
    const BlockPlaces blocks{.columns = shape.tensor, .rows = shape.data * shape.fsdp};
    MeshDrawing drawing;
    drawing.titleHeight = blocks.columns * blocks.rows > 1 ? titleHeight : 0;
    const Measures measures = bestMeasures(picture, blocks, area.size(), drawing.titleHeight, largest);
    const QSizeF block = measures.block();
    const QSizeF pitch(block.width() + blockGap, block.height() + drawing.titleHeight + blockGap);
    const QPointF origin(
        area.left() + std::max(0.0, (area.width() - pitch.width() * blocks.columns + blockGap) / 2),
        area.top() + std::max(0.0, (area.height() - pitch.height() * blocks.rows + blockGap) / 2));
    for (const PicturedDevice& device : picture.devices) {
        const int blockRow = device.at.data * shape.fsdp + device.at.fsdp;
        const QRectF frame(QPointF(origin.x() + pitch.width() * device.at.tensor,
                                   origin.y() + pitch.height() * blockRow + drawing.titleHeight),
                           block);
        const QPointF place = measures.grid.place(picture.split, device.at.context);
        const QPointF corner(
            frame.left() + groupPadding + place.x() * (measures.cell.width() + measures.gap),
            frame.top() + groupPadding + place.y() * (measures.cell.height() + measures.gap));
        drawing.cells.emplace_back(corner, measures.cell);
        if (device.at.context == 0)
            drawing.blocks.push_back({frame, blockTitle(shape, device.at), 0});
    }
    for (const PicturedDevice& device : picture.devices) {
        if (device.ulysses != 0 || picture.split.ulysses == 1)
            continue;
        QRectF frame;
        for (const int member : device.ulyssesGroup)
            frame |= drawing.cells[static_cast<std::size_t>(member)];
        const double inset = measures.gap / 2 - 1;
        drawing.ulyssesGroups.push_back({frame.adjusted(-inset, -inset, inset, inset),
                                         MeshDrawings::tr("Ulysses group %1").arg(device.ring), device.ring});
    }
    drawing.hosts = hostOutlines(picture, drawing.cells);
    return drawing;
}

}  // namespace meshreel
