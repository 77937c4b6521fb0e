// SPDX-License-Identifier: GPL-3.0-or-later

extern "C" {
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/pixdesc.h>
}

#include "engine/media/container_source.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/media/alpha.h"
#include "engine/media/colour_profile.h"
#include "engine/media/fields.h"
#include "engine/media/image.h"
#include "engine/media/orientation.h"
#include "engine/media/video_reader.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// A variable-size integer of EBML, in which Matroska is written.
struct VariableInteger {
    std::uint64_t withMarker;  ///< as identifiers are written
    std::uint64_t value;
    bool unknown;  ///< all value bits set: "size not known"
};

/// The number of leading zero bits of the first byte is the number of bytes that follow it.
std::optional<VariableInteger> readInteger(std::istream& in) {
    constexpr int maxLength = 8;  // bytes
    const int first = in.get();
    if (first <= 0)
        return std::nullopt;
    const int following = std::countl_zero(static_cast<std::uint8_t>(first));
    if (following >= maxLength)
        return std::nullopt;
    auto number = static_cast<std::uint64_t>(first);
    for (int i = 0; i < following; ++i)
        number = number << 8U | static_cast<std::uint8_t>(in.get());
    const int valueBits = 7 * (following + 1);
    const std::uint64_t mask = (std::uint64_t{1} << static_cast<unsigned>(valueBits)) - 1;
    if (!in)
        return std::nullopt;
    return VariableInteger{number, number & mask, (number & mask) == mask};
}

/// Returns how many bytes a Matroska or WebM file lacks of the Segment size in its header (RFC 8794, RFC
/// 9559); 0 when it is complete, states no size, or has another format. libavformat ends such a file early
/// without an error.
std::uint64_t missingMatroskaBytes(const fs::path& file) {
    constexpr std::uint64_t headerId = 0x1A45DFA3;
    constexpr std::uint64_t segmentId = 0x18538067;
    std::ifstream in(file, std::ios::binary);
    const auto header = readInteger(in);
    const auto headerSize = header && header->withMarker == headerId ? readInteger(in) : std::nullopt;
    if (!headerSize)
        return 0;
    in.seekg(static_cast<std::streamoff>(headerSize->value), std::ios::cur);
    const auto segment = readInteger(in);
    const auto segmentSize = segment && segment->withMarker == segmentId ? readInteger(in) : std::nullopt;
    if (!segmentSize || segmentSize->unknown)
        return 0;
    const std::uint64_t end = static_cast<std::uint64_t>(in.tellg()) + segmentSize->value;
    const std::uint64_t present = fs::file_size(file);
    return end > present ? end - present : 0;
}

// Formats that hold frames themselves: a file cannot make us open other files or the network.
constexpr const char* allowedFormats =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,gif,avi,mpegts,ogg,apng,png_pipe,jpeg_pipe,bmp_pipe,tiff_pipe,"
    "webp_pipe";

constexpr std::size_t rgbaChannels = 4;

/// libav's name of the format when the file begins as a JPEG: what phones append to it (a video, a second
/// picture, a map of its brightness) misleads libav's own guess. Null for others.
const char* pictureFormat(const fs::path& file) {
    constexpr std::string_view jpegStart = "\xFF\xD8\xFF";
    std::array<char, jpegStart.size()> start{};
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), start.size());
    return in && std::string_view(start.data(), start.size()) == jpegStart ? "jpeg_pipe" : nullptr;
}

Sentence fix() {
    return sentence("Choose an MP4, WebM, GIF or WebP video or a PNG or JPEG image");
}

Sentence damagedFix() {
    return sentence("The file is damaged or incomplete: copy or write it again");
}

std::string nameOr(const char* name) {
    return name == nullptr ? "unknown" : name;
}

ColourTags readTags(const AVCodecParameters& codec) {
    return {nameOr(av_color_space_name(codec.color_space)),
            nameOr(av_color_primaries_name(codec.color_primaries)),
            nameOr(av_color_transfer_name(codec.color_trc)), nameOr(av_color_range_name(codec.color_range))};
}

