// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/panel_scroller.h"

#include <QEvent>
#include <QLayout>
#include <QScrollBar>
#include <algorithm>

namespace meshreel {

namespace {

constexpr QSize leastRoom{200, 96};  ///< of a panel in a dock: some lines and their scroll bars

}  // namespace

PanelScroller::PanelScroller(QWidget* panel, Along along, QWidget* parent)
    : QScrollArea(parent), m_along(along) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);  // the panel's own controls are the stops
    if (along == Along::Width) {
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    }
    setWidget(panel);
    // Panels look as they do without it.
    panel->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
}

QSize PanelScroller::sizeHint() const {
    const QSize panel = widget()->sizeHint();
    return m_along == Along::Width ? QSize(panel.width(), heightAlongWidth()) : panel;
}

QSize PanelScroller::minimumSizeHint() const {
    return m_along == Along::Width ? QSize(0, heightAlongWidth()) : leastRoom;
}

int PanelScroller::heightAlongWidth() const {
    return std::max(widget()->sizeHint().height(), widget()->minimumSizeHint().height()) +
           (m_isWide ? horizontalScrollBar()->sizeHint().height() : 0);
}

/// Of the panel, where it is `width` wide.
QSize PanelScroller::leastSize(int width) const {
    const QLayout* layout = widget()->layout();
    QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
    if (layout != nullptr && layout->hasHeightForWidth())
        least.setHeight(layout->totalMinimumHeightForWidth(std::max(width, least.width())));
    return least;
}

void PanelScroller::fit() {
    const QSize room = maximumViewportSize();
    QSize given = room;
    QSize least = leastSize(given.width());
    const bool isWide = least.width() > room.width();
    if (isWide)
        given.rheight() -= horizontalScrollBar()->sizeHint().height();
    if (m_along == Along::Both && least.height() > given.height()) {
        given.rwidth() -= verticalScrollBar()->sizeHint().width();
        least = leastSize(given.width());
        if (!isWide && least.width() > given.width())
            given.rheight() -= horizontalScrollBar()->sizeHint().height();
    }
    widget()->resize(given.expandedTo(least));
    if (m_along == Along::Width && m_isWide != isWide) {
        m_isWide = isWide;
        updateGeometry();
    }
}

bool PanelScroller::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::StyleChange)
        fit();
    return QScrollArea::event(event);
}

bool PanelScroller::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) {
        fit();
        if (m_along == Along::Width)
            updateGeometry();
    }
    return QScrollArea::eventFilter(watched, event);
}

void PanelScroller::resizeEvent(QResizeEvent* event) {
    fit();
    QScrollArea::resizeEvent(event);
}

}  // namespace meshreel
