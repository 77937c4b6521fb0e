// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QAbstractButton;
class QLabel;
class QWidget;

namespace meshreel::testing {

// Whether the widget has less room than its text takes.
bool isCut(const QLabel& label);
bool isCut(const QAbstractButton& button);

/// The texts below `root` that are cut off, each with its widget and why; parts of pages that are scrolled to
/// count, panels behind tabs do not. A text is cut off when
/// - its widget is smaller than the text: labels, buttons, numbers, what stands in empty fields, tabs,
/// headings
///   of tables, words on progress bars, and any choice of a box, unless tool tips of choice and box tell it;
/// - its widget is beyond a parent that cannot be scrolled there;
/// - it is a cell of a list or table, or a heading that may be shortened (QHeaderView::textElideMode()), has
///   too little room, and pointing at it does not tell all of it in a tool tip: people widen columns, and
///   what runs and projects are called has no bound;
/// - a widget of the Studio, a delegate or a chart paints it by itself, shortened or beyond its room, and
///   pointing there does not tell the rest either.
QStringList cutTexts(const QWidget& root);

}  // namespace meshreel::testing
