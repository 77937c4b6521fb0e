// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attention/tile_view.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/attention/attention_plan.h"
#include "engine/attention/context_split.h"
#include "engine/measure/tile_tuning.h"
#include "engine/planning/run_plan.h"
#include "ui/theme/look.h"

namespace meshreel {

bool TilePlan::isTiled() const {
    return rowOf(mode->kernel).isBlocked;
}

double TilePlan::padding() const {
    const auto area =
        static_cast<double>(rows() * blocks.blockQ) * static_cast<double>(columns() * blocks.blockKv);
    return 1 - static_cast<double>(queries) * static_cast<double>(keys) / area;
}

std::optional<double> TilePlan::scratchShare() const {
    const std::int64_t room = hasScratchLimit() ? blocks.vmemLimitBytes : cacheBytes;
    if (room == 0 || scratchBytes == 0)
        return {};
    return static_cast<double>(scratchBytes) / static_cast<double>(room);
}

TilePlan makeTilePlan(const RunPlan& plan) {
    const AttentionPlan& self = plan.attentions.self;
    TilePlan tiles{.mode = self.mode,
                   .queries = groupTokens(self.split, plan.tokens, 0).size(),
                   .keys = plan.tokens,
                   .blocks = self.blocks,
                   .cacheBytes = workerCacheBytes()};
    if (self.rotation != Rotation::None)
        tiles.keys = tiles.queries;
    if (rowOf(self.kernel).isCustom)
        tiles.scratchBytes =
            static_cast<std::int64_t>(customScratchBytes(tiles.blocks, plan.model.transformer.headDim));
    return tiles;
}

namespace {

constexpr double leastDistance = 5;  ///< of two edges
constexpr double mostAspect = 3;

struct Axis {
    double begin;
    double length;
    std::int64_t tiles;
};

std::int64_t tilesPerEdge(const Axis& axis) {
    const auto most = static_cast<std::int64_t>(std::max(1.0, std::floor(axis.length / leastDistance)));
    return (axis.tiles + most - 1) / most;
}

std::vector<double> listEdges(const Axis& axis, std::int64_t tilesEach) {
    std::vector<double> edges;
    for (std::int64_t tile = tilesEach; tile < axis.tiles; tile += tilesEach)
        edges.push_back(axis.begin +
                        axis.length * static_cast<double>(tile) / static_cast<double>(axis.tiles));
    return edges;
}

QSizeF fitted(double aspect, const QSizeF& area) {
    const double shown = std::clamp(aspect, 1 / mostAspect, mostAspect);
    return area.width() > area.height() * shown ? QSizeF(area.height() * shown, area.height())
                                                : QSizeF(area.width(), area.width() / shown);
}

}  // namespace

TileDrawing drawTiles(const TilePlan& plan, const QRectF& area) {
    const auto rowsCovered = static_cast<double>(plan.rows() * plan.blocks.blockQ);
    const auto columnsCovered = static_cast<double>(plan.columns() * plan.blocks.blockKv);
    TileDrawing drawing;
    drawing.tiles = QRectF(area.topLeft(), fitted(columnsCovered / rowsCovered, area.size()));
    drawing.matrix = QRectF(drawing.tiles.topLeft(),
                            QSizeF(drawing.tiles.width() * static_cast<double>(plan.keys) / columnsCovered,
                                   drawing.tiles.height() * static_cast<double>(plan.queries) / rowsCovered));
    drawing.first =
        QRectF(drawing.tiles.topLeft(), QSizeF(drawing.tiles.width() / static_cast<double>(plan.columns()),
                                               drawing.tiles.height() / static_cast<double>(plan.rows())));
    const Axis down{drawing.tiles.top(), drawing.tiles.height(), plan.rows()};
    const Axis across{drawing.tiles.left(), drawing.tiles.width(), plan.columns()};
    drawing.rowsPerEdge = tilesPerEdge(down);
    drawing.columnsPerEdge = tilesPerEdge(across);
    drawing.rowEdges = listEdges(down, drawing.rowsPerEdge);
    drawing.columnEdges = listEdges(across, drawing.columnsPerEdge);
    const Axis inside{drawing.first.left(), drawing.first.width(),
                      plan.blocks.blockKv / plan.blocks.blockKvCompute};
    drawing.computeEdges = listEdges(inside, tilesPerEdge(inside));
    return drawing;
}

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

#include "moc_tile_view.cpp"
