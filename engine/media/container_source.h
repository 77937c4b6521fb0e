// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/media/bounded_input.h"
#include "engine/media/frame_source.h"
#include "engine/media/libav.h"
#include "engine/media/orientation.h"
#include "engine/media/tiff_directory.h"
#include "engine/media/tone_mapping.h"

namespace meshreel {

/// The first video stream of a file that libavformat opens: MP4, WebM, GIF, AVI, still images.
class ContainerSource : public FrameSource {
  public:
    explicit ContainerSource(const std::filesystem::path& file);

    bool read(std::span<std::uint8_t> rgb) override;
    bool skip() override;

    /// Returns how the file says that its pictures must be turned.
    [[nodiscard]] Orientation orientation() const { return m_orientation; }

    /// Returns how wide a stored pixel is shown, in heights of it; 1 for pictures and where the file says
    /// nothing that makes sense.
    [[nodiscard]] double pixelWidth() const;

  private:
    static BoundedInput open(const std::filesystem::path& file);
    /// What the packets of a stream say of its frames, without decoding them.
    struct PacketSurvey {
        std::int64_t frames = 0;  // without those that an edit list or the codec hides
        std::int64_t listed = 0;  // packets that the container's header promises
        bool variableRate = false;
        double meanRate = 0.0;  // of the frames that are there; 0 when they have no times
        bool cutShort = false;  // the file ends before what it lists
    };
    static PacketSurvey surveyPackets(const std::filesystem::path& file, int stream);
    void requireSize() const;
    void openDecoder(const AVCodec& codec);
    void readHeader(const PacketSurvey& survey);
    bool nextFrame();
    [[nodiscard]] Orientation storedOrientation() const;
    [[nodiscard]] double peakLight() const;
    void refuseDolbyVision() const;
    void readTransfer();
    void openConverter();
    void convert(std::span<std::uint8_t> rgb);
    void finish(std::span<std::uint8_t> rgb) const;
    void toneMapWithAlpha(std::span<std::uint8_t> mapped);
    void noteTransparency();
    [[nodiscard]] const AVCodec* decoderOfAlpha() const;
    void noteTime();
    bool receiveFrame();
    void watchForCutStart();
    void feedDecoder();
    void prepareTiff();
    void refuseAlphaBeside() const;
    [[noreturn]] void throwDamaged(int code) const;

    std::filesystem::path m_file;
    BoundedInput m_input;
    int m_stream = 0;
    CodecPtr m_decoder;
    PacketPtr m_packet;
    FramePtr m_frame;
    std::unique_ptr<PixelConverter> m_converter;
    std::unique_ptr<ToneMapper> m_toneMapper;  // set, as the converter is, for high dynamic range
    std::vector<std::uint16_t> m_wide;         // a frame before it
    bool m_hasAlpha = false;                   // the frames that the converter takes have alpha
    std::vector<std::uint8_t> m_rgba;          // a frame with alpha
    std::vector<std::uint16_t> m_wideRgba;
    TiffAlpha m_alphaStored = TiffAlpha::Straight;
    std::int64_t m_framesRead = 0;
    std::int64_t m_framesListed = 0;  // according to the file
    bool m_cutShort = false;          // reading on to its end is an error
    std::int64_t m_firstKeyTime = AV_NOPTS_VALUE;
    std::int64_t m_firstTime = 0;  // in the stream's time base
    Orientation m_orientation = Orientation::Upright;
};

}  // namespace meshreel
