// SPDX-License-Identifier: GPL-3.0-or-later
// Masks and tracks drawn with the mouse and with keys, saved, and opened again from the project.
#include <QAction>
#include <QApplication>
#include <QColor>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/stop_token.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/track_file.h"
#include "engine/tensor/tensor.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/answered.h"
#include "ui/drawing/backdrop.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/drawing/drawing_document.h"
#include "ui/drawing/drawing_edits.h"
#include "ui/drawing/drawing_opener.h"
#include "ui/drawing/drawing_stage.h"
#include "ui/drawing/drawing_strip.h"
#include "ui/project/project_document.h"
#include "ui/widgets/edits.h"

using namespace meshreel;

namespace {

constexpr DrawingCanvas drawingClip{.width = 320, .height = 192, .frames = 41, .fps = 16};

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

/// The whole pixel of the stage that is nearest to a place of the drawing.
QPoint pixelOf(const DrawingStage& stage, DrawnPoint place) {
    return stage.view().toScreen(place).toPoint();
}

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
    void thePictureLiesUnderTheDrawing();
    void theBackdropStopsBeforeTheNextFrame();
    void theBackdropOfALongClipIsSmall();
    void closingAsksForWhatIsNotSaved();
    void closingAsksForWhatIsBegun();
    void theProjectNamesWhatWasDrawn();
    void aDrawingOfARunIsCopied();
    void aFileThatAppearsMeanwhileIsKept();
    void whatNobodyCouldReadIsNotSaved();
    void sightIsClearedWhereADrawingIsNamed();
    void pointsOfOthersBecomeTracks();
    void whatCannotBeReadIsSaid();

  private:
    std::unique_ptr<DrawingDialog> shown(Drawing drawing);
    /// Saves a project of drawingClip in a folder of its own, which it returns.
    QString savedProject(ProjectDocument& project, const QString& name);

    QTemporaryDir m_folder;
};

std::unique_ptr<DrawingDialog> DrawingTest::shown(Drawing drawing) {
    auto dialog = std::make_unique<DrawingDialog>(std::move(drawing));
    dialog->resize(1000, 700);
    dialog->show();
    dialog->activateWindow();
    if (!QTest::qWaitForWindowActive(dialog.get()))
        qFatal("the dialog is not active");
    return dialog;
}

QString DrawingTest::savedProject(ProjectDocument& project, const QString& name) {
    Project settings;
    settings.prompt = "a red ball";
    settings.width = drawingClip.width;
    settings.height = drawingClip.height;
    settings.numFrames = drawingClip.frames;
    settings.fps = drawingClip.fps;
    project.adopt(settings, QStringLiteral("test"));
    const QString folder = m_folder.filePath(name);
    QDir().mkpath(folder);
    project.save((folder + QStringLiteral("/demo.yaml")).toStdString());
    return folder;
}

void DrawingTest::aBoxIsDrawnMovedSavedAndOpenedAgain() {
    const std::unique_ptr<DrawingDialog> dialog = shown(noMask());
    const DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Box);
    const QPoint first = pixelOf(stage, {80, 40});
    const QPoint last = pixelOf(stage, {160, 100});
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
    const QPoint inside = pixelOf(stage, {120, 70});
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
    const std::unique_ptr<DrawingDialog> again = shown(read);
    QCOMPARE(rendered(again->document()), rendered(dialog->document()));
}

