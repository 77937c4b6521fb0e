// SPDX-License-Identifier: GPL-3.0-or-later

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
}

#include "engine/media/bounded_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr int blockBytes = 64 * 1024;
constexpr std::string_view pngStart = "\x89PNG\r\n\x1a\n";

/// libav's own checks of sizes go up to 2 GiB for each of any number of blocks.
void boundAllocations() {
    constexpr std::uint64_t largestPixel = 4;  // bytes; wider ones count twice
    constexpr std::uint64_t padding = 64UL << 20U;
    av_max_alloc(static_cast<std::size_t>(limitValue(Limit::PicturePixels) * largestPixel + padding));
}

/// For the decoders that libav opens to find out what the streams are: one dictionary a stream.
class StreamOptions {
  public:
    explicit StreamOptions(unsigned streams) : m_entries(streams, nullptr) {
        for (AVDictionary*& each : m_entries)
            av_dict_set(&each, "max_pixels", mostPixels().c_str(), 0);
    }
    ~StreamOptions() {
        for (AVDictionary*& each : m_entries)
            av_dict_free(&each);
    }
    StreamOptions(const StreamOptions&) = delete;
    StreamOptions& operator=(const StreamOptions&) = delete;

    [[nodiscard]] AVDictionary** get() const { return m_entries.data(); }

  private:
    mutable std::vector<AVDictionary*> m_entries;  // libav takes what it knows
};

/// Returns the seconds of this thread, rounded down.
std::uint64_t secondsComputed() {
    struct timespec time {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec);
}

std::uint64_t countPixels(const AVCodecParameters& picture) {
    return static_cast<std::uint64_t>(picture.width) * static_cast<std::uint64_t>(picture.height);
}

/// A chunk is its length, its name, the bytes and a checksum.
void requireSmallTexts(std::string_view png, const fs::path& file) {
    constexpr std::size_t headBytes = 8;
    constexpr std::size_t checksumBytes = 4;
    std::uint64_t packed = 0;
    std::uint64_t texts = 0;
    for (std::size_t at = pngStart.size(); at + headBytes <= png.size();) {
        std::size_t length = 0;
        for (const char byte : png.substr(at, 4))
            length = length << 8U | static_cast<unsigned char>(byte);
        const std::string_view name = png.substr(at + 4, 4);
        if (name == "zTXt" || name == "iTXt" || name == "iCCP")
            packed += length;
        texts += name == "tEXt" || name == "zTXt" || name == "iTXt" ? 1 : 0;
        requireWithin(Limit::PictureTexts, texts, file.string());
        requireWithin(Limit::PackedText, packed, file.string());
        at += headBytes + length + checksumBytes;
    }
}

/// Each scan goes over the whole picture, however few bytes it has.
void requireFewScans(std::string_view jpeg, const fs::path& file) {
    constexpr std::string_view startOfScan =
        "\xFF\xDA";  // a few stand by chance in what describes the picture
    std::uint64_t scans = 0;
    for (std::size_t at = jpeg.find(startOfScan); at != std::string_view::npos;
         at = jpeg.find(startOfScan, at + startOfScan.size()))
        requireWithin(Limit::JpegScans, ++scans, file.string());
}

}  // namespace

BoundedInput::File::File(fs::path opened)
    : path(std::move(opened)), descriptor(openUnlessPipe(path, O_RDONLY)) {
    if (descriptor < 0)
        throw Error(ErrorKind::Input, sentence("the file cannot be read ({})", std::strerror(errno)),
                    path.string(), sentence("Check its permissions"));
}

BoundedInput::File::~File() {
    avformat_close_input(&context);
    if (bytes != nullptr)
        av_freep(&bytes->buffer);
    avio_context_free(&bytes);
    ::close(descriptor);
}

int BoundedInput::File::within(Limit most, const std::function<int()>& work) {
    limit = most;
    taken = 0;
    begun = secondsComputed();
    lasted = 0;
    const int code = work();
    requireWithin(limit, taken, path.string());
    requireWithin(Limit::MediaSeconds, lasted, path.string());
    return code;
}

