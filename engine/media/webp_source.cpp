// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/webp_source.h"

#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/image.h"
#include "engine/media/libav.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t startBytes =
    30;  // RIFF's header and the chunk VP8X, which says that it is an animation
constexpr std::size_t rgbaChannels = 4;
constexpr double millisecondsPerSecond = 1000.0;
constexpr std::uint32_t maxSide = 16383;  // of any WebP
constexpr int lossless = 2;               // of WebPBitstreamFeatures::format

struct DemuxerDeleter {
    void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};
using DemuxerPtr = std::unique_ptr<WebPDemuxer, DemuxerDeleter>;

WebPData dataOf(std::string_view bytes) {
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
    return in.good() && readFeatures(dataOf({start.data(), start.size()})).has_animation != 0;
}

WebPSource::WebPSource(const fs::path& file) : m_file(file), m_bytes(readFile(file)) {
    readHeaders();
}

void WebPSource::readHeaders() {
    const WebPData data = dataOf(m_bytes);
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
    m_info.colour = {"unknown", "unknown", "unknown", "unknown"};
}

void WebPSource::openDecoder() {
    WebPAnimDecoderOptions options{};
    if (WebPAnimDecoderOptionsInit(&options) == 0)
        throw Error(ErrorKind::Internal, "libwebpdemux has another version than its headers");
    options.color_mode = MODE_RGBA;
    const WebPData data = dataOf(m_bytes);
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
    for (std::size_t to = 0; to < rgb.size(); to += rgbChannels, canvas += rgbaChannels)
        std::copy_n(canvas, rgbChannels, rgb.begin() + static_cast<std::ptrdiff_t>(to));
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