void DrawingTest::cornersScaleFromTheOppositeOne() {
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
    const DrawingStage& stage = dialog->stage();
    dialog->document().choose(0);
    const QPoint corner = pixelOf(stage, {160, 120});
    const QPoint to = pixelOf(stage, {220, 90});
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
    const std::unique_ptr<DrawingDialog> dialog = shown(noMask());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Polygon);
    const std::vector<DrawnPoint> corners{{40, 40}, {120, 40}, {80, 110}};
    for (const DrawnPoint& corner : corners)
        QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, corner));
    QTest::keyClick(&stage, Qt::Key_Return);
    QVERIFY(dialog->isVisible());  // Enter ended the polygon and not the dialog
    QCOMPARE(dialog->document().count(), 1);
    QCOMPARE(dialog->document().mask()->shapes[0].kind, MaskShapeKind::Polygon);
    QCOMPARE(dialog->document().mask()->shapes[0].points.size(), 3U);
    for (const DrawnPoint& corner : corners)
        QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, corner));
    QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, corners.front()));
    QCOMPARE(dialog->document().count(), 2);  // the first corner ends it too

    dialog->setTool(DrawingTool::Brush);
    dragOn(stage, pixelOf(stage, {60, 150}), pixelOf(stage, {240, 150}));
    const MaskShape stroke = dialog->document().mask()->shapes.back();
    QCOMPARE(stroke.kind, MaskShapeKind::Stroke);
    QCOMPARE(stroke.points.size(), 2U);  // what lies on the line between is left out
    QCOMPARE(stroke.radius, numberOf(*dialog, "Brush")->value().toDouble());
    QCOMPARE(dialog->document().undoStack().count(), 3);
}

void DrawingTest::escapeDropsWhatIsBegun() {
    const std::unique_ptr<DrawingDialog> dialog = shown(noMask());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Polygon);
    QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, {40, 40}));
    QTest::keyClick(&stage, Qt::Key_Escape);
    QTest::keyClick(&stage, Qt::Key_Return);
    QCOMPARE(dialog->document().count(), 0);
    dialog->setTool(DrawingTool::Box);
    QTest::mousePress(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, {40, 40}));
    QTest::mouseMove(&stage, pixelOf(stage, {90, 90}));
    QCOMPARE(dialog->document().count(), 1);
    QTest::keyClick(&stage, Qt::Key_Escape);
    QCOMPARE(dialog->document().count(), 0);
    QTest::mouseRelease(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, {90, 90}));
    QCOMPARE(dialog->document().count(), 0);
    QCOMPARE(dialog->document().undoStack().count(), 0);
    QVERIFY(dialog->isVisible());
    QTest::keyClick(&stage, Qt::Key_Escape);  // nothing is begun: it closes
    QVERIFY(!dialog->isVisible());
}

void DrawingTest::keysMoveWhatIsChosen() {
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
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
        const std::unique_ptr<DrawingDialog> dialog = shown(ofMask ? noMask() : noTracks());
        DrawingStage& stage = dialog->stage();
        DrawingDocument& document = dialog->document();
        if (ofMask)
            document.add(QStringLiteral("box"), std::get<MaskDrawing>(oneBox()).shapes.front());
        else
            document.add(QStringLiteral("track"), straight);
        dialog->setTool(DrawingTool::Choose);
        const QPoint held = pixelOf(stage, ofMask ? DrawnPoint{130, 90} : DrawnPoint{140, 100});
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
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
    DrawingStage& stage = dialog->stage();
    DrawingDocument& document = dialog->document();
    dialog->setTool(DrawingTool::Choose);
    const QPoint held = pixelOf(stage, {130, 90});
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
    const std::unique_ptr<DrawingDialog> dialog = shown(noMask());
    DrawingStage& stage = dialog->stage();
    DrawingDocument& document = dialog->document();
    std::vector<std::vector<std::uint8_t>> masks{rendered(document)};
    const auto keep = [&] { masks.push_back(rendered(document)); };
    dialog->setTool(DrawingTool::Box);
    dragOn(stage, pixelOf(stage, {40, 40}), pixelOf(stage, {120, 120}));
    keep();
    dialog->playback().seek(30);
    dialog->setTool(DrawingTool::Choose);
    dragOn(stage, pixelOf(stage, {80, 80}), pixelOf(stage, {160, 90}));
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
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
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
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
    QVERIFY(!numberOf(*dialog, "Left")->isEnabled());
    dialog->document().choose(0);
    QCOMPARE(numberOf(*dialog, "Left")->value(), QStringLiteral("100"));
    QCOMPARE(numberOf(*dialog, "Height")->value(), QStringLiteral("60"));
    typeInto(*numberOf(*dialog, "Left"), QStringLiteral("130"));
    typeInto(*numberOf(*dialog, "Width"), QStringLiteral("30"));
    typeInto(*numberOf(*dialog, "Soft edge"), QStringLiteral("6"));
    typeInto(*numberOf(*dialog, "Strength"), QStringLiteral("50"));
    const MaskShape& shape = dialog->document().mask()->shapes.front();
    const DrawnBounds bounds = boundsOf(placedPoints(shape, poseAt(shape, 0)));
    QVERIFY(std::abs(bounds.left - 130) < 0.02 && std::abs(bounds.right - 160) < 0.02);
    QCOMPARE(shape.softness, 6.0);
    QCOMPARE(poseAt(shape, 0).strength, 0.5);
    QVERIFY(!numberOf(*dialog, "Brush")->isEnabled());  // it is no stroke
    typeInto(*numberOf(*dialog, "Strength"), QStringLiteral("500"));
    QVERIFY(poseAt(dialog->document().mask()->shapes.front(), 0).strength <= 1);
}

