// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_opener.h"

#include <QFileInfo>
#include <QWidget>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/checks/task_choice.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/mask_drawing.h"
#include "engine/models/families/model_family.h"
#include "engine/project/input_files.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/track_file.h"
#include "engine/runs/run_folder.h"
#include "ui/drawing/backdrop.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/project/project_document.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/edits.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

constexpr double pointTolerance = 0.5;  ///< pixels that a track read from points may be away from them
constexpr int mostNames = 1000;         ///< that are tried beside a project

constexpr std::string_view sightKey = "track_visibility";

DrawingKind kindOfKey(const QString& keyName) {
    if (keyName == QLatin1String("mask"))
        return DrawingKind::Mask;
    if (keyName == QLatin1String("tracks"))
        return DrawingKind::Tracks;
    throw Error(ErrorKind::Internal, "this key takes no drawing", keyName.toStdString());
}

fs::path folderOf(const fs::path& file) {
    return fs::absolute(file).lexically_normal().parent_path();
}

/// Returns whether a folder is a run's, or that of its inputs.
bool isOfRun(const fs::path& folder) {
    return RunFolder::isRun(folder) || RunFolder::isRun(folder.parent_path());
}

Drawing emptyDrawing(DrawingKind kind, const DrawingCanvas& canvas) {
    if (kind == DrawingKind::Mask)
        return MaskDrawing{.canvas = canvas, .inverted = false, .shapes = {}};
    return TrackDrawing{.canvas = canvas, .tracks = {}};
}

DrawingCanvas canvasFor(const Project& project) {
    return {
        .width = project.width, .height = project.height, .frames = project.numFrames, .fps = project.fps};
}

/// Both sentences, either of which may be empty.
QString bothRemarks(const QString& first, const QString& second) {
    return first.isEmpty() || second.isEmpty() ? first + second : first + QLatin1Char(' ') + second;
}

/// When the points of a track are: behind a clip from its last frame on, and for Wan-Move a frame's each.
SpreadTimes timesOfPoints(const Project& project) {
    SpreadTimes times{.first = 0, .last = static_cast<double>(project.numFrames - 1), .count = trackSamples};
    try {
        const ModelFamily& family = *readModelFacts(findModel(project.model)).family;
        const WanTask task = chooseTask(project, family).task;
        const std::int64_t first =
            std::clamp<std::int64_t>(continuedFrames(project, family, task), 1, project.numFrames) - 1;
        times.first = static_cast<double>(first);
        if (task == WanTask::MoveToVideo)
            times.count = static_cast<std::size_t>(project.numFrames - first);
    } catch (const Error&) {
        // Problems says what is wrong with the model.
    }
    return times;
}

/// With what is in sight, where that belongs to the tracks.
std::vector<PointTrack> tracksInSight(const fs::path& file, const fs::path& visibility) {
    try {
        return readProjectTracks(file, visibility);
    } catch (const Error&) {
        return readTracks(file);
    }
}

}  // namespace

TrackDrawing drawingOfPoints(const fs::path& file, const fs::path& visibility, const DrawingCanvas& canvas,
                             const SpreadTimes& times) {
    TrackDrawing drawing{.canvas = canvas, .tracks = {}};
    for (PointTrack& track : tracksInSight(file, visibility)) {
        if (track.size() > times.count)
            track.resize(times.count);
        while (!track.empty() && !track.back().seen)
            track.pop_back();
        if (track.empty())
            continue;  // never in sight: it moves nothing
        std::vector<DrawnPoint> places;
        for (const TrackPoint& point : track)
            places.push_back({static_cast<double>(point.x), static_cast<double>(point.y)});
        drawing.tracks.push_back(trackThrough(places, times, pointTolerance));
    }
    return drawing;
}

DrawingOpener::DrawingOpener(ProjectDocument& document, QWidget& window, QObject* parent)
    : QObject(parent), m_document(document), m_window(window) {}

