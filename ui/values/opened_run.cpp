// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/opened_run.h"

#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/media/frame_source.h"
#include "engine/media/image_resize.h"
#include "engine/media/video_reader.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

/// Returns nothing for most videos, which have no project in or beside them.
std::optional<std::string> projectIn(const std::filesystem::path& file) {
    try {
        return readProjectFromMedia(file);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

QString readSummary(const std::filesystem::path& folder) {
    const RunFolder run = RunFolder::open(folder);
    return run.has(run_file::summary) ? QString::fromStdString(run.text(run_file::summary)) : QString();
}

OpenedRun readRun(const std::filesystem::path& folder) {
    const RunFolder run = RunFolder::open(folder);
    OpenedRun opened;
    opened.folder = folder;
    opened.project = run.project();
    opened.steps = run.steps();
    opened.deviceTimes = run.deviceTimes();
    const RunState state = run.state();
    opened.resumedFrom = state.resumedFrom;
    opened.state = stateSentence(state);
    opened.summary = readSummary(folder);
    return opened;
}

OpenedRun openRun(const std::filesystem::path& folder) {
    OpenedRun opened = readRun(folder);
    try {
        if (const auto video = RunFolder::open(folder).openVideo()) {
            opened.clip = toClip(video->readWith(readVideo), opened.project.fps);
            if (writesMetadata(opened.project))
                opened.clip.project = resolvedYaml(opened.project);
            opened.clip.name = folder.filename().string();
        }
    } catch (const Error&) {
        opened.clipProblem = sentenceText(currentProblem().message);
    }
    return opened;
}

Clip readSmallVideo(const std::filesystem::path& file, double framesPerSecond, QSize size, int most) {
    const VideoInfo info = probeVideo(file);
    const QSize whole(info.width, info.height);
    const QSize fitting = whole.scaled(size, Qt::KeepAspectRatio).expandedTo({1, 1});
    const QSize small = fitting.width() < whole.width() ? fitting : whole;
    return toClip(readFrames(file, {.frames = most,
                                    .height = small.height(),
                                    .width = small.width(),
                                    .filter = Resampling::Bilinear}),
                  framesPerSecond);
}

Clip readSmallClip(const std::filesystem::path& folder, QSize size, int most) {
    const RunFolder run = RunFolder::open(folder);
    const std::optional<HeldFile> video = run.openVideo();
    if (!video)
        return {};
    return video->readWith([&](const std::filesystem::path& file) {
        return readSmallVideo(file, run.project().fps, size, most);
    });
}

OpenedVideo openVideo(const std::filesystem::path& file) {
    OpenedVideo opened;
    if (const std::optional<std::string> yaml = projectIn(file))
        opened.project = parseProject(*yaml, file.string()).project;
    const double rate = opened.project ? opened.project->fps : probeVideo(file).fps;
    opened.clip = toClip(readVideo(file), rate > 0 ? rate : Project().fps);
    opened.clip.name = file.stem().string();
    if (opened.project && writesMetadata(*opened.project))
        opened.clip.project = resolvedYaml(*opened.project);
    return opened;
}

}  // namespace meshreel