bool isStillImage(const AVFormatContext& input) {
    return std::string_view(input.iformat->name).ends_with("_pipe");
}

double rateOf(const AVFormatContext& input, const AVStream& stream) {
    constexpr double stillImageRate = 25.0;  // what libav makes up for a picture without a time
    const AVRational rate = stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate;
    if (rate.num <= 0 || rate.den <= 0 || (isStillImage(input) && av_q2d(rate) == stillImageRate))
        return 0.0;
    return av_q2d(rate);
}

/// Animated pictures: what they say of the shape of pixels, no browser looks at.
bool showsEveryImage(AVCodecID codec) {
    return codec == AV_CODEC_ID_GIF || codec == AV_CODEC_ID_APNG;
}

/// Whether each packet shows exactly one frame: nothing refers to another frame.
bool showsEveryPacket(AVCodecID codec) {
    const AVCodecDescriptor* description = avcodec_descriptor_get(codec);
    return showsEveryImage(codec) ||
           (description != nullptr && (description->props & AV_CODEC_PROP_INTRA_ONLY) != 0);
}

/// Whether the packet's frame is decoded and not shown: an edit list hides it, or VP8's frame tag (RFC 6386,
/// 9.1) says that only other frames refer to it.
bool isHidden(const AVPacket& packet, AVCodecID codec) {
    constexpr std::uint8_t showFrame = 0x10;
    return (packet.flags & AV_PKT_FLAG_DISCARD) != 0 ||
           (codec == AV_CODEC_ID_VP8 && packet.size > 0 && (packet.data[0] & showFrame) == 0);
}

bool isMov(const AVFormatContext& input) {
    return std::string_view(input.iformat->name).starts_with("mov");
}

bool isAvi(const AVFormatContext& input) {
    return std::string_view(input.iformat->name) == "avi";
}

/// Whether an AVI has all that its outermost chunks, of which the large ones have several, say.
bool isWholeAvi(const fs::path& file) {
    constexpr std::size_t headBytes = 8;  // "RIFF" and how many bytes follow
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(file, failure);
    std::ifstream in(file, std::ios::binary);
    std::uintmax_t end = 0;
    for (std::array<char, headBytes> head{}; !failure && end + headBytes <= bytes;) {
        in.seekg(static_cast<std::streamoff>(end));
        in.read(head.data(), head.size());
        std::uint32_t size = 0;
        std::memcpy(&size, head.data() + 4, sizeof(size));
        if (!in || std::string_view(head.data(), 4) != "RIFF" || size == 0)
            break;
        end += headBytes + size + size % 2;
    }
    return end > 0 && end <= bytes + 1;
}

/// Whether the index of an MP4 lists bytes behind the end of the file.
bool listsMissingBytes(AVStream& stream, const fs::path& file) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(file, failure);
    const int entries = avformat_index_get_entries_count(&stream);
    for (int i = 0; i < entries && !failure; ++i) {
        const AVIndexEntry* entry = avformat_index_get_entry(&stream, i);
        if (entry->pos >= 0 && static_cast<std::uintmax_t>(entry->pos) + std::uintmax_t(entry->size) > bytes)
            return true;
    }
    return false;
}

}  // namespace

BoundedInput ContainerSource::open(const fs::path& file) {
    BoundedInput input(file);
    if (const int code = input.open(allowedFormats, pictureFormat(file)); code < 0)
        throw Error(ErrorKind::Input,
                    sentence("this is not a video or image that can be read ({})", libavReason(code)),
                    file.string(), fix());
    if (const int code = input.findStreams(); code < 0)
        throw Error(ErrorKind::Input, sentence("the video cannot be read ({})", libavReason(code)),
                    file.string(), damagedFix());
    if (const std::uint64_t missing = missingMatroskaBytes(file); missing > 0)
        throw Error(ErrorKind::Input, sentence("the last {} bytes of the video are missing", missing),
                    file.string(), damagedFix());
    return input;
}

