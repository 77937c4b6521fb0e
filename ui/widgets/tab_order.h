// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace meshreel {

/// Lets Tab go through a part of a window in the order in which its layouts show it, whatever order its
/// widgets were made in. To be called again when a part was given other widgets. The part keeps its place in
/// the window.
void tabAsLaidOut(QWidget& part);

}  // namespace meshreel