void DrawingTest::changesOfTheWholeClipKeepTheMotion() {
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
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
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
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
    const std::unique_ptr<DrawingDialog> dialog = shown(noTracks());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Track);
    const std::vector<DrawnPoint> corners{{40, 40}, {200, 40}, {200, 120}};
    for (const DrawnPoint& corner : corners)
        QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, corner));
    QTest::keyClick(&stage, Qt::Key_Return);
    QCOMPARE(dialog->document().count(), 1);
    const DrawnTrack& track = dialog->document().tracks()->tracks.front();
    QVERIFY(track.smooth);
    QCOMPARE(track.nodes.size(), 3U);
    QCOMPARE(track.nodes.front().frame, 0);
    QVERIFY(std::abs(track.nodes[1].frame - 27) <= 1);  // 160 of 240 pixels, of 40 frames
    QCOMPARE(track.nodes.back().frame, 40);
    for (std::size_t node = 0; node < corners.size(); ++node) {
        const DrawnPoint place = placeAtPixel(stage, pixelOf(stage, corners[node]));
        QCOMPARE(track.nodes[node].x, place.x);
        QCOMPARE(track.nodes[node].y, place.y);
    }
}

void DrawingTest::aTrackIsDraggedFreely() {
    const std::unique_ptr<DrawingDialog> dialog = shown(noTracks());
    DrawingStage& stage = dialog->stage();
    dialog->setTool(DrawingTool::Track);
    dragOn(stage, pixelOf(stage, {40, 100}), pixelOf(stage, {240, 100}));
    QCOMPARE(dialog->document().count(), 1);
    const DrawnTrack& track = dialog->document().tracks()->tracks.front();
    QCOMPARE(track.nodes.size(), 2U);  // straight
    QCOMPARE(track.nodes.back().frame, 40);
    QVERIFY(track.nodes.back().x > 200);
}

void DrawingTest::pointsMoveAtTheFrameThatIsShown() {
    const DrawnTrack straight{.nodes = {{.frame = 0, .x = 40, .y = 100}, {.frame = 40, .x = 240, .y = 100}}};
    const std::unique_ptr<DrawingDialog> dialog =
        shown(TrackDrawing{.canvas = drawingClip, .tracks = {straight}});
    DrawingStage& stage = dialog->stage();
    DrawingDocument& document = dialog->document();
    document.choose(0);
    dialog->playback().seek(20);
    dialog->setTool(DrawingTool::Choose);
    const QPoint middle = pixelOf(stage, {140, 100});
    dragOn(stage, middle, middle + QPoint(0, -40));
    const DrawnTrack bent = document.tracks()->tracks.front();
    QCOMPARE(bent.nodes.size(), 3U);
    QCOMPARE(bent.nodes[1].frame, 20);
    QVERIFY(std::abs(bent.nodes[1].y - (100 - 40 * stage.view().ofScreen(1))) < 0.01);
    // An end moves by itself, whatever frame is shown.
    const QPoint end = pixelOf(stage, {240, 100});
    dragOn(stage, end, end + QPoint(0, 30));
    const DrawnTrack ended = document.tracks()->tracks.front();
    QCOMPARE(ended.nodes.size(), 3U);
    QVERIFY(ended.nodes[2].y > 100);
    QCOMPARE(ended.nodes[1].y, bent.nodes[1].y);
    QCOMPARE(ended.nodes[0].y, 100.0);
}