void DrawingOpener::open(const QString& keyName) {
    try {
        const DrawingKind kind = kindOfKey(keyName);
        Opened opened = read(keyName, kind);
        auto* dialog = new DrawingDialog(std::move(opened.drawing), &m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFile(QString::fromStdString(opened.file.string()),
                        QString::fromStdString(fileNameFrom(m_document.displayName().toStdString()) +
                                               std::string(drawingEnding(kind))));
        dialog->setFileChooser(
            [this, kind] { return QString::fromStdString(fileBesideProject(kind).string()); });
        dialog->showMessage(opened.remark, false);
        dialog->showBackdrop(backdropOf(m_document.runnableProject(), kind));
        connect(dialog, &DrawingDialog::saved, this,
                [this, keyName](const QString& saved) { use(keyName, saved); });
        dialog->open();
    } catch (...) {
        emit failed(currentProblem());
    }
}

DrawingOpener::Opened DrawingOpener::read(const QString& keyName, DrawingKind kind) const {
    const Project project = m_document.runnableProject();
    const std::vector<std::string> named = inputFiles(project, *findInputKey(keyName.toStdString()));
    Opened opened = named.empty()
                        ? Opened{.drawing = emptyDrawing(kind, canvasFor(project)), .file = {}, .remark = {}}
                        : readNamed(named.front(), kind, project);
    if (kind == DrawingKind::Tracks && !project.trackVisibility.empty())
        opened.remark =
            bothRemarks(opened.remark, tr("Saving it clears the track visibility: points that stay "
                                          "hidden leave, and all others are in sight."));
    return opened;
}

DrawingOpener::Opened DrawingOpener::readNamed(const fs::path& file, DrawingKind kind,
                                               const Project& project) const {
    const DrawingCanvas canvas = canvasFor(project);
    const QString name = QFileInfo(QString::fromStdString(file.string())).fileName();
    if (drawingKind(file)) {
        Drawing drawing =
            kind == DrawingKind::Mask ? Drawing(readMaskDrawing(file)) : Drawing(readTrackDrawing(file));
        const bool isFitted = canvasOf(drawing) != canvas;
        const bool isOwn = isBesideProject(file);
        const QString fitted = tr("Fitted to the project: %1 × %2, %3 frames at %4 a second.")
                                   .arg(canvas.width)
                                   .arg(canvas.height)
                                   .arg(canvas.frames)
                                   .arg(canvas.fps);
        const QString copied =
            tr("%1 does not lie beside the project and stays as it is: a copy is saved.").arg(name);
        return {.drawing = fittedTo(std::move(drawing), canvas),
                .file = isOwn ? file : fs::path(),
                .remark = bothRemarks(isFitted ? fitted : QString(), isOwn ? QString() : copied)};
    }
    std::error_code ignored;
    if (kind == DrawingKind::Tracks && fs::exists(file, ignored))
        return {.drawing = drawingOfPoints(file, project.trackVisibility, canvas, timesOfPoints(project)),
                .file = {},
                .remark = tr("Read from the points of %1, which stays as it is.").arg(name)};
    return {.drawing = emptyDrawing(kind, canvas),
            .file = {},
            .remark = tr("%1 is no drawing: a new one takes its place when it is saved.").arg(name)};
}

/// A link leads elsewhere.
bool DrawingOpener::isBesideProject(const fs::path& file) const {
    std::error_code ignored;
    return !m_document.file().empty() && folderOf(file) == folderOf(m_document.file()) &&
           !isOfRun(folderOf(file)) && !fs::is_symlink(fs::symlink_status(file, ignored));
}

/// The first name that no file has; empty for a project without a file, and for one of a run.
fs::path DrawingOpener::fileBesideProject(DrawingKind kind) const {
    const fs::path& project = m_document.file();
    if (project.empty() || isOfRun(folderOf(project)))
        return {};
    const std::string stem = project.stem().string();
    for (int number = 1; number <= mostNames; ++number) {
        const std::string name = number == 1 ? stem : stem + "-" + std::to_string(number);
        const fs::path file = project.parent_path() / (name + std::string(drawingEnding(kind)));
        std::error_code ignored;
        if (!fs::exists(fs::symlink_status(file, ignored)))
            return file;
    }
    return {};
}

void DrawingOpener::use(const QString& keyName, const QString& file) {
    const fs::path path = file.toStdString();
    const bool isBeside = !m_document.file().empty() && folderOf(path) == folderOf(m_document.file());
    const QString text = isBeside ? QString::fromStdString(path.filename().string()) : shownPath(file);
    const ProjectKey& key = *findProjectKey(keyName.toStdString());
    std::vector<KeyText> texts{{&key, text}};
    const ProjectKey& sight = *findProjectKey(sightKey);
    if (kindOfKey(keyName) == DrawingKind::Tracks && !m_document.text(sight).isEmpty())
        texts.push_back({&sight, QString()});  // a drawing says itself where its points end
    if (texts.size() == 1 && m_document.text(key) == text)
        m_document.noteFilesChanged();
    else
        m_document.setTexts(engineText(key.title), texts);
}

}  // namespace meshreel

#include "moc_drawing_opener.cpp"
