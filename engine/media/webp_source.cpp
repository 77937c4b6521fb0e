// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/webp_source.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "engine/base/files.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t riffHeaderBytes = 12;  // "RIFF", size, "WEBP"
constexpr std::size_t chunkHeaderBytes = 8;  // name, size
constexpr std::size_t canvasChunkBytes = 10;
constexpr std::size_t frameHeaderBytes = 16;
constexpr unsigned animationFlag = 0x02;
constexpr unsigned alphaFlag = 0x10;
constexpr unsigned noBlendFlag = 0x02;
constexpr unsigned disposeFlag = 0x01;
constexpr std::size_t rgbaChannels = 4;
constexpr double millisecondsPerSecond = 1000.0;
constexpr int opaque = 255;
constexpr int maxSide = 16383;  // of any WebP

/// Little-endian, as all of RIFF.
unsigned number(std::string_view bytes, std::size_t offset, std::size_t count) {
    unsigned value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= unsigned{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
    return value;
}

std::string numberBytes(std::size_t value, std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i)
        bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
    return bytes;
}

bool isAnimation(std::string_view start) {
    return start.size() >= riffHeaderBytes + chunkHeaderBytes + canvasChunkBytes &&
           start.starts_with("RIFF") && start.substr(8, 8) == "WEBPVP8X" &&
           (number(start, riffHeaderBytes + chunkHeaderBytes, 1) & animationFlag) != 0;
}

/// The picture of one frame as a still WebP file.
std::string stillFile(std::string_view picture, int width, int height) {
    std::string body = "WEBP";
    if (picture.starts_with("ALPH")) {
        body += "VP8X" + numberBytes(canvasChunkBytes, 4) + numberBytes(alphaFlag, 4);
        body += numberBytes(static_cast<std::size_t>(width - 1), 3) +
                numberBytes(static_cast<std::size_t>(height - 1), 3);
    }
    body += picture;
    return "RIFF" + numberBytes(body.size(), 4) + body;
}

/// To packed RGBA; WebP's lossy pictures are always BT.601, limited range.
std::vector<std::uint8_t> toRgba(const AVFrame& picture) {
    const ScalerPtr scaler(sws_getContext(
        picture.width, picture.height, static_cast<AVPixelFormat>(picture.format), picture.width,
        picture.height, AV_PIX_FMT_RGBA, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT,
        nullptr, nullptr, nullptr));
    const FramePtr rgba = makeFrame(picture.width, picture.height, AV_PIX_FMT_RGBA);
    if (!scaler || sws_scale(scaler.get(), picture.data, picture.linesize, 0, picture.height, rgba->data,
                             rgba->linesize) != picture.height)
        throw Error(ErrorKind::Internal, "swscale did not convert a WebP frame");
    const std::size_t rowBytes = static_cast<std::size_t>(picture.width) * rgbaChannels;
    std::vector<std::uint8_t> packed(rowBytes * static_cast<std::size_t>(picture.height));
    for (int row = 0; row < picture.height; ++row)
        std::memcpy(packed.data() + static_cast<std::size_t>(row) * rowBytes,
                    rgba->data[0] + std::ptrdiff_t{row} * rgba->linesize[0], rowBytes);
    return packed;
}

void blendPixel(const std::uint8_t* from, std::uint8_t* to) {
    const int alpha = from[rgbaChannels - 1];
    for (std::size_t c = 0; c + 1 < rgbaChannels; ++c)
        to[c] = static_cast<std::uint8_t>((from[c] * alpha + to[c] * (opaque - alpha) + opaque / 2) / opaque);
    to[rgbaChannels - 1] = static_cast<std::uint8_t>(std::max<int>(alpha, to[rgbaChannels - 1]));
}

}  // namespace

bool WebPSource::recognises(const fs::path& file) {
    std::string start(riffHeaderBytes + chunkHeaderBytes + canvasChunkBytes, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), static_cast<std::streamsize>(start.size()));
    return in.good() && isAnimation(start);
}

WebPSource::WebPSource(const fs::path& file) : m_file(file), m_bytes(readFile(file)) {
    quietLibav();
    const std::string_view all = m_bytes;
    if (!isAnimation(all))
        throwDamaged(sentence("it is not an animated WebP"));
    const std::size_t canvas = riffHeaderBytes + chunkHeaderBytes;
    m_info.width = static_cast<int>(number(all, canvas + 4, 3)) + 1;
    m_info.height = static_cast<int>(number(all, canvas + 7, 3)) + 1;
    if (m_info.width > maxSide || m_info.height > maxSide)
        throwDamaged(sentence("its header gives an impossible size"));

    std::size_t offset = riffHeaderBytes;
    while (offset + chunkHeaderBytes <= all.size()) {
        const std::size_t size = number(all, offset + 4, 4);
        if (size > all.size() - offset - chunkHeaderBytes)
            throwDamaged(sentence("it ends in the middle of frame {}", m_frames.size() + 1));
        if (all.substr(offset, 4) == "ANMF")
            m_frames.push_back(parseFrame(all.substr(offset + chunkHeaderBytes, size)));
        offset += chunkHeaderBytes + size + size % 2;
    }
    if (number(all, 4, 4) + chunkHeaderBytes > all.size())
        throwDamaged(sentence("it is shorter than its header says"));
    if (m_frames.empty())
        throwDamaged(sentence("it holds no frame"));

    std::int64_t totalMs = 0;
    std::vector<double> times;
    for (const Frame& frame : m_frames) {
        times.push_back(static_cast<double>(totalMs));
        totalMs += frame.durationMs;
    }
    m_info.frames = static_cast<std::int64_t>(m_frames.size());
    m_info.fps = totalMs > 0 ? millisecondsPerSecond * static_cast<double>(m_info.frames) /
                                   static_cast<double>(totalMs)
                             : 0.0;
    m_info.variableRate = totalMs > 0 && isVariableRate(times);
    m_info.codec = "webp";
    m_info.pixelFormat = m_frames.front().picture.starts_with("VP8L") ? "argb" : "yuv420p";
    m_info.colour = {"unknown", "unknown", "unknown", "unknown"};
    m_canvas.assign(
        static_cast<std::size_t>(m_info.width) * static_cast<std::size_t>(m_info.height) * rgbaChannels, 0);
}

