// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "engine/base/limits.h"
#include "engine/media/libav.h"

namespace meshreel {

/// A file that libavformat reads through us. libavformat keeps everything before the first packet, and each
/// packet, in memory, and searches any number of bytes for the next packet; here none of these exceeds its
/// limit, and none computes for longer than Limit::MediaSeconds.
class BoundedInput {
  public:
    /// Reads nothing yet. Throws Error{Input} for a file that cannot be opened.
    explicit BoundedInput(const std::filesystem::path& file);

    // Each gives libav's code, and throws as requireWithin() where the file goes beyond the limit.

    /// Opens with the given formats, comma-separated, or with `format` alone where it is known; reads up to
    /// Limit::MediaHeader.
    [[nodiscard]] int open(const char* formats, const char* format = nullptr);
    /// Reads up to Limit::Picture. Decoders that it opens refuse pictures beyond Limit::PicturePixels.
    [[nodiscard]] int findStreams();
    /// Reads a packet within the same limit.
    [[nodiscard]] int readPacket(AVPacket& packet);

    [[nodiscard]] AVFormatContext* get() const { return m_file->context; }
    AVFormatContext& operator*() const { return *m_file->context; }
    AVFormatContext* operator->() const { return m_file->context; }

  private:
    /// Stays where it is: libav knows its address.
    struct File {
        explicit File(std::filesystem::path opened);
        ~File();
        File(const File&) = delete;
        File& operator=(const File&) = delete;
        static int read(void* self, std::uint8_t* to, int bytes);
        static std::int64_t seek(void* self, std::int64_t offset, int whence);
        int within(Limit most, const std::function<int()>& work);

        std::filesystem::path path;
        int descriptor;
        AVIOContext* bytes = nullptr;
        AVFormatContext* context = nullptr;
        Limit limit = Limit::MediaHeader;
        std::uint64_t taken = 0;   ///< bytes since the call began
        std::uint64_t begun = 0;   ///< seconds that this thread had computed when it began
        std::uint64_t lasted = 0;  ///< seconds of computing, when last looked at
    };

    std::unique_ptr<File> m_file;
};

/// Returns the value of a decoder's max_pixels.
std::string mostPixels();

/// Throws Error{Input} for a picture of more than Limit::PicturePixels; those of more than 8 bits a colour
/// take twice the memory and count twice.
void requirePictureSize(const AVCodecParameters& picture, const std::filesystem::path& file);

/// Throws Error{Input} for frames of more than Limit::VideoFrame.
void requireFrameSize(const AVCodecParameters& video, const std::filesystem::path& file);

/// Throws Error{Input} for a PNG whose packed texts and profile are larger than Limit::PackedText, and for a
/// JPEG of more than Limit::JpegScans; nothing else of the file is checked.
void requireHonestPicture(const std::filesystem::path& file);

}  // namespace meshreel
