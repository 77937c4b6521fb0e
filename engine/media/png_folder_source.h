// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "engine/media/frame_source.h"

namespace meshreel {

/// "frame_00001.png" for index 0.
std::string frameFileName(std::int64_t index);

/// Whether it is named like one of them.
bool isFrameFile(const std::filesystem::path& file);

/// The frames of a folder, in the order of their names; those are regular files of the folder. Throws
/// Error{Input} for a folder without any or that cannot be read, and for a frame that is a link out of the
/// folder or no regular file.
std::vector<std::filesystem::path> frameFiles(const std::filesystem::path& folder);

/// A folder of frame_NNNNN.png, in the order of their names.
class PngFolderSource : public FrameSource {
  public:
    explicit PngFolderSource(const std::filesystem::path& folder);

    bool read(std::span<std::uint8_t> rgb) override;

  private:
    std::vector<std::filesystem::path> m_files;
    std::size_t m_next = 0;
};

}  // namespace meshreel
