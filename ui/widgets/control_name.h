// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;
class QWidget;

namespace meshreel {

/// Names a control that no label stands beside for assistive tools. Also works for combo boxes, whose
/// QWidget::accessibleName() Qt does not tell on Unix.
void nameControl(QWidget& control, const QString& name);

}  // namespace meshreel
