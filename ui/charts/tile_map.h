// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/runs/records/run_record.h"

namespace meshreel {

/// Colours of the cells from fast to slow, steps of lightness, so that they need no sight of hue.
std::span<const QColor> tileShades();

/// Times of pairs of block sizes as a map: the sizes of block_q across and of block_kv up, in their order.
class TileMap {
  public:
    struct Cell {
        TileTime tile;
        int column = 0;
        int row = 0;  ///< from below
        QColor shade;
        bool isFastest = false;
    };

    /// A span of times and its colour.
    struct Shade {
        QColor color;
        QString words;  ///< of the slowest time in it
    };

    /// Of at least one pair.
    explicit TileMap(const std::vector<TileTime>& tiles);

    [[nodiscard]] const std::vector<Cell>& cells() const { return m_cells; }
    /// Null where nothing was timed.
    [[nodiscard]] const Cell* at(int column, int row) const;
    [[nodiscard]] const std::vector<std::int64_t>& columns() const { return m_columns; }
    [[nodiscard]] const std::vector<std::int64_t>& rows() const { return m_rows; }
    /// One where all took the same time.
    [[nodiscard]] std::vector<Shade> shades() const;

    /// A time without its unit: seconds where even the fastest takes one, else milliseconds.
    [[nodiscard]] QString number(double seconds) const;
    [[nodiscard]] QString withUnit(double seconds) const;

  private:
    [[nodiscard]] bool isInSeconds() const { return m_fastest >= 1; }
    [[nodiscard]] std::size_t shadeOf(double seconds) const;

    std::vector<std::int64_t> m_columns;
    std::vector<std::int64_t> m_rows;
    double m_fastest;
    double m_span;  ///< seconds of a shade; 0 where all took the same time
    std::vector<Cell> m_cells;
};

}  // namespace meshreel
