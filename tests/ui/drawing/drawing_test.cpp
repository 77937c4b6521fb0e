// SPDX-License-Identifier: GPL-3.0-or-later
// Masks and tracks drawn with the mouse and with keys.
#include <QAction>
#include <QListWidget>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <variant>
#include <vector>

#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "engine/tensor/tensor.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/shown_drawing.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/drawing/drawing_document.h"
#include "ui/drawing/drawing_edits.h"
#include "ui/drawing/drawing_stage.h"
#include "ui/drawing/drawing_strip.h"
#include "ui/widgets/edits.h"

using namespace meshreel;

namespace {

/// What the drawing takes a pixel of the stage as.
DrawnPoint placeAtPixel(const DrawingStage& stage, QPoint pixel) {
    return roundedPoint(stage.view().toCanvas(QPointF(pixel)));
}

void dragOn(QWidget& widget, QPoint from, QPoint to) {
    QTest::mousePress(&widget, Qt::LeftButton, Qt::NoModifier, from);
    QTest::mouseMove(&widget, (from + to) / 2);
    QTest::mouseMove(&widget, to);
    QTest::mouseRelease(&widget, Qt::LeftButton, Qt::NoModifier, to);
}

/// Some frames of a mask, one after the other.
std::vector<std::uint8_t> rendered(const DrawingDocument& document) {
    std::vector<std::uint8_t> all;
    for (const std::int64_t frame : {0, 10, 25, 40}) {
        const Tensor mask = renderMask(*document.mask(), frame);
        std::ranges::copy(mask.data<std::uint8_t>(), std::back_inserter(all));
    }
    return all;
}

}  // namespace

class DrawingTest : public QObject {
    Q_OBJECT

  private slots:
    void aBoxIsDrawnMovedSavedAndOpenedAgain();
    void cornersScaleFromTheOppositeOne();
    void aPolygonIsClickedAndAStrokeDragged();
    void escapeDropsWhatIsBegun();
    void keysMoveWhatIsChosen();
    void undoingWhileDraggingDropsTheDrag();
    void nothingElseChangesWhileAnItemIsHeld();
    void undoingAndRedoingGivesTheSameMask();
    void keyframesAreDraggedAlongTheStrip();
    void numbersAreTyped();
    void changesOfTheWholeClipKeepTheMotion();
    void shapesAreCutLiftedCopiedAndRemoved();
    void aTrackIsClicked();
    void aTrackIsDraggedFreely();
    void pointsMoveAtTheFrameThatIsShown();
    void everythingHasANameAndAKey();

  private:
    QTemporaryDir m_folder;
};

void DrawingTest::aBoxIsDrawnMovedSavedAndOpenedAgain() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::noMask());
    const DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Box);
    const QPoint first = testing::pixelOf(stage, {80, 40});
    const QPoint last = testing::pixelOf(stage, {160, 100});
    dragOn(dialog->stage(), last, first);  // from the lower right
    QCOMPARE(dialog->document().count(), 1);
    QCOMPARE(dialog->document().chosen(), 0);
    const MaskShape drawn = dialog->document().mask()->shapes.front();
    QCOMPARE(drawn.kind, MaskShapeKind::Box);
    QVERIFY(boundsOf(drawn.points) ==
            boundsOf(std::vector{placeAtPixel(stage, first), placeAtPixel(stage, last)}));
    QCOMPARE(drawn.poses.size(), 1U);

    dialog->playback().seek(20);
    dialog->setTool(DrawingTool::Choose);
    const QPoint inside = testing::pixelOf(stage, {120, 70});
    dragOn(dialog->stage(), inside, inside + QPoint(60, -20));
    const MaskShape moved = dialog->document().mask()->shapes.front();
    QVERIFY(moved.points == drawn.points);
    QCOMPARE(moved.poses.size(), 2U);
    QCOMPARE(moved.poses[0].frame, 0);
    QCOMPARE(moved.poses[0].x, 0.0);
    QCOMPARE(moved.poses[1].frame, 20);
    const double pixels = stage.view().ofScreen(1);
    QVERIFY(std::abs(moved.poses[1].x - 60 * pixels) < 0.01);
    QVERIFY(std::abs(moved.poses[1].y + 20 * pixels) < 0.01);

    const QString file = m_folder.filePath(QStringLiteral("box.mask.json"));
    dialog->setFile(file, {});
    QVERIFY(dialog->save());
    QVERIFY(dialog->document().undoStack().isClean());
    const MaskDrawing read = readMaskDrawing(file.toStdString());
    QVERIFY(read == *dialog->document().mask());
    const std::unique_ptr<DrawingDialog> again = testing::shownDrawing(read);
    QCOMPARE(rendered(again->document()), rendered(dialog->document()));
}

