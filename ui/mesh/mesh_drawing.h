// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <QString>
#include <vector>

#include "ui/mesh/mesh_picture.h"

namespace meshreel {

/// A frame around devices that belong together.
struct DrawnGroup {
    QRectF frame;
    QString title;
    int ring = 0;  ///< ring index of an ulysses group
};

/// The places of a mesh's devices on the screen. Each context axis is a block of its own; in it, ulysses
/// groups are lines of neighbours and the rings run across them. Blocks are placed by data and fsdp down, by
/// tensor to the right.
struct MeshDrawing {
    std::vector<QRectF> cells;              ///< by device number
    std::vector<DrawnGroup> blocks;         ///< one for each context axis
    std::vector<DrawnGroup> ulyssesGroups;  ///< empty when groups have one device
    std::vector<QPainterPath> hosts;        ///< around the devices of each; empty when there is but one
    double titleHeight = 0;                 ///< room above a block for its title

    /// Around all devices and their frames.
    [[nodiscard]] QRectF bounds() const;

    /// Returns -1 when there is none.
    [[nodiscard]] int deviceAt(const QPointF& point) const;
};

/// Returns a drawing as large as fits into the area, with cells at most `largest` wide.
MeshDrawing drawMesh(const MeshPicture& picture, const QRectF& area, double titleHeight,
                     const QSizeF& largest);

}  // namespace meshreel
