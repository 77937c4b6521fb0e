// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/project/project.h"
#include "engine/timing/step_record.h"
#include "ui/values/clip.h"

namespace meshreel {

/// A run of the past, all that the Studio shows of it.
struct OpenedRun {
    std::filesystem::path folder;
    Project project;
    std::vector<StepRecord> steps;
    std::vector<int> resumedFrom;              ///< the steps that resumes began with, counted from 0
    std::vector<StepDeviceTimes> deviceTimes;  ///< empty when the run did not record them
    QString summary;      ///< the timing summary; empty when the run did not get that far
    QString state;        ///< translated sentence: done, cancelled and why, …
    Clip clip;            ///< empty without a video
    QString clipProblem;  ///< why the video cannot be shown, or empty
};

/// Returns the timing summary of a run; empty when it did not get that far. Throws Error{Input}.
QString readSummary(const std::filesystem::path& folder);

/// Reads a run folder without its video. Throws Error{Input}.
OpenedRun readRun(const std::filesystem::path& folder);

/// Opens it with the video; takes as long as decoding does.
OpenedRun openRun(const std::filesystem::path& folder);

/// Returns the first frames of the run's video, at most `most`, as large as fits into `size`; empty without a
/// video. Throws Error{Input}.
Clip readSmallClip(const std::filesystem::path& folder, QSize size, int most);

/// readSmallClip() of a video's file.
Clip readSmallVideo(const std::filesystem::path& file, double framesPerSecond, QSize size, int most);

/// A video with the project that made it, if it is in or beside it.
struct OpenedVideo {
    std::optional<Project> project;
    Clip clip;
};

/// Throws Error{Input} when there is no video, Error{Project} for a damaged project.
OpenedVideo openVideo(const std::filesystem::path& file);

}  // namespace meshreel