void DrawingTest::cornersScaleFromTheOppositeOne() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
    const DrawingStage& stage = dialog->stage();
    dialog->document().choose(0);
    const QPoint corner = testing::pixelOf(stage, {160, 120});
    const QPoint to = testing::pixelOf(stage, {220, 90});
    dragOn(dialog->stage(), corner, to);
    const MaskShape& shape = dialog->document().mask()->shapes.front();
    const DrawnBounds bounds = boundsOf(placedPoints(shape, poseAt(shape, 0)));
    const DrawnPoint reached = placeAtPixel(stage, to);
    QVERIFY(std::abs(bounds.left - 100) < 0.02 && std::abs(bounds.top - 60) < 0.02);
    QVERIFY(std::abs(bounds.right - reached.x) < 0.02 && std::abs(bounds.bottom - reached.y) < 0.02);
    QCOMPARE(shape.poses.size(), 1U);  // at its own keyframe
    QCOMPARE(dialog->document().undoStack().count(), 1);
}

void DrawingTest::aPolygonIsClickedAndAStrokeDragged() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::noMask());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Polygon);
    const std::vector<DrawnPoint> corners{{40, 40}, {120, 40}, {80, 110}};
    for (const DrawnPoint& corner : corners)
        QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, corner));
    QTest::keyClick(&stage, Qt::Key_Return);
    QVERIFY(dialog->isVisible());  // Enter ended the polygon and not the dialog
    QCOMPARE(dialog->document().count(), 1);
    QCOMPARE(dialog->document().mask()->shapes[0].kind, MaskShapeKind::Polygon);
    QCOMPARE(dialog->document().mask()->shapes[0].points.size(), 3U);
    for (const DrawnPoint& corner : corners)
        QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, corner));
    QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, corners.front()));
    QCOMPARE(dialog->document().count(), 2);  // the first corner ends it too

    dialog->setTool(DrawingTool::Brush);
    dragOn(stage, testing::pixelOf(stage, {60, 150}), testing::pixelOf(stage, {240, 150}));
    const MaskShape stroke = dialog->document().mask()->shapes.back();
    QCOMPARE(stroke.kind, MaskShapeKind::Stroke);
    QCOMPARE(stroke.points.size(), 2U);  // what lies on the line between is left out
    QCOMPARE(stroke.radius, testing::numberOf(*dialog, "Brush")->value().toDouble());
    QCOMPARE(dialog->document().undoStack().count(), 3);
}

void DrawingTest::escapeDropsWhatIsBegun() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::noMask());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Polygon);
    QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, {40, 40}));
    QTest::keyClick(&stage, Qt::Key_Escape);
    QTest::keyClick(&stage, Qt::Key_Return);
    QCOMPARE(dialog->document().count(), 0);
    dialog->setTool(DrawingTool::Box);
    QTest::mousePress(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, {40, 40}));
    QTest::mouseMove(&stage, testing::pixelOf(stage, {90, 90}));
    QCOMPARE(dialog->document().count(), 1);
    QTest::keyClick(&stage, Qt::Key_Escape);
    QCOMPARE(dialog->document().count(), 0);
    QTest::mouseRelease(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, {90, 90}));
    QCOMPARE(dialog->document().count(), 0);
    QCOMPARE(dialog->document().undoStack().count(), 0);
    QVERIFY(dialog->isVisible());
    QTest::keyClick(&stage, Qt::Key_Escape);  // nothing is begun: it closes
    QVERIFY(!dialog->isVisible());
}

void DrawingTest::keysMoveWhatIsChosen() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
    DrawingStage& stage = dialog->stage();
    stage.setFocus();
    QTest::keyClick(&stage, Qt::Key_Right);  // nothing is chosen: another frame
    QCOMPARE(dialog->document().frame(), 1);
    QTest::keyClick(&stage, Qt::Key_PageUp);
    QCOMPARE(dialog->document().chosen(), 0);
    QTest::keyClick(&stage, Qt::Key_Right);
    QTest::keyClick(&stage, Qt::Key_Right, Qt::ControlModifier);
    QTest::keyClick(&stage, Qt::Key_Up);
    const MaskShape& shape = dialog->document().mask()->shapes.front();
    QCOMPARE(poseAt(shape, 1).x, 11.0);
    QCOMPARE(poseAt(shape, 1).y, -1.0);
    QCOMPARE(dialog->document().undoStack().count(), 1);  // moved in one go
    QTest::keyClick(&stage, Qt::Key_Delete);
    QCOMPARE(dialog->document().count(), 0);
    dialog->setTool(DrawingTool::Ellipse);
    QTest::keyClick(&stage, Qt::Key_Insert);
    QCOMPARE(dialog->document().count(), 1);
    QCOMPARE(dialog->document().mask()->shapes.front().kind, MaskShapeKind::Ellipse);
}

