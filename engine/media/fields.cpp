// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/fields.h"

#include <cstddef>

#include "engine/media/image.h"

namespace meshreel {

void removeComb(std::span<std::uint8_t> rgb, std::int64_t width, std::int64_t laterField) {
    constexpr int noise = 6;  // levels of 255
    const auto rowBytes = static_cast<std::size_t>(width) * rgbChannels;
    const std::size_t height = rowBytes == 0 ? 0 : rgb.size() / rowBytes;
    const auto first = static_cast<std::size_t>(laterField == 0 ? 2 : 1);
    for (std::size_t row = first; row + 1 < height; row += 2) {
        const std::uint8_t* above = rgb.data() + (row - 1) * rowBytes;
        const std::uint8_t* below = rgb.data() + (row + 1) * rowBytes;
        std::uint8_t* own = rgb.data() + row * rowBytes;
        for (std::size_t i = 0; i < rowBytes; ++i) {
            const int up = own[i] - above[i];
            const int down = own[i] - below[i];
            const bool isComb = (up > noise && down > noise) || (up < -noise && down < -noise);
            if (isComb)
                own[i] = static_cast<std::uint8_t>((above[i] + below[i] + 1) / 2);
        }
    }
}

}  // namespace meshreel
