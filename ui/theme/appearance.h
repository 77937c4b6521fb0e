// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

class QPalette;

namespace meshreel {

/// Fusion, with frames of text fields that are whole at scales like 125 %, with icon and text of wide buttons
/// beside each other in right-to-left layouts, too, and legible progress, with check boxes that are seen on
/// dark windows, with narrower tabs, and with room beside the words of buttons.
class StudioStyle : public QProxyStyle {
    Q_OBJECT

  public:
    StudioStyle();

    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    [[nodiscard]] QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                         const QWidget* widget) const override;
    [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption* option,
                                  const QWidget* widget) const override;
};

enum class Appearance { System, Light, Dark };

/// Returns what was chosen last.
Appearance chosenAppearance();

/// Remembers the choice and gives the application its colours.
void chooseAppearance(Appearance appearance);

/// The style and colours of the choice, to be called once at the start.
void applyAppearance();

/// Light or dark: for System as bright as the desktop's own palette.
Appearance shownAppearance(Appearance chosen, const QPalette& desktop);

}  // namespace meshreel
