// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_opener.h"

#include <QFileInfo>
#include <QWidget>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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
#include "ui/drawing/backdrop.h"
#include "ui/drawing/drawing_dialog.h"
#include "ui/project/project_document.h"
#include "ui/widgets/edits.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

constexpr double pointTolerance = 0.5;  ///< pixels that a track read from points may be away from them
constexpr int mostNames = 1000;         ///< that are tried beside a project

DrawingKind kindOfKey(const QString& keyName) {
    return keyName == QLatin1String("tracks") ? DrawingKind::Tracks : DrawingKind::Mask;
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
        Opened opened = read(keyName);
        const DrawingKind kind = kindOfKey(keyName);
        const fs::path file = opened.file.empty() ? fileBesideProject(kind) : opened.file;
        auto* dialog = new DrawingDialog(std::move(opened.drawing), &m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFile(QString::fromStdString(file.string()),
                        QString::fromStdString(fileNameFrom(m_document.displayName().toStdString()) +
                                               std::string(drawingEnding(kind))));
        dialog->showMessage(opened.remark, false);
        dialog->showBackdrop(backdropOf(m_document.runnableProject(), kind));
        connect(dialog, &DrawingDialog::saved, this,
                [this, keyName](const QString& saved) { use(keyName, saved); });
        dialog->open();
    } catch (...) {
        emit failed(currentProblem());
    }
}

DrawingOpener::Opened DrawingOpener::read(const QString& keyName) const {
    const DrawingKind kind = kindOfKey(keyName);
    const Project project = m_document.runnableProject();
    const DrawingCanvas canvas = canvasFor(project);
    const std::vector<std::string> named = inputFiles(project, *findInputKey(keyName.toStdString()));
    if (named.empty())
        return {.drawing = emptyDrawing(kind, canvas), .file = {}, .remark = {}};
    const fs::path file = named.front();
    const QString name = QFileInfo(QString::fromStdString(file.string())).fileName();
    if (drawingKind(file)) {
        Drawing drawing =
            kind == DrawingKind::Mask ? Drawing(readMaskDrawing(file)) : Drawing(readTrackDrawing(file));
        const bool isFitted = canvasOf(drawing) != canvas;
        return {.drawing = fittedTo(std::move(drawing), canvas),
                .file = file,
                .remark = isFitted ? tr("Fitted to the project: %1 × %2, %3 frames at %4 a second.")
                                         .arg(canvas.width)
                                         .arg(canvas.height)
                                         .arg(canvas.frames)
                                         .arg(canvas.fps)
                                   : QString()};
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

/// The first name that no file has; empty for a project without a file.
fs::path DrawingOpener::fileBesideProject(DrawingKind kind) const {
    const fs::path& project = m_document.file();
    if (project.empty())
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
    const bool isBeside = !m_document.file().empty() && path.parent_path() == m_document.file().parent_path();
    const QString text = isBeside ? QString::fromStdString(path.filename().string()) : shownPath(file);
    const ProjectKey& key = *findProjectKey(keyName.toStdString());
    if (m_document.text(key) == text)
        m_document.noteFilesChanged();
    else
        m_document.setText(key, text);
}

}  // namespace meshreel

#include "moc_drawing_opener.cpp"
