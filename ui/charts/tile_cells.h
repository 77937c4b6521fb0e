// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>

#include "ui/charts/tile_map.h"

class QCategoryAxis;
class QChart;

namespace meshreel {

/// The cells of a map over the plot area of the chart that they belong to, as far as its axes show them: the
/// places of columns and rows lie between whole numbers from 0 on.
class TileCells : public QGraphicsItem {
  public:
    /// The chart's child; the axes are of the chart too.
    TileCells(TileMap map, const QCategoryAxis& across, const QCategoryAxis& up, QChart* chart);

    void setMap(const TileMap& map);
    [[nodiscard]] const TileMap& map() const { return m_map; }
    /// So much of a cell as is shown, in the chart's coordinates.
    [[nodiscard]] QRectF shownOf(const TileMap::Cell& cell) const;

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    [[nodiscard]] QRectF placeOf(const TileMap::Cell& cell) const;
    void paintCell(QPainter& painter, const TileMap::Cell& cell, QFont font) const;

    TileMap m_map;
    const QCategoryAxis& m_across;
    const QCategoryAxis& m_up;
    QRectF m_area;
};

}  // namespace meshreel
