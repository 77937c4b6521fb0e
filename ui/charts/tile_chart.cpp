// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/tile_chart.h"

#include <QCategoryAxis>
#include <QCoreApplication>
#include <QFont>
#include <QGraphicsItem>
#include <QGraphicsSceneHoverEvent>
#include <QPainter>
#include <QScatterSeries>
#include <algorithm>
#include <array>
#include <set>

#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr double cellGap = 2;           ///< pixels between cells
constexpr double wordsSize = 8.5;       ///< points
constexpr double leastWordsWidth = 38;  ///< of a cell that tells its time, pixels
constexpr double leastWordsHeight = 16;
constexpr double bestPenWidth = 2.5;
constexpr int brightFrom = 128;  ///< lightness that black words stand on
constexpr double millisecondsPerSecond = 1e3;

QString sentence(const char* text) {
    return QCoreApplication::translate("RunCharts", text);
}

/// Seconds where even the fastest takes one, else milliseconds.
class TimeWords {
  public:
    explicit TimeWords(double fastest) : m_inSeconds(fastest >= 1) {}

    [[nodiscard]] QString number(double seconds) const {
        const double value = m_inSeconds ? seconds : seconds * millisecondsPerSecond;
        return QString::number(value, 'f', value < 10 ? 2 : 1);
    }
    [[nodiscard]] QString withUnit(double seconds) const {
        return (m_inSeconds ? QCoreApplication::translate("RunCharts", "%1 s", "seconds")
                            : QCoreApplication::translate("RunCharts", "%1 ms", "milliseconds"))
            .arg(number(seconds));
    }

  private:
    bool m_inSeconds;
};

/// Times sorted into as many equal spans as there are shades.
class Shading {
  public:
    explicit Shading(const std::vector<TileTime>& tiles) {
        const auto [fastest, slowest] = std::ranges::minmax(tiles, {}, &TileTime::seconds);
        m_fastest = fastest.seconds;
        m_span = (slowest.seconds - fastest.seconds) / static_cast<double>(tileShades().size());
    }

    [[nodiscard]] std::size_t shadeOf(double seconds) const {
        if (m_span <= 0)
            return 0;
        return std::min(tileShades().size() - 1, static_cast<std::size_t>((seconds - m_fastest) / m_span));
    }
    [[nodiscard]] double fastest() const { return m_fastest; }
    /// The slowest time of a shade.
    [[nodiscard]] double endOf(std::size_t shade) const {
        return m_fastest + static_cast<double>(shade + 1) * m_span;
    }
    [[nodiscard]] std::size_t shades() const { return m_span > 0 ? tileShades().size() : 1; }

  private:
    double m_fastest;
    double m_span;
};

/// Sizes in their order, as places along an axis.
class SizePlaces {
  public:
    explicit SizePlaces(const std::set<std::int64_t>& sizes) : m_sizes(sizes.begin(), sizes.end()) {}

    [[nodiscard]] std::size_t count() const { return m_sizes.size(); }
    [[nodiscard]] std::size_t placeOf(std::int64_t size) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(m_sizes, size) - m_sizes.begin());
    }
    [[nodiscard]] QCategoryAxis* axis(QChart* chart, const QString& title) const {
        auto* axis = new QCategoryAxis(chart);
        axis->setTitleText(title);
        axis->setRange(0, static_cast<double>(m_sizes.size()));
        for (std::size_t place = 0; place < m_sizes.size(); ++place)
            axis->append(QString::number(m_sizes[place]), static_cast<double>(place + 1));
        return axis;
    }

  private:
    std::vector<std::int64_t> m_sizes;
};

template <typename Size>
SizePlaces placesOf(const std::vector<TileTime>& tiles, Size TileTime::*size) {
    std::set<std::int64_t> sizes;
    for (const TileTime& tile : tiles)
        sizes.insert(tile.*size);
    return SizePlaces(sizes);
}

/// The cells over the plot area of the chart that they belong to.
class TileCells : public QGraphicsItem {
  public:
    TileCells(const std::vector<TileTime>& tiles, QChart* chart)
        : QGraphicsItem(chart),
          m_tiles(tiles),
          m_across(placesOf(tiles, &TileTime::blockQ)),
          m_up(placesOf(tiles, &TileTime::blockKv)),
          m_shading(tiles),
          m_words(m_shading.fastest()),
          m_area(chart->plotArea()) {
        setAcceptHoverEvents(true);
        QObject::connect(chart, &QChart::plotAreaChanged, chart, [this](const QRectF& area) {
            prepareGeometryChange();
            m_area = area;
        });
    }