void DrawingTest::undoingWhileDraggingDropsTheDrag() {
    const DrawnTrack straight{.nodes = {{.frame = 0, .x = 40, .y = 100}, {.frame = 40, .x = 240, .y = 100}}};
    for (const bool ofMask : {true, false}) {
        const std::unique_ptr<DrawingDialog> dialog =
            testing::shownDrawing(ofMask ? testing::noMask() : testing::noTracks());
        DrawingStage& stage = dialog->stage();
        DrawingDocument& document = dialog->document();
        if (ofMask)
            document.add(QStringLiteral("box"), std::get<MaskDrawing>(testing::oneBox()).shapes.front());
        else
            document.add(QStringLiteral("track"), straight);
        dialog->setTool(DrawingTool::Choose);
        const QPoint held = testing::pixelOf(stage, ofMask ? DrawnPoint{130, 90} : DrawnPoint{140, 100});
        QTest::mousePress(&stage, Qt::LeftButton, Qt::NoModifier, held);
        QTest::mouseMove(&stage, held + QPoint(10, 10));
        QVERIFY(document.isLive());
        document.undoStack().undo();
        QCOMPARE(document.count(), 0);
        QTest::mouseMove(&stage, held + QPoint(20, 20));
        QVERIFY(!document.isLive());
        QCOMPARE(document.count(), 0);
        QTest::mouseRelease(&stage, Qt::LeftButton, Qt::NoModifier, held + QPoint(20, 20));
        QCOMPARE(document.count(), 0);
        document.undoStack().redo();
        QCOMPARE(document.count(), 1);  // where it was before it was dragged
        QVERIFY(ofMask ? document.mask()->shapes.front().poses.front() == MaskPose{}
                       : document.tracks()->tracks.front() == straight);
    }
}

void DrawingTest::nothingElseChangesWhileAnItemIsHeld() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
    DrawingStage& stage = dialog->stage();
    DrawingDocument& document = dialog->document();
    dialog->setTool(DrawingTool::Choose);
    const QPoint held = testing::pixelOf(stage, {130, 90});
    QTest::mousePress(&stage, Qt::LeftButton, Qt::NoModifier, held);
    QTest::mouseMove(&stage, held + QPoint(10, 0));
    document.choose(-1);
    QCOMPARE(document.chosen(), 0);
    QTest::keyClick(&stage, Qt::Key_Delete);
    document.duplicateChosen();
    document.addKeyframe();
    QCOMPARE(document.count(), 1);
    QTest::mouseMove(&stage, held + QPoint(20, 0));
    QTest::mouseRelease(&stage, Qt::LeftButton, Qt::NoModifier, held + QPoint(20, 0));
    QCOMPARE(document.undoStack().count(), 1);
    QVERIFY(document.mask()->shapes.front().poses.front().x > 0);
    document.choose(-1);
    document.changeShape(QStringLiteral("none"), DrawingDocument::Step::Own,
                         [](MaskShape& shape) { shape.cuts = true; });
    QCOMPARE(document.undoStack().count(), 1);  // nothing is chosen
}

void DrawingTest::undoingAndRedoingGivesTheSameMask() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::noMask());
    DrawingStage& stage = dialog->stage();
    DrawingDocument& document = dialog->document();
    std::vector<std::vector<std::uint8_t>> masks{rendered(document)};
    const auto keep = [&] { masks.push_back(rendered(document)); };
    dialog->setTool(DrawingTool::Box);
    dragOn(stage, testing::pixelOf(stage, {40, 40}), testing::pixelOf(stage, {120, 120}));
    keep();
    dialog->playback().seek(30);
    dialog->setTool(DrawingTool::Choose);
    dragOn(stage, testing::pixelOf(stage, {80, 80}), testing::pixelOf(stage, {160, 90}));
    keep();
    document.change(QStringLiteral("easing"), DrawingDocument::Step::Own,
                    [](Drawing& drawing) { setEasing(drawing, 0, 0, Easing::Out); });
    keep();
    document.moveKeyframe(30, 25);
    keep();
    document.duplicateChosen();
    keep();
    document.changeShape(QStringLiteral("cut"), DrawingDocument::Step::Own,
                         [](MaskShape& shape) { shape.cuts = true; });
    keep();
    document.liftChosen(-1);
    keep();
    document.removeChosen();
    keep();
    QCOMPARE(document.undoStack().count(), static_cast<int>(masks.size()) - 1);
    for (std::size_t step = masks.size() - 1; step > 0; --step) {
        document.undoStack().undo();
        QCOMPARE(rendered(document), masks[step - 1]);
        document.undoStack().redo();
        QCOMPARE(rendered(document), masks[step]);
        document.undoStack().undo();
    }
    for (std::size_t step = 1; step < masks.size(); ++step) {
        document.undoStack().redo();
        QCOMPARE(rendered(document), masks[step]);
    }
}

