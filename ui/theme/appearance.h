// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QPalette;

namespace meshreel {

enum class Appearance { System, Light, Dark };

/// What was chosen last.
Appearance chosenAppearance();

/// Remembers the choice and gives the application its colours.
void chooseAppearance(Appearance appearance);

/// The style and colours of the choice, to be called once at the start.
void applyAppearance();

/// Light or dark: for System as bright as the desktop's own palette.
Appearance shownAppearance(Appearance chosen, const QPalette& desktop);

}  // namespace meshreel
