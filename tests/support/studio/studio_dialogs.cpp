// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/studio_dialogs.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QEventLoop>
#include <QImage>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "engine/base/files.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_look.h"
#include "engine/timing/timing_summary.h"
#include "tests/support/studio/filled_studio.h"
#include "ui/compare/compare_panel.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/library/import_dialog.h"
#include "ui/library/looks_dialog.h"
#include "ui/library/prompt_helper_dialog.h"
#include "ui/library/save_look_dialog.h"
#include "ui/player/clip_exporter.h"
#include "ui/project/project_document.h"
#include "ui/queue/grid_dialog.h"
#include "ui/rating/rate_dialog.h"
#include "ui/runs/run_history_model.h"
#include "ui/runs/run_presenter.h"
#include "ui/runs/run_preview.h"
#include "ui/window/project_files.h"

namespace meshreel::testing {

namespace {

constexpr int dialogPatience = 60000;  ///< milliseconds

void openGrid(FilledStudio& studio) {
    GridDialog dialog(studio.window().document().project(), {}, &studio.window());
    dialog.setAxis(0, *findProjectKey("seed"), QStringLiteral("1..8"));
    dialog.setAxis(1, *findProjectKey("prompt"), QStringLiteral("a {boat|ship} leaves the harbour at dawn"));
    dialog.setAxis(2, *findProjectKey("num_frames"), QStringLiteral("17\n18"));
    dialog.exec();
}

void openImport(FilledStudio& studio) {
    const std::filesystem::path config = studio.folder() / "base_wan_14b.yml";
    writeFileAtomically(config,
                        "pretrained_model_name_or_path: 'Wan-AI/Wan2.1-T2V-14B-Diffusers'\n"
                        "scan_layers: True\nheight: 720\nwidth: 1280\nnum_frames: 18\n");
    ImportDialog dialog(&studio.window());
    dialog.setConfig(QString::fromStdString(config.string()));
    dialog.setCommand(QStringLiteral(
        "python generate_wan.py base_wan_14b.yml ici_ring_parallelism=2 ici_ulysses_parallelism=4 "
        "learning_rate=1 no_such_key=1 prompt='a wooden fishing boat leaves a small harbour at dawn'"));
    dialog.exec();
}

void openClipExport(FilledStudio& studio) {
    QImage frame(32, 32, QImage::Format_RGB888);
    frame.fill(Qt::gray);
    ClipExportDialog dialog({.frames = {frame, frame}, .framesPerSecond = 4}, &studio.window());
    const std::filesystem::path file = studio.folder() / "harbour-at-dawn.mp4";
    writeFileAtomically(file, "");
    dialog.findChild<QLineEdit*>()->setText(QString::fromStdString(file.string()));
    dialog.exec();
}

void openPaste(FilledStudio& studio) {
    QApplication::clipboard()->setText(QString::fromStdString(formatTimingSummary(filledTimings())));
    studio.window().panels().compare().findChild<QAction*>(QStringLiteral("paste"))->trigger();
}

void openUnsavedChanges(FilledStudio& studio) {
    ProjectDocument& document = studio.window().document();
    document.setText(*findProjectKey("seed"), QStringLiteral("314159"));
    studio.window().files().mayReplaceProject();
    document.undoStack().undo();
}

void openRunGoingOn(FilledStudio& studio) {
    RunPresenter& runs = studio.window().runs();
    Project project;
    project.prompt = "a red ball";
    project.numInferenceSteps = 1000;
    runs.generate(project);
    studio.window().close();
    runs.cancel();
    if (!QTest::qWaitFor([&] { return !runs.isBusy(); }, dialogPatience))
        qFatal("the run did not stop");
}

/// Modal here, as those that poll for a dialog expect.
void openRunPreview(FilledStudio& studio) {
    const RunHistoryModel& runs = studio.window().history();
    RunPreview preview(&studio.window());
    preview.setModal(true);
    QEventLoop closed;
    QObject::connect(&preview, &QDialog::finished, &closed, &QEventLoop::quit);
    preview.showRun(runs.run(runs.index(1, RunHistoryModel::Run)), 2, runs.rowCount());
    closed.exec();
}

/// As above; with the pair, or with the ranking in its place.
void openRating(FilledStudio& studio, bool showsRanking) {
    const RunHistoryModel& runs = studio.window().history();
    std::vector<std::filesystem::path> folders;
    for (int row = 0; row < 2; ++row)
        folders.push_back(runs.run(runs.index(row, RunHistoryModel::Run)).folder);
    RateDialog dialog(&studio.window());
    dialog.setModal(true);
    QEventLoop closed;
    QObject::connect(&dialog, &QDialog::finished, &closed, &QEventLoop::quit);
    QObject::connect(&dialog, &RateDialog::pairShown, &dialog,
                     [&dialog, showsRanking] { dialog.rankingButton().setChecked(showsRanking); });
    dialog.rate(folders);
    closed.exec();
}

void openRate(FilledStudio& studio) {
    openRating(studio, false);
}

void openRanking(FilledStudio& studio) {
    openRating(studio, true);
}

/// Whether everything that it shows is there.
bool isFilled(const QDialog& dialog) {
    const auto* rating = qobject_cast<const RateDialog*>(&dialog);
    return rating == nullptr || rating->shownPair().has_value();
}

void openDrawing(FilledStudio& studio) {
    const MaskShape box{.kind = MaskShapeKind::Box,
                        .points = {{100, 80}, {300, 240}},
                        .softness = 8,
                        .poses = {{.frame = 0}, {.frame = 40, .x = 120, .easing = Easing::Hold}}};
    DrawingDialog dialog(MaskDrawing{.canvas = {}, .inverted = false, .shapes = {box, box}},
                         &studio.window());
    dialog.document().choose(1);
    dialog.showMessage(QStringLiteral("Fitted to the project: 832 × 480, 81 frames at 16 a second."), false);
    dialog.exec();
}

void openTracks(FilledStudio& studio) {
    const DrawnTrack track{.smooth = true,
                           .leaves = false,
                           .nodes = {{.frame = 0, .x = 100, .y = 80}, {.frame = 80, .x = 700, .y = 300}}};
    DrawingDialog dialog(TrackDrawing{.canvas = {}, .tracks = {track}}, &studio.window());
    dialog.document().choose(0);
    dialog.exec();
}

void openAbout(FilledStudio& studio) {
    const QList<QAction*> actions = studio.window().findChildren<QAction*>();
    const auto about = std::ranges::find(actions, QAction::AboutRole, &QAction::menuRole);
    if (about == actions.end())
        qFatal("no action is about the Studio");
    (*about)->trigger();
}

void openPromptHelper(FilledStudio& studio) {
    PromptHelperDialog dialog(QStringLiteral("a wooden fishing boat leaves a small harbour at dawn"),
                              PromptUse::Text, &studio.window());
    dialog.fields().address->setText(QStringLiteral("http://127.0.0.1:11434/v1"));
    dialog.fields().answer->setPlainText(QStringLiteral(
        "Dawn time, soft lighting, wide shot. A wooden fishing boat glides slowly out of a small harbour."));
    dialog.exec();
}

/// A look of the user, of a picture of its own.
void keepFilledLook(const FilledStudio& studio) {
    QImage picture(64, 36, QImage::Format_RGB888);
    picture.fill(Qt::gray);
    const std::filesystem::path file = studio.folder() / "look.png";
    picture.save(QString::fromStdString(file.string()));
    const std::string png = readFile(file);
    saveLook(userLooksFolder() / "golden-hour.png",
             {.name = "Golden hour",
              .note = "Low sun, long shadows",
              .values = {{.key = "prompt", .value = "{prompt}, golden hour, side lighting"},
                         {.key = "guidance_scale", .value = "5.5"}}},
             png);
}

void openLooks(FilledStudio& studio) {
    keepFilledLook(studio);
    LooksDialog dialog(studio.window().document(), {}, &studio.window());
    dialog.exec();
}

void openSaveLook(FilledStudio& studio) {
    SaveLookDialog dialog(studio.window().document().project(), {}, &studio.window());
    dialog.exec();
}

constexpr std::array dialogs{StudioDialog{"grid", openGrid},
                             StudioDialog{"import", openImport},
                             StudioDialog{"looks", openLooks},
                             StudioDialog{"save a look", openSaveLook},
                             StudioDialog{"prompt helper", openPromptHelper},
                             StudioDialog{"clip export", openClipExport},
                             StudioDialog{"paste timings", openPaste},
                             StudioDialog{"unsaved changes", openUnsavedChanges},
                             StudioDialog{"run going on", openRunGoingOn},
                             StudioDialog{"run preview", openRunPreview},
                             StudioDialog{"rate", openRate},
                             StudioDialog{"ranking", openRanking},
                             StudioDialog{"mask", openDrawing},
                             StudioDialog{"tracks", openTracks},
                             StudioDialog{"about", openAbout}};

}  // namespace

std::span<const StudioDialog> studioDialogs() {
    return dialogs;
}

void withDialog(const StudioDialog& dialog, FilledStudio& studio, const std::function<void(QDialog&)>& look) {
    constexpr int pollMilliseconds = 5;
    bool wasSeen = false;
    QTimer poll;
    poll.callOnTimeout([&] {
        auto* shown = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        if (shown == nullptr || !shown->isVisible() || !isFilled(*shown))
            return;
        poll.stop();
        QApplication::processEvents();
        look(*shown);
        wasSeen = true;
        shown->reject();
    });
    poll.start(pollMilliseconds);
    dialog.open(studio);
    if (!wasSeen)
        qFatal("the dialog %s was not shown", dialog.name);
}

}  // namespace meshreel::testing