ContainerSource::PacketSurvey ContainerSource::surveyPackets(const fs::path& file, int stream) {
    BoundedInput input = open(file);
    const PacketPtr packet = requireAllocated(PacketPtr(av_packet_alloc()));
    AVStream& surveyed = *input->streams[stream];
    PacketSurvey survey;
    std::int64_t packets = 0;
    std::vector<double> times;
    while (input.readPacket(*packet) >= 0) {
        if (packet->stream_index == stream) {
            requireWithin(Limit::VideoFrames, static_cast<std::uint64_t>(++packets), file.string());
            if (!isHidden(*packet, surveyed.codecpar->codec_id)) {
                ++survey.frames;
                const std::int64_t time = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
                if (time != AV_NOPTS_VALUE)
                    times.push_back(static_cast<double>(time));
            }
        }
        av_packet_unref(packet.get());
        if (packets > 0 && isStillImage(*input))
            break;  // what follows the picture is none of it
    }
    survey.listed = std::max(surveyed.nb_frames, packets);
    std::ranges::sort(times);
    survey.variableRate = isVariableRate(times);
    if (times.size() > 1 && times.back() > times.front())
        survey.meanRate = static_cast<double>(times.size() - 1) /
                          ((times.back() - times.front()) * av_q2d(surveyed.time_base));
    // The index of an MP4 keeps what its edit list leaves out, and the header of an AVI counts frames that
    // the recorder dropped: there the count says nothing.
    survey.cutShort = isMov(*input) ? listsMissingBytes(surveyed, file)
                                    : surveyed.nb_frames > packets && !(isAvi(*input) && isWholeAvi(file));
    return survey;
}

