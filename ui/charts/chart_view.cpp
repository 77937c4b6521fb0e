// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGraphicsScene>
#include <QGuiApplication>
#include <QImage>
#include <QLegendMarker>
#include <QMenu>
#include <QPainter>
#include <QRubberBand>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_legend.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/value_tips.h"
#include "ui/charts/zoomed_chart.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr double zoomMiddle = 0.5;  // of the chart, where the keyboard zooms
constexpr double zoomStep = 1.25;   ///< for a key, and for a notch of the wheel
constexpr double notch = 120;       ///< of the wheel, in Qt's units
constexpr double moveStep = 0.1;    ///< for a key, of what is shown

}  // namespace

ChartView::ChartView(QWidget* parent)
    : QChartView(parent),
      m_own(new ChartZoom(this)),
      m_zoom(m_own),
      m_tip(new ValueTip(this)),
      m_logarithmic(new QAction(tr("Logarithmic"), this)),
      m_band(new QRubberBand(QRubberBand::Rectangle, viewport())) {
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    new CategoryTips(*this);
    setFocusPolicy(Qt::StrongFocus);
    describe({});
    connect(m_tip, &ValueTip::told, this, &ChartView::describe);
    viewport()->setMouseTracking(true);
    m_logarithmic->setCheckable(true);
    m_logarithmic->setEnabled(false);
    m_logarithmic->setToolTip(tr("Values on a logarithmic axis, on which equal ratios are equally long"));
    connect(m_logarithmic, &QAction::toggled, this, &ChartView::makeLogarithmic);
    connect(m_logarithmic, &QAction::triggered, this, [this](bool chosen) { m_readersChoice = chosen; });
}

ChartView::~ChartView() = default;

void ChartView::draw(std::unique_ptr<QChart> chart, ChartZoom* shared) {
    delete m_legend;
    delete m_part;
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
    followScale();
    m_part = new ZoomedChart(*this->chart(), *m_zoom, this);
    m_tip->beginChart();
    connect(m_part, &ZoomedChart::partChanged, m_tip, &ValueTip::hide);
    connect(m_zoom, &ChartZoom::markChanged, viewport(), qOverload<>(&QWidget::update));
}

void ChartView::describe(const QString& value) {
    setAccessibleDescription(
        value.isEmpty()
            ? tr("Plus and minus zoom, with Ctrl upright; the arrow keys move; 0 shows everything. "
                 "Comma and full stop go from value to value, Enter marks the place of one. The menu "
                 "key lists what can be hidden.")
            : value);
}

ScaledAxis* ChartView::scaledAxis() const {
    auto* readable = qobject_cast<ReadableChart*>(chart());
    return readable == nullptr ? nullptr : readable->scaledAxis();
}

void ChartView::followScale() {
    refreshLogarithmic();
    ScaledAxis* scaled = scaledAxis();
    if (scaled == nullptr)
        return;
    m_logarithmic->setChecked(m_readersChoice || scaled->isLogarithmic());
    scaled->setLogarithmic(m_logarithmic->isChecked());
    connect(scaled, &ScaledAxis::possibilityChanged, this, &ChartView::refreshLogarithmic);
}

void ChartView::refreshLogarithmic() {
    const ScaledAxis* scaled = scaledAxis();
    m_logarithmic->setEnabled(scaled != nullptr && scaled->canBeLogarithmic());
}

void ChartView::makeLogarithmic(bool logarithmic) {
    if (ScaledAxis* scaled = scaledAxis())
        scaled->setLogarithmic(logarithmic);
}

const std::optional<ChartValue>& ChartView::pointedAt() const {
    return m_tip->value();
}

QPointF ChartView::chartPosition(const QPointF& position) const {
    return chart()->mapFromScene(mapToScene(position.toPoint()));
}

QPointF ChartView::shareOf(const QPointF& position) const {
    const QRectF plot = chart()->plotArea();
    const QPointF at = chartPosition(position);
    return {(at.x() - plot.left()) / plot.width(), (plot.bottom() - at.y()) / plot.height()};
}

void ChartView::zoom(double factor) {
    if (m_part != nullptr)
        m_part->zoomAcross(factor, zoomMiddle);
}

void ChartView::move(double right, double up) {
    if (m_part != nullptr)
        m_part->move(right, up);
}

void ChartView::showEverything() {
    if (m_part != nullptr)
        m_part->showEverything();
}

bool ChartView::canZoom() const {
    return m_part != nullptr && m_part->canZoom();
}

void ChartView::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    const double notches = (turned.y() != 0 ? turned.y() : turned.x()) / notch;
    const bool upright = (event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier)) != 0;
    event->setAccepted(canZoom());
    if (!event->isAccepted())
        return;
    const QPointF share = shareOf(event->position());
    const double factor = std::pow(zoomStep, -notches);
    if (upright || !m_part->canZoomAcross())
        m_part->zoomUpright(factor, share.y());
    else if (turned.y() == 0)
        move(-notches * moveStep, 0);
    else
        m_part->zoomAcross(factor, share.x());
}

void ChartView::mousePressEvent(QMouseEvent* event) {
    QChartView::mousePressEvent(event);  // the legend's clicks
    if (event->button() != Qt::LeftButton || m_part == nullptr ||
        !chart()->plotArea().contains(chartPosition(event->position())))
        return;
    event->accept();
    m_pressed = event->position();
    if (m_part->canZoomAcross() && event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_band->setGeometry(QRect());
        m_band->show();
    }
}