void DrawingTest::everythingHasANameAndAKey() {
    for (const Drawing& drawing : {oneBox(), noTracks()}) {
        const std::unique_ptr<DrawingDialog> dialog = shown(drawing);
        if (dialog->document().count() > 0)
            dialog->document().choose(0);
        QCOMPARE(testing::namelessControls(*dialog), QStringList());
        QCOMPARE(testing::controlsOfOneName(*dialog), QStringList());
        for (const QAction* action : dialog->actions())
            QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
        QVERIFY(!dialog->stage().accessibleDescription().isEmpty());
    }
}

void DrawingTest::thePictureLiesUnderTheDrawing() {
    QImage picture(64, 64, QImage::Format_RGB32);
    picture.fill(Qt::darkGreen);
    const QString file = m_folder.filePath(QStringLiteral("green.png"));
    QVERIFY(picture.save(file));
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&dialog->stage(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&dialog->stage(), &drop);
    QTRY_VERIFY(dialog->stage().hasBackdrop());
    const auto colourAt = [&](DrawnPoint place) {
        const QImage seen = dialog->stage().grab().toImage();
        return seen.pixelColor(pixelOf(dialog->stage(), place) * dialog->devicePixelRatio());
    };
    QCOMPARE(colourAt({30, 30}), QColor(Qt::darkGreen));
    QVERIFY(colourAt({130, 90}).red() > 60);  // the mask tints it
}

void DrawingTest::theBackdropStopsBeforeTheNextFrame() {
    MaskDrawing moving = std::get<MaskDrawing>(oneBox());
    moving.shapes.front().poses.push_back({.frame = 40, .x = 50});
    const std::string file = m_folder.filePath(QStringLiteral("moving.mask.json")).toStdString();
    writeFileAtomically(file, drawingText(moving));
    QCOMPARE(readBackdrop({.file = file}, drawingClip).size(), drawingClip.frames);
    QCOMPARE(readBackdrop({.file = file, .isOneFrame = true}, drawingClip).size(), 1);
    StopSource stop;
    stop.request_stop();
    for (const bool isOneFrame : {false, true}) {
        bool wasCancelled = false;
        try {
            readBackdrop({.file = file, .isOneFrame = isOneFrame}, drawingClip, stop.get_token());
        } catch (const Error& error) {
            wasCancelled = error.kind() == ErrorKind::Cancelled;
        }
        QVERIFY(wasCancelled);
    }
}

void DrawingTest::theBackdropOfALongClipIsSmall() {
    QVERIFY(backdropCanvas(drawingClip) == drawingClip);
    QCOMPARE(backdropCanvas({.width = 1920, .height = 1080, .frames = 81, .fps = 16}).width, 960);
    const DrawingCanvas read =
        backdropCanvas({.width = 4096, .height = 4096, .frames = 1'000'000, .fps = 16});
    QVERIFY(read.width * read.height * read.frames * 3 <= std::int64_t{256} << 20);
    QVERIFY(read.width > 100 && read.frames >= 1000);
}

void DrawingTest::closingAsksForWhatIsNotSaved() {
    const std::unique_ptr<DrawingDialog> dialog = shown(oneBox());
    dialog->document().choose(0);
    dialog->document().moveChosen({5, 0});
    const QString file = m_folder.filePath(QStringLiteral("closing.mask.json"));
    dialog->setFile(file, {});
    testing::answered(QMessageBox::RejectRole, [&] { dialog->reject(); });
    QVERIFY(dialog->isVisible());
    const QSignalSpy saved(dialog.get(), &DrawingDialog::saved);
    testing::answered(QMessageBox::AcceptRole, [&] { dialog->reject(); });
    QVERIFY(!dialog->isVisible());
    QCOMPARE(saved.count(), 1);
    QVERIFY(readMaskDrawing(file.toStdString()) == *dialog->document().mask());
}

