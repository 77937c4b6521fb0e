// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/key_field.h"

#include <QPainter>

#include "ui/theme/look.h"
#include "ui/widgets/control_name.h"

namespace meshreel {

namespace {

constexpr int frameWidth = 2;
constexpr double frameRadius = 3;

}  // namespace

KeyField::KeyField(QWidget* parent, Extent extent) : QWidget(parent), m_extent(extent) {
    // Room for the frame of an invalid field, so that nothing moves when it appears.
    setContentsMargins(frameWidth, frameWidth, frameWidth, frameWidth);
}

void KeyField::setInput(QWidget* input) {
    setFocusProxy(input);
}

void KeyField::describe(const QString& title, const QString& help) {
    nameControl(*focusProxy(), title);
    focusProxy()->setAccessibleDescription(help);
}

void KeyField::setInvalid(bool invalid) {
    if (invalid == m_invalid)
        return;
    m_invalid = invalid;
    update();
}

void KeyField::paintEvent(QPaintEvent* /*event*/) {
    if (!m_invalid)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(errorColor(palette()), frameWidth));
    constexpr double inset = frameWidth / 2.0;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), frameRadius, frameRadius);
}

}  // namespace meshreel
