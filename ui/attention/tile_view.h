// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "ui/attention/tile_drawing.h"

namespace meshreel {

/// The score matrix of one device under its tiles, with what sticks out of it.
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