void DrawingTest::keyframesAreDraggedAlongTheStrip() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
    DrawingDocument& document = dialog->document();
    DrawingStrip& strip = dialog->strip();
    document.choose(0);
    dialog->playback().seek(20);
    document.addKeyframe();
    QCOMPARE(document.chosenKeyframes(), (std::vector<std::int64_t>{0, 20}));
    dragOn(strip, strip.placeOf(20).toPoint(), strip.placeOf(32).toPoint());
    QCOMPARE(document.chosenKeyframes(), (std::vector<std::int64_t>{0, 32}));
    QCOMPARE(document.frame(), 32);
    QTest::keyClick(&strip, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(document.chosenKeyframes(), (std::vector<std::int64_t>{0, 31}));
    QTest::keyClick(&strip, Qt::Key_Up);
    QCOMPARE(document.frame(), 0);
    QTest::keyClick(&strip, Qt::Key_Down);
    QCOMPARE(document.frame(), 31);
    QVERIFY(strip.accessibleDescription().contains(QLatin1String("31")));
    QTest::keyClick(&strip, Qt::Key_Delete);
    QCOMPARE(document.chosenKeyframes(), (std::vector<std::int64_t>{0}));
    QTest::keyClick(&strip, Qt::Key_Up);
    QTest::keyClick(&strip, Qt::Key_Delete);
    QCOMPARE(document.chosenKeyframes(), (std::vector<std::int64_t>{0}));  // the last one stays
    const QPoint place = strip.placeOf(12).toPoint();
    QTest::mouseClick(&strip, Qt::LeftButton, Qt::NoModifier, place);
    QCOMPARE(document.frame(), strip.frameAt(place.x()));
}

void DrawingTest::numbersAreTyped() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
    QVERIFY(!testing::numberOf(*dialog, "Left")->isEnabled());
    dialog->document().choose(0);
    QCOMPARE(testing::numberOf(*dialog, "Left")->value(), QStringLiteral("100"));
    QCOMPARE(testing::numberOf(*dialog, "Height")->value(), QStringLiteral("60"));
    testing::typeInto(*testing::numberOf(*dialog, "Left"), QStringLiteral("130"));
    testing::typeInto(*testing::numberOf(*dialog, "Width"), QStringLiteral("30"));
    testing::typeInto(*testing::numberOf(*dialog, "Soft edge"), QStringLiteral("6"));
    testing::typeInto(*testing::numberOf(*dialog, "Strength"), QStringLiteral("50"));
    const MaskShape& shape = dialog->document().mask()->shapes.front();
    const DrawnBounds bounds = boundsOf(placedPoints(shape, poseAt(shape, 0)));
    QVERIFY(std::abs(bounds.left - 130) < 0.02 && std::abs(bounds.right - 160) < 0.02);
    QCOMPARE(shape.softness, 6.0);
    QCOMPARE(poseAt(shape, 0).strength, 0.5);
    QVERIFY(!testing::numberOf(*dialog, "Brush")->isEnabled());  // it is no stroke
    testing::typeInto(*testing::numberOf(*dialog, "Strength"), QStringLiteral("500"));
    QVERIFY(poseAt(dialog->document().mask()->shapes.front(), 0).strength <= 1);
}

void DrawingTest::changesOfTheWholeClipKeepTheMotion() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
    DrawingDocument& document = dialog->document();
    document.choose(0);
    dialog->playback().seek(40);
    document.moveChosen({50, 0});
    document.setScope(EditScope::Clip);
    dialog->playback().seek(20);
    document.moveChosen({0, 10});
    const MaskShape& shape = document.mask()->shapes.front();
    QCOMPARE(shape.poses.size(), 2U);
    QCOMPARE(shape.poses[0].y, 10.0);
    QCOMPARE(shape.poses[1].y, 10.0);
    QCOMPARE(shape.poses[1].x, 50.0);
    QCOMPARE(poseAt(shape, 20).x, 25.0);
}

