// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/shown_drawing.h"

#include <QLineEdit>
#include <QTest>
#include <algorithm>
#include <utility>

#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"

namespace meshreel::testing {

Drawing noMask() {
    return MaskDrawing{.canvas = drawingClip, .inverted = false, .shapes = {}};
}

Drawing noTracks() {
    return TrackDrawing{.canvas = drawingClip, .tracks = {}};
}

Drawing oneBox() {
    return MaskDrawing{
        .canvas = drawingClip,
        .inverted = false,
        .shapes = {{.kind = MaskShapeKind::Box, .points = {{100, 60}, {160, 120}}, .poses = {{}}}}};
}

std::unique_ptr<DrawingDialog> shownDrawing(Drawing drawing) {
    auto dialog = std::make_unique<DrawingDialog>(std::move(drawing));
    dialog->resize(1000, 700);
    dialog->show();
    dialog->activateWindow();
    if (!QTest::qWaitForWindowActive(dialog.get()))
        qFatal("the dialog is not active");
    return dialog;
}

QPoint pixelOf(const DrawingStage& stage, DrawnPoint place) {
    return stage.view().toScreen(place).toPoint();
}

NumberEdit* numberOf(const DrawingDialog& dialog, const char* name) {
    const QList<NumberEdit*> numbers = dialog.findChildren<NumberEdit*>();
    const auto found = std::ranges::find(numbers, QLatin1String(name), &QWidget::accessibleName);
    return found == numbers.end() ? nullptr : *found;
}

void typeInto(NumberEdit& number, const QString& text) {
    auto* line = number.findChild<QLineEdit*>();
    line->selectAll();
    QTest::keyClicks(line, text);
}

}  // namespace meshreel::testing
