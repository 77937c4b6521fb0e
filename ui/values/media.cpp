// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/media.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/model_library.h"
#include "engine/media/frame_source.h"
#include "engine/media/video_reader.h"
#include "engine/project/maxdiffusion_import.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/formats/tensor_file.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

QList<int> spreadFrames(int length, int most) {
    const int count = std::min(length, most);
    QList<int> frames;
    for (int i = 0; i < count; ++i)
        frames += count == 1
                      ? 0
                      : static_cast<int>(std::lround(static_cast<double>(i) * (length - 1) / (count - 1)));
    return frames;
}

Clip clipOf(const Tensor& frames, double framesPerSecond) {
    constexpr std::size_t batchedRank = 5;
    const std::size_t firstAxis = frames.shape().rank() == batchedRank ? 1 : 0;
    const std::int64_t count = frames.extent(firstAxis);
    const int height = static_cast<int>(frames.extent(firstAxis + 1));
    const int width = static_cast<int>(frames.extent(firstAxis + 2));
    const auto rowBytes = static_cast<std::size_t>(width) * 3;
    const std::uint8_t* source = frames.data<std::uint8_t>().data();

    Clip clip;
    clip.framesPerSecond = framesPerSecond;
    clip.frames.reserve(count);
    for (std::int64_t i = 0; i < count; ++i) {
        QImage image(width, height, QImage::Format_RGB888);
        for (int row = 0; row < height; ++row, source += rowBytes)
            std::memcpy(image.scanLine(row), source, rowBytes);
        clip.frames.append(std::move(image));
    }
    return clip;
}

Tensor framesOf(const Clip& clip) {
    const QSize size = clip.frames.first().size();
    Tensor frames = Tensor::empty({clip.frames.size(), size.height(), size.width(), 3}, DType::U8);
    std::uint8_t* target = frames.data<std::uint8_t>().data();
    const auto rowBytes = static_cast<std::size_t>(size.width()) * 3;
    for (const QImage& frame : clip.frames) {
        const QImage image = frame.convertToFormat(QImage::Format_RGB888);
        for (int row = 0; row < size.height(); ++row, target += rowBytes)
            std::memcpy(target, image.constScanLine(row), rowBytes);
    }
    return frames;
}

QImage readPicture(const std::filesystem::path& file) {
    return clipOf(readFrames(file, {.frames = 1}), 1).frames.front();
}

QPixmap readThumbnail(const QString& file, QSize size, Links links) try {
    const HeldFile held(file.toStdString(), links);
    if (held.isFolder())
        return {};
    const QImage whole = held.readWith(readPicture);
    const QSize filling = whole.size().scaled(size, Qt::KeepAspectRatioByExpanding);
    return QPixmap::fromImage(filling.width() < whole.width()
                                  ? whole.scaled(filling, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                                  : whole);
} catch (const Error&) {
    return {};
}

namespace {

struct OpenedMedia {
    Q_DECLARE_TR_FUNCTIONS(meshreel::OpenedMedia)
};

/// A project, or what its reader can name: a workflow of another program, a script.
constexpr std::array textExtensions{".json", ".txt", ".toml", ".py", ".sh"};

constexpr std::array pictureExtensions{".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff"};

/// With its dot; cameras and other systems write it in capitals.
std::string lowerExtension(const std::filesystem::path& path) {
    return QString::fromStdString(path.extension().string()).toLower().toStdString();
}

/// WebP holds pictures as well as animations, which have a rate.
bool isStillWebP(const std::filesystem::path& file) {
    try {
        return probeVideo(file).fps == 0;
    } catch (const Error&) {
        return false;
    }
}

/// Nothing in or beside most videos of the world.
std::optional<std::string> projectIn(const std::filesystem::path& file) {
    try {
        return readProjectFromMedia(file);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

MediaKind kindOf(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path))
        throw Error(ErrorKind::Input, OpenedMedia::tr("There is no such file or folder").toStdString(),
                    path.string());
    if (RunFolder::isRun(path))
        return MediaKind::Run;
    if (std::filesystem::exists(path / modelIndexName))
        return MediaKind::Model;
    const std::string extension = lowerExtension(path);
    if (extension == ".yaml" || extension == ".yml")
        return isMaxDiffusionConfig(readFile(path)) ? MediaKind::MaxDiffusionConfig : MediaKind::ProjectFile;
    if (std::ranges::count(textExtensions, extension) > 0)
        return MediaKind::ProjectFile;
    if (hasTensorFileName(path))
        return MediaKind::Weights;
    const bool isPicture =
        std::ranges::count(pictureExtensions, extension) > 0 || (extension == ".webp" && isStillWebP(path));
    return isPicture ? MediaKind::Picture : MediaKind::Video;
}

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
            opened.clip = clipOf(video->readWith(readVideo), opened.project.fps);
            if (writesMetadata(opened.project))
                opened.clip.project = resolvedYaml(opened.project);
            opened.clip.name = folder.filename().string();
        }
    } catch (const Error&) {
        opened.clipProblem = sentenceText(currentProblem().message);
    }
    return opened;
}

OpenedVideo openVideo(const std::filesystem::path& file) {
    OpenedVideo opened;
    if (const std::optional<std::string> yaml = projectIn(file))
        opened.project = parseProject(*yaml, file.string()).project;
    const double rate = opened.project ? opened.project->fps : probeVideo(file).fps;
    opened.clip = clipOf(readVideo(file), rate > 0 ? rate : Project().fps);
    opened.clip.name = file.stem().string();
    if (opened.project && writesMetadata(*opened.project))
        opened.clip.project = resolvedYaml(*opened.project);
    return opened;
}

}  // namespace meshreel
