// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QString>
#include <vector>

class QWidget;

namespace meshreel::testing {

/// A piece of text as a widget painted it.
struct PaintedText {
    QString text;
    bool isClipped = false;  ///< a part of it is outside of what may be painted on
    QPoint place;            ///< its middle, in the widget

    /// Whether the widget left out a part of it: "A wooden fish…", and "A wooden..." as charts write it.
    [[nodiscard]] bool isShortened() const;
    /// What is before, between or behind what was left out.
    [[nodiscard]] QStringList parts() const;
};

/// All that the widget itself paints now, its children and background left out.
std::vector<PaintedText> paintedTexts(QWidget& widget);

}  // namespace meshreel::testing
