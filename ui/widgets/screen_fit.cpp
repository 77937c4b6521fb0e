// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/screen_fit.h"

#include <QEvent>
#include <QLayout>
#include <QScreen>
#include <QScrollBar>
#include <QWidget>
#include <QWindow>
#include <algorithm>

namespace meshreel {

namespace {

constexpr QMargins usualFrame{8, 40, 8, 8};  ///< as large as desktops draw them

/// Along one axis: the start of `length` pixels at `start` when they lie between two ends, as far as they
/// can.
int startBetween(int start, int length, int first, int last) {
    return std::max(first, std::min(start, last - length + 1));
}

QMargins frameOf(const QWidget& window) {
    const QWindow* handle = window.windowHandle();
    const QMargins known = handle == nullptr ? QMargins() : handle->frameMargins();
    return known.isNull() && !window.isVisible() ? usualFrame : known;
}

}  // namespace

QRect fittedPlace(const QRect& wanted, const QMargins& frame, const QRect& available) {
    const QRect room = available.marginsRemoved(frame);
    const QSize size = wanted.size().boundedTo(room.size());
    return {startBetween(wanted.left(), size.width(), room.left(), room.right()),
            startBetween(wanted.top(), size.height(), room.top(), room.bottom()), size.width(),
            size.height()};
}

void fitIntoScreen(QWidget& window) {
    if (window.isMaximized() || window.isFullScreen())
        return;
    const QRect now = window.geometry();
    const QRect fitted = fittedPlace(now, frameOf(window), window.screen()->availableGeometry());
    // Where the desktop has not placed it yet, it does so by itself.
    const bool isPlaced = window.isVisible() || window.testAttribute(Qt::WA_Moved);
    if (isPlaced && fitted != now)
        window.setGeometry(fitted);
    else if (fitted.size() != now.size())
        window.resize(fitted.size());
}

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

/// The least size of a panel that is `width` wide.
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

#include "moc_screen_fit.cpp"
