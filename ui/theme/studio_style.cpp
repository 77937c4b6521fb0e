// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/studio_style.h"

#include <QAbstractScrollArea>
#include <QGuiApplication>
#include <QPainter>
#include <QStyleOptionButton>
#include <QStyleOptionProgressBar>
#include <algorithm>
#include <cmath>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int scrolledFrame = 2;  ///< the frame itself and what keeps its contents, rounded to pixels, off it
constexpr int iconGap = 4;        ///< between icon and text, as in QCommonStyle

bool isMark(QStyle::PrimitiveElement element) {
    return element == QStyle::PE_IndicatorCheckBox || element == QStyle::PE_IndicatorRadioButton;
}

bool isScrolled(const QWidget* widget) {
    return qobject_cast<const QAbstractScrollArea*>(widget) != nullptr;
}

/// Two fillings, the second less a line of the first: Fusion draws lines, which at 125 % fall beside the
/// pixels that are the widget's.
void drawFrame(const QStyleOption& option, QPainter& painter) {
    constexpr int darker = 140;  // the tone is Fusion's, in percent
    constexpr int lighter = 108;
    painter.fillRect(option.rect, option.palette.window().color().darker(darker).lighter(lighter));
    painter.fillRect(option.rect.adjusted(1, 1, -1, -1), option.palette.base());
}

/// Of a bar that is filled from the right. Fusion of Qt 6.4 gives the words over the filled part the colour
/// of those beside it, and the other way round.
void drawMirroredLabel(const QStyleOptionProgressBar& bar, QPainter& painter) {
    const int length = std::max(bar.maximum - bar.minimum, 1);
    const double share = std::clamp(static_cast<double>(bar.progress - bar.minimum) / length, 0.0, 1.0);
    QRect filled = bar.rect;
    filled.setLeft(bar.rect.left() + static_cast<int>(std::lround((1 - share) * bar.rect.width())));
    for (const bool over : {false, true}) {
        painter.save();
        painter.setClipRegion(over ? filled : QRegion(bar.rect).subtracted(filled), Qt::IntersectClip);
        painter.setPen(bar.palette.color(over ? QPalette::HighlightedText : QPalette::Text));
        painter.drawText(bar.rect, Qt::AlignCenter, bar.text);
        painter.restore();
    }
}

}  // namespace

StudioStyle::StudioStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void StudioStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
    if (element == CE_ProgressBarLabel && bar != nullptr && bar->direction == Qt::RightToLeft)
        return drawMirroredLabel(*bar, *painter);
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

void StudioStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
    if (element == PE_Frame && isScrolled(widget))
        return drawFrame(*option, *painter);
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    if (button == nullptr || !isMark(element) || !isDark(option->palette))
        return QProxyStyle::drawPrimitive(element, option, painter, widget);
    // Fusion outlines them in a darker tone of the window's colour.
    QStyleOptionButton outlined = *button;
    outlined.palette.setColor(QPalette::Window, button->palette.color(QPalette::PlaceholderText));
    QProxyStyle::drawPrimitive(element, &outlined, painter, widget);
}

QSize StudioStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                    const QWidget* widget) const {
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    // Fusion leaves 3 pixels between the words and the frame.
    if (type == CT_PushButton && button != nullptr && !button->text.isEmpty())
        size.setWidth(std::max(size.width(), contents.width() + 2 * spacing));
    return size;
}

int StudioStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    if (metric == PM_DefaultFrameWidth && isScrolled(widget))
        return scrolledFrame;
    // Fusion leaves half as much again beside the words of a tab, which takes the place of further tabs.
    return metric == PM_TabBarTabHSpace ? 2 * spacing : QProxyStyle::pixelMetric(metric, option, widget);
}

}  // namespace meshreel
