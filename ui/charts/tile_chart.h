// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/readable_chart.h"
#include "ui/charts/tile_map.h"

class QCategoryAxis;

namespace meshreel {

class TileCells;

/// Time against block_q and block_kv, a cell a pair.
class TileChart : public ReadableChart {
    Q_OBJECT

  public:
    /// Of at least one pair.
    explicit TileChart(const std::vector<TileTime>& tiles);

    /// Others, at least one, while a search goes on; a part that is looked at stays.
    void setTiles(const std::vector<TileTime>& tiles);
    /// The cell under it.
    [[nodiscard]] std::optional<ChartValue> valueNear(const QPointF& position) override;
    [[nodiscard]] QList<QPointF> valuePlaces() override;

  private:
    void showSizes();
    void showLegend();
    [[nodiscard]] const TileMap& map() const;

    QCategoryAxis* m_across;
    QCategoryAxis* m_up;
    TileCells* m_cells;
};

/// Of runs that differ in nothing but block sizes, or of one tile search. Throws as tileTimes().
ChartSheet tileSheet(const std::vector<RunRecord>& runs);

/// The same of pairs that were timed, at least one.
ChartSheet tileSheetOf(const std::vector<TileTime>& tiles);

}  // namespace meshreel
