// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/media_kind.h"

#include <QCoreApplication>
#include <QString>
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/model_library.h"
#include "engine/film/storyboard.h"
#include "engine/media/drawing_file.h"
#include "engine/media/video_reader.h"
#include "engine/project/maxdiffusion_import.h"
#include "engine/project/project_look.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

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
    if (extension == ".yaml" || extension == ".yml") {
        const std::string text = readFile(path);
        if (isMaxDiffusionConfig(text))
            return MediaKind::MaxDiffusionConfig;
        return isStoryboard(text) ? MediaKind::Storyboard : MediaKind::ProjectFile;
    }
    if (const std::optional<DrawingKind> drawing = drawingKind(path))
        return *drawing == DrawingKind::Mask ? MediaKind::MaskDrawing : MediaKind::TrackDrawing;
    if (std::ranges::count(textExtensions, extension) > 0)
        return MediaKind::ProjectFile;
    if (extension == ".csv")
        return MediaKind::Table;
    if (extension == ".png" && isLook(path))
        return MediaKind::Look;
    if (hasTensorFileName(path))
        return MediaKind::Weights;
    const bool isPicture =
        std::ranges::count(pictureExtensions, extension) > 0 || (extension == ".webp" && isStillWebP(path));
    return isPicture ? MediaKind::Picture : MediaKind::Video;
}

}  // namespace meshreel
