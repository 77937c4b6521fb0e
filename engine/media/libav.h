// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "engine/base/error.h"

namespace meshreel {

struct LibavDeleter {
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
    void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
    void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

using FramePtr = std::unique_ptr<AVFrame, LibavDeleter>;
using PacketPtr = std::unique_ptr<AVPacket, LibavDeleter>;
using CodecPtr = std::unique_ptr<AVCodecContext, LibavDeleter>;
using ScalerPtr = std::unique_ptr<SwsContext, LibavDeleter>;

/// Options or metadata handed to libav, which consumes the entries that it knows.
class LibavDictionary {
  public:
    LibavDictionary() = default;
    explicit LibavDictionary(const std::map<std::string, std::string>& entries);
    ~LibavDictionary() { av_dict_free(&m_entries); }
    LibavDictionary(const LibavDictionary&) = delete;
    LibavDictionary& operator=(const LibavDictionary&) = delete;

    void set(const std::string& key, const std::string& value);
    AVDictionary** get() { return &m_entries; }
    /// Hands the entries to an owner inside libav.
    AVDictionary* release();

    /// Returns a copy with keys in lower case (Matroska stores its tags in capitals).
    static std::map<std::string, std::string> lowerCased(const AVDictionary* entries);

  private:
    AVDictionary* m_entries = nullptr;
};

/// Turns libav's own messages off for the process, once: its errors reach people as Error, never as noise on
/// stderr.
void quietLibav();

/// av_strerror's words.
std::string libavReason(int code);

/// Error{Resources} for a full disk, Error{Input} otherwise.
[[noreturn]] void throwLibavWriteError(int code, const std::filesystem::path& file);

/// Returns the allocated object, or Error{Resources} when memory ran out.
template <typename Pointer>
Pointer requireAllocated(Pointer pointer) {
    if (!pointer)
        throw Error(ErrorKind::Resources, sentence("there is not enough memory for the video"), {},
                    sentence("Close other programs or choose a smaller size"));
    return pointer;
}

FramePtr makeFrame(int width, int height, AVPixelFormat format);

/// Returns the file as a URL, so that libav takes no character of the path for a protocol or a pattern.
std::string fileUrl(const std::filesystem::path& file);

/// How stored samples mean colour, as the file's tags say it.
struct Colourimetry {
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    AVChromaLocation chroma = AVCHROMA_LOC_UNSPECIFIED;

    friend bool operator==(const Colourimetry&, const Colourimetry&) = default;
};

/// Converts between packed RGB24 (or RGBA, RGB48, RGBA64) and one other pixel format at the same size,
/// through swscale with matrix, range and chroma position set to exactly what `colour` says (unspecified:
/// BT.709 from 720 lines up, BT.601 below; limited range for YUV, full for gray and the yuvj formats; chroma
/// beside the left luma sample). Not thread safe.
class PixelConverter {
  public:
    enum class Direction { ToRgb, FromRgb };

    PixelConverter(Direction direction, int width, int height, AVPixelFormat format,
                   const Colourimetry& colour, AVPixelFormat rgb = AV_PIX_FMT_RGB24);

    /// `rgb` [height, width, 3] to a frame of the other format. The frame stays valid until the next call.
    AVFrame& fromRgb(std::span<const std::uint8_t> rgb);

    /// A frame of the other format to `rgb` [height, width, 3], of a converter that was made for RGBA
    /// [height, width, 4].
    void toRgb(const AVFrame& frame, std::span<std::uint8_t> rgb);

    /// Converts to 16 bits; the converter must be made for RGB48 or RGBA64.
    void toWideRgb(const AVFrame& frame, std::span<std::uint16_t> rgb);

    [[nodiscard]] bool fits(const AVFrame& frame) const;

  private:
    void convert(const AVFrame& from, AVFrame& to);
    void copyRgbRows(std::size_t rowBytes, std::byte* to) const;

    int m_width;
    int m_height;
    AVPixelFormat m_format;
    Colourimetry m_colour;
    ScalerPtr m_scaler;
    // swscale reads and writes past tight rows, so RGB passes through an aligned, padded frame.
    FramePtr m_rgb;
    FramePtr m_other;
};

/// Returns whether pixels of the format may be other than opaque.
bool hasAlpha(AVPixelFormat format);

/// Reads the colourimetry that a decoded frame declares.
Colourimetry readColourimetry(const AVFrame& frame);

}  // namespace meshreel
