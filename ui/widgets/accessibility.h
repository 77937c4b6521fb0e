// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

class QString;
class QWidget;

namespace meshreel {

/// Lets assistive tools be told the names of combo boxes: from the next one on that is made or shown.
void tellNamesOfBoxes();

/// Names a control without a label beside it for assistive tools. From the first combo box on, they are told
/// the names of all of those, and what is chosen as the value: Qt on Unix tells that as the name.
void nameControl(QWidget& control, const QString& name);

/// Lets Tab go through a part of a window in the order in which its layouts show it, whatever order its
/// widgets were made in. Call again when a part gets other widgets. The part keeps its place in the window.
void tabAsLaidOut(QWidget& part);

/// Lets Tab reach `stops` after the last stop of a part of their window.
void tabBehind(QWidget& part, const QList<QWidget*>& stops);

}  // namespace meshreel
