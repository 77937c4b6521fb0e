// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/noise/noise_view.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>

#include "ui/charts/chart_style.h"
#include "ui/theme/look.h"
#include "ui/widgets/focus_mark.h"

namespace meshreel {

namespace {

constexpr int tintAlpha = 30;
constexpr int gridAlpha = 36;
constexpr double lineWidth = 2;
constexpr double dotRadius = 3.5;
constexpr double smallDotRadius = 1.5;
constexpr double crowdedColumn = 10;  ///< pixels below which dots are small
constexpr double labelDistance = 44;  ///< pixels between numbers of steps
constexpr int gridLines = 4;

QColor withAlpha(QColor color, int alpha) {
    color.setAlpha(alpha);
    return color;
}

QColor inkOf(int expert, const QPalette& palette) {
    const QColor ink = ChartStyle::series(expert - 1);
    constexpr int lighter = 140;
    return isDark(palette) ? ink.lighter(lighter) : ink;
}

}  // namespace

NoiseView::NoiseView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Noise levels of the steps"));
    setWhatsThis(tr("The arrow keys, Home and End choose a step, Escape none."));
}

void NoiseView::setLevels(NoiseLevels levels) {
    m_levels = std::move(levels);
    if (m_chosen >= static_cast<int>(m_levels.steps.size()))
        chooseStep(-1);
    update();
}

void NoiseView::chooseStep(int step) {
    if (step == m_chosen)
        return;
    m_chosen = step;
    emit stepChosen(step);
    update();
}

NoiseDrawing NoiseView::drawing() const {
    const double line = fontMetrics().height();
    const double numbers = fontMetrics().horizontalAdvance(QLocale().toString(1.0, 'f', 2)) + tightSpacing;
    return drawNoise(m_levels,
                     QRectF(rect()).adjusted(numbers, line + spacing, -spacing, -2 * line - tightSpacing));
}

QSize NoiseView::minimumSizeHint() const {
    return {260, 160};
}

void NoiseView::paintEvent(QPaintEvent* /*event*/) {
    if (m_levels.steps.empty())
        return;
    const NoiseDrawing shown = drawing();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(shown.plot, palette().color(QPalette::Base));
    paintStretches(painter, shown);
    paintAxes(painter, shown);
    paintBoundary(painter, shown);
    paintLevels(painter, shown);
    paintChosen(painter, shown);
    paintFocus(painter, *this);
}

void NoiseView::paintStretches(QPainter& painter, const NoiseDrawing& drawing) const {
    if (!m_levels.boundary)
        return;
    for (const NoiseDrawing::Stretch& stretch : drawing.stretches) {
        const QColor ink = inkOf(stretch.expert, palette());
        painter.fillRect(stretch.area, withAlpha(ink, tintAlpha));
        painter.setPen(ink);
        painter.drawText(QRectF(stretch.area.left(), 0, stretch.area.width(), drawing.plot.top()),
                         Qt::AlignCenter | Qt::TextDontClip, expertText(m_levels, stretch.expert));
    }
}

void NoiseView::paintAxes(QPainter& painter, const NoiseDrawing& drawing) const {
    const double line = fontMetrics().height();
    const QColor grid = withAlpha(palette().color(QPalette::WindowText), gridAlpha);
    for (int i = 0; i <= gridLines; ++i) {
        const double level = static_cast<double>(i) / gridLines;
        const double y = drawing.yOf(level);
        painter.setPen(grid);
        painter.drawLine(QPointF(drawing.plot.left(), y), QPointF(drawing.plot.right(), y));
        painter.setPen(mutedColor(palette()));
        painter.drawText(QRectF(0, y - line / 2, drawing.plot.left() - tightSpacing, line),
                         Qt::AlignAbsolute | Qt::AlignRight | Qt::AlignVCenter,
                         QLocale().toString(level, 'f', 2));
    }
    const double column = drawing.plot.width() / static_cast<double>(drawing.points.size());
    const auto every = std::max<std::size_t>(1, static_cast<std::size_t>(labelDistance / column));
    for (std::size_t step = 0; step < drawing.points.size(); step += every)
        painter.drawText(QRectF(drawing.points[step].x() - labelDistance / 2, drawing.plot.bottom() + 2,
                                labelDistance, line),
                         Qt::AlignCenter, QString::number(step + 1));
    painter.drawText(
        QRectF(drawing.plot.left(), drawing.plot.bottom() + line, drawing.plot.width(), line + tightSpacing),
        Qt::AlignCenter, tr("Step"));
}

