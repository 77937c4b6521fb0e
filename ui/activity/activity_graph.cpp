// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/activity_graph.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>

#include "ui/theme/look.h"
#include "ui/widgets/focus_mark.h"

namespace meshreel {

namespace {

constexpr double graphLineWidth = 1.6;
constexpr int fillAlpha = 60;
constexpr int plotHeight = 48;
constexpr int leastGraphWidth = 160;

}  // namespace

ActivityGraph::ActivityGraph(QString title, Text text, QWidget* parent)
    : QWidget(parent), m_title(std::move(title)), m_text(std::move(text)) {
    setAccessibleName(m_title);
    setWhatsThis(tr("The arrow keys, Home and End go from moment to moment, Escape tells of none."));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ActivityGraph::setPoints(std::vector<QPointF> points, double limit) {
    m_points = std::move(points);
    m_limit = limit;
    if (m_told >= static_cast<int>(m_points.size()))
        tellNothing();
    if (m_told < 0)
        setAccessibleDescription(valueText());
    update();
}

QString ActivityGraph::textOf(QPointF point) const {
    return tr("%1 after %2 s", "value, seconds")
        .arg(m_text(point.y()), QLocale().toString(point.x(), 'f', 0));
}

QString ActivityGraph::toldText() const {
    return m_told < 0 ? QString() : textOf(m_points[static_cast<std::size_t>(m_told)]);
}

void ActivityGraph::tell(int point) {
    m_told = std::clamp(point, 0, static_cast<int>(m_points.size()) - 1);
    setAccessibleDescription(toldText());
    const QPointF place = placeOf(m_points[static_cast<std::size_t>(m_told)]);
    QToolTip::showText(mapToGlobal(place.toPoint()), toldText(), this);
    update();
}

void ActivityGraph::tellNothing() {
    m_told = -1;
    setAccessibleDescription(valueText());
    QToolTip::hideText();
    update();
}

QString ActivityGraph::valueText() const {
    if (m_points.empty())
        return m_title;
    return tr("%1: %2 of %3", "quantity, its value, the most there can be")
        .arg(m_title, m_text(m_points.back().y()), m_text(m_limit));
}

QSize ActivityGraph::sizeHint() const {
    return {2 * leastGraphWidth, fontMetrics().lineSpacing() + tightSpacing + plotHeight};
}

QSize ActivityGraph::minimumSizeHint() const {
    return {leastGraphWidth, sizeHint().height()};
}

bool ActivityGraph::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || m_points.empty())
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto nearest = std::ranges::min_element(
        m_points, {}, [&](const QPointF& point) { return std::abs(placeOf(point).x() - help->pos().x()); });
    QToolTip::showText(help->globalPos(), textOf(*nearest), this);
    return true;
}

void ActivityGraph::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_points.size()) - 1;
    const bool isTelling = m_told >= 0;
    if (last < 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
            return tell(isTelling ? m_told - 1 : last);
        case Qt::Key_Right:
            return tell(isTelling ? m_told + 1 : 0);
        case Qt::Key_Home:
            return tell(0);
        case Qt::Key_End:
            return tell(last);
        case Qt::Key_Escape:
            if (isTelling)
                return tellNothing();
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void ActivityGraph::focusOutEvent(QFocusEvent* event) {
    tellNothing();
    QWidget::focusOutEvent(event);
}

QRectF ActivityGraph::plot() const {
    return QRectF(rect()).adjusted(0, fontMetrics().lineSpacing() + tightSpacing, -1, -1);
}

double ActivityGraph::top() const {
    double most = m_limit;
    for (const QPointF& point : m_points)
        most = std::max(most, point.y());
    return most;
}

QPointF ActivityGraph::placeOf(QPointF point) const {
    const QRectF area = plot();
    const double from = m_points.front().x();
    const double span = std::max(1.0, m_points.back().x() - from);
    return {area.left() + (point.x() - from) / span * area.width(),
            area.bottom() - point.y() / top() * area.height()};
}

void ActivityGraph::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRectF(0, 0, width(), fontMetrics().lineSpacing()), Qt::AlignLeft | Qt::AlignVCenter,
                     valueText());
    const QRectF area = plot();
    painter.fillRect(area, palette().color(QPalette::Base));
    if (m_points.size() > 1) {
        QPainterPath line(placeOf(m_points.front()));
        for (const QPointF& point : m_points)
            line.lineTo(placeOf(point));
        QPainterPath ground = line;
        ground.lineTo(area.bottomRight());
        ground.lineTo(area.bottomLeft());
        QColor fill = palette().color(QPalette::Highlight);
        painter.setPen(QPen(fill, graphLineWidth));
        fill.setAlpha(fillAlpha);
        painter.fillPath(ground, fill);
        painter.drawPath(line);
    }
    if (m_points.empty()) {
        painter.setPen(mutedColor(palette()));
        painter.drawText(area, Qt::AlignCenter, tr("Drawn while a run goes on"));
    }
    painter.setPen(palette().color(QPalette::Mid));
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.drawRect(area);
    if (m_told >= 0) {
        const double x = placeOf(m_points[static_cast<std::size_t>(m_told)]).x();
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    }
    paintFocus(painter, *this);
}

}  // namespace meshreel