void DrawingTest::closingAsksForWhatIsBegun() {
    for (const bool ofMask : {true, false}) {
        const std::unique_ptr<DrawingDialog> dialog = shown(ofMask ? noMask() : noTracks());
        DrawingStage& stage = dialog->stage();
        dialog->setTool(ofMask ? DrawingTool::Polygon : DrawingTool::Track);
        for (const DrawnPoint corner : {DrawnPoint{40, 40}, DrawnPoint{120, 40}, DrawnPoint{80, 110}})
            QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, pixelOf(stage, corner));
        QVERIFY(dialog->document().undoStack().isClean());
        const QString file = m_folder.filePath(ofMask ? QStringLiteral("begun.mask.json")
                                                      : QStringLiteral("begun.tracks.json"));
        dialog->setFile(file, {});
        testing::answered(QMessageBox::RejectRole, [&] { dialog->reject(); });
        QVERIFY(dialog->isVisible());
        testing::answered(QMessageBox::AcceptRole, [&] { dialog->reject(); });
        QVERIFY(!dialog->isVisible());
        QCOMPARE(dialog->document().count(), 1);
        QVERIFY(QFile::exists(file));
    }
}

void DrawingTest::theProjectNamesWhatWasDrawn() {
    ProjectDocument project;
    Project settings;
    settings.prompt = "a red ball";
    settings.width = drawingClip.width;
    settings.height = drawingClip.height;
    settings.numFrames = drawingClip.frames;
    project.adopt(settings, QStringLiteral("test"));
    const QString folder = m_folder.filePath(QStringLiteral("project"));
    QVERIFY(QDir().mkpath(folder));
    project.save((folder + QStringLiteral("/demo.yaml")).toStdString());
    QWidget window;
    DrawingOpener opener(project, window);
    const ProjectKey& key = *findProjectKey("mask");
    opener.open(QStringLiteral("mask"));
    auto* dialog = window.findChild<DrawingDialog*>();
    QVERIFY(dialog != nullptr);
    QVERIFY(dialog->document().canvas() ==
            (DrawingCanvas{.width = 320, .height = 192, .frames = 41, .fps = settings.fps}));
    dialog->document().add(QStringLiteral("box"), std::get<MaskDrawing>(oneBox()).shapes.front());
    QVERIFY(dialog->save());
    QCOMPARE(project.text(key), QStringLiteral("demo.mask.json"));
    QVERIFY(QFile::exists(folder + QStringLiteral("/demo.mask.json")));
    delete dialog;

    opener.open(QStringLiteral("mask"));
    dialog = window.findChild<DrawingDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->document().count(), 1);
    QVERIFY(dialog->document().undoStack().isClean());
    const QSignalSpy changed(&project, &ProjectDocument::changed);
    const int steps = project.undoStack().count();
    QVERIFY(dialog->save());
    QCOMPARE(changed.count(), 1);  // its file may be another, though its name is the same
    QCOMPARE(project.undoStack().count(), steps);
    delete dialog;

    // A project of another size and rate is drawn on as it is now.
    project.setText(*findProjectKey("width"), QStringLiteral("640"));
    project.setText(*findProjectKey("fps"), QStringLiteral("8"));
    opener.open(QStringLiteral("mask"));
    dialog = window.findChild<DrawingDialog*>();
    QCOMPARE(dialog->document().canvas().width, 640);
    QCOMPARE(dialog->document().mask()->shapes.front().points.front().x, 200.0);
    delete dialog;

    // Another drawing beside does not take the name of the first.
    project.setText(key, QString());
    opener.open(QStringLiteral("mask"));
    dialog = window.findChild<DrawingDialog*>();
    dialog->document().add(QStringLiteral("box"), std::get<MaskDrawing>(oneBox()).shapes.front());
    QVERIFY(dialog->save());
    QCOMPARE(project.text(key), QStringLiteral("demo-2.mask.json"));
    delete dialog;
}