WebPSource::Frame WebPSource::parseFrame(std::string_view chunk) const {
    if (chunk.size() < frameHeaderBytes)
        throwDamaged(sentence("a frame header is cut short"));
    Frame frame;
    frame.x = static_cast<int>(number(chunk, 0, 3)) * 2;
    frame.y = static_cast<int>(number(chunk, 3, 3)) * 2;
    frame.width = static_cast<int>(number(chunk, 6, 3)) + 1;
    frame.height = static_cast<int>(number(chunk, 9, 3)) + 1;
    frame.durationMs = static_cast<int>(number(chunk, 12, 3));
    const unsigned flags = number(chunk, 15, 1);
    frame.blend = (flags & noBlendFlag) == 0;
    frame.dispose = (flags & disposeFlag) != 0;
    frame.picture = chunk.substr(frameHeaderBytes);
    if (frame.x + frame.width > m_info.width || frame.y + frame.height > m_info.height)
        throwDamaged(sentence("a frame lies outside the picture"));
    return frame;
}

FramePtr WebPSource::decode(const Frame& frame) const {
    const AVCodec* decoder = avcodec_find_decoder(AV_CODEC_ID_WEBP);
    if (decoder == nullptr)
        throw Error(ErrorKind::Input, sentence("this system's libavcodec cannot read WebP"), m_file.string(),
                    sentence("Install the full libavcodec"));
    const CodecPtr codec = requireAllocated(CodecPtr(avcodec_alloc_context3(decoder)));
    const PacketPtr packet = requireAllocated(PacketPtr(av_packet_alloc()));
    FramePtr picture = requireAllocated(FramePtr(av_frame_alloc()));
    const std::string bytes = stillFile(frame.picture, frame.width, frame.height);
    codec->thread_count = 1;
    int code = av_new_packet(packet.get(), static_cast<int>(bytes.size()));
    if (code >= 0) {
        std::memcpy(packet->data, bytes.data(), bytes.size());
        code = avcodec_open2(codec.get(), decoder, nullptr);
    }
    if (code >= 0)
        code = avcodec_send_packet(codec.get(), packet.get());
    if (code >= 0)
        code = avcodec_receive_frame(codec.get(), picture.get());
    if (code < 0)
        throwDamaged(sentence("frame {} cannot be decoded, {}", m_next + 1, libavReason(code)));
    if (picture->width != frame.width || picture->height != frame.height)
        throwDamaged(sentence("frame {} has another size than its header says", m_next + 1));
    return picture;
}

void WebPSource::compose(const Frame& frame, const AVFrame& picture) {
    const std::vector<std::uint8_t> rgba = toRgba(picture);
    const std::uint8_t* from = rgba.data();
    for (int y = 0; y < frame.height; ++y) {
        const int first = (frame.y + y) * m_info.width + frame.x;
        std::uint8_t* to = m_canvas.data() + static_cast<std::size_t>(first) * rgbaChannels;
        for (int x = 0; x < frame.width; ++x, from += rgbaChannels, to += rgbaChannels) {
            if (frame.blend)
                blendPixel(from, to);
            else
                std::memcpy(to, from, rgbaChannels);
        }
    }
}

void WebPSource::clear(const Frame& frame) {
    for (int y = frame.y; y < frame.y + frame.height; ++y) {
        const auto row =
            m_canvas.begin() + std::ptrdiff_t{y * m_info.width + frame.x} * std::ptrdiff_t{rgbaChannels};
        std::fill_n(row, static_cast<std::size_t>(frame.width) * rgbaChannels, std::uint8_t{0});
    }
}

bool WebPSource::read(std::span<std::uint8_t> rgb) {
    if (m_next == m_frames.size())
        return false;
    if (m_next > 0 && m_frames[m_next - 1].dispose)
        clear(m_frames[m_next - 1]);
    const Frame& frame = m_frames[m_next];
    compose(frame, *decode(frame));
    ++m_next;
    m_seconds = static_cast<double>(m_shownMs) / millisecondsPerSecond;
    m_shownMs += frame.durationMs;
    std::size_t to = 0;
    for (std::size_t from = 0; from < m_canvas.size(); from += rgbaChannels)
        for (std::size_t c = 0; c + 1 < rgbaChannels; ++c)
            rgb[to++] = m_canvas[from + c];
    return true;
}

void WebPSource::throwDamaged(const Sentence& reason) const {
    throw Error(ErrorKind::Input, sentence("the WebP cannot be read: {}", reason), m_file.string(),
                sentence("The file is damaged or incomplete: copy or write it again"));
}

}  // namespace meshreel
