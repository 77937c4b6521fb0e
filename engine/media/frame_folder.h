// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/sentence.h"

namespace meshreel {

/// "frame_00001.png" for index 0.
std::string frameFileName(std::int64_t index);

/// Returns whether a file is named like frameFileName().
bool isFrameFile(const std::filesystem::path& file);

/// A folder of pictures that are the frames of a video. Their names are one text with a number in it
/// ("frame_00001.png", "shot-2.jpg", "0007.webp"). The number counts, whatever its zeros: 2 comes before 10.
struct FrameFolder {
    std::vector<std::filesystem::path> files;  ///< first to last, regular files of the folder, never empty
    std::vector<Sentence> remarks;             ///< missing numbers, and other entries, which are skipped

    /// Throws Error{Input} for a folder that cannot be read or holds no such pictures, when two of them have
    /// the same number or it is not clear which of several series is meant, and for a frame that is a link
    /// out of the folder or not a regular file.
    static FrameFolder read(const std::filesystem::path& folder);
};

}  // namespace meshreel
