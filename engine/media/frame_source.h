// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/alpha.h"
#include "engine/media/image_resize.h"
#include "engine/media/orientation.h"
#include "engine/media/video_reader.h"
#include "engine/tensor/tensor.h"

struct WebPAnimDecoder;

namespace meshreel {

/// The frames of one medium, first to last.
class FrameSource {
  public:
    FrameSource() = default;
    virtual ~FrameSource() = default;
    FrameSource(const FrameSource&) = delete;
    FrameSource& operator=(const FrameSource&) = delete;

    [[nodiscard]] const VideoInfo& info() const { return m_info; }

    /// Writes the next frame, [height, width, 3]; false after the last. Throws Error{Input} for a damaged
    /// frame.
    virtual bool read(std::span<std::uint8_t> rgb) = 0;

    /// read() for who needs only the count and the times, and of the first frame info().transparent.
    virtual bool skip();

    /// How read() takes pixels that are not opaque; on white unless this says otherwise.
    virtual void useAlpha(AlphaUse use) { m_alpha = use; }

    /// When the frame read last is shown, from the beginning; 0 for media without times (info().fps is 0).
    [[nodiscard]] double seconds() const { return m_seconds; }

  protected:
    VideoInfo m_info;
    double m_seconds = 0.0;
    AlphaUse m_alpha = AlphaUse::OnWhite;
};

/// Returns whether some frame is more than half a frame away from its place at the mean rate. `times` ascend,
/// in any unit.
bool isVariableRate(std::span<const double> times);

/// Throws Error{Input} unless `media` is a regular file that is not empty, or a folder: nothing is opened
/// that reading could wait for.
void requireMedium(const std::filesystem::path& media);

/// Picks the source by what is at `media`: a folder of frames, an animated WebP, a drawing of a mask
/// (DrawingSource), or anything libav knows, after requireMedium().
std::unique_ptr<FrameSource> openFrameSource(const std::filesystem::path& media);

/// A folder of numbered pictures (FrameFolder).
class FolderSource : public FrameSource {
  public:
    explicit FolderSource(const std::filesystem::path& folder);

    bool read(std::span<std::uint8_t> rgb) override;

  private:
    /// `held` leads to the next frame, whatever has its name by now.
    void readFrame(const std::filesystem::path& held, std::span<std::uint8_t> rgb);

    std::vector<std::filesystem::path> m_files;
    std::size_t m_next = 0;
};

/// The frames of another source, turned upright.
class UprightSource : public FrameSource {
  public:
    UprightSource(std::unique_ptr<FrameSource> source, Orientation orientation);

    bool read(std::span<std::uint8_t> rgb) override;
    bool skip() override;
    void useAlpha(AlphaUse use) override { m_source->useAlpha(use); }

  private:
    std::unique_ptr<FrameSource> m_source;
    Orientation m_orientation;
    Tensor m_stored;  // one frame
};

/// The frames of another source, whose pixels are not square, as wide as they are shown.
class SquareSource : public FrameSource {
  public:
    /// `pixelWidth`: of a stored pixel, in heights of it.
    SquareSource(std::unique_ptr<FrameSource> source, double pixelWidth);

    bool read(std::span<std::uint8_t> rgb) override;
    bool skip() override;
    void useAlpha(AlphaUse use) override { m_source->useAlpha(use); }

  private:
    std::unique_ptr<FrameSource> m_source;
    Tensor m_stored;  // one frame
};

enum class FrameFit : std::uint8_t {
    Stretch,  ///< the whole frame, whatever becomes of its form
    Cover,    ///< the middle of the frame, in its form
};

/// What a task takes of a video.
struct FrameSelection {
    double fps = 0.0;          ///< frames a second, see isSampled(); 0: the file's own frames
    std::int64_t frames = -1;  ///< the first ones, at most; -1: all
    std::int64_t height = 0;   ///< 0, with width 0: as the file has them
    std::int64_t width = 0;
    FrameFit fit = FrameFit::Stretch;
    Resampling filter = Resampling::Lanczos;
};

/// Returns whether frames are picked by their times, rather than one after the other: the medium's rate
/// differs by more than 1 % from `fps`, or varies. A picture and a folder of frames have the rate asked for.
bool isSampled(const VideoInfo& info, double fps);

/// Returns how many frames of the rate `fps` a medium gives that is sampled.
std::int64_t sampledFrames(double seconds, double fps);

/// Reads frames of a video, an animation or a folder of images, u8 [time, height, width, 3]. Sampling takes
/// the frame whose time is nearest, the earlier one of two. Holds a few frames of the file at a time, and
/// reads no further than needed. Throws Error{Input} as readVideo does, and for a file without frames.
Tensor readFrames(const std::filesystem::path& media, const FrameSelection& selection);
/// readFrames() of a source that nothing was read from; `media` is for messages.
Tensor readFrames(FrameSource& source, const std::filesystem::path& media, const FrameSelection& selection);

/// An animated WebP, which libavformat 5.1 does not read, by libwebpdemux.
class WebPSource : public FrameSource {
  public:
    /// Returns whether the file starts as an animated WebP does.
    static bool recognises(const std::filesystem::path& file);

    /// Throws Error{Input} when the file is damaged or cut off.
    explicit WebPSource(const std::filesystem::path& file);

    bool read(std::span<std::uint8_t> rgb) override;

  private:
    struct Deleter {
        void operator()(WebPAnimDecoder* decoder) const;
    };

    void readHeaders();
    void openDecoder();
    [[noreturn]] void throwDamaged(const Sentence& reason) const;

    std::filesystem::path m_file;
    std::string m_bytes;
    std::unique_ptr<WebPAnimDecoder, Deleter> m_decoder;  // holds two canvases: none before the first frame
    std::vector<double> m_times;                          // times of the frames, in seconds
    std::size_t m_next = 0;
};

}  // namespace meshreel
