// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_encoders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engine/base/sentence.h"
#include "engine/media/container_writer.h"
#include "engine/media/image.h"
#include "engine/media/palette.h"
#include "engine/media/pixel_converter.h"
#include "engine/media/png_folder_source.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr double minFps = 0.1;
constexpr double maxFps = 1000.0;
constexpr double ntscTolerance = 0.005;  // 23.976, 23.98, 29.97, 59.94 as people write them
constexpr int maxRateTerm = 1001000;

/// How an encoder spells quality: its own scale at our 0 and 100, interpolated between.
struct TaggedVideoRow {
    VideoFormat format;
    double crfAtWorst;
    double crfAtBest;
    std::map<std::string, std::string> encoderOptions;
    std::map<std::string, std::string> containerOptions;
};

const TaggedVideoRow& taggedVideoRow(VideoFormat format) {
    static const std::array<TaggedVideoRow, 2> rows{{
        // x264's macroblock tree reads memory that it never wrote: with it, equal frames give different
        // bytes.
        {VideoFormat::Mp4,
         40.0,
         8.0,
         {{"preset", "medium"}, {"mbtree", "0"}},
         {{"movflags", "+faststart+use_metadata_tags"}}},
        {VideoFormat::WebM, 60.0, 8.0, {{"b", "0"}, {"deadline", "good"}, {"cpu-used", "3"}}, {}},
    }};
    return *std::ranges::find(rows, format, &TaggedVideoRow::format);
}

StreamSettings settingsFor(VideoFormat format, const Tensor& frames, const VideoOptions& options) {
    const VideoFormatInfo& info = videoFormatInfo(format);
    StreamSettings settings;
    settings.container = info.container;
    settings.encoder = info.encoder;
    settings.height = static_cast<int>(frames.extent(1));
    settings.width = static_cast<int>(frames.extent(2));
    settings.rate = exactRate(options.fps);
    return settings;
}

std::span<const std::uint8_t> frameBytes(const Tensor& frames, std::int64_t index) {
    return frames.slice(index, index + 1).data<std::uint8_t>();
}

/// Opens the file, passes every frame through `convert` (index to AVFrame&) and completes it.
template <typename Convert>
void encodeAll(const fs::path& file, const Tensor& frames, const StreamSettings& settings,
               Convert&& convert) {
    ContainerWriter writer(file, settings);
    for (std::int64_t t = 0; t < frames.extent(0); ++t)
        writer.write(convert(frameBytes(frames, t)));
    writer.finish();
}

void encodeConverted(const fs::path& file, const Tensor& frames, const StreamSettings& settings,
                     const Colourimetry& colour) {
    PixelConverter converter(PixelConverter::Direction::FromRgb, settings.width, settings.height,
                             settings.pixelFormat, colour);
    encodeAll(file, frames, settings,
              [&](std::span<const std::uint8_t> rgb) -> AVFrame& { return converter.fromRgb(rgb); });
}

/// ARGB words, opaque, followed by fully transparent ones: the encoder marks unchanged pixels with the
/// latter.
void storePalette(const std::vector<Rgb>& palette, AVFrame& frame) {
    std::array<std::uint32_t, AVPALETTE_COUNT> words{};
    std::ranges::transform(palette, words.begin(), [](const Rgb& colour) {
        return 0xFF000000U | std::uint32_t{colour.red} << 16U | std::uint32_t{colour.green} << 8U |
               colour.blue;
    });
    std::memcpy(frame.data[1], words.data(), sizeof(words));
}

}  // namespace

AVRational exactRate(double fps) {
    if (!(fps >= minFps && fps <= maxFps))
        throw Error(ErrorKind::Project, sentence("{} frames a second cannot be written", fps), "fps",
                    sentence("Choose a rate from {} to {}", minFps, maxFps));
    const double nominal = std::ceil(fps);
    const double ntsc = nominal * 1000.0 / 1001.0;
    if (fps != nominal && nominal >= 24.0 && std::fabs(fps - ntsc) < ntscTolerance)
        return {static_cast<int>(nominal) * 1000, 1001};
    return av_d2q(fps, maxRateTerm);
}

void encodeTaggedVideo(const fs::path& file, const Tensor& frames, VideoFormat format,
                       const VideoOptions& options) {
    const TaggedVideoRow& row = taggedVideoRow(format);
    StreamSettings settings = settingsFor(format, frames, options);
    settings.pixelFormat = AV_PIX_FMT_YUV420P;
    settings.tagged = true;
    settings.metadata = options.metadata;
    settings.containerOptions = row.containerOptions;
    settings.encoderOptions = row.encoderOptions;
    const double quality = static_cast<double>(options.quality) / maxVideoQuality;
    const double crf = row.crfAtWorst + (row.crfAtBest - row.crfAtWorst) * quality;
    settings.encoderOptions["crf"] = std::to_string(std::lround(crf));
    encodeConverted(file, frames, settings, {AVCOL_SPC_BT709, AVCOL_RANGE_MPEG, AVCHROMA_LOC_LEFT});
}

void encodeWebP(const fs::path& file, const Tensor& frames, const VideoOptions& options) {
    StreamSettings settings = settingsFor(VideoFormat::WebP, frames, options);
    settings.pixelFormat = AV_PIX_FMT_RGB32;  // libwebp does its own conversion, always BT.601
    settings.containerOptions = {{"loop", "0"}};
    settings.encoderOptions = {{"quality", std::to_string(options.quality)}};
    encodeConverted(file, frames, settings, {});
}

void encodeGif(const fs::path& file, const Tensor& frames, const VideoOptions& options) {
    StreamSettings settings = settingsFor(VideoFormat::Gif, frames, options);
    settings.pixelFormat = AV_PIX_FMT_PAL8;
    settings.containerOptions = {{"loop", "0"}};
    PaletteMapper mapper(makePalette(frames.data<std::uint8_t>()));
    FramePtr frame;
    encodeAll(file, frames, settings, [&](std::span<const std::uint8_t> rgb) -> AVFrame& {
        frame = makeFrame(settings.width, settings.height, settings.pixelFormat);
        mapper.map(rgb, settings.width, frame->data[0], frame->linesize[0]);
        storePalette(mapper.palette(), *frame);
        return *frame;
    });
}

void encodePngFolder(const fs::path& folder, const Tensor& frames) {
    std::error_code failure;
    fs::create_directory(folder, failure);
    if (failure)
        throw Error(ErrorKind::Input,
                    sentence("the folder of frames could not be created ({})", failure.message()),
                    folder.string(), sentence("Choose a folder that exists and that you may write to"));
    const Shape imageShape{frames.extent(1), frames.extent(2), frames.extent(3)};
    for (std::int64_t t = 0; t < frames.extent(0); ++t)
        writePng(folder / frameFileName(t), frames.slice(t, t + 1).reshaped(imageShape));
}

}  // namespace meshreel
