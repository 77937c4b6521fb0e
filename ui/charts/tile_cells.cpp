// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/tile_cells.h"

#include <QCategoryAxis>
#include <QChart>
#include <QFont>
#include <QPainter>
#include <utility>

namespace meshreel {

namespace {

constexpr double cellGap = 2;           ///< pixels between cells
constexpr double wordsSize = 8.5;       ///< points
constexpr double leastWordsWidth = 38;  ///< of a cell that tells its time, pixels
constexpr double leastWordsHeight = 16;
constexpr double bestPenWidth = 2.5;
constexpr int brightFrom = 128;  ///< lightness that black words stand on

}  // namespace

TileCells::TileCells(TileMap map, const QCategoryAxis& across, const QCategoryAxis& up, QChart* chart)
    : QGraphicsItem(chart), m_map(std::move(map)), m_across(across), m_up(up), m_area(chart->plotArea()) {
    QObject::connect(chart, &QChart::plotAreaChanged, chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
    for (const QCategoryAxis* axis : {&across, &up})
        QObject::connect(axis, &QValueAxis::rangeChanged, chart, [this] { update(); });
}

void TileCells::setMap(const TileMap& map) {
    m_map = map;
    update();
}

QRectF TileCells::placeOf(const TileMap::Cell& cell) const {
    const double width = m_area.width() / (m_across.max() - m_across.min());
    const double height = m_area.height() / (m_up.max() - m_up.min());
    return QRectF(m_area.left() + (cell.column - m_across.min()) * width,
                  m_area.bottom() - (cell.row + 1 - m_up.min()) * height, width, height)
        .adjusted(cellGap, cellGap, -cellGap, -cellGap);
}

QRectF TileCells::shownOf(const TileMap::Cell& cell) const {
    return placeOf(cell).intersected(m_area);
}

void TileCells::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    QFont font;
    font.setPointSizeF(wordsSize);
    painter->setClipRect(m_area);
    for (const TileMap::Cell& cell : m_map.cells())
        paintCell(*painter, cell, font);
}

void TileCells::paintCell(QPainter& painter, const TileMap::Cell& cell, QFont font) const {
    const QRectF shown = shownOf(cell);
    if (shown.isEmpty())
        return;
    const QColor words = cell.shade.lightness() > brightFrom ? Qt::black : Qt::white;
    painter.fillRect(shown, cell.shade);
    if (cell.isFastest) {
        painter.setPen(QPen(words, bestPenWidth));
        painter.drawRect(placeOf(cell).adjusted(cellGap, cellGap, -cellGap, -cellGap));
    }
    if (shown.width() < leastWordsWidth || shown.height() < leastWordsHeight)
        return;
    font.setBold(cell.isFastest);
    painter.setFont(font);
    painter.setPen(words);
    painter.drawText(shown, Qt::AlignCenter, m_map.number(cell.tile.seconds));
}

}  // namespace meshreel
