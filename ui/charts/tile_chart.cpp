// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/tile_chart.h"

#include <QCategoryAxis>
#include <QScatterSeries>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/tile_cells.h"

namespace meshreel {

namespace {

constexpr double ringRoom = 8;  ///< pixels between a cell's edge and the ring that says it is pointed at

QCategoryAxis* sizeAxis(QChart* chart, const QString& title) {
    auto* axis = new QCategoryAxis(chart);
    axis->setTitleText(title);
    return axis;
}

/// A place for each size, the first between 0 and 1.
void showSizesOn(QCategoryAxis& axis, const std::vector<std::int64_t>& sizes) {
    QStringList labels;
    std::ranges::transform(sizes, std::back_inserter(labels),
                           [](std::int64_t size) { return QString::number(size); });
    if (labels == axis.categoriesLabels())
        return;
    const QStringList former = axis.categoriesLabels();
    for (const QString& label : former)
        axis.remove(label);
    for (int place = 0; const QString& label : labels)
        axis.append(label, ++place);
    axis.setRange(0, static_cast<double>(labels.size()));
}

}  // namespace

TileChart::TileChart(const std::vector<TileTime>& tiles)
    : m_across(sizeAxis(this, QStringLiteral("block_q"))), m_up(sizeAxis(this, QStringLiteral("block_kv"))) {
    addAxis(m_across, Qt::AlignBottom);
    addAxis(m_up, Qt::AlignLeft);
    m_cells = new TileCells(TileMap(tiles), *m_across, *m_up, this);
    showSizes();
    showLegend();
    ChartStyle::print().applyTo(*this);
    for (QAbstractAxis* axis : {m_across, m_up})
        axis->setGridLineVisible(false);
}

const TileMap& TileChart::map() const {
    return m_cells->map();
}

void TileChart::setTiles(const std::vector<TileTime>& tiles) {
    m_cells->setMap(TileMap(tiles));
    showSizes();
    showLegend();
}

void TileChart::showSizes() {
    showSizesOn(*m_across, map().columns());
    showSizesOn(*m_up, map().rows());
}

// Series without points: they give the legend its entries.
void TileChart::showLegend() {
    const std::vector<TileMap::Shade> shades = map().shades();
    if (series().size() != static_cast<qsizetype>(shades.size())) {
        removeAllSeries();
        for (const TileMap::Shade& shade : shades) {
            auto* entry = new QScatterSeries(this);
            entry->setMarkerShape(QScatterSeries::MarkerShapeRectangle);
            entry->setColor(shade.color);
            entry->setBorderColor(Qt::transparent);
            addSeries(entry);
        }
    }
    for (int index = 0; const TileMap::Shade& shade : shades)
        series().at(index++)->setName(shade.words);
}

std::optional<ChartValue> TileChart::valueNear(const QPointF& position) {
    const QRectF plot = plotArea();
    if (!plot.contains(position))
        return std::nullopt;
    const double across = (position.x() - plot.left()) / plot.width();
    const double up = (plot.bottom() - position.y()) / plot.height();
    const auto placeAt = [](const QCategoryAxis& axis, double share) {
        return static_cast<int>(std::floor(axis.min() + share * (axis.max() - axis.min())));
    };
    const TileMap::Cell* cell = map().at(placeAt(*m_across, across), placeAt(*m_up, up));
    if (cell == nullptr)
        return std::nullopt;
    const QRectF shown = m_cells->shownOf(*cell);
    return ChartValue{.position = {shown.center().x(), shown.bottom() - ringRoom},
                      .point = {cell->column + categoryMiddle, cell->row + categoryMiddle},
                      .words = QStringLiteral("block_q %1 · block_kv %2: %3")
                                   .arg(cell->tile.blockQ)
                                   .arg(cell->tile.blockKv)
                                   .arg(map().withUnit(cell->tile.seconds))};
}

QList<QPointF> TileChart::valuePlaces() {
    QList<QPointF> places;
    for (const TileMap::Cell& cell : map().cells())
        if (const QRectF shown = m_cells->shownOf(cell); !shown.isEmpty())
            places.append(shown.center());
    return places;
}

ChartSheet tileSheet(const std::vector<RunRecord>& runs) {
    return tileSheetOf(tileTimes(runs));
}

ChartSheet tileSheetOf(const std::vector<TileTime>& tiles) {
    DataTable numbers{.columns = {"block_q", "block_kv", "seconds"}, .rows = {}};
    for (const TileTime& tile : tiles)
        numbers.rows.push_back({tile.blockQ, tile.blockKv, tile.seconds});
    return {.draw = [tiles]() -> std::unique_ptr<QChart> { return std::make_unique<TileChart>(tiles); },
            .numbers = std::move(numbers)};
}

}  // namespace meshreel
