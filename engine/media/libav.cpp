// SPDX-License-Identifier: GPL-3.0-or-later

extern "C" {
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include "engine/media/libav.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/write_failure.h"
#include "engine/media/image.h"

namespace meshreel {

LibavDictionary::LibavDictionary(const std::map<std::string, std::string>& entries) {
    for (const auto& [key, value] : entries)
        set(key, value);
}

void LibavDictionary::set(const std::string& key, const std::string& value) {
    if (av_dict_set(&m_entries, key.c_str(), value.c_str(), 0) < 0)
        throw Error(ErrorKind::Resources, sentence("there is not enough memory for the metadata"), key);
}

AVDictionary* LibavDictionary::release() {
    return std::exchange(m_entries, nullptr);
}

std::map<std::string, std::string> LibavDictionary::lowerCased(const AVDictionary* entries) {
    std::map<std::string, std::string> copy;
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(entries, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        std::string key = entry->key;
        std::ranges::transform(key, key.begin(),
                               [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
        copy[key] = entry->value;
    }
    return copy;
}

void quietLibav() {
    static std::once_flag once;
    std::call_once(once, [] { av_log_set_level(AV_LOG_QUIET); });
}

std::string libavReason(int code) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(code, text.data(), text.size());
    return text.data();
}

void throwLibavWriteError(int code, const std::filesystem::path& file) {
    throw writeFailure(sentence("the video could not be written ({})", libavReason(code)), file.string(),
                       AVUNERROR(code));
}

FramePtr makeFrame(int width, int height, AVPixelFormat format) {
    FramePtr frame = requireAllocated(FramePtr(av_frame_alloc()));
    frame->width = width;
    frame->height = height;
    frame->format = format;
    if (const int code = av_frame_get_buffer(frame.get(), 0); code < 0)
        throw Error(ErrorKind::Resources, sentence("a frame could not be allocated ({})", libavReason(code)),
                    {}, sentence("Close other programs or choose a smaller size"));
    return frame;
}

std::string fileUrl(const std::filesystem::path& file) {
    return "file:" + file.string();
}

namespace {

constexpr int firstHdHeight = 720;
constexpr int unity = 1 << 16;  // contrast and saturation of sws_setColorspaceDetails, 16.16 fixed point
// Exact rounding, every chroma sample interpolated, no shortcut that differs between CPUs; bilinear, because
// bicubic rings beside hard edges.
constexpr int scalerFlags =
    SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
// Chroma positions in 1/256 of a luma sample.
constexpr int chromaLeft = 0;
constexpr int chromaMiddle = 128;

struct ChromaPosition {
    int horizontal;
    int vertical;
};

bool isRgb(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return description != nullptr && (description->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

bool isFullRange(AVPixelFormat format, AVColorRange tagged) {
    if (tagged != AVCOL_RANGE_UNSPECIFIED)
        return tagged == AVCOL_RANGE_JPEG;
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    const bool gray = description != nullptr && description->nb_components < rgbChannels;
    return gray || isRgb(format) || format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P ||
           format == AV_PIX_FMT_YUVJ444P || format == AV_PIX_FMT_YUVJ440P;
}

int coefficientsFor(AVColorSpace tagged, int height) {
    const bool known = tagged != AVCOL_SPC_UNSPECIFIED && tagged != AVCOL_SPC_RGB;
    if (known)
        return tagged;
    return height >= firstHdHeight ? SWS_CS_ITU709 : SWS_CS_ITU601;
}

ChromaPosition positionOf(AVChromaLocation location) {
    switch (location) {
        case AVCHROMA_LOC_CENTER:
            return {chromaMiddle, chromaMiddle};
        case AVCHROMA_LOC_TOPLEFT:
            return {chromaLeft, chromaLeft};
        case AVCHROMA_LOC_TOP:
            return {chromaMiddle, chromaLeft};
        default:
            return {chromaLeft, chromaMiddle};
    }
}

[[noreturn]] void throwUnsupported(AVPixelFormat format) {
    const char* name = av_get_pix_fmt_name(format);
    const Sentence shown = name == nullptr ? sentence("unknown") : Sentence(name);
    throw Error(ErrorKind::Input, sentence("pixels of the format {} cannot be converted to RGB", shown), {},
                sentence("Convert the file to MP4 or PNG first"));
}

}  // namespace

bool hasAlpha(AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    return description != nullptr &&
           (description->flags & (AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL)) != 0;
}

Colourimetry readColourimetry(const AVFrame& frame) {
    return {frame.colorspace, frame.color_range, frame.chroma_location};
}

PixelConverter::PixelConverter(Direction direction, int width, int height, AVPixelFormat format,
                               const Colourimetry& colour, AVPixelFormat rgb)
    : m_width(width),
      m_height(height),
      m_format(format),
      m_colour(colour),
      m_scaler(requireAllocated(ScalerPtr(sws_alloc_context()))),
      m_rgb(makeFrame(width, height, rgb)) {
    const bool toRgb = direction == Direction::ToRgb;
    const ChromaPosition chroma = positionOf(colour.chroma);
    const std::string otherSide = toRgb ? "src" : "dst";
    SwsContext* scaler = m_scaler.get();
    av_opt_set_int(scaler, "srcw", width, 0);
    av_opt_set_int(scaler, "srch", height, 0);
    av_opt_set_int(scaler, "dstw", width, 0);
    av_opt_set_int(scaler, "dsth", height, 0);
    av_opt_set_int(scaler, "src_format", toRgb ? format : rgb, 0);
    av_opt_set_int(scaler, "dst_format", toRgb ? rgb : format, 0);
    av_opt_set_int(scaler, "sws_flags", scalerFlags, 0);
    // Where colours are as fine as brightness, a position would move them by part of a pixel.
    const AVPixFmtDescriptor* const layout = av_pix_fmt_desc_get(format);
    if (layout != nullptr && layout->log2_chroma_w > 0)
        av_opt_set_int(scaler, (otherSide + "_h_chr_pos").c_str(), chroma.horizontal, 0);
    if (layout != nullptr && layout->log2_chroma_h > 0)
        av_opt_set_int(scaler, (otherSide + "_v_chr_pos").c_str(), chroma.vertical, 0);

    if (sws_init_context(scaler, nullptr, nullptr) < 0)
        throwUnsupported(format);
    if (!isRgb(format)) {
        const int* matrix = sws_getCoefficients(coefficientsFor(colour.matrix, height));
        const int full = isFullRange(format, colour.range) ? 1 : 0;
        // RGB is always full range; its table is not looked at.
        if (sws_setColorspaceDetails(scaler, matrix, toRgb ? full : 1, matrix, toRgb ? 1 : full, 0, unity,
                                     unity) < 0)
            throwUnsupported(format);
    }
}

bool PixelConverter::fits(const AVFrame& frame) const {
    return frame.width == m_width && frame.height == m_height && frame.format == m_format &&
           readColourimetry(frame) == m_colour;
}

void PixelConverter::convert(const AVFrame& from, AVFrame& to) {
    if (sws_scale(m_scaler.get(), from.data, from.linesize, 0, m_height, to.data, to.linesize) != m_height)
        throw Error(ErrorKind::Internal, "swscale did not convert a whole frame");
}

AVFrame& PixelConverter::fromRgb(std::span<const std::uint8_t> rgb) {
    const auto rowBytes = static_cast<std::size_t>(m_width) * rgbChannels;
    for (int row = 0; row < m_height; ++row)
        std::memcpy(m_rgb->data[0] + std::ptrdiff_t{row} * m_rgb->linesize[0],
                    rgb.data() + static_cast<std::size_t>(row) * rowBytes, rowBytes);
    m_other = makeFrame(m_width, m_height, m_format);
    convert(*m_rgb, *m_other);
    m_other->colorspace = m_colour.matrix;
    m_other->color_range = m_colour.range;
    m_other->chroma_location = m_colour.chroma;
    return *m_other;
}

void PixelConverter::copyRgbRows(std::size_t rowBytes, std::byte* to) const {
    for (int row = 0; row < m_height; ++row)
        std::memcpy(to + static_cast<std::size_t>(row) * rowBytes,
                    m_rgb->data[0] + std::ptrdiff_t{row} * m_rgb->linesize[0], rowBytes);
}

void PixelConverter::toRgb(const AVFrame& frame, std::span<std::uint8_t> rgb) {
    convert(frame, *m_rgb);
    copyRgbRows(rgb.size() / static_cast<std::size_t>(m_height), std::as_writable_bytes(rgb).data());
}

void PixelConverter::toWideRgb(const AVFrame& frame, std::span<std::uint16_t> rgb) {
    convert(frame, *m_rgb);
    copyRgbRows(rgb.size_bytes() / static_cast<std::size_t>(m_height), std::as_writable_bytes(rgb).data());
}

}  // namespace meshreel
