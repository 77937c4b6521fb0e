// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_source.h"

#include <fmt/format.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/base/limits.h"
#include "engine/base/units.h"
#include "engine/media/container_source.h"
#include "engine/media/frame_folder.h"
#include "engine/media/image.h"
#include "engine/media/libav.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

/// Reads the frame that is in its folder now, but not one that a link leads to outside.
template <typename Read>
auto readOwn(const fs::path& frame, const Read& read) {
    return HeldFile(HeldFile(frame.parent_path(), Links::Follow), frame.filename().string()).readWith(read);
}

}  // namespace

FolderSource::FolderSource(const fs::path& folder) : m_files(FrameFolder::read(folder).files) {
    m_info = readOwn(m_files.front(), [](const fs::path& frame) { return openFrameSource(frame)->info(); });
    m_info.fps = 0.0;
    m_info.variableRate = false;
    m_info.framesExact = true;
    m_info.frames = static_cast<std::int64_t>(m_files.size());
    m_info.mayHaveAlpha = true;
}

bool FolderSource::read(std::span<std::uint8_t> rgb) {
    if (m_next == m_files.size())
        return false;
    readOwn(m_files[m_next], [&](const fs::path& held) { readFrame(held, rgb); });
    ++m_next;
    return true;
}

void FolderSource::readFrame(const fs::path& held, std::span<std::uint8_t> rgb) {
    const std::unique_ptr<FrameSource> frame = openFrameSource(held);
    frame->useAlpha(m_alpha);
    if (frame->info().height != m_info.height || frame->info().width != m_info.width)
        throw Error(ErrorKind::Input, sentence("this frame has another size than the first one"),
                    held.string(), sentence("Write the frames again"));
    if (!frame->read(rgb))
        throw Error(ErrorKind::Input, sentence("there is no picture in this file"), held.string(),
                    sentence("Write the frames again"));
    m_info.transparent = m_info.transparent || frame->info().transparent;
}

UprightSource::UprightSource(std::unique_ptr<FrameSource> source, Orientation orientation)
    : m_source(std::move(source)),
      m_orientation(orientation),
      m_stored(Tensor::empty({m_source->info().height, m_source->info().width, 3}, DType::U8)) {
    m_info = m_source->info();
    if (orientation >= Orientation::Transposed)
        std::swap(m_info.width, m_info.height);
}

bool UprightSource::read(std::span<std::uint8_t> rgb) {
    if (!m_source->read(m_stored.data<std::uint8_t>()))
        return false;
    m_seconds = m_source->seconds();
    m_info.transparent = m_source->info().transparent;
    const Tensor seen = upright(m_stored, m_orientation);
    std::ranges::copy(seen.data<std::uint8_t>(), rgb.begin());
    return true;
}

bool UprightSource::skip() {
    if (!m_source->skip())
        return false;
    m_seconds = m_source->seconds();
    m_info.transparent = m_source->info().transparent;
    return true;
}

SquareSource::SquareSource(std::unique_ptr<FrameSource> source, double pixelWidth)
    : m_source(std::move(source)),
      m_stored(Tensor::empty({m_source->info().height, m_source->info().width, rgbChannels}, DType::U8)) {
    m_info = m_source->info();
    m_info.width = std::max(1, static_cast<int>(std::lround(m_info.width * pixelWidth)));
}

bool SquareSource::read(std::span<std::uint8_t> rgb) {
    if (!m_source->read(m_stored.data<std::uint8_t>()))
        return false;
    m_seconds = m_source->seconds();
    m_info.transparent = m_source->info().transparent;
    const Tensor seen = resizeImage(m_stored, m_info.height, m_info.width, Resampling::Lanczos);
    std::ranges::copy(seen.data<std::uint8_t>(), rgb.begin());
    return true;
}

bool SquareSource::skip() {
    if (!m_source->skip())
        return false;
    m_seconds = m_source->seconds();
    m_info.transparent = m_source->info().transparent;
    return true;
}

namespace {

// Times are sums and quotients of f64: a frame that is due now must not be missed for its last bits.
constexpr double sameTime = 1e-6;  // seconds

/// Frames one after the other in memory that grows, because a damaged header's count is not to be trusted.
class FrameStack {
  public:
    explicit FrameStack(const FrameSelection& selection) : m_selection(selection) {}

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] bool full() const { return m_selection.frames >= 0 && m_count >= m_selection.frames; }

