// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attention/tile_view.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int matrixAlpha = 38;
constexpr int tileAlpha = 110;
constexpr int edgeAlpha = 110;
constexpr int paddingAlpha = 150;

QColor withAlpha(QColor color, int alpha) {
    color.setAlpha(alpha);
    return color;
}

}  // namespace

TileView::TileView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Tiles of the score matrix"));
}

void TileView::setPlan(const TilePlan& plan) {
    m_plan = plan;
    update();
}

void TileView::clear() {
    m_plan.reset();
    update();
}

QSize TileView::minimumSizeHint() const {
    return {160, 120};
}

void TileView::paintEvent(QPaintEvent* /*event*/) {
    if (!m_plan)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double title = fontMetrics().height() + tightSpacing;
    const QRectF area = QRectF(rect()).adjusted(title, title, -1, -1);
    TilePlan shown = *m_plan;
    if (!shown.isTiled())
        shown.blocks.blockQ = shown.blocks.blockKv = shown.blocks.blockKvCompute =
            std::max(shown.queries, shown.keys);
    TileDrawing drawing = drawTiles(shown, area);
    if (!shown.isTiled())
        drawing.matrix = drawing.first = drawing.tiles;
    paintTiles(painter, drawing);
    paintTitles(painter, drawing);
}

void TileView::paintTiles(QPainter& painter, const TileDrawing& drawing) const {
    const QColor accent = palette().color(QPalette::Highlight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(withAlpha(warningColor(palette()), paddingAlpha), Qt::BDiagPattern));
    painter.drawRect(drawing.tiles);
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRect(drawing.matrix);
    painter.setBrush(withAlpha(accent, matrixAlpha));
    painter.drawRect(drawing.matrix);
    if (m_plan->isTiled()) {
        painter.setBrush(withAlpha(accent, tileAlpha));
        painter.drawRect(drawing.first);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(withAlpha(palette().color(QPalette::WindowText), edgeAlpha), 1));
    painter.drawRect(drawing.tiles);
    for (const double y : drawing.rowEdges)
        painter.drawLine(QPointF(drawing.tiles.left(), y), QPointF(drawing.tiles.right(), y));
    for (const double x : drawing.columnEdges)
        painter.drawLine(QPointF(x, drawing.tiles.top()), QPointF(x, drawing.tiles.bottom()));
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1, Qt::DotLine));
    for (const double x : drawing.computeEdges)
        painter.drawLine(QPointF(x, drawing.first.top()), QPointF(x, drawing.first.bottom()));
    painter.setPen(QPen(palette().color(QPalette::WindowText), 2));
    painter.drawRect(drawing.matrix);
}

void TileView::paintTitles(QPainter& painter, const TileDrawing& drawing) const {
    const QLocale locale;
    const double line = fontMetrics().height();
    painter.setPen(mutedColor(palette()));
    painter.drawText(
        QRectF(drawing.tiles.left(), drawing.tiles.top() - line - 2, width() - drawing.tiles.left(), line),
        Qt::AlignAbsolute | Qt::AlignLeft | Qt::AlignVCenter,
        tr("%1 keys", "number").arg(locale.toString(static_cast<qlonglong>(m_plan->keys))));
    painter.save();
    painter.translate(drawing.tiles.left() - 2, drawing.tiles.top() + drawing.tiles.height());
    painter.rotate(-90);
    painter.drawText(
        QRectF(0, -line, drawing.tiles.height(), line), Qt::AlignAbsolute | Qt::AlignRight | Qt::AlignVCenter,
        tr("%1 queries", "number").arg(locale.toString(static_cast<qlonglong>(m_plan->queries))));
    painter.restore();
}

}  // namespace meshreel