ContainerSource::ContainerSource(const fs::path& file)
    : m_file(file),
      m_input(open(file)),
      m_packet(requireAllocated(PacketPtr(av_packet_alloc()))),
      m_frame(requireAllocated(FramePtr(av_frame_alloc()))) {
    const AVCodec* codec = nullptr;
    m_stream = av_find_best_stream(m_input.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    if (m_stream < 0 || codec == nullptr)
        throw Error(ErrorKind::Input, sentence("there is no video in this file that can be decoded"),
                    file.string(), fix());
    refuseDolbyVision();
    requireSize();
    refuseAlphaBeside();
    const AVCodec* ofAlpha = decoderOfAlpha();
    openDecoder(ofAlpha != nullptr ? *ofAlpha : *codec);
    readHeader(surveyPackets(file, m_stream));
}

void ContainerSource::requireSize() const {
    const AVCodecParameters& parameters = *m_input->streams[m_stream]->codecpar;
    if (parameters.width <= 0 || parameters.height <= 0)
        throw Error(ErrorKind::Input,
                    sentence("the video has no size, or one of more than {} pixels",
                             limitValue(Limit::PicturePixels)),
                    m_file.string(), damagedFix());
    if (isStillImage(*m_input))
        requirePictureSize(parameters, m_file);
    else
        requireFrameSize(parameters, m_file);
}

void ContainerSource::readHeader(const PacketSurvey& survey) {
    const AVStream& stream = *m_input->streams[m_stream];
    const AVCodecParameters& parameters = *stream.codecpar;
    m_info.width = parameters.width;
    m_info.height = parameters.height;
    m_info.frames = survey.frames;
    m_info.framesExact = showsEveryPacket(parameters.codec_id);
    m_info.fps = rateOf(*m_input, stream);
    // A recorder that writes an AVI faster than it records fills up with frames that it dropped.
    if (isAvi(*m_input) && survey.listed > survey.frames && survey.meanRate > 0.0)
        m_info.fps = survey.meanRate;
    m_info.variableRate = m_info.fps > 0.0 && survey.variableRate;
    m_framesListed = survey.listed;
    m_cutShort = survey.cutShort;
    m_info.codec = avcodec_get_name(parameters.codec_id);
    m_info.pixelFormat = nameOr(av_get_pix_fmt_name(static_cast<AVPixelFormat>(parameters.format)));
    m_info.colour = readTags(parameters);
    m_info.mayHaveAlpha =
        hasAlpha(static_cast<AVPixelFormat>(parameters.format)) || decoderOfAlpha() != nullptr;
    m_info.metadata = LibavDictionary::lowerCased(m_input->metadata);
    m_orientation = storedOrientation();
}

Orientation ContainerSource::storedOrientation() const {
    if (isStillImage(*m_input))
        return exifOrientation(readFile(m_file, Limit::Picture));
    std::array<std::int32_t, 9> matrix{};
    std::size_t bytes = 0;
    const std::uint8_t* stored =
        av_stream_get_side_data(m_input->streams[m_stream], AV_PKT_DATA_DISPLAYMATRIX, &bytes);
    if (stored == nullptr || bytes != sizeof(matrix))
        return Orientation::Upright;
    std::memcpy(matrix.data(), stored, sizeof(matrix));
    return orientationOfMatrix(matrix);
}

double ContainerSource::pixelWidth() const {
    constexpr double widest = 4.0;    // beyond that no camera or disc goes
    constexpr double square = 0.005;  // encoders round 1 to such as 4096:4095
    const AVStream& stream = *m_input->streams[m_stream];
    const AVRational stored = stream.sample_aspect_ratio.num > 0 ? stream.sample_aspect_ratio
                                                                 : stream.codecpar->sample_aspect_ratio;
    if (isStillImage(*m_input) || showsEveryImage(stream.codecpar->codec_id) || stored.num <= 0 ||
        stored.den <= 0)
        return 1.0;
    const double width = av_q2d(stored);
    return width > widest || width < 1 / widest || std::abs(width - 1) < square ? 1.0 : width;
}

/// VP8 and VP9 keep alpha in a second stream of their own, which only libvpx decodes.
const AVCodec* ContainerSource::decoderOfAlpha() const {
    const AVStream& stream = *m_input->streams[m_stream];
    const AVCodecID codec = stream.codecpar->codec_id;
    const AVDictionaryEntry* mode = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    if (mode == nullptr || std::string_view(mode->value) != "1" ||
        (codec != AV_CODEC_ID_VP9 && codec != AV_CODEC_ID_VP8))
        return nullptr;
    const AVCodec* decoder = avcodec_find_decoder_by_name(codec == AV_CODEC_ID_VP9 ? "libvpx-vp9" : "libvpx");
    if (decoder == nullptr)
        throw Error(
            ErrorKind::Input,
            sentence("the transparency of this video is in a second stream, which only libvpx decodes, "
                     "and this system's libavcodec has no libvpx"),
            m_file.string(), sentence("Install the full libavcodec, or convert the video to ProRes 4444"));
    return decoder;
}

/// AVIF and HEIF keep alpha in a picture of its own, which libavformat leaves out.
void ContainerSource::refuseAlphaBeside() const {
    static constexpr std::array pictureBrands{"avif", "avis", "mif1", "msf1", "heic", "heix"};
    static constexpr std::array alphaNames{"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
                                           "urn:mpeg:hevc:2015:auxid:1"};  // ISO/IEC 23008-12
    const AVDictionaryEntry* brand = av_dict_get(m_input->metadata, "major_brand", nullptr, 0);
    if (brand == nullptr ||
        std::ranges::find(pictureBrands, std::string_view(brand->value)) == pictureBrands.end())
        return;
    const std::string bytes = readFile(m_file, Limit::Picture);
    if (std::ranges::any_of(alphaNames,
                            [&](const char* name) { return bytes.find(name) != std::string::npos; }))
        throw Error(ErrorKind::Input,
                    sentence("the transparency of this picture is in a second picture of the file, which "
                             "Meshreel does not read"),
                    m_file.string(), sentence("Convert it to PNG or WebP"));
}

/// Frames without a time of their own come at the stream's rate.
void ContainerSource::noteTime() {
    const std::int64_t time = m_frame->best_effort_timestamp;
    if (m_framesRead == 0)
        m_firstTime = time;
    if (m_info.fps <= 0.0)
        return;
    m_seconds = time == AV_NOPTS_VALUE || m_firstTime == AV_NOPTS_VALUE
                    ? static_cast<double>(m_framesRead) / m_info.fps
                    : static_cast<double>(time - m_firstTime) * av_q2d(m_input->streams[m_stream]->time_base);
}

void ContainerSource::openDecoder(const AVCodec& codec) {
    m_decoder = requireAllocated(CodecPtr(avcodec_alloc_context3(&codec)));
    m_decoder->err_recognition = AV_EF_EXPLODE | AV_EF_BITSTREAM | AV_EF_BUFFER;
    m_decoder->thread_count = 1;
    m_decoder->flags |= AV_CODEC_FLAG_BITEXACT;
    LibavDictionary options;
    options.set("max_pixels", mostPixels());
    int code = avcodec_parameters_to_context(m_decoder.get(), m_input->streams[m_stream]->codecpar);
    if (code >= 0)
        code = avcodec_open2(m_decoder.get(), &codec, options.get());
    if (code < 0)
        throw Error(ErrorKind::Input,
                    sentence("the video's {} stream cannot be decoded ({})", codec.name, libavReason(code)),
                    m_file.string(), damagedFix());
}

void ContainerSource::throwDamaged(int code) const {
    throw Error(
        ErrorKind::Input,
        sentence("frame {} of {} cannot be read ({})", m_framesRead + 1, m_framesListed, libavReason(code)),
        m_file.string(), damagedFix());
}

void ContainerSource::feedDecoder() {
    int code = 0;
    do {
        av_packet_unref(m_packet.get());
        code = m_input.readPacket(*m_packet);
    } while (code >= 0 && m_packet->stream_index != m_stream);
    if (code >= 0 && (m_packet->flags & AV_PKT_FLAG_CORRUPT) != 0)
        throwDamaged(AVERROR_INVALIDDATA);
    if (code >= 0)
        watchForCutStart();
    if (code >= 0 && m_decoder->codec_id == AV_CODEC_ID_TIFF)
        prepareTiff();
    if (code >= 0 || code == AVERROR_EOF)
        code = avcodec_send_packet(m_decoder.get(), code == AVERROR_EOF ? nullptr : m_packet.get());
    if (code < 0)
        throwDamaged(code);
}

void ContainerSource::prepareTiff() {
    if (av_packet_make_writable(m_packet.get()) < 0)
        throw Error(ErrorKind::Resources, sentence("there is not enough memory for the picture"),
                    m_file.string());
    const std::span bytes(m_packet->data, static_cast<std::size_t>(m_packet->size));
    m_alphaStored = keepTagsOfPixels(std::as_writable_bytes(bytes), m_file);
}

/// Pictures that come before the first key frame and follow it in the file refer to frames that were cut off.
/// Decoders leave them out, and what they miss until the next key frame is no damage.
void ContainerSource::watchForCutStart() {
    const bool isKey = (m_packet->flags & AV_PKT_FLAG_KEY) != 0;
    if (isKey && m_firstKeyTime != AV_NOPTS_VALUE)
        m_decoder->err_recognition |= AV_EF_EXPLODE;
    else if (isKey)
        m_firstKeyTime = m_packet->pts;
    else if (m_packet->pts < m_firstKeyTime)  // or without a time, which is less than any
        m_decoder->err_recognition &= ~AV_EF_EXPLODE;
}

bool ContainerSource::receiveFrame() {
    int code = avcodec_receive_frame(m_decoder.get(), m_frame.get());
    while (code == AVERROR(EAGAIN)) {
        feedDecoder();
        code = avcodec_receive_frame(m_decoder.get(), m_frame.get());
    }
    if (code < 0 && code != AVERROR_EOF)
        throwDamaged(code);
    return code >= 0;
}

bool ContainerSource::nextFrame() {
    const bool isBehindPicture = m_framesRead > 0 && isStillImage(*m_input);
    if (isBehindPicture || !receiveFrame()) {
        if (m_cutShort || (m_info.framesExact && m_framesRead < m_info.frames))
            throwDamaged(AVERROR_EOF);
        return false;
    }
    if (m_frame->width != m_info.width || m_frame->height != m_info.height)
        throw Error(ErrorKind::Input, sentence("the picture changes its size at frame {}", m_framesRead + 1),
                    m_file.string(), sentence("Convert the video to one size first"));
    readTransfer();
    noteTime();
    ++m_framesRead;
    return true;
}

bool ContainerSource::skip() {
    if (!nextFrame())
        return false;
    if (m_framesRead == 1)
        noteTransparency();
    return true;
}

void ContainerSource::noteTransparency() {
    if (!hasAlpha(static_cast<AVPixelFormat>(m_frame->format)))
        return;
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(m_info.width) *
                                  static_cast<std::size_t>(m_info.height) * rgbChannels);
    convert(rgb);
}

