// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace meshreel {

/// Sound as numbers: the mean of its channels, of which full scale is from -1 to 1.
struct SoundSamples {
    int rate = 0;  ///< samples a second
    /// The first one is heard where the file's video begins, or without a video where its sound does.
    std::vector<float> values;

    [[nodiscard]] double seconds() const {
        return rate == 0 ? 0.0 : static_cast<double>(values.size()) / static_cast<double>(rate);
    }
};

/// Decodes the sound of a sound file or of a video and resamples it to `rate`. What no packet holds, or what
/// cannot be decoded between two others, is silent. Throws Error{Input} for a file that cannot be read, that
/// has no sound or one that this system cannot decode, and beyond Limit::DecodedSound.
SoundSamples readSound(const std::filesystem::path& file, int rate);

/// Returns how long a file's sound lasts, in seconds, by its packets and without decoding it; 0 when it has
/// none. Throws Error{Input} for a file that cannot be read.
double soundSeconds(const std::filesystem::path& file);

}  // namespace meshreel
