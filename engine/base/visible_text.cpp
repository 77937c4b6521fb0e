// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/visible_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "engine/base/strings.h"

namespace meshreel {
namespace {

/// Acts on what shows the text in place of being shown: C0 and C1 controls, separators of lines, and marks of
/// direction, by which a name can be read as another.
bool isUnseen(char32_t point) {
    const auto lies = [point](char32_t first, char32_t last) { return point >= first && point <= last; };
    return (point < U' ' && point != U'\n' && point != U'\t') || lies(0x7F, 0x9F) || lies(0x2028, 0x202E) ||
           lies(0x2066, 0x2069);
}

}  // namespace

std::string visibleText(std::string_view text) {
    std::string visible;
    visible.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t begin = position;
        const std::optional<char32_t> point = nextCodePoint(text, position);
        const std::string_view written = text.substr(begin, position - begin);
        if (point == U'\r' && text.substr(position).starts_with('\n'))
            continue;
        if (!point)
            for (const char byte : written)
                visible += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
        else if (!isUnseen(*point))
            visible += written;
        else if (*point < 0x7F)  // above it as JSON has it, too
            visible += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(*point));
        else
            visible += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(*point));
    }
    return visible;
}

}  // namespace meshreel