    void push(const Tensor& frame) {
        const auto bytes = frame.data<std::uint8_t>();
        m_bytes->insert(m_bytes->end(), bytes.begin(), bytes.end());
        m_frameShape = frame.shape();
        ++m_count;
    }

    [[nodiscard]] Tensor take() const {
        return Tensor::view(m_bytes->data(), {m_count, m_frameShape[0], m_frameShape[1], m_frameShape[2]},
                            DType::U8, m_bytes);
    }

  private:
    const FrameSelection& m_selection;
    std::shared_ptr<std::vector<std::uint8_t>> m_bytes = std::make_shared<std::vector<std::uint8_t>>();
    Shape m_frameShape;
    std::int64_t m_count = 0;
};

Tensor fitted(const Tensor& frame, const FrameSelection& selection) {
    if (selection.height == 0 && selection.width == 0)
        return frame;
    return selection.fit == FrameFit::Cover
               ? resizeToCover(frame, selection.height, selection.width, selection.filter)
               : resizeImage(frame, selection.height, selection.width, selection.filter);
}

void takeEvery(FrameSource& source, Tensor& frame, const FrameSelection& selection, FrameStack& frames) {
    while (!frames.full() && source.read(frame.data<std::uint8_t>()))
        frames.push(fitted(frame, selection));
}

/// A frame is the nearest one until halfway to the next, the last one as long as a frame of the mean rate.
void takeAtRate(FrameSource& source, Tensor& frame, const FrameSelection& selection, FrameStack& frames) {
    Tensor nearest;
    Tensor shown;  // converted when it is needed
    double time = 0.0;
    const auto takeUntil = [&](double end) {
        while (!frames.full() && static_cast<double>(frames.count()) / selection.fps < end) {
            if (shown.elements() == 0)
                shown = fitted(nearest, selection);
            frames.push(shown);
        }
    };
    while (!frames.full() && source.read(frame.data<std::uint8_t>())) {
        if (nearest.elements() > 0)
            takeUntil((time + source.seconds()) / 2 + sameTime);
        nearest = frame.clone();
        shown = Tensor();
        time = source.seconds();
    }
    if (nearest.elements() > 0)
        takeUntil(time + 1.0 / source.info().fps - sameTime);
}

}  // namespace

bool isSampled(const VideoInfo& info, double fps) {
    constexpr double sameRate = 0.01;
    return fps > 0.0 && info.fps > 0.0 && info.frames > 1 &&
           (info.variableRate || std::abs(info.fps / fps - 1.0) > sameRate);
}

std::int64_t sampledFrames(double seconds, double fps) {
    return static_cast<std::int64_t>(std::ceil((seconds - sameTime) * fps));
}

Tensor readFrames(const fs::path& media, const FrameSelection& selection) {
    return readFrames(*openFrameSource(media), media, selection);
}

Tensor readFrames(FrameSource& source, const fs::path& media, const FrameSelection& selection) {
    const VideoInfo& info = source.info();
    Tensor frame = Tensor::empty({info.height, info.width, 3}, DType::U8);
    FrameStack frames(selection);
    if (isSampled(info, selection.fps))
        takeAtRate(source, frame, selection, frames);
    else
        takeEvery(source, frame, selection, frames);
    if (frames.count() == 0)
        throw Error(ErrorKind::Input, sentence("there is no picture in this file"), media.string(),
                    sentence("Choose another file"));
    return frames.take();
}

namespace {

constexpr std::size_t startBytes =
    30;  // RIFF's header and the chunk VP8X, which says that it is an animation
constexpr std::size_t rgbaChannels = 4;
constexpr std::uint32_t maxSide = 16383;  // for any WebP
constexpr int lossless = 2;               // in WebPBitstreamFeatures::format

struct DemuxerDeleter {
    void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};
using DemuxerPtr = std::unique_ptr<WebPDemuxer, DemuxerDeleter>;

WebPData tensorData(std::string_view bytes) {
    return {.bytes = reinterpret_cast<const std::uint8_t*>(bytes.data()), .size = bytes.size()};
}

WebPBitstreamFeatures readFeatures(const WebPData& data) {
    WebPBitstreamFeatures features{};
    if (WebPGetFeatures(data.bytes, data.size, &features) != VP8_STATUS_OK)
        return {};
    return features;
}

}  // namespace

