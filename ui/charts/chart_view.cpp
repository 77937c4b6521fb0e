// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_view.h"

#include <QAbstractBarSeries>
#include <QAction>
#include <QApplication>
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QContextMenuEvent>
#include <QLegendMarker>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QRubberBand>
#include <QStyleOptionFocusRect>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_style.h"
#include "ui/charts/chart_zoom.h"
#include "ui/charts/legend_toggles.h"
#include "ui/charts/scaled_axis.h"
#include "ui/charts/zoomed_axis.h"

namespace meshreel {

namespace {

constexpr double zoomStep = 1.25;  ///< of a key, and of a notch of the wheel
constexpr double notch = 120;      ///< of the wheel, in Qt's units
constexpr double moveStep = 0.1;   ///< of a key, of what is shown
constexpr double middle = 0.5;
constexpr double ringRadius = 5;
constexpr double ringWidth = 2;
constexpr int digits = 5;

}  // namespace

ChartView::ChartView(QWidget* parent)
    : QChartView(parent),
      m_own(new ChartZoom(this)),
      m_zoom(m_own),
      m_across(nullptr),
      m_upright(nullptr),
      m_legend(nullptr),
      m_logarithmic(new QAction(tr("Logarithmic"), this)),
      m_band(new QRubberBand(QRubberBand::Rectangle, viewport())) {
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleDescription(
        tr("The wheel zooms about the pointer, dragging moves, a double click shows "
           "everything (+, -, arrow keys, 0)"));
    viewport()->setMouseTracking(true);
    m_logarithmic->setCheckable(true);
    m_logarithmic->setEnabled(false);
    m_logarithmic->setToolTip(tr("Values on a logarithmic axis, on which equal ratios are equally long"));
    connect(m_logarithmic, &QAction::toggled, this, &ChartView::makeLogarithmic);
}

ChartView::~ChartView() = default;

void ChartView::draw(std::unique_ptr<QChart> chart, ChartZoom* shared) {
    delete m_legend;
    delete m_across;
    delete m_upright;
    m_across = nullptr;
    m_upright = nullptr;
    m_value.reset();
    m_grabbed.reset();
    m_pressed.reset();
    disconnect(m_zoom, nullptr, this, nullptr);
    m_own->show(std::nullopt);
    m_own->setMark(std::nullopt);
    m_zoom = shared == nullptr ? m_own : shared;
    const std::unique_ptr<QChart> former(this->chart());
    setChart(chart.release());
    ChartStyle::of(palette()).applyTo(*this->chart());
    m_legend = new LegendToggles(*this->chart(), this);
    followBars();
    followAxes();
    connect(m_zoom, &ChartZoom::partChanged, this, &ChartView::showPart);
    connect(m_zoom, &ChartZoom::markChanged, viewport(), qOverload<>(&QWidget::update));
    showPart();
}

void ChartView::followAxes() {
    const QList<QAbstractAxis*> across = chart()->axes(Qt::Horizontal);
    if (!across.isEmpty() && ZoomedAxis::canZoom(*across.constFirst()))
        m_across = new ZoomedAxis(*across.constFirst(), *chart(), this);
    auto* readable = qobject_cast<ReadableChart*>(chart());
    ScaledAxis* scaled = readable == nullptr ? nullptr : readable->scaledAxis();
    refreshLogarithmic();
    if (scaled != nullptr) {
        scaled->setLogarithmic(m_logarithmic->isChecked());
        connect(scaled, &ScaledAxis::replaced, this, &ChartView::followUpright);
        connect(scaled, &ScaledAxis::possibilityChanged, this, &ChartView::refreshLogarithmic);
    }
    followUpright();
}

void ChartView::followUpright() {
    delete m_upright;
    m_upright = nullptr;
    const QList<QAbstractAxis*> upright = chart()->axes(Qt::Vertical);
    for (QAbstractAxis* axis : upright)
        if (axis->alignment() == Qt::AlignLeft && ZoomedAxis::canZoom(*axis))
            m_upright = new ZoomedAxis(*axis, *chart(), this);
}

void ChartView::followBars() {
    const QList<QAbstractSeries*> all = chart()->series();
    for (QAbstractSeries* series : all)
        if (auto* bars = qobject_cast<QAbstractBarSeries*>(series))
            connect(bars, &QAbstractBarSeries::hovered, this, &ChartView::tellBar);
}

void ChartView::refreshLogarithmic() {
    auto* readable = qobject_cast<ReadableChart*>(chart());
    const ScaledAxis* scaled = readable == nullptr ? nullptr : readable->scaledAxis();
    m_logarithmic->setEnabled(scaled != nullptr && scaled->canBeLogarithmic());
}

void ChartView::makeLogarithmic(bool logarithmic) {
    if (auto* readable = qobject_cast<ReadableChart*>(chart()))
        if (ScaledAxis* scaled = readable->scaledAxis())
            scaled->setLogarithmic(logarithmic);
}

void ChartView::showPart() {
    if (m_across != nullptr)
        m_across->show(m_zoom->part());
    tell(std::nullopt);
}

QPointF ChartView::chartPosition(const QPointF& position) const {
    return chart()->mapFromScene(mapToScene(position.toPoint()));
}

QPointF ChartView::shareOf(const QPointF& position) const {
    const QRectF plot = chart()->plotArea();
    const QPointF at = chartPosition(position);
    return {(at.x() - plot.left()) / plot.width(), (plot.bottom() - at.y()) / plot.height()};
}

void ChartView::zoomAcross(double factor, double share) {
    if (m_across == nullptr)
        zoomUpright(factor, middle);
    else
        m_zoom->show(m_across->zoomed(factor, std::clamp(share, 0.0, 1.0)));
}

void ChartView::zoomUpright(double factor, double share) {
    if (m_upright != nullptr)
        m_upright->show(m_upright->zoomed(factor, std::clamp(share, 0.0, 1.0)));
}

void ChartView::zoom(double factor) {
    zoomAcross(factor, middle);
}

void ChartView::move(double right, double up) {
    if (m_across != nullptr && right != 0 && m_across->shown() != m_across->whole())
        m_zoom->show(m_across->moved(right));
    if (m_upright != nullptr && up != 0 && m_upright->shown() != m_upright->whole())
        m_upright->show(m_upright->moved(up));
}

void ChartView::showEverything() {
    m_zoom->show(std::nullopt);
    if (m_upright != nullptr)
        m_upright->show(std::nullopt);
}

void ChartView::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    const double notches = (turned.y() != 0 ? turned.y() : turned.x()) / notch;
    const QPointF share = chart() == nullptr ? QPointF() : shareOf(event->position());
    const bool upright = (event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) != 0;
    event->setAccepted(m_across != nullptr || m_upright != nullptr);
    if (!event->isAccepted())
        return;
    const double factor = std::pow(zoomStep, -notches);
    if (upright || m_across == nullptr)
        zoomUpright(factor, share.y());
    else if (turned.y() == 0)
        move(-notches * moveStep, 0);
    else
        zoomAcross(factor, share.x());
}