/// What the frame says of itself stands above the container's word.
void ContainerSource::readTransfer() {
    if (m_frame->color_trc != AVCOL_TRC_UNSPECIFIED)
        m_info.colour.transfer = nameOr(av_color_transfer_name(m_frame->color_trc));
    if (m_frame->colorspace == AVCOL_SPC_UNSPECIFIED && !highDynamicRange(m_info).empty())
        m_frame->colorspace = AVCOL_SPC_BT2020_NCL;
}

/// Profile 5 holds colours that only its own metadata makes a picture of; the others stand on HLG or PQ.
void ContainerSource::refuseDolbyVision() const {
    constexpr int ownColours = 5;
    std::size_t bytes = 0;
    const std::uint8_t* stored =
        av_stream_get_side_data(m_input->streams[m_stream], AV_PKT_DATA_DOVI_CONF, &bytes);
    if (stored == nullptr || bytes < sizeof(AVDOVIDecoderConfigurationRecord))
        return;
    AVDOVIDecoderConfigurationRecord record{};
    std::memcpy(&record, stored, sizeof(record));
    if (record.dv_profile == ownColours)
        throw Error(ErrorKind::Input,
                    sentence("this is Dolby Vision of profile 5 (high dynamic range), whose colours Meshreel "
                             "does not read"),
                    m_file.string(),
                    sentence("Convert it with a program that knows Dolby Vision: {}",
                             "ffmpeg -i IN -vf libplacebo=colorspace=bt709:color_primaries=bt709:"
                             "color_trc=bt709:range=tv,format=yuv420p OUT.mp4"));
}