bool WebPSource::recognises(const fs::path& file) {
    std::array<char, startBytes> start{};
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), start.size());
    return in.good() && readFeatures(tensorData({start.data(), start.size()})).has_animation != 0;
}

WebPSource::WebPSource(const fs::path& file) : m_file(file), m_bytes(readFile(file, Limit::Picture)) {
    readHeaders();
}

void WebPSource::readHeaders() {
    const WebPData data = tensorData(m_bytes);
    WebPDemuxState state = WEBP_DEMUX_PARSING_HEADER;
    const DemuxerPtr demuxer(WebPDemuxPartial(&data, &state));
    if (state == WEBP_DEMUX_PARSE_ERROR)
        throwDamaged(sentence("its parts do not fit together"));
    if (!demuxer || state != WEBP_DEMUX_DONE)
        throwDamaged(sentence("it is shorter than its header says"));
    const std::uint32_t width = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH);
    const std::uint32_t height = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT);
    if (width > maxSide || height > maxSide)
        throwDamaged(sentence("its header gives an impossible size"));
    requireWithin(Limit::VideoFrame, std::uint64_t{width} * height * rgbaChannels, m_file.string());

    std::int64_t totalMs = 0;
    WebPIterator frame{};
    for (int more = WebPDemuxGetFrame(demuxer.get(), 1, &frame); more != 0;
         more = WebPDemuxNextFrame(&frame)) {
        if (m_times.empty())
            m_info.pixelFormat = readFeatures(frame.fragment).format == lossless ? "argb" : "yuv420p";
        m_times.push_back(static_cast<double>(totalMs) / millisecondsPerSecond);
        totalMs += frame.duration;
    }
    WebPDemuxReleaseIterator(&frame);
    if (m_times.empty())
        throwDamaged(sentence("it holds no frame"));

    m_info.width = static_cast<int>(width);
    m_info.height = static_cast<int>(height);
    m_info.frames = static_cast<std::int64_t>(m_times.size());
    m_info.fps = totalMs > 0 ? millisecondsPerSecond * static_cast<double>(m_info.frames) /
                                   static_cast<double>(totalMs)
                             : 0.0;
    m_info.variableRate = totalMs > 0 && isVariableRate(m_times);
    m_info.codec = "webp";
    m_info.mayHaveAlpha = true;  // frames need not cover the canvas
    m_info.colour = {"unknown", "unknown", "unknown", "unknown"};
}

void WebPSource::openDecoder() {
    WebPAnimDecoderOptions options{};
    if (WebPAnimDecoderOptionsInit(&options) == 0)
        throw Error(ErrorKind::Internal, "libwebpdemux has another version than its headers");
    options.color_mode = MODE_RGBA;
    const WebPData data = tensorData(m_bytes);
    m_decoder =
        requireAllocated(std::unique_ptr<WebPAnimDecoder, Deleter>(WebPAnimDecoderNew(&data, &options)));
}

bool WebPSource::read(std::span<std::uint8_t> rgb) {
    if (!m_decoder)
        openDecoder();
    if (WebPAnimDecoderHasMoreFrames(m_decoder.get()) == 0)
        return false;
    std::uint8_t* canvas = nullptr;
    int endOfFrame = 0;
    if (WebPAnimDecoderGetNext(m_decoder.get(), &canvas, &endOfFrame) == 0)
        throwDamaged(sentence("frame {} cannot be decoded", m_next + 1));
    m_seconds = m_times[m_next++];
    if (readAlpha({canvas, rgb.size() / rgbChannels * rgbaChannels}, m_alpha, rgb))
        m_info.transparent = true;
    return true;
}

void WebPSource::throwDamaged(const Sentence& reason) const {
    throw Error(ErrorKind::Input, sentence("the WebP cannot be read: {}", reason), m_file.string(),
                sentence("The file is damaged or incomplete: copy or write it again"));
}

void WebPSource::Deleter::operator()(WebPAnimDecoder* decoder) const {
    WebPAnimDecoderDelete(decoder);
}

}  // namespace meshreel
