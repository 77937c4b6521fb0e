// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QString>
#include <memory>

#include "engine/media/drawing.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/drawing/drawing_stage.h"
#include "ui/widgets/edits.h"

namespace meshreel::testing {

/// What the drawings here are made for.
inline constexpr DrawingCanvas drawingClip{.width = 320, .height = 192, .frames = 41, .fps = 16};

Drawing noMask();
Drawing noTracks();
Drawing oneBox();

/// A dialog with the drawing, which is active.
std::unique_ptr<DrawingDialog> shownDrawing(Drawing drawing);

/// The whole pixel of the stage that is nearest to a place of the drawing.
QPoint pixelOf(const DrawingStage& stage, DrawnPoint place);

/// The field of that accessible name; null where there is none.
NumberEdit* numberOf(const DrawingDialog& dialog, const char* name);

void typeInto(NumberEdit& number, const QString& text);

}  // namespace meshreel::testing