int BoundedInput::File::read(void* self, std::uint8_t* to, int bytes) {
    auto& file = *static_cast<File*>(self);
    file.lasted = secondsComputed() - file.begun;
    if (file.taken > limitValue(file.limit) || file.lasted > limitValue(Limit::MediaSeconds))
        return AVERROR_EOF;
    ssize_t got = 0;
    do
        got = ::read(file.descriptor, to, static_cast<std::size_t>(bytes));
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return AVERROR(errno);
    file.taken += static_cast<std::uint64_t>(got);
    return got == 0 ? AVERROR_EOF : static_cast<int>(got);
}

std::int64_t BoundedInput::File::seek(void* self, std::int64_t offset, int whence) {
    const auto& file = *static_cast<const File*>(self);
    if ((whence & AVSEEK_SIZE) != 0) {
        struct stat status {};
        return ::fstat(file.descriptor, &status) != 0 ? AVERROR(errno)
                                                      : static_cast<std::int64_t>(status.st_size);
    }
    const off_t place = ::lseek(file.descriptor, offset, whence & ~AVSEEK_FORCE);
    return place < 0 ? AVERROR(errno) : place;
}

BoundedInput::BoundedInput(const fs::path& file) : m_file(std::make_unique<File>(file)) {}

int BoundedInput::open(const char* formats, const char* format) {
    quietLibav();
    boundAllocations();
    auto* block = static_cast<unsigned char*>(av_malloc(blockBytes));
    if (block == nullptr)
        return AVERROR(ENOMEM);
    m_file->bytes = avio_alloc_context(block, blockBytes, 0, m_file.get(), &File::read, nullptr, &File::seek);
    m_file->context = avformat_alloc_context();
    if (m_file->bytes == nullptr || m_file->context == nullptr)
        return AVERROR(ENOMEM);
    m_file->context->pb = m_file->bytes;
    LibavDictionary options({{"format_whitelist", formats}, {"protocol_whitelist", "file"}});
    return m_file->within(Limit::MediaHeader, [&] {
        return avformat_open_input(&m_file->context, fileUrl(m_file->path).c_str(),
                                   format == nullptr ? nullptr : av_find_input_format(format), options.get());
    });
}

int BoundedInput::findStreams() {
    const StreamOptions options(m_file->context->nb_streams);
    return m_file->within(Limit::Picture,
                          [&] { return avformat_find_stream_info(m_file->context, options.get()); });
}

int BoundedInput::readPacket(AVPacket& packet) {
    return m_file->within(Limit::Picture, [&] { return av_read_frame(m_file->context, &packet); });
}

std::string mostPixels() {
    return std::to_string(limitValue(Limit::PicturePixels));
}

void requirePictureSize(const AVCodecParameters& picture, const fs::path& file) {
    constexpr int byteBits = 8;
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    const bool wide = format != nullptr && format->comp[0].depth > byteBits;
    requireWithin(Limit::PicturePixels, countPixels(picture) * (wide ? 2 : 1), file.string());
}

void requireFrameSize(const AVCodecParameters& video, const fs::path& file) {
    constexpr std::uint64_t byteBits = 8;
    constexpr int most = 64;  // where the format is not known yet
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(video.format));
    const int bits = format == nullptr ? most : av_get_padded_bits_per_pixel(format);
    requireWithin(Limit::VideoFrame, countPixels(video) * static_cast<std::uint64_t>(bits) / byteBits,
                  file.string());
}

void requireHonestPicture(const fs::path& file) {
    constexpr std::string_view jpegStart = "\xFF\xD8\xFF";
    std::array<char, pngStart.size()> start{};
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), start.size());
    const std::string_view begin(start.data(), static_cast<std::size_t>(in.gcount()));
    if (begin == pngStart)
        requireSmallTexts(readFile(file, Limit::Picture), file);
    else if (begin.starts_with(jpegStart))
        requireFewScans(readFile(file, Limit::Picture), file);
}

}  // namespace meshreel