void DrawingTest::shapesAreCutLiftedCopiedAndRemoved() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
    DrawingDocument& document = dialog->document();
    const auto* list = dialog->findChild<QListWidget*>();
    document.choose(0);
    document.duplicateChosen();
    QCOMPARE(list->count(), 2);
    QCOMPARE(list->currentRow(), 0);  // the upper one
    document.liftChosen(-1);
    QCOMPARE(document.chosen(), 0);
    QCOMPARE(list->currentRow(), 1);
    document.liftChosen(-1);  // there is nothing below
    QCOMPARE(document.undoStack().count(), 2);
    document.removeChosen();
    QCOMPARE(list->count(), 1);
}

void DrawingTest::aTrackIsClicked() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::noTracks());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Track);
    const std::vector<DrawnPoint> corners{{40, 40}, {200, 40}, {200, 120}};
    for (const DrawnPoint& corner : corners)
        QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, corner));
    QTest::keyClick(&stage, Qt::Key_Return);
    QCOMPARE(dialog->document().count(), 1);
    const DrawnTrack& track = dialog->document().tracks()->tracks.front();
    QVERIFY(track.smooth);
    QCOMPARE(track.nodes.size(), 3U);
    QCOMPARE(track.nodes.front().frame, 0);
    QVERIFY(std::abs(track.nodes[1].frame - 27) <= 1);  // 160 of 240 pixels, of 40 frames
    QCOMPARE(track.nodes.back().frame, 40);
    for (std::size_t node = 0; node < corners.size(); ++node) {
        const DrawnPoint place = placeAtPixel(stage, testing::pixelOf(stage, corners[node]));
        QCOMPARE(track.nodes[node].x, place.x);
        QCOMPARE(track.nodes[node].y, place.y);
    }
}

void DrawingTest::aTrackIsDraggedFreely() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::noTracks());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Track);
    dragOn(stage, testing::pixelOf(stage, {40, 100}), testing::pixelOf(stage, {240, 100}));
    QCOMPARE(dialog->document().count(), 1);
    const DrawnTrack& track = dialog->document().tracks()->tracks.front();
    QCOMPARE(track.nodes.size(), 2U);  // straight
    QCOMPARE(track.nodes.back().frame, 40);
    QVERIFY(track.nodes.back().x > 200);
}

void DrawingTest::pointsMoveAtTheFrameThatIsShown() {
    const DrawnTrack straight{.nodes = {{.frame = 0, .x = 40, .y = 100}, {.frame = 40, .x = 240, .y = 100}}};
    const std::unique_ptr<DrawingDialog> dialog =
        testing::shownDrawing(TrackDrawing{.canvas = testing::drawingClip, .tracks = {straight}});
    DrawingStage& stage = dialog->stage();
    DrawingDocument& document = dialog->document();
    document.choose(0);
    dialog->playback().seek(20);
    dialog->setTool(DrawingTool::Choose);
    const QPoint middle = testing::pixelOf(stage, {140, 100});
    dragOn(stage, middle, middle + QPoint(0, -40));
    const DrawnTrack bent = document.tracks()->tracks.front();
    QCOMPARE(bent.nodes.size(), 3U);
    QCOMPARE(bent.nodes[1].frame, 20);
    QVERIFY(std::abs(bent.nodes[1].y - (100 - 40 * stage.view().ofScreen(1))) < 0.01);
    // An end moves by itself, whatever frame is shown.
    const QPoint end = testing::pixelOf(stage, {240, 100});
    dragOn(stage, end, end + QPoint(0, 30));
    const DrawnTrack ended = document.tracks()->tracks.front();
    QCOMPARE(ended.nodes.size(), 3U);
    QVERIFY(ended.nodes[2].y > 100);
    QCOMPARE(ended.nodes[1].y, bent.nodes[1].y);
    QCOMPARE(ended.nodes[0].y, 100.0);
}

void DrawingTest::everythingHasANameAndAKey() {
    for (const Drawing& drawing : {testing::oneBox(), testing::noTracks()}) {
        const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(drawing);
        if (dialog->document().count() > 0)
            dialog->document().choose(0);
        QCOMPARE(testing::namelessControls(*dialog), QStringList());
        QCOMPARE(testing::controlsOfOneName(*dialog), QStringList());
        for (const QAction* action : dialog->actions())
            QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
        QVERIFY(!dialog->stage().accessibleDescription().isEmpty());
    }
}

MESHREEL_TEST_CLASS(DrawingTest)
#include "drawing_test.moc"
