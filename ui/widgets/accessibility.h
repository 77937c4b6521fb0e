// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;
class QWidget;

namespace meshreel {

/// Names a control without a label beside it for assistive tools. Also works for combo boxes, whose
/// QWidget::accessibleName() Qt does not expose on Unix.
void nameControl(QWidget& control, const QString& name);

/// Lets Tab go through a part of a window in the order in which its layouts show it, whatever order its
/// widgets were made in. Call again when a part gets other widgets. The part keeps its place in the window.
void tabAsLaidOut(QWidget& part);

}  // namespace meshreel