void ChartView::mouseMoveEvent(QMouseEvent* event) {
    QChartView::mouseMoveEvent(event);  // bars under the pointer
    if (m_part == nullptr)
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
        m_tip->pointAt(chartPosition(event->position()));
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
            m_part->showBetween(shareOf(*m_pressed).x(), shareOf(event->position()).x());
    } else if (!m_grabbed) {
        m_tip->pointAt(chartPosition(event->position()));
        markValue();
    }
    viewport()->unsetCursor();
    m_pressed.reset();
    m_grabbed.reset();
}

void ChartView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (m_part != nullptr && event->button() == Qt::LeftButton &&
        chart()->plotArea().contains(chartPosition(event->position())))
        showEverything();
    else
        QChartView::mouseDoubleClickEvent(event);
}

void ChartView::keyPressEvent(QKeyEvent* event) {
    constexpr Qt::KeyboardModifiers onKeyboards = Qt::KeypadModifier | Qt::ShiftModifier;
    const bool upright = event->modifiers().testFlag(Qt::ControlModifier);
    const bool isOther = (event->modifiers() & ~(onKeyboards | Qt::ControlModifier)) != 0;
    if (m_part == nullptr || isOther || (upright ? !zoomUpright(event->key()) : !takeKey(event->key())))
        event->ignore();
}

bool ChartView::zoomUpright(int key) {
    if (key != Qt::Key_Plus && key != Qt::Key_Equal && key != Qt::Key_Minus)
        return false;
    m_part->zoomUpright(key == Qt::Key_Minus ? zoomStep : 1 / zoomStep, zoomMiddle);
    return true;
}

bool ChartView::takeKey(int key) {
    switch (key) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom(1 / zoomStep);
            return true;
        case Qt::Key_Minus:
            zoom(zoomStep);
            return true;
        case Qt::Key_Left:
            move(-moveStep, 0);
            return true;
        case Qt::Key_Right:
            move(moveStep, 0);
            return true;
        case Qt::Key_Up:
            move(0, moveStep);
            return true;
        case Qt::Key_Down:
            move(0, -moveStep);
            return true;
        case Qt::Key_Home:
        case Qt::Key_0:
            showEverything();
            return true;
        default:
            return takeValueKey(key);
    }
}

bool ChartView::takeValueKey(int key) {
    switch (key) {
        case Qt::Key_Comma:
            m_tip->tellPrevious();
            return true;
        case Qt::Key_Period:
            m_tip->tellNext();
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            markValue();
            return true;
        case Qt::Key_Escape: {
            const bool hadAny = m_zoom->mark() || pointedAt();
            m_tip->hide();
            m_zoom->setMark(std::nullopt);
            return hadAny;
        }
        default:
            return false;
    }
}

void ChartView::markValue() {
    m_zoom->setMark(pointedAt() && m_part->canZoomAcross() ? std::optional(pointedAt()->point.x())
                                                           : std::nullopt);
}

void ChartView::leaveEvent(QEvent* event) {
    QChartView::leaveEvent(event);
    m_tip->hide();
}

void ChartView::fill(QMenu& menu) {
    const QList<QLegendMarker*> entries = m_legend == nullptr ? QList<QLegendMarker*>() : m_legend->entries();
    for (QLegendMarker* entry : entries) {
        QString text = wholeLabel(*entry);
        QAction* action = menu.addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setCheckable(true);
        action->setChecked(m_legend->isShown(entry));
        connect(action, &QAction::toggled, m_legend, [legend = m_legend, entry] { legend->toggle(entry); });
    }
    menu.addSeparator();
    menu.addAction(tr("Copy chart"), this, &ChartView::copy);
    if (m_logarithmic->isEnabled())
        menu.addAction(m_logarithmic);
    if (!canZoom())
        return;
    menu.addSeparator();
    menu.addAction(tr("Zoom in"), this, [this] { zoom(1 / zoomStep); });
    menu.addAction(tr("Zoom out"), this, [this] { zoom(zoomStep); });
    menu.addAction(tr("Show everything"), this, &ChartView::showEverything);
}

void ChartView::copy() const {
    constexpr int sharpness = 2;
    QImage image(viewport()->size() * sharpness, QImage::Format_RGB32);
    if (image.isNull())
        return;
    image.fill(palette().color(QPalette::Base));
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    scene()->render(&painter, image.rect(), sceneRect());
    painter.end();
    QGuiApplication::clipboard()->setImage(image);
}

void ChartView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    if (m_part != nullptr)
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
    m_tip->hide();
    QChartView::focusOutEvent(event);
    viewport()->update();
}

void ChartView::drawForeground(QPainter* painter, const QRectF& rect) {
    QChartView::drawForeground(painter, rect);
    if (m_part == nullptr)
        return;
    if (m_zoom->mark())
        drawMark(*painter, *m_zoom->mark());
    m_tip->paint(*painter);
    if (m_focusByKey)
        outlineFocus(*painter, viewport()->rect(), palette());
}

void ChartView::drawMark(QPainter& painter, double place) const {
    const std::optional<double> share = m_part->shareOf(place);
    if (!share || *share < 0 || *share > 1)
        return;
    const QRectF plot = chart()->plotArea();
    const double x = plot.left() + *share * plot.width();
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
}

}  // namespace meshreel

#include "moc_chart_view.cpp"