    [[nodiscard]] QRectF boundingRect() const override { return m_area; }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) override {
        QFont font;
        font.setPointSizeF(wordsSize);
        for (const TileTime& tile : m_tiles)
            paintCell(*painter, tile, font);
    }

  protected:
    void hoverMoveEvent(QGraphicsSceneHoverEvent* event) override {
        const auto under = std::ranges::find_if(
            m_tiles, [&](const TileTime& tile) { return cellOf(tile).contains(event->pos()); });
        setToolTip(under == m_tiles.end() ? QString()
                                          : QStringLiteral("block_q %1 · block_kv %2: %3")
                                                .arg(under->blockQ)
                                                .arg(under->blockKv)
                                                .arg(m_words.withUnit(under->seconds)));
    }

  private:
    [[nodiscard]] QRectF cellOf(const TileTime& tile) const {
        const QSizeF size(m_area.width() / static_cast<double>(m_across.count()),
                          m_area.height() / static_cast<double>(m_up.count()));
        const auto column = static_cast<double>(m_across.placeOf(tile.blockQ));
        const auto row = static_cast<double>(m_up.placeOf(tile.blockKv));
        const QPointF corner(m_area.left() + column * size.width(),
                             m_area.bottom() - (row + 1) * size.height());
        return QRectF(corner, size).adjusted(cellGap, cellGap, -cellGap, -cellGap);
    }

    void paintCell(QPainter& painter, const TileTime& tile, QFont font) const {
        const QRectF cell = cellOf(tile);
        const QColor shade = tileShades()[m_shading.shadeOf(tile.seconds)];
        const bool best = tile.seconds <= m_shading.fastest();
        const QColor words = shade.lightness() > brightFrom ? Qt::black : Qt::white;
        painter.fillRect(cell, shade);
        if (best) {
            painter.setPen(QPen(words, bestPenWidth));
            painter.drawRect(cell.adjusted(cellGap, cellGap, -cellGap, -cellGap));
        }
        if (cell.width() < leastWordsWidth || cell.height() < leastWordsHeight)
            return;
        font.setBold(best);
        painter.setFont(font);
        painter.setPen(words);
        painter.drawText(cell, Qt::AlignCenter, m_words.number(tile.seconds));
    }

    std::vector<TileTime> m_tiles;
    SizePlaces m_across;
    SizePlaces m_up;
    Shading m_shading;
    TimeWords m_words;
    QRectF m_area;
};

/// Series without points: they give the legend its entries.
void addLegend(QChart* chart, const std::vector<TileTime>& tiles) {
    const Shading shading(tiles);
    const TimeWords words(shading.fastest());
    for (std::size_t shade = 0; shade < shading.shades(); ++shade) {
        auto* series = new QScatterSeries(chart);
        series->setName(
            sentence(QT_TRANSLATE_NOOP("RunCharts", "≤ %1")).arg(words.withUnit(shading.endOf(shade))));
        series->setMarkerShape(QScatterSeries::MarkerShapeRectangle);
        series->setColor(tileShades()[shade]);
        series->setBorderColor(Qt::transparent);
        chart->addSeries(series);
    }
}

std::unique_ptr<QChart> drawTiles(const std::vector<TileTime>& tiles) {
    auto chart = std::make_unique<QChart>();
    addLegend(chart.get(), tiles);
    QAbstractAxis* across = placesOf(tiles, &TileTime::blockQ).axis(chart.get(), QStringLiteral("block_q"));
    QAbstractAxis* up = placesOf(tiles, &TileTime::blockKv).axis(chart.get(), QStringLiteral("block_kv"));
    chart->addAxis(across, Qt::AlignBottom);
    chart->addAxis(up, Qt::AlignLeft);
    new TileCells(tiles, chart.get());  // the chart's child
    ChartStyle::print().applyTo(*chart);
    for (QAbstractAxis* axis : {across, up})
        axis->setGridLineVisible(false);
    return chart;
}

}  // namespace

std::span<const QColor> tileShades() {
    static const std::array shades{QColor(0xfd, 0xe7, 0x25), QColor(0x5e, 0xc9, 0x62),
                                   QColor(0x21, 0x91, 0x8c), QColor(0x3b, 0x52, 0x8b),
                                   QColor(0x44, 0x01, 0x54)};
    return shades;
}

ChartSheet tileSheet(const std::vector<RunRecord>& runs) {
    return tileSheetOf(tileTimes(runs));
}

ChartSheet tileSheetOf(const std::vector<TileTime>& tiles) {
    DataTable numbers{.columns = {"block_q", "block_kv", "seconds"}, .rows = {}};
    for (const TileTime& tile : tiles)
        numbers.rows.push_back({tile.blockQ, tile.blockKv, tile.seconds});
    return {.draw = [tiles] { return drawTiles(tiles); }, .numbers = std::move(numbers)};
}

}  // namespace meshreel
