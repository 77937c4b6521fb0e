// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

class QPalette;

namespace meshreel {

/// How devices and keys of a ring index are painted.
struct RingLook {
    QColor color;
    Qt::BrushStyle hatch = Qt::NoBrush;  ///< lines over the colour
    QColor hatchColor = {};

    friend bool operator==(const RingLook&, const RingLook&) = default;
};

/// Hues that colour-blind people tell apart; where they repeat nearer to the colour of the palette's text,
/// then hatched: no index comes nearer to the ground than the hues themselves. 70 looks in all.
RingLook ringLook(int ring, const QPalette& palette);

/// From 1 (the same) to 21 (black and white), as WCAG 2.1 counts it.
double contrastOf(const QColor& one, const QColor& other);

/// Black or white, whichever reads better on this ground.
QColor wordsOn(const QColor& ground);

}  // namespace meshreel
