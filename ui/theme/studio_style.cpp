// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/studio_style.h"

#include <QGuiApplication>
#include <QStyleOptionButton>

namespace meshreel {

namespace {

constexpr int iconGap = 4;  ///< between icon and text, as in QCommonStyle

}  // namespace

StudioStyle::StudioStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void StudioStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    const bool mirrored = element == CE_PushButtonLabel && button != nullptr &&
                          QGuiApplication::isRightToLeft() && !button->icon.isNull() &&
                          !button->text.isEmpty();
    if (!mirrored)
        return QProxyStyle::drawControl(element, option, painter, widget);
    // QPainter mirrors the alignment that Qt 6.4 has mirrored already, which puts the text at the far end of
    // the room behind the icon: there shall be none.
    const int words = button->fontMetrics.size(Qt::TextShowMnemonic, button->text).width();
    QStyleOptionButton tight = *button;
    tight.rect =
        alignedRect(Qt::LeftToRight, Qt::AlignCenter,
                    QSize(button->iconSize.width() + iconGap + words, button->rect.height()), button->rect);
    QProxyStyle::drawControl(element, &tight, painter, widget);
}

}  // namespace meshreel
