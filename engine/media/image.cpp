// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/image.h"

#include <cstring>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/frame_source.h"
#include "engine/media/libav.h"

namespace meshreel {
namespace {

CodecPtr openPngEncoder(int width, int height) {
    quietLibav();
    const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_PNG);
    if (encoder == nullptr)
        throw Error(ErrorKind::Project, sentence("this system's libavcodec cannot write PNG"), {},
                    sentence("Install the full libavcodec"));
    CodecPtr codec = requireAllocated(CodecPtr(avcodec_alloc_context3(encoder)));
    codec->width = width;
    codec->height = height;
    codec->pix_fmt = AV_PIX_FMT_RGB24;
    codec->time_base = {1, 1};
    codec->thread_count = 1;
    codec->flags |= AV_CODEC_FLAG_BITEXACT;
    if (const int code = avcodec_open2(codec.get(), encoder, nullptr); code < 0)
        throw Error(ErrorKind::Project, sentence("an image of {}x{} cannot be written as PNG ({})", width,
                                                 height, libavReason(code)));
    return codec;
}

FramePtr rgbFrame(const Tensor& image) {
    FramePtr frame =
        makeFrame(static_cast<int>(image.extent(1)), static_cast<int>(image.extent(0)), AV_PIX_FMT_RGB24);
    const auto rowBytes = static_cast<std::size_t>(frame->width) * rgbChannels;
    for (int row = 0; row < frame->height; ++row)
        std::memcpy(frame->data[0] + std::ptrdiff_t{row} * frame->linesize[0],
                    image.raw() + static_cast<std::size_t>(row) * rowBytes, rowBytes);
    return frame;
}

}  // namespace

std::string encodePng(const Tensor& image) {
    if (image.shape().rank() != 3 || image.extent(2) != rgbChannels || image.dtype() != DType::U8)
        throw Error(ErrorKind::Internal, "a PNG needs u8 [height, width, 3], not " + image.shape().text());
    const FramePtr frame = rgbFrame(image);
    const CodecPtr codec = openPngEncoder(frame->width, frame->height);
    const PacketPtr packet = requireAllocated(PacketPtr(av_packet_alloc()));
    int code = avcodec_send_frame(codec.get(), frame.get());
    if (code >= 0)
        code = avcodec_receive_packet(codec.get(), packet.get());
    if (code < 0)
        throw Error(ErrorKind::Internal, "the PNG encoder failed (" + libavReason(code) + ")");
    return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
}

void writePng(const std::filesystem::path& file, const Tensor& image) {
    writeFileAtomically(file, encodePng(image));
}

void requireImageFile(const std::filesystem::path& file) {
    std::error_code failure;
    if (std::filesystem::is_directory(file, failure))
        throw Error(ErrorKind::Input, sentence("this is a folder, not an image"), file.string(),
                    sentence("Choose a PNG, JPEG, BMP, TIFF or WebP image"));
    requireMedium(file);
}

VideoInfo probeImage(const std::filesystem::path& file) {
    requireImageFile(file);
    return probeFirstFrame(file);
}

Tensor readImage(const std::filesystem::path& file) {
    requireImageFile(file);
    const std::unique_ptr<FrameSource> source = openFrameSource(file);
    Tensor image = Tensor::empty({source->info().height, source->info().width, rgbChannels}, DType::U8);
    if (!source->read(image.data<std::uint8_t>()))
        throw Error(ErrorKind::Input, sentence("there is no picture in this file"), file.string(),
                    sentence("Choose a PNG, JPEG, BMP, TIFF or WebP image"));
    return image;
}

}  // namespace meshreel