void DrawingTest::aDrawingOfARunIsCopied() {
    ProjectDocument project;
    const QString folder = savedProject(project, QStringLiteral("copying"));
    const QString run = m_folder.filePath(QStringLiteral("run"));
    QVERIFY(QDir().mkpath(run + QStringLiteral("/inputs")));
    writeFileAtomically((run + QStringLiteral("/status.json")).toStdString(), "{}");
    const std::string ofRun = (run + QStringLiteral("/inputs/mask.json")).toStdString();
    const std::string text = drawingText(std::get<MaskDrawing>(oneBox()));
    writeFileAtomically(ofRun, text);
    const ProjectKey& key = *findProjectKey("mask");
    project.setText(key, QString::fromStdString(ofRun));
    QWidget window;
    DrawingOpener opener(project, window);
    opener.open(QStringLiteral("mask"));
    auto* dialog = window.findChild<DrawingDialog*>();
    QVERIFY(dialog != nullptr);
    dialog->document().choose(0);
    dialog->document().moveChosen({5, 0});
    QVERIFY(dialog->save());
    QCOMPARE(readFile(ofRun), text);
    QCOMPARE(project.text(key), QStringLiteral("demo.mask.json"));
    QVERIFY(QFile::exists(folder + QStringLiteral("/demo.mask.json")));
    dialog->document().moveChosen({5, 0});
    QVERIFY(dialog->save());  // its own file by now
    QVERIFY(!QFile::exists(folder + QStringLiteral("/demo-2.mask.json")));
    delete dialog;
}

void DrawingTest::aFileThatAppearsMeanwhileIsKept() {
    ProjectDocument project;
    const QString folder = savedProject(project, QStringLiteral("meanwhile"));
    QWidget window;
    DrawingOpener opener(project, window);
    opener.open(QStringLiteral("mask"));
    auto* dialog = window.findChild<DrawingDialog*>();
    QVERIFY(dialog != nullptr);
    dialog->document().add(QStringLiteral("box"), std::get<MaskDrawing>(oneBox()).shapes.front());
    const std::string other = (folder + QStringLiteral("/demo.mask.json")).toStdString();
    writeFileAtomically(other, "of another program");
    QVERIFY(dialog->save());
    QCOMPARE(readFile(other), std::string("of another program"));
    QCOMPARE(project.text(*findProjectKey("mask")), QStringLiteral("demo-2.mask.json"));
    delete dialog;
}

void DrawingTest::whatNobodyCouldReadIsNotSaved() {
    MaskDrawing narrow = std::get<MaskDrawing>(oneBox());
    narrow.shapes.front().points = {{100, 60}, {101, 120}};
    const std::unique_ptr<DrawingDialog> dialog = shown(narrow);
    dialog->document().choose(0);
    dialog->document().changeShape(QStringLiteral("far"), DrawingDocument::Step::Own,
                                   [](MaskShape& shape) { shape.poses.front().x = 1e9; });
    const QString file = m_folder.filePath(QStringLiteral("far.mask.json"));
    dialog->setFile(file, {});
    QVERIFY(!dialog->save());
    QVERIFY(!QFile::exists(file));
    QVERIFY(!dialog->document().undoStack().isClean());
    dialog->document().undoStack().undo();
    QVERIFY(dialog->save());
    // However large a typed number makes a shape, it is read again.
    typeInto(*numberOf(*dialog, "Width"), QStringLiteral("100000"));
    QVERIFY(dialog->save());
    QVERIFY(readMaskDrawing(file.toStdString()) == *dialog->document().mask());
    dialog->document().removeChosen();
    QVERIFY(!dialog->save());  // nothing is drawn
}

