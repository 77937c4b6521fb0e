// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace meshreel::testing {

/// A safetensors file put together by hand: `length` stands in front of `header`, whatever the truth.
inline std::string safetensorsBytes(std::uint64_t length, const std::string& header,
                                    const std::string& data) {
    std::string bytes;
    for (int shift = 0; shift < 64; shift += 8)
        bytes += static_cast<char>(length >> shift & 0xFF);
    return bytes + header + data;
}

inline std::string safetensorsBytes(const std::string& header, const std::string& data) {
    return safetensorsBytes(header.size(), header, data);
}

}  // namespace meshreel::testing