void NoiseView::paintBoundary(QPainter& painter, const NoiseDrawing& drawing) const {
    if (drawing.boundary < 0)
        return;
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1, Qt::DashLine));
    painter.drawLine(QPointF(drawing.plot.left(), drawing.boundary),
                     QPointF(drawing.plot.right(), drawing.boundary));
    const double line = fontMetrics().height();
    painter.drawText(
        QRectF(drawing.plot.left(), drawing.boundary - line - 1, drawing.plot.width() - tightSpacing, line),
        Qt::AlignAbsolute | Qt::AlignRight | Qt::AlignVCenter,
        tr("boundary %1").arg(QLocale().toString(*m_levels.boundary)));
}

void NoiseView::paintLevels(QPainter& painter, const NoiseDrawing& drawing) const {
    if (!drawing.unshifted.empty()) {
        painter.setPen(QPen(mutedColor(palette()), 1, Qt::DotLine));
        painter.drawPolyline(QPolygonF(QList<QPointF>(drawing.unshifted.begin(), drawing.unshifted.end())));
    }
    const double column = drawing.plot.width() / static_cast<double>(drawing.points.size());
    const double radius = column < crowdedColumn ? smallDotRadius : dotRadius;
    for (std::size_t step = 0; step < drawing.points.size(); ++step) {
        const QColor ink = inkOf(m_levels.steps[step].expert, palette());
        painter.setPen(QPen(ink, lineWidth));
        if (step > 0)
            painter.drawLine(drawing.points[step - 1], drawing.points[step]);
    }
    for (std::size_t step = 0; step < drawing.points.size(); ++step) {
        const QColor ink = inkOf(m_levels.steps[step].expert, palette());
        painter.setPen(QPen(ink, 1));
        painter.setBrush(m_levels.steps[step].shortened ? palette().color(QPalette::Base) : ink);
        painter.drawEllipse(drawing.points[step], radius, radius);
    }
}

void NoiseView::paintChosen(QPainter& painter, const NoiseDrawing& drawing) const {
    if (m_chosen < 0)
        return;
    const QPointF place = drawing.points[static_cast<std::size_t>(m_chosen)];
    painter.setPen(QPen(palette().color(QPalette::WindowText), 1));
    painter.drawLine(QPointF(place.x(), drawing.plot.top()), QPointF(place.x(), drawing.plot.bottom()));
    painter.setBrush(palette().color(QPalette::WindowText));
    painter.drawEllipse(place, dotRadius + 1, dotRadius + 1);
}

void NoiseView::mouseMoveEvent(QMouseEvent* event) {
    chooseStep(drawing().stepAt(event->position().x()));
}

void NoiseView::leaveEvent(QEvent* /*event*/) {
    chooseStep(-1);
}

void NoiseView::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_levels.steps.size()) - 1;
    switch (event->key()) {
        case Qt::Key_Left:
            return chooseStep(std::clamp(m_chosen - 1, std::min(0, last), last));
        case Qt::Key_Right:
            return chooseStep(std::clamp(m_chosen + 1, std::min(0, last), last));
        case Qt::Key_Home:
            return chooseStep(std::min(0, last));
        case Qt::Key_End:
            return chooseStep(last);
        case Qt::Key_Escape:
            return chooseStep(-1);
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace meshreel