void DrawingTest::sightIsClearedWhereADrawingIsNamed() {
    ProjectDocument project;
    const QString folder = savedProject(project, QStringLiteral("sight"));
    std::string points;
    for (std::size_t point = 0; point < trackSamples; ++point)
        points +=
            (point == 0 ? "" : ",") + std::string(R"({"x": )") + std::to_string(point) + R"(, "y": 60})";
    writeFileAtomically((folder + QStringLiteral("/points.json")).toStdString(), "[[" + points + "]]");
    const std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (121, 1), }\n";
    std::string seen("\x93NUMPY\x01\x00", 8);
    seen += static_cast<char>(header.size());
    seen += '\0';
    seen += header + std::string(61, '\1') + std::string(60, '\0');  // hidden behind frame 20
    writeFileAtomically((folder + QStringLiteral("/seen.npy")).toStdString(), seen);
    const ProjectKey& key = *findProjectKey("tracks");
    const ProjectKey& sight = *findProjectKey("track_visibility");
    project.setText(key, QStringLiteral("points.json"));
    project.setText(sight, QStringLiteral("seen.npy"));
    const int steps = project.undoStack().count();
    QWidget window;
    DrawingOpener opener(project, window);
    opener.open(QStringLiteral("tracks"));
    auto* dialog = window.findChild<DrawingDialog*>();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->document().count(), 1);
    const DrawnTrack& track = dialog->document().tracks()->tracks.front();
    QVERIFY(track.leaves);
    QCOMPARE(track.nodes.back().frame, 20);
    QVERIFY(dialog->save());
    QCOMPARE(project.text(key), QStringLiteral("demo.tracks.json"));
    QCOMPARE(project.text(sight), QString());
    QCOMPARE(project.undoStack().count(), steps + 1);
    project.undoStack().undo();
    QCOMPARE(project.text(sight), QStringLiteral("seen.npy"));
    delete dialog;
}

void DrawingTest::pointsOfOthersBecomeTracks() {
    const QString file = m_folder.filePath(QStringLiteral("points.json"));
    std::string text = "[[";
    for (int point = 0; point <= 120; ++point)
        text +=
            (point == 0 ? "" : ",") + std::string(R"({"x": )") + std::to_string(40 + point) + R"(, "y": 60})";
    writeFileAtomically(file.toStdString(), text + "]]");
    const TrackDrawing drawing =
        drawingOfPoints(file.toStdString(), {}, drawingClip, {.first = 0, .last = 40, .count = trackSamples});
    QCOMPARE(drawing.tracks.size(), 1U);
    QCOMPARE(drawing.tracks.front().nodes.size(), 2U);
    QVERIFY(!drawing.tracks.front().leaves);
    QVERIFY(placeAt(drawing.tracks.front(), 20) == (DrawnPoint{100, 60}));
    // Behind a clip its points are those of the part that moves.
    const TrackDrawing behind = drawingOfPoints(file.toStdString(), {}, drawingClip,
                                                {.first = 10, .last = 40, .count = trackSamples});
    QCOMPARE(behind.tracks.front().nodes.front().frame, 10);
    QVERIFY(placeAt(behind.tracks.front(), 25) == (DrawnPoint{100, 60}));
}

void DrawingTest::whatCannotBeReadIsSaid() {
    ProjectDocument project;
    project.adopt(Project(), QStringLiteral("test"));
    const QString file = m_folder.filePath(QStringLiteral("broken.mask.json"));
    writeFileAtomically(file.toStdString(), R"({"meshreel_drawing": "mask", "version": 1})");
    project.setText(*findProjectKey("mask"), file);
    QWidget window;
    DrawingOpener opener(project, window);
    int failures = 0;
    connect(&opener, &DrawingOpener::failed, this, [&failures] { ++failures; });
    opener.open(QStringLiteral("mask"));
    QCOMPARE(failures, 1);
    opener.open(QStringLiteral("track_visibility"));  // takes no drawing
    QCOMPARE(failures, 2);
    QVERIFY(window.findChild<DrawingDialog*>() == nullptr);
}

MESHREEL_TEST_CLASS(DrawingTest)
#include "drawing_test.moc"
