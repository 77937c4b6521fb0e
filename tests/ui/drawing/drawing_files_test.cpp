// SPDX-License-Identifier: GPL-3.0-or-later
// The picture under a drawing, and its file: saved, named by the project, and opened again from there.
#include <QApplication>
#include <QColor>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QImage>
#include <QMessageBox>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

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
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/answered.h"
#include "tests/support/studio/shown_drawing.h"
#include "ui/drawing/backdrop.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/drawing/drawing_document.h"
#include "ui/drawing/drawing_edits.h"
#include "ui/drawing/drawing_opener.h"
#include "ui/drawing/drawing_stage.h"
#include "ui/project/project_document.h"

using namespace meshreel;

class DrawingFilesTest : public QObject {
    Q_OBJECT

  private slots:
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
    /// Saves a project of drawingClip in a folder of its own, which it returns.
    QString savedProject(ProjectDocument& project, const QString& name);

    QTemporaryDir m_folder;
};

QString DrawingFilesTest::savedProject(ProjectDocument& project, const QString& name) {
    Project settings;
    settings.prompt = "a red ball";
    settings.width = testing::drawingClip.width;
    settings.height = testing::drawingClip.height;
    settings.numFrames = testing::drawingClip.frames;
    settings.fps = testing::drawingClip.fps;
    project.adopt(settings, QStringLiteral("test"));
    const QString folder = m_folder.filePath(name);
    QDir().mkpath(folder);
    project.save((folder + QStringLiteral("/demo.yaml")).toStdString());
    return folder;
}

void DrawingFilesTest::thePictureLiesUnderTheDrawing() {
    QImage picture(64, 64, QImage::Format_RGB32);
    picture.fill(Qt::darkGreen);
    const QString file = m_folder.filePath(QStringLiteral("green.png"));
    QVERIFY(picture.save(file));
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
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
        return seen.pixelColor(testing::pixelOf(dialog->stage(), place) * dialog->devicePixelRatio());
    };
    QCOMPARE(colourAt({30, 30}), QColor(Qt::darkGreen));
    QVERIFY(colourAt({130, 90}).red() > 60);  // the mask tints it
}

void DrawingFilesTest::theBackdropStopsBeforeTheNextFrame() {
    MaskDrawing moving = std::get<MaskDrawing>(testing::oneBox());
    moving.shapes.front().poses.push_back({.frame = 40, .x = 50});
    const std::string file = m_folder.filePath(QStringLiteral("moving.mask.json")).toStdString();
    writeFileAtomically(file, drawingText(moving));
    QCOMPARE(readBackdrop({.file = file}, testing::drawingClip).size(), testing::drawingClip.frames);
    QCOMPARE(readBackdrop({.file = file, .isOneFrame = true}, testing::drawingClip).size(), 1);
    StopSource stop;
    stop.request_stop();
    for (const bool isOneFrame : {false, true}) {
        bool wasCancelled = false;
        try {
            readBackdrop({.file = file, .isOneFrame = isOneFrame}, testing::drawingClip, stop.get_token());
        } catch (const Error& error) {
            wasCancelled = error.kind() == ErrorKind::Cancelled;
        }
        QVERIFY(wasCancelled);
    }
}

void DrawingFilesTest::theBackdropOfALongClipIsSmall() {
    QVERIFY(backdropCanvas(testing::drawingClip) == testing::drawingClip);
    QCOMPARE(backdropCanvas({.width = 1920, .height = 1080, .frames = 81, .fps = 16}).width, 960);
    const DrawingCanvas read =
        backdropCanvas({.width = 4096, .height = 4096, .frames = 1'000'000, .fps = 16});
    QVERIFY(read.width * read.height * read.frames * 3 <= std::int64_t{256} << 20);
    QVERIFY(read.width > 100 && read.frames >= 1000);
}