/// In cd/m²: of the brightest pixel, else of the display that the video was made on, else of most displays.
double ContainerSource::peakLight() const {
    constexpr double usual = 1000.0;
    if (const AVFrameSideData* light =
            av_frame_get_side_data(m_frame.get(), AV_FRAME_DATA_CONTENT_LIGHT_LEVEL))
        if (const auto* levels = reinterpret_cast<const AVContentLightMetadata*>(light->data);
            levels->MaxCLL > 0)
            return levels->MaxCLL;
    if (const AVFrameSideData* mastering =
            av_frame_get_side_data(m_frame.get(), AV_FRAME_DATA_MASTERING_DISPLAY_METADATA)) {
        const auto* display = reinterpret_cast<const AVMasteringDisplayMetadata*>(mastering->data);
        if (display->has_luminance != 0 && display->max_luminance.num > 0 && display->max_luminance.den > 0)
            return av_q2d(display->max_luminance);
    }
    return usual;
}

void ContainerSource::openConverter() {
    const std::string_view range = highDynamicRange(m_info);
    const auto format = static_cast<AVPixelFormat>(m_frame->format);
    m_hasAlpha = hasAlpha(format);
    const AVPixelFormat rgb = range.empty() ? (m_hasAlpha ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24)
                                            : (m_hasAlpha ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGB48);
    m_converter = std::make_unique<PixelConverter>(PixelConverter::Direction::ToRgb, m_info.width,
                                                   m_info.height, format, readColourimetry(*m_frame), rgb);
    m_toneMapper.reset();
    const std::size_t pixels =
        static_cast<std::size_t>(m_info.width) * static_cast<std::size_t>(m_info.height);
    if (m_hasAlpha)
        m_rgba.resize(pixels * rgbaChannels);
    if (range.empty())
        return;
    m_toneMapper =
        std::make_unique<ToneMapper>(range == "PQ" ? HdrTransfer::Pq : HdrTransfer::Hlg, peakLight());
    m_wide.resize(pixels * rgbChannels);
    if (m_hasAlpha)
        m_wideRgba.resize(pixels * rgbaChannels);
}

