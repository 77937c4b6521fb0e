// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/frame_source.h"

struct WebPAnimDecoder;

namespace meshreel {

/// An animated WebP, which libavformat 5.1 does not read, by libwebpdemux. Where its canvas is not
/// opaque, its colours are read as they are.
class WebPSource : public FrameSource {
  public:
    /// Whether the file starts as an animated WebP does.
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
    std::vector<double> m_times;                          // of the frames, in seconds
    std::size_t m_next = 0;
};

}  // namespace meshreel
