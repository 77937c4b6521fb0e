// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/tour.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int calloutWidth = 340;  ///< where the buttons have room
constexpr double calloutRadius = 8;
constexpr double titleScale = 1.15;

}  // namespace

TourCallout::TourCallout(QWidget* parent)
    : QFrame(parent),
      m_title(new QLabel(this)),
      m_text(new QLabel(this)),
      m_count(new QLabel(this)),
      m_skip(new QPushButton(tr("Skip the tour"), this)),
      m_back(new QPushButton(tr("Back"), this)),
      m_next(new QPushButton(this)) {
    QFont font = m_title->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * titleScale);
    m_title->setFont(font);
    m_title->setWordWrap(true);
    m_text->setWordWrap(true);
    m_next->setDefault(true);
    m_skip->setFlat(true);
    for (QPushButton* button : {m_skip, m_back, m_next})
        button->installEventFilter(this);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(spacing);
    buttons->addWidget(m_skip);
    buttons->addStretch(1);
    buttons->addWidget(m_count);
    buttons->addWidget(m_back);
    buttons->addWidget(m_next);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, panelMargin, panelMargin, panelMargin);
    column->setSpacing(spacing);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addLayout(buttons);
    connect(m_skip, &QPushButton::clicked, this, &TourCallout::skipRequested);
    connect(m_back, &QPushButton::clicked, this, &TourCallout::backRequested);
    connect(m_next, &QPushButton::clicked, this, &TourCallout::nextRequested);
}

void TourCallout::showStop(const QString& title, const QString& text, int stop, int stops) {
    m_title->setText(title);
    m_text->setText(text);
    m_count->setText(tr("%1 of %2", "stops of the tour").arg(stop + 1).arg(stops));
    m_back->setEnabled(stop > 0);
    m_next->setText(stop + 1 < stops ? tr("Next") : tr("Start"));
    setAccessibleName(title);
    setAccessibleDescription(text);
    layout()->invalidate();
    layout()->activate();  // measures the words that the buttons have now
    const int width = std::max(calloutWidth, layout()->totalMinimumSize().width());
    setFixedSize(width,
                 layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width) : sizeHint().height());
    m_next->setFocus();
}

bool TourCallout::eventFilter(QObject* watched, QEvent* event) {
    // Buttons would take these for a way from one to the next; here they are the tour's.
    const auto* key = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event) : nullptr;
    if (key == nullptr || (key->key() != Qt::Key_Left && key->key() != Qt::Key_Right))
        return QFrame::eventFilter(watched, event);
    event->ignore();
    return true;
}

bool TourCallout::focusNextPrevChild(bool next) {
    QList<QPushButton*> buttons{m_skip, m_back, m_next};
    buttons.removeIf([](const QPushButton* button) { return !button->isEnabled(); });
    const auto current = buttons.indexOf(qobject_cast<QPushButton*>(QApplication::focusWidget()));
    const auto count = buttons.size();
    buttons[(current + (next ? 1 : count - 1) + count) % count]->setFocus(next ? Qt::TabFocusReason
                                                                               : Qt::BacktabFocusReason);
    return true;
}

void TourCallout::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
    painter.setBrush(palette().color(QPalette::Window));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), calloutRadius, calloutRadius);
}

QRect calloutPlace(const QSize& size, const QRect& target, const QRect& window) {
    const QRect room = window.adjusted(panelMargin, panelMargin, -panelMargin, -panelMargin);
    QRect place(QPoint(), size);
    place.moveCenter(target.isEmpty() ? window.center() : target.center());
    if (!target.isEmpty()) {
        const int right = room.right() - target.right();
        const int left = target.left() - room.left();
        const int above = target.top() - room.top();
        if (std::max(right, left) >= size.width() + panelMargin)
            place.moveLeft(right >= left ? target.right() + panelMargin
                                         : target.left() - panelMargin - size.width());
        else
            place.moveTop(room.bottom() - target.bottom() >= above
                              ? target.bottom() + panelMargin
                              : target.top() - panelMargin - size.height());
    }
    place.moveLeft(std::clamp(place.left(), room.left(), std::max(room.left(), room.right() - size.width())));
    place.moveTop(std::clamp(place.top(), room.top(), std::max(room.top(), room.bottom() - size.height())));
    return place;
}

namespace {

constexpr QLatin1String seenKey("tour/seen");
constexpr int dimAlpha = 140;
constexpr double cornerRadius = 6;

/// Brings the panel that holds the widget to the front.
void bringToSight(QWidget* widget) {
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
    bringToSight(shown.target);
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

#include "moc_tour.cpp"
