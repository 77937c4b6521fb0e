// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

namespace meshreel::testing {

/// What an assistive tool calls it.
QString accessibleName(QWidget& widget);

/// It by its class, name and the parts that it is in, for a person who mends it.
QString described(const QWidget& widget);

/// The control that a widget is, or is a part of: editors, lists and bars of Qt are made of several widgets,
/// and a widget may leave the keyboard to another. Null where people cannot do anything with it.
QWidget* controlOf(QWidget* widget);

/// What can be used in a part of a window as it is now, also what has to be scrolled to.
QList<QWidget*> controlsIn(const QWidget& part);

/// Controls that have no name made of words.
QStringList namelessControls(const QWidget& part);

/// Pairs of controls that a name does not tell apart.
QStringList controlsOfOneName(const QWidget& part);

/// Words and pictures that an assistive tool is not told: labels that another name hides, pictures, widgets
/// that paint themselves and cells of lists that have no words.
QStringList untoldTexts(const QWidget& part);

}  // namespace meshreel::testing
