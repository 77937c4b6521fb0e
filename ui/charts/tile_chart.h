// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"

class QCategoryAxis;

namespace meshreel {

class TileCells;

/// What a map shows when its cells are not pairs of block sizes: TileTime::blockQ and blockKv index names.
struct TileNames {
    QString across;  ///< the axis
    QString up;
    QString own;  ///< what is said after the time of the own cell: " (taken now)"
    QStringList columns;
    QStringList rows;

    friend bool operator==(const TileNames&, const TileNames&) = default;
};

/// What is known of the cells of a map besides their times, by block_q and block_kv.
struct TileNotes {
    using Pair = std::pair<std::int64_t, std::int64_t>;

    std::optional<Pair> own = {};            ///< the sizes that the project has
    std::map<Pair, double> deviations = {};  ///< seconds, of the passes of a cell
    std::optional<TileNames> names = {};     ///< absent: block_q and block_kv

    friend bool operator==(const TileNotes&, const TileNotes&) = default;
};

/// Returns the colours of the cells from fast to slow, in steps of lightness, so that they are readable
/// without seeing hue.
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
        bool isOwn = false;    ///< the project's
        double deviation = 0;  ///< seconds; 0: not known
    };

    /// A span of times and its colour.
    struct Shade {
        QColor color;
        QString words;  ///< words for the slowest time in it
    };

    /// `tiles` holds at least one pair of block sizes. Times far above the others share the last shade, so
    /// that one of them does not take the whole scale.
    explicit TileMap(const std::vector<TileTime>& tiles, const TileNotes& notes = {});

    [[nodiscard]] const std::vector<Cell>& cells() const { return m_cells; }
    /// Null when nothing was timed.
    [[nodiscard]] const Cell* at(int column, int row) const;
    [[nodiscard]] QStringList columns() const;
    [[nodiscard]] QStringList rows() const;
    /// Returns what the axes and the own cell are called.
    [[nodiscard]] const TileNames& names() const { return m_names; }
    /// Returns the shades; a single one if all took the same time.
    [[nodiscard]] std::vector<Shade> shades() const;

    /// Returns a time without its unit: seconds where even the fastest takes one, else milliseconds.
    [[nodiscard]] QString number(double seconds) const;
    [[nodiscard]] QString withUnit(double seconds) const;

  private:
    [[nodiscard]] bool isInSeconds() const { return m_fastest >= 1; }
    [[nodiscard]] std::size_t shadeIndex(double seconds) const;

    std::vector<std::int64_t> m_columns;
    std::vector<std::int64_t> m_rows;
    TileNames m_names;  ///< Makes the sheet of measured pairs, at least one.
    double m_fastest;
    double m_slowest;
    double m_span;  ///< seconds of a shade; 0 when all took the same time
    std::vector<Cell> m_cells;
};

/// Time against block_q and block_kv, or what the notes name in their place, a cell a pair.
class TileChart : public ReadableChart {
    Q_OBJECT

  public:
    /// `tiles` holds at least one pair of block sizes.
    explicit TileChart(const std::vector<TileTime>& tiles, const TileNotes& notes = {});

    /// Others, at least one, during a search; a part that is looked at stays.
    void setTiles(const std::vector<TileTime>& tiles, const TileNotes& notes = {});
    /// Returns the cell under it.
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

/// Takes runs that differ in block sizes only, or one tile search. Throws as tileTimes() does.
ChartSheet tileSheet(const std::vector<RunRecord>& runs);

/// The same of pairs that were timed, at least one.
ChartSheet makeTileSheet(const std::vector<TileTime>& tiles, const TileNotes& notes = {});

}  // namespace meshreel