void ChartView::mousePressEvent(QMouseEvent* event) {
    QChartView::mousePressEvent(event);  // the legend's clicks
    if (event->button() != Qt::LeftButton || chart() == nullptr ||
        !chart()->plotArea().contains(chartPosition(event->position())))
        return;
    event->accept();
    m_pressed = event->position();
    if (m_across != nullptr && event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_band->setGeometry(QRect());
        m_band->show();
    }
}

void ChartView::mouseMoveEvent(QMouseEvent* event) {
    QChartView::mouseMoveEvent(event);  // bars and tiles under the pointer
    if (chart() == nullptr)
        return;
    if (m_pressed && m_band->isVisible()) {
        const QRectF plot = chart()->plotArea();
        m_band->setGeometry(
            QRectF(QPointF(m_pressed->x(), plot.top()), QPointF(event->position().x(), plot.bottom()))
                .normalized()
                .intersected(plot)
                .toRect());
    } else if (m_pressed) {
        drag(event->position());
    } else {
        pointAt(event->position());
    }
}

void ChartView::drag(const QPointF& to) {
    if (!m_grabbed && (to - *m_pressed).manhattanLength() < QApplication::startDragDistance())
        return;
    const QPointF from = shareOf(m_grabbed.value_or(*m_pressed));
    const QPointF by = from - shareOf(to);
    m_grabbed = to;
    viewport()->setCursor(Qt::ClosedHandCursor);
    move(by.x(), by.y());
}

void ChartView::mouseReleaseEvent(QMouseEvent* event) {
    QChartView::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    if (m_band->isVisible()) {
        m_band->hide();
        if (std::abs(event->position().x() - m_pressed->x()) >= QApplication::startDragDistance())
            m_zoom->show(m_across->between(std::clamp(shareOf(*m_pressed).x(), 0.0, 1.0),
                                           std::clamp(shareOf(event->position()).x(), 0.0, 1.0)));
    } else if (!m_grabbed) {
        pointAt(event->position());
        m_zoom->setMark(m_value ? std::optional(m_value->point.x()) : std::nullopt);
    }
    viewport()->unsetCursor();
    m_pressed.reset();
    m_grabbed.reset();
}

void ChartView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (chart() != nullptr && event->button() == Qt::LeftButton &&
        chart()->plotArea().contains(chartPosition(event->position())))
        showEverything();
    else
        QChartView::mouseDoubleClickEvent(event);
}

