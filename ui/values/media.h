// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <QPixmap>
#include <QSize>
#include <QString>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/held_file.h"
#include "engine/base/paths.h"
#include "engine/project/project.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"

namespace meshreel {

/// Pictures to be shown one after another.
struct Clip {
    QList<QImage> frames;
    double framesPerSecond = 0;  ///< positive when there are frames
    std::string project = {};    ///< YAML of what made it; empty when not known
    std::string name = {};       ///< of its run or file, without an extension; empty when not known

    /// What files made of it are called, without an extension.
    [[nodiscard]] QString fileStem() const {
        const std::string plain = fileNameFrom(name);
        return plain.empty() ? QStringLiteral("clip") : QString::fromStdString(plain);
    }
    [[nodiscard]] bool isEmpty() const { return frames.isEmpty(); }
    [[nodiscard]] double seconds() const {
        return isEmpty() ? 0.0 : static_cast<double>(frames.size()) / framesPerSecond;
    }
};

/// Some frames of a clip of which others are still to come.
struct ClipPart {
    Clip clip;      ///< with the rate of the whole
    int first = 0;  ///< of the whole clip's frames
    int total = 0;  ///< frames of the whole clip
};

/// At most `most` frames of a clip of `length`, evenly spaced, the first and the last among them.
QList<int> spreadFrames(int length, int most);

/// Copies `frames`, u8 [time, height, width, 3]; of a batch [batch, time, height, width, 3] the first video.
Clip clipOf(const Tensor& frames, double framesPerSecond);

/// The way back: u8 [time, height, width, 3] of a clip with frames of one size.
Tensor framesOf(const Clip& clip);

/// The picture in a file, or the first frame of a video or folder, as the engine reads it: within its limits
/// (engine/base/limits.h), turned as EXIF says and laid on white, which Qt's readers are not. Throws Error.
QImage readPicture(const std::filesystem::path& file);

/// The picture in a file, as small as fills `size` and no larger than it is; null where none can be read, and
/// for a link that is refused.
QPixmap readThumbnail(const QString& file, QSize size, Links links);

/// What a path handed to the Studio is.
enum class MediaKind { ProjectFile, MaxDiffusionConfig, Run, Model, Weights, Picture, Video };

/// By looking: folders that hold a run or a model, .yaml and .yml files, files of tensors and still pictures
/// by their extension in any case, other texts as projects, everything else as a video. Throws Error{Input}
/// for what does not exist.
MediaKind kindOf(const std::filesystem::path& path);

/// A run of the past, all that the Studio shows of it.
struct OpenedRun {
    std::filesystem::path folder;
    Project project;
    std::vector<StepRecord> steps;
    std::vector<int> resumedFrom;              ///< the steps that continuations began with, counted from 0
    std::vector<StepDeviceTimes> deviceTimes;  ///< empty when the run did not record them
    QString summary;      ///< the timing summary; empty when the run did not get that far
    QString state;        ///< translated sentence: done, cancelled and why, …
    Clip clip;            ///< empty without a video
    QString clipProblem;  ///< why the video cannot be shown, or empty
};

/// The timing summary of a run; empty when it did not get that far. Throws Error{Input}.
QString readSummary(const std::filesystem::path& folder);

/// Reads a run folder without its video. Throws Error{Input}.
OpenedRun readRun(const std::filesystem::path& folder);

/// The same with the video; takes as long as decoding it does.
OpenedRun openRun(const std::filesystem::path& folder);

/// A video with the project that made it, where it lies in or beside it.
struct OpenedVideo {
    std::optional<Project> project;
    Clip clip;
};

/// Throws Error{Input} when there is no video, Error{Project} for a damaged project.
OpenedVideo openVideo(const std::filesystem::path& file);

}  // namespace meshreel
