// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

enum class Appearance { System, Light, Dark };

/// What was chosen last.
Appearance chosenAppearance();

/// Remembers the choice and gives the application its colours.
void chooseAppearance(Appearance appearance);

/// The colours of the choice, to be called once at the start.
void applyAppearance();

}  // namespace meshreel