void ChartView::keyPressEvent(QKeyEvent* event) {
    if (chart() == nullptr || (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) != 0)
        return event->ignore();
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom(1 / zoomStep);
        case Qt::Key_Minus:
            return zoom(zoomStep);
        case Qt::Key_Left:
            return move(-moveStep, 0);
        case Qt::Key_Right:
            return move(moveStep, 0);
        case Qt::Key_Up:
            return move(0, moveStep);
        case Qt::Key_Down:
            return move(0, -moveStep);
        case Qt::Key_Home:
        case Qt::Key_0:
            return showEverything();
        case Qt::Key_Escape:
            if (m_zoom->mark())
                return m_zoom->setMark(std::nullopt);
            break;
        default:
            break;
    }
    event->ignore();
}

void ChartView::leaveEvent(QEvent* event) {
    QChartView::leaveEvent(event);
    tell(std::nullopt);
}

void ChartView::fill(QMenu& menu) {
    const QList<QLegendMarker*> entries = m_legend == nullptr ? QList<QLegendMarker*>() : m_legend->entries();
    for (QLegendMarker* entry : entries) {
        QString text = entry->label();
        QAction* action = menu.addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setCheckable(true);
        action->setChecked(m_legend->isShown(entry));
        connect(action, &QAction::toggled, m_legend, [legend = m_legend, entry] { legend->toggle(entry); });
    }
    menu.addSeparator();
    if (m_logarithmic->isEnabled())
        menu.addAction(m_logarithmic);
    if (m_across == nullptr && m_upright == nullptr)
        return;
    menu.addSeparator();
    menu.addAction(tr("Zoom in"), this, [this] { zoom(1 / zoomStep); });
    menu.addAction(tr("Zoom out"), this, [this] { zoom(zoomStep); });
    menu.addAction(tr("Show everything"), this, &ChartView::showEverything);
}

void ChartView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    if (chart() != nullptr)
        fill(menu);
    if (!menu.isEmpty())
        menu.exec(event->reason() == QContextMenuEvent::Keyboard ? mapToGlobal(rect().center())
                                                                 : event->globalPos());
}

void ChartView::focusInEvent(QFocusEvent* event) {
    m_focusByKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                   event->reason() == Qt::ShortcutFocusReason;
    QChartView::focusInEvent(event);
    viewport()->update();
}

void ChartView::focusOutEvent(QFocusEvent* event) {
    m_focusByKey = false;
    QChartView::focusOutEvent(event);
    viewport()->update();
}

void ChartView::drawForeground(QPainter* painter, const QRectF& rect) {
    QChartView::drawForeground(painter, rect);
    if (chart() == nullptr)
        return;
    const QColor highlight = palette().color(QPalette::Highlight);
    const QRectF plot = chart()->plotArea();
    if (m_across != nullptr && m_zoom->mark()) {
        const AxisSpan shown = m_across->shown();
        const double share = (*m_zoom->mark() - shown.low) / shown.length();
        if (share >= 0 && share <= 1) {
            const double x = plot.left() + share * plot.width();
            painter->setPen(QPen(highlight, 1));
            painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        }
    }
    if (m_value) {
        painter->setPen(QPen(highlight, ringWidth));
        painter->setBrush(Qt::NoBrush);
        painter->drawEllipse(chart()->mapToScene(m_value->position), ringRadius, ringRadius);
    }
    if (m_focusByKey) {
        QStyleOptionFocusRect option;
        option.initFrom(this);
        option.rect = viewport()->rect().adjusted(1, 1, -1, -1);
        style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, painter, this);
    }
}

void ChartView::pointAt(const QPointF& position) {
    const QPointF at = chartPosition(position);
    if (!chart()->plotArea().contains(at))
        return tell(std::nullopt);
    if (auto* readable = qobject_cast<ReadableChart*>(chart()))
        tell(readable->valueNear(at));
}

void ChartView::tell(std::optional<ChartValue> value) {
    if (!value && !m_value)
        return;
    const bool same =
        value && m_value && value->words == m_value->words && value->position == m_value->position;
    m_value = std::move(value);
    if (same)
        return;
    if (m_value)
        QToolTip::showText(viewport()->mapToGlobal(mapFromScene(chart()->mapToScene(m_value->position))),
                           m_value->words, viewport());
    else
        QToolTip::hideText();
    viewport()->update();
}

void ChartView::tellBar(bool entered, int index, QBarSet* bars) {
    if (!entered) {
        QToolTip::hideText();
        return;
    }
    auto* series = qobject_cast<QAbstractBarSeries*>(sender());
    QString category;
    QString title;
    const QList<QAbstractAxis*> axes = series->attachedAxes();
    for (QAbstractAxis* axis : axes) {
        if (auto* categories = qobject_cast<QBarCategoryAxis*>(axis))
            category = categories->at(index);
        else
            title = axis->titleText();
    }
    QToolTip::showText(
        QCursor::pos(),
        QStringLiteral("%1\n%2\n%3: %4")
            .arg(category, bars->label(), title, QLocale().toString(bars->at(index), 'g', digits)),
        viewport());
}

}  // namespace meshreel
