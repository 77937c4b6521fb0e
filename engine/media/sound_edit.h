// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

#include "engine/media/video_writer.h"

namespace meshreel {

/// What becomes of the sound of a file before it is put under a video. Its loudness stays as it is, but for
/// the fades.
struct SoundEdit {
    std::filesystem::path file;
    double begin = 0;                ///< seconds of it that are left out at its beginning
    std::optional<double> end = {};  ///< seconds from its own beginning at which it ends; nothing: all of it
    double fadeIn = 0;   ///< seconds from the video's beginning in which it becomes as loud as it is
    double fadeOut = 0;  ///< seconds before it, or the video, ends in which it becomes silent
    bool loops = false;  ///< it begins anew as long as the video lasts

    /// Returns whether the encoded sound can be copied as it is.
    [[nodiscard]] bool copies() const { return begin == 0 && !end && fadeIn == 0 && fadeOut == 0 && !loops; }
};

/// Decodes the sound, edits it as far as it is under a video of `seconds`, and encodes it for a video of the
/// format: AAC for MP4, Opus for WebM, in a file of that container without pictures. Holds a moment of it at
/// a time. Throws Error{Input} for a file without sound or one that cannot be read, and for parts that it
/// does not have; Error{Project} where the format has no sound or its encoder refuses this one.
void writeEditedSound(const SoundEdit& edit, double seconds, VideoFormat format,
                      const std::filesystem::path& file);

}  // namespace meshreel