bool ContainerSource::read(std::span<std::uint8_t> rgb) {
    if (!nextFrame())
        return false;
    convert(rgb);
    finish(rgb);
    return true;
}

/// What is to be done to the bytes of colours: two fields become one picture, other colours sRGB's.
void ContainerSource::finish(std::span<std::uint8_t> rgb) const {
    if (m_frame->interlaced_frame != 0)
        removeComb(rgb, m_info.width, m_frame->top_field_first != 0 ? 1 : 0);
    const AVFrameSideData* stored = av_frame_get_side_data(m_frame.get(), AV_FRAME_DATA_ICC_PROFILE);
    if (stored == nullptr || m_toneMapper)
        return;
    if (const std::optional<ColourProfile> profile = ColourProfile::read({stored->data, stored->size}))
        profile->toSrgb(rgb);
}

void ContainerSource::convert(std::span<std::uint8_t> rgb) {
    if (!m_converter || !m_converter->fits(*m_frame))
        openConverter();
    if (!m_toneMapper && !m_hasAlpha) {
        m_converter->toRgb(*m_frame, rgb);
        return;
    }
    if (!m_toneMapper) {
        m_converter->toRgb(*m_frame, m_rgba);
    } else if (!m_hasAlpha) {
        m_converter->toWideRgb(*m_frame, m_wide);
        m_toneMapper->map(m_wide, rgb);
        return;
    } else {
        toneMapWithAlpha(rgb);
    }
    if (m_alphaStored == TiffAlpha::Premultiplied)
        unmultiplyAlpha(m_rgba);
    if (!readAlpha(m_rgba, m_alpha, rgb))
        return;
    // No JPEG is transparent: libav takes the fourth of four colours for alpha where the file does not name
    // them (CMYK without Adobe's mark).
    if (m_decoder->codec_id == AV_CODEC_ID_MJPEG)
        throw Error(ErrorKind::Input,
                    sentence("this JPEG has four colours (as for print) and does not say which"),
                    m_file.string(), sentence("Convert it to PNG or to a JPEG of red, green and blue"));
    m_info.transparent = true;
}

/// White is that of the result, so the colours are mapped before they are laid on it. `mapped` is scratch.
void ContainerSource::toneMapWithAlpha(std::span<std::uint8_t> mapped) {
    constexpr unsigned narrower = 8;  // bits
    m_converter->toWideRgb(*m_frame, m_wideRgba);
    for (std::size_t pixel = 0; pixel < m_wide.size() / rgbChannels; ++pixel)
        std::copy_n(m_wideRgba.begin() + static_cast<std::ptrdiff_t>(pixel * rgbaChannels), rgbChannels,
                    m_wide.begin() + static_cast<std::ptrdiff_t>(pixel * rgbChannels));
    m_toneMapper->map(m_wide, mapped);
    for (std::size_t pixel = 0; pixel < m_wide.size() / rgbChannels; ++pixel) {
        std::copy_n(mapped.begin() + static_cast<std::ptrdiff_t>(pixel * rgbChannels), rgbChannels,
                    m_rgba.begin() + static_cast<std::ptrdiff_t>(pixel * rgbaChannels));
        m_rgba[pixel * rgbaChannels + rgbChannels] =
            static_cast<std::uint8_t>(m_wideRgba[pixel * rgbaChannels + rgbChannels] >> narrower);
    }
}

}  // namespace meshreel
