// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/side_splitter.h"

#include <QEvent>
#include <algorithm>

namespace meshreel {

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
