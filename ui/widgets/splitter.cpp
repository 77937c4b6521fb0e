// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/splitter.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QSplitterHandle>
#include <algorithm>
#include <numeric>

#include "engine/events/run_event.h"

namespace meshreel {

namespace {

/// Device-independent pixels.
constexpr int step = 16;
constexpr int longStep = 96;

class Handle : public QSplitterHandle {
  public:
    Handle(Qt::Orientation orientation, Splitter* parent) : QSplitterHandle(orientation, parent) {
        setFocusPolicy(Qt::TabFocus);
    }

  protected:
    void keyPressEvent(QKeyEvent* event) override {
        constexpr Qt::KeyboardModifiers onKeyboards = Qt::KeypadModifier | Qt::ShiftModifier;
        if ((event->modifiers() & ~onKeyboards) != 0 || !takeKey(*event))
            event->ignore();
    }

    void mouseDoubleClickEvent(QMouseEvent* /*event*/) override { restore(); }

    void paintEvent(QPaintEvent* event) override {
        QSplitterHandle::paintEvent(event);
        if (hasFocus())
            QPainter(this).fillRect(rect(), palette().color(QPalette::Highlight));
    }

  private:
    bool takeKey(const QKeyEvent& event) {
        const bool across = orientation() == Qt::Horizontal;
        const int reading = isMirrored() ? -1 : 1;
        const int length = across ? splitter()->width() : splitter()->height();
        switch (event.key()) {
            case Qt::Key_Left:
            case Qt::Key_Right:
            case Qt::Key_Up:
            case Qt::Key_Down: {
                if (across != (event.key() == Qt::Key_Left || event.key() == Qt::Key_Right))
                    return false;
                const bool back = event.key() == Qt::Key_Left || event.key() == Qt::Key_Up;
                moveBy((back ? -1 : 1) * (event.modifiers().testFlag(Qt::ShiftModifier) ? longStep : step));
                return true;
            }
            case Qt::Key_PageUp:
                moveBy(-reading * longStep);
                return true;
            case Qt::Key_PageDown:
                moveBy(reading * longStep);
                return true;
            case Qt::Key_Home:
                moveBy(-reading * length);
                return true;
            case Qt::Key_End:
                moveBy(reading * length);
                return true;
            case Qt::Key_Return:
            case Qt::Key_Enter:
                restore();
                return true;
            default:
                return false;
        }
    }

    [[nodiscard]] bool isMirrored() const { return orientation() == Qt::Horizontal && isRightToLeft(); }

    /// Moves right, or down, as far as it goes. Qt mirrors places without the width of the handle.
    void moveBy(int pixels) {
        const int place = orientation() == Qt::Horizontal ? x() : y();
        moveSplitter(place + pixels + (isMirrored() ? width() : 0));
    }

    void restore() { static_cast<Splitter*>(splitter())->restoreFirstSizes(); }
};

}  // namespace

Splitter::Splitter(Qt::Orientation orientation, QWidget* parent) : QSplitter(orientation, parent) {
    setChildrenCollapsible(false);
    connect(this, &QSplitter::splitterMoved, this, &Splitter::tellShares);
}

void Splitter::addPart(QWidget* part, const QString& name) {
    addWidget(part);
    m_names.append(name);
    if (m_names.size() == 1)
        return;
    QSplitterHandle* divider = handle(count() - 1);
    divider->setAccessibleName(tr("Divider between %1 and %2").arg(m_names.at(count() - 2), name));
    divider->setToolTip(
        tr("Drag it, or move it with the arrow keys, Page up and down, Home and End; Enter or a double click "
           "puts it back."));
    divider->setAccessibleDescription(divider->toolTip());
}

QSplitterHandle* Splitter::createHandle() {
    return new Handle(orientation(), this);
}

void Splitter::setFirstSizes(const QList<int>& sizes) {
    m_first = sizes;
    setSizes(sizes);
}

void Splitter::restoreFirstSizes() {
    if (m_first.isEmpty())
        return;
    setSizes(m_first);
    tellShares();
}

/// For users who do not see where a handle went.
void Splitter::tellShares() {
    const QList<int> shares = sizes();
    const int whole = std::accumulate(shares.begin(), shares.end(), 0);
    for (int index = 1; index < count() && whole > 0; ++index) {
        constexpr int percentOfWindow = 100;
        handle(index)->setAccessibleDescription(
            tr("%1: %2 %", "part of the window and its share")
                .arg(m_names.at(index - 1),
                     QLocale().toString(percentOfWindow * shares.at(index - 1) / whole)));
    }
}

SideSplitter::SideSplitter(int leastWidth, QWidget* parent)
    : Splitter(Qt::Horizontal, parent), m_leastWidth(leastWidth) {
    connect(this, &QSplitter::splitterMoved, this, [this] { m_isMoved = true; });
}

void SideSplitter::restoreFirstSizes() {
    m_isMoved = false;
    makeRoom();
}

bool SideSplitter::event(QEvent* event) {
    const bool handled = Splitter::event(event);
    if (event->type() == QEvent::LayoutRequest)  // a widget asks for more, or less
        makeRoom();
    return handled;
}

void SideSplitter::resizeEvent(QResizeEvent* event) {
    Splitter::resizeEvent(event);
    makeRoom();
}

void SideSplitter::makeRoom() {
    constexpr int widgets = 2;
    if (m_isMoved || count() != widgets)
        return;
    const int room = width() - handleWidth();
    const QWidget& second = *widget(1);
    const int least = std::max(second.minimumSizeHint().width(), second.minimumWidth());
    const int wanted = std::max(least, std::min(second.sizeHint().width(), room - m_leastWidth));
    if (sizes().back() != wanted)
        setSizes({room - wanted, wanted});
}

}  // namespace meshreel

#include "moc_splitter.cpp"
