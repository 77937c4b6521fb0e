// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/tour.h"

#include <QDockWidget>
#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QSettings>
#include <utility>

#include "ui/theme/look.h"
#include "ui/tour/tour_callout.h"

namespace meshreel {

namespace {

constexpr QLatin1String seenKey("tour/seen");
constexpr int dimAlpha = 140;
constexpr double cornerRadius = 6;

/// Brings the panel that holds the widget to the front.
void reveal(QWidget* widget) {
    for (QWidget* parent = widget; parent != nullptr; parent = parent->parentWidget())
        if (auto* dock = qobject_cast<QDockWidget*>(parent)) {
            dock->show();
            dock->raise();
        }
}

}  // namespace

Tour::Tour(QWidget* window, std::vector<TourStop> stops)
    : QWidget(window), m_stops(std::move(stops)), m_callout(new TourCallout(this)) {
    setAccessibleName(tr("Tour"));
    window->installEventFilter(this);
    connect(m_callout, &TourCallout::nextRequested, this, [this] { goTo(m_stop + 1); });
    connect(m_callout, &TourCallout::backRequested, this, [this] { goTo(m_stop - 1); });
    connect(m_callout, &TourCallout::skipRequested, this, &Tour::end);
    setGeometry(window->rect());
    raise();
    show();
    goTo(0);
}

bool Tour::wasSeen() {
    return QSettings().value(seenKey).toBool();
}

void Tour::goTo(int stop) {
    if (stop < 0)
        return;
    if (stop >= static_cast<int>(m_stops.size()))
        return end();
    m_stop = stop;
    const TourStop& shown = m_stops[static_cast<std::size_t>(stop)];
    reveal(shown.target);
    m_callout->showStop(shown.title, shown.text, stop, static_cast<int>(m_stops.size()));
    place();
}

bool Tour::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        place();
    return false;
}

void Tour::place() {
    setGeometry(parentWidget()->rect());
    m_callout->setGeometry(calloutPlace(m_callout->size(), targetArea(), rect()));
    update();
}

QRect Tour::targetArea() const {
    const QWidget* target = m_stops[static_cast<std::size_t>(m_stop)].target;
    if (target == nullptr || target->window() != window() || !target->isVisible())
        return {};
    return QRect(target->mapTo(window(), QPoint()), target->size()).intersected(rect());
}

void Tour::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath dimmed;
    dimmed.addRect(rect());
    QPainterPath hole;
    hole.addRoundedRect(targetArea(), cornerRadius, cornerRadius);
    painter.fillPath(dimmed.subtracted(hole), QColor(0, 0, 0, dimAlpha));
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawPath(hole);
}

void Tour::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape:
            return end();
        case Qt::Key_Left:
            return goTo(m_stop - 1);
        case Qt::Key_Right:
            return goTo(m_stop + 1);
        default:
            QWidget::keyPressEvent(event);
    }
}

void Tour::end() {
    QSettings().setValue(seenKey, true);
    hide();
    emit ended();
    deleteLater();
}

}  // namespace meshreel
