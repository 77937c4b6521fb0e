// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/appearance.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QSettings>
#include <QStyle>
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

/// Draws the label of a bar that fills from the right. Fusion of Qt 6.4 gives the words over the filled part
/// the colour of those beside it, and the other way round.
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

namespace {

constexpr QLatin1String appearanceKey("appearance");

struct Tones {
    QRgb window, base, alternate, button, text, hint, light, midlight, dark, mid, shadow, highlight, link;
};

// The hint's tone, which disabled text has too, has a contrast of 4.5 and more on every ground.
constexpr Tones lightTones{0xfff3f4f6, 0xffffffff, 0xfff7f8fa, 0xfffafbfc, 0xff1d2026, 0xff666c76, 0xffffffff,
                           0xffdfe2e7, 0xffb4b9c2, 0xffc9cdd5, 0xff8a909b, 0xff1f6fd6, 0xff1a5fb8};
constexpr Tones darkTones{0xff24262b, 0xff1b1d21, 0xff202227, 0xff2e3138, 0xffe6e8ec, 0xffa0a6b1, 0xff474b54,
                          0xff3a3e46, 0xff141518, 0xff2a2d33, 0xff0c0d0f, 0xff2f6fd0, 0xff7fb2ff};

QPalette makePalette(const Tones& tones) {
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, QRgb tone) {
        palette.setColor(role, QColor(tone));
    };
    set(QPalette::Window, tones.window);
    set(QPalette::Base, tones.base);
    set(QPalette::AlternateBase, tones.alternate);
    set(QPalette::Button, tones.button);
    set(QPalette::ToolTipBase, tones.base);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
        set(role, tones.text);
    set(QPalette::PlaceholderText, tones.hint);
    set(QPalette::Light, tones.light);
    set(QPalette::Midlight, tones.midlight);
    set(QPalette::Dark, tones.dark);
    set(QPalette::Mid, tones.mid);
    set(QPalette::Shadow, tones.shadow);
    set(QPalette::Highlight, tones.highlight);
    set(QPalette::HighlightedText, 0xffffffff);
    set(QPalette::BrightText, 0xffffffff);
    set(QPalette::Link, tones.link);
    set(QPalette::LinkVisited, tones.link);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, QColor(tones.hint));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(tones.mid));
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, QColor(tones.text));
    return palette;
}

}  // namespace

Appearance chosenAppearance() {
    const QString name = QSettings().value(appearanceKey).toString();
    if (name == QLatin1String("light"))
        return Appearance::Light;
    return name == QLatin1String("dark") ? Appearance::Dark : Appearance::System;
}

void chooseAppearance(Appearance appearance) {
    QSettings settings;
    if (appearance == Appearance::System)
        settings.remove(appearanceKey);
    else
        settings.setValue(appearanceKey,
                          appearance == Appearance::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
    applyAppearance();
}

void applyAppearance() {
    QApplication::setStyle(new StudioStyle);
    QApplication::setPalette(QPalette());  // what the desktop has by itself
    const Appearance shown = shownAppearance(chosenAppearance(), QApplication::palette());
    QApplication::setPalette(makePalette(shown == Appearance::Dark ? darkTones : lightTones));
}

Appearance shownAppearance(Appearance chosen, const QPalette& desktop) {
    if (chosen != Appearance::System)
        return chosen;
    return isDark(desktop) ? Appearance::Dark : Appearance::Light;
}

}  // namespace meshreel

#include "moc_appearance.cpp"
