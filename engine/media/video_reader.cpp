// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_reader.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "engine/media/bounded_input.h"
#include "engine/media/container_source.h"
#include "engine/media/drawing_file.h"
#include "engine/media/drawing_source.h"
#include "engine/media/frame_source.h"
#include "engine/media/image.h"
#include "engine/media/orientation.h"
#include "engine/media/video_writer.h"

namespace meshreel {
namespace fs = std::filesystem;
bool FrameSource::skip() {
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(m_info.height) *
                                  static_cast<std::size_t>(m_info.width) * rgbChannels);
    return read(rgb);
}

bool isVariableRate(std::span<const double> times) {
    constexpr std::size_t fewest = 3;  // two are always even
    if (times.size() < fewest)
        return false;
    const double each = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
    for (std::size_t frame = 0; frame < times.size(); ++frame)
        if (std::abs(times[frame] - times.front() - each * static_cast<double>(frame)) > each / 2)
            return true;
    return false;
}

void requireMedium(const fs::path& media) {
    std::error_code failure;
    if (!fs::exists(media, failure))
        throw Error(ErrorKind::Input, sentence("there is no such file"), media.string(),
                    sentence("Check the path"));
    if (fs::is_directory(media, failure))
        return;
    if (!fs::is_regular_file(media, failure))
        throw Error(ErrorKind::Input, sentence("this is not a file"), media.string(),
                    sentence("Choose a video or image file"));
    if (fs::file_size(media, failure) == 0 && !failure)
        throw Error(ErrorKind::Input, sentence("the file is empty"), media.string(),
                    sentence("Choose a video or image file"));
}

std::unique_ptr<FrameSource> openFrameSource(const fs::path& media) {
    requireMedium(media);
    if (fs::is_directory(media))
        return std::make_unique<FolderSource>(media);
    if (WebPSource::recognises(media))
        return std::make_unique<WebPSource>(media);
    if (drawingKind(media))
        return std::make_unique<DrawingSource>(media);
    requireHonestPicture(media);
    auto container = std::make_unique<ContainerSource>(media);
    const Orientation orientation = container->orientation();
    const double pixelWidth = container->pixelWidth();
    std::unique_ptr<FrameSource> source = std::move(container);
    if (pixelWidth != 1.0)
        source = std::make_unique<SquareSource>(std::move(source), pixelWidth);
    if (orientation == Orientation::Upright)
        return source;
    return std::make_unique<UprightSource>(std::move(source), orientation);
}

VideoInfo probeVideo(const fs::path& media) {
    return openFrameSource(media)->info();
}

VideoInfo probeFirstFrame(const fs::path& media) {
    const std::unique_ptr<FrameSource> source = openFrameSource(media);
    if (!source->skip())
        throw Error(ErrorKind::Input, sentence("there is no picture in this file"), media.string(),
                    sentence("Choose another file"));
    return source->info();
}

ShownFrames countShownFrames(const fs::path& media) {
    const std::unique_ptr<FrameSource> source = openFrameSource(media);
    const VideoInfo& info = source->info();
    const double each = info.fps > 0.0 ? 1.0 / info.fps : 0.0;
    const double pixels = static_cast<double>(info.width) * info.height * static_cast<double>(info.frames);
    if (info.framesExact || pixels > static_cast<double>(limitValue(Limit::CountedPixels)))
        return {.count = info.frames, .seconds = static_cast<double>(info.frames) * each, .damage = {}};
    ShownFrames shown;
    try {
        while (source->skip()) {
            ++shown.count;
            shown.seconds = source->seconds() + each;
        }
    } catch (const Error& damaged) {
        shown.damage = damaged;
    }
    return shown;
}

std::string_view highDynamicRange(const VideoInfo& info) {
    if (info.colour.transfer == "arib-std-b67")
        return "HLG";
    return info.colour.transfer == "smpte2084" ? "PQ" : std::string_view();
}

std::string_view assumedMatrix(const VideoInfo& info) {
    constexpr int firstHdHeight = 720;
    if (info.colour.matrix != "unknown" || !info.pixelFormat.starts_with("yuv") ||
        info.pixelFormat.starts_with("yuvj") || info.codec == "webp")
        return {};
    return info.height >= firstHdHeight ? "BT.709" : "BT.601";
}

Tensor readVideo(const fs::path& media) {
    const std::unique_ptr<FrameSource> source = openFrameSource(media);
    const VideoInfo& info = source->info();
    const std::size_t frameBytes =
        static_cast<std::size_t>(info.height) * static_cast<std::size_t>(info.width) * rgbChannels;
    // The count of a damaged header is not to be trusted with an allocation, so the frames grow as they come.
    auto bytes = std::make_shared<std::vector<std::uint8_t>>();
    std::vector<std::uint8_t> frame(frameBytes);
    std::int64_t count = 0;
    for (; source->read(frame); ++count) {
        requireWithin(Limit::DecodedVideo, bytes->size() + frameBytes, media.string());
        bytes->insert(bytes->end(), frame.begin(), frame.end());
    }
    if (count == 0)
        throw Error(ErrorKind::Input, sentence("there is no picture in this file"), media.string(),
                    sentence("Choose another file"));
    return Tensor::view(bytes->data(), {count, info.height, info.width, rgbChannels}, DType::U8, bytes);
}

std::string readProjectFromMedia(const fs::path& media) {
    const VideoInfo info = probeVideo(media);
    if (const auto tag = info.metadata.find(std::string(projectMetadataKey)); tag != info.metadata.end())
        return tag->second;
    const fs::path beside = projectBeside(media);
    if (!fs::exists(beside))
        throw Error(ErrorKind::Input,
                    sentence("no project is stored in this file, and there is no {} beside it",
                             beside.filename().string()),
                    media.string(), sentence("Choose a video that Meshreel wrote"));
    return readFile(beside);
}

}  // namespace meshreel
