// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/base/files.h"

namespace meshreel::testing {

inline std::string littleEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int byte = 0; byte < bytes; ++byte)
        text += static_cast<char>(value >> (8U * static_cast<unsigned>(byte)) & 0xFFU);
    return text;
}

/// A WAV file of 16 bits a sample; `valueAt` of a sample and its channel is from -1 to 1.
inline void writeWav(const std::filesystem::path& file, int rate, int channels, int samples,
                     const std::function<double(int sample, int channel)>& valueAt) {
    std::string data;
    for (int sample = 0; sample < samples; ++sample)
        for (int channel = 0; channel < channels; ++channel) {
            const auto value = static_cast<std::int16_t>(std::lround(valueAt(sample, channel) * 32767.0));
            data += littleEndian(static_cast<std::uint16_t>(value), 2);
        }
    const auto count = static_cast<std::uint64_t>(channels);
    const std::string format = littleEndian(1, 2) + littleEndian(count, 2) +
                               littleEndian(static_cast<std::uint64_t>(rate), 4) +
                               littleEndian(static_cast<std::uint64_t>(rate) * count * 2, 4) +
                               littleEndian(count * 2, 2) + littleEndian(16, 2);
    const std::string chunks =
        "WAVEfmt " + littleEndian(format.size(), 4) + format + "data" + littleEndian(data.size(), 4) + data;
    writeFileAtomically(file, "RIFF" + littleEndian(chunks.size(), 4) + chunks);
}

}  // namespace meshreel::testing
