// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/appearance.h"

#include <QApplication>
#include <QPalette>
#include <QSettings>
#include <QStyle>

#include "ui/theme/look.h"
#include "ui/theme/studio_style.h"

namespace meshreel {

namespace {

constexpr QLatin1String appearanceKey("appearance");

struct Tones {
    QRgb window, base, alternate, button, text, disabled, light, midlight, dark, mid, shadow, highlight, link;
};

constexpr Tones lightTones{0xfff3f4f6, 0xffffffff, 0xfff7f8fa, 0xfffafbfc, 0xff1d2026, 0xff9aa0aa, 0xffffffff,
                           0xffdfe2e7, 0xffb4b9c2, 0xffc9cdd5, 0xff8a909b, 0xff1f6fd6, 0xff1a5fb8};
constexpr Tones darkTones{0xff24262b, 0xff1b1d21, 0xff202227, 0xff2e3138, 0xffe6e8ec, 0xff7b818c, 0xff474b54,
                          0xff3a3e46, 0xff141518, 0xff2a2d33, 0xff0c0d0f, 0xff2f6fd0, 0xff7fb2ff};

QPalette paletteOf(const Tones& tones) {
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
    set(QPalette::PlaceholderText, tones.disabled);
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
        palette.setColor(QPalette::Disabled, role, QColor(tones.disabled));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(tones.mid));
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, QColor(tones.disabled));
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
    QApplication::setPalette(paletteOf(shown == Appearance::Dark ? darkTones : lightTones));
}

Appearance shownAppearance(Appearance chosen, const QPalette& desktop) {
    if (chosen != Appearance::System)
        return chosen;
    return isDark(desktop) ? Appearance::Dark : Appearance::Light;
}

}  // namespace meshreel
