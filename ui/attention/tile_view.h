// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/kernels/attention/flash_block_sizes.h"

namespace meshreel {

struct RunPlan;

/// How the kernel of one device cuts its score matrix into tiles.
struct TilePlan {
    const AttentionMode* mode = nullptr;
    std::int64_t queries = 0;       ///< rows: of the first device
    std::int64_t keys = 0;          ///< columns at a time: those of one rotation
    FlashBlockSizes blocks;         ///< without zeros
    std::int64_t scratchBytes = 0;  ///< for a worker; 0 when the kernel has no such limit
    std::int64_t cacheBytes = 0;    ///< on this machine for a worker, see workerCacheBytes()

    /// Returns whether there are tiles: dot_product computes whole rows.
    [[nodiscard]] bool isTiled() const;
    [[nodiscard]] std::int64_t rows() const { return (queries + blocks.blockQ - 1) / blocks.blockQ; }
    [[nodiscard]] std::int64_t columns() const { return (keys + blocks.blockKv - 1) / blocks.blockKv; }
    /// Part of the tiles' area outside the matrix, in [0, 1).
    [[nodiscard]] double padding() const;
    [[nodiscard]] bool hasScratchLimit() const { return blocks.vmemLimitBytes > 0; }
    /// Returns the scratch as a part of vmem_limit_bytes, or else of cacheBytes; absent without scratch.
    [[nodiscard]] std::optional<double> scratchShare() const;
};

TilePlan makeTilePlan(const RunPlan& plan);

/// The places of a score matrix and its tiles on the screen: queries down, keys to the right.
struct TileDrawing {
    QRectF tiles;                      ///< all of them, padding included
    QRectF matrix;                     ///< the scores there are: the same corner, as large or smaller
    QRectF first;                      ///< the first tile
    std::vector<double> rowEdges;      ///< between tiles, from top to bottom
    std::vector<double> columnEdges;   ///< from left to right
    std::vector<double> computeEdges;  ///< inside the first tile: block_kv_compute
    std::int64_t rowsPerEdge = 1;  ///< tiles between two drawn edges: more than 1 if they would run together
    std::int64_t columnsPerEdge = 1;
};

/// Uses both sides of the area; draws matrices neither wider nor higher than three to one.
TileDrawing drawTiles(const TilePlan& plan, const QRectF& area);

/// Shows the score matrix of one device under its tiles, and where tiles extend beyond it.
class TileView : public QWidget {
    Q_OBJECT

  public:
    explicit TileView(QWidget* parent = nullptr);

    void setPlan(const TilePlan& plan);
    /// Draws nothing until there is another plan.
    void clear();
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void paintTiles(QPainter& painter, const TileDrawing& drawing) const;
    void paintTitles(QPainter& painter, const TileDrawing& drawing) const;

    std::optional<TilePlan> m_plan;
};

}  // namespace meshreel