void DrawingFilesTest::closingAsksForWhatIsNotSaved() {
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(testing::oneBox());
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

void DrawingFilesTest::closingAsksForWhatIsBegun() {
    for (const bool ofMask : {true, false}) {
        const std::unique_ptr<DrawingDialog> dialog =
            testing::shownDrawing(ofMask ? testing::noMask() : testing::noTracks());
        DrawingStage& stage = dialog->stage();
        dialog->setTool(ofMask ? DrawingTool::Polygon : DrawingTool::Track);
        for (const DrawnPoint corner : {DrawnPoint{40, 40}, DrawnPoint{120, 40}, DrawnPoint{80, 110}})
            QTest::mouseClick(&stage, Qt::LeftButton, Qt::NoModifier, testing::pixelOf(stage, corner));
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

void DrawingFilesTest::theProjectNamesWhatWasDrawn() {
    ProjectDocument project;
    Project settings;
    settings.prompt = "a red ball";
    settings.width = testing::drawingClip.width;
    settings.height = testing::drawingClip.height;
    settings.numFrames = testing::drawingClip.frames;
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
    dialog->document().add(QStringLiteral("box"), std::get<MaskDrawing>(testing::oneBox()).shapes.front());
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
    dialog->document().add(QStringLiteral("box"), std::get<MaskDrawing>(testing::oneBox()).shapes.front());
    QVERIFY(dialog->save());
    QCOMPARE(project.text(key), QStringLiteral("demo-2.mask.json"));
    delete dialog;
}

void DrawingFilesTest::aDrawingOfARunIsCopied() {
    ProjectDocument project;
    const QString folder = savedProject(project, QStringLiteral("copying"));
    const QString run = m_folder.filePath(QStringLiteral("run"));
    QVERIFY(QDir().mkpath(run + QStringLiteral("/inputs")));
    writeFileAtomically((run + QStringLiteral("/status.json")).toStdString(), "{}");
    const std::string ofRun = (run + QStringLiteral("/inputs/mask.json")).toStdString();
    const std::string text = drawingText(std::get<MaskDrawing>(testing::oneBox()));
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

void DrawingFilesTest::aFileThatAppearsMeanwhileIsKept() {
    ProjectDocument project;
    const QString folder = savedProject(project, QStringLiteral("meanwhile"));
    QWidget window;
    DrawingOpener opener(project, window);
    opener.open(QStringLiteral("mask"));
    auto* dialog = window.findChild<DrawingDialog*>();
    QVERIFY(dialog != nullptr);
    dialog->document().add(QStringLiteral("box"), std::get<MaskDrawing>(testing::oneBox()).shapes.front());
    const std::string other = (folder + QStringLiteral("/demo.mask.json")).toStdString();
    writeFileAtomically(other, "of another program");
    QVERIFY(dialog->save());
    QCOMPARE(readFile(other), std::string("of another program"));
    QCOMPARE(project.text(*findProjectKey("mask")), QStringLiteral("demo-2.mask.json"));
    delete dialog;
}

void DrawingFilesTest::whatNobodyCouldReadIsNotSaved() {
    MaskDrawing narrow = std::get<MaskDrawing>(testing::oneBox());
    narrow.shapes.front().points = {{100, 60}, {101, 120}};
    const std::unique_ptr<DrawingDialog> dialog = testing::shownDrawing(narrow);
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
    testing::typeInto(*testing::numberOf(*dialog, "Width"), QStringLiteral("100000"));
    QVERIFY(dialog->save());
    QVERIFY(readMaskDrawing(file.toStdString()) == *dialog->document().mask());
    dialog->document().removeChosen();
    QVERIFY(!dialog->save());  // nothing is drawn
}

void DrawingFilesTest::sightIsClearedWhereADrawingIsNamed() {
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

void DrawingFilesTest::pointsOfOthersBecomeTracks() {
    const QString file = m_folder.filePath(QStringLiteral("points.json"));
    std::string text = "[[";
    for (int point = 0; point <= 120; ++point)
        text +=
            (point == 0 ? "" : ",") + std::string(R"({"x": )") + std::to_string(40 + point) + R"(, "y": 60})";
    writeFileAtomically(file.toStdString(), text + "]]");
    const TrackDrawing drawing = drawingOfPoints(file.toStdString(), {}, testing::drawingClip,
                                                 {.first = 0, .last = 40, .count = trackSamples});
    QCOMPARE(drawing.tracks.size(), 1U);
    QCOMPARE(drawing.tracks.front().nodes.size(), 2U);
    QVERIFY(!drawing.tracks.front().leaves);
    QVERIFY(placeAt(drawing.tracks.front(), 20) == (DrawnPoint{100, 60}));
    // Behind a clip its points are those of the part that moves.
    const TrackDrawing behind = drawingOfPoints(file.toStdString(), {}, testing::drawingClip,
                                                {.first = 10, .last = 40, .count = trackSamples});
    QCOMPARE(behind.tracks.front().nodes.front().frame, 10);
    QVERIFY(placeAt(behind.tracks.front(), 25) == (DrawnPoint{100, 60}));
}

void DrawingFilesTest::whatCannotBeReadIsSaid() {
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

MESHREEL_TEST_CLASS(DrawingFilesTest)
#include "drawing_files_test.moc"
