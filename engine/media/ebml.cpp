// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/ebml.h"

#include <bit>
#include <fstream>
#include <optional>

namespace meshreel {
namespace {

constexpr std::uint64_t headerId = 0x1A45DFA3;
constexpr std::uint64_t segmentId = 0x18538067;
constexpr int maxLength = 8;  // bytes of a variable-size integer

struct VariableInteger {
    std::uint64_t withMarker;  ///< as identifiers are written
    std::uint64_t value;
    bool unknown;  ///< all value bits set: "size not known"
};

/// The number of leading zero bits of the first byte is the number of bytes that follow it.
std::optional<VariableInteger> readInteger(std::istream& in) {
    const int first = in.get();
    if (first <= 0)
        return std::nullopt;
    const int following = std::countl_zero(static_cast<std::uint8_t>(first));
    if (following >= maxLength)
        return std::nullopt;
    auto number = static_cast<std::uint64_t>(first);
    for (int i = 0; i < following; ++i)
        number = number << 8U | static_cast<std::uint8_t>(in.get());
    const int valueBits = 7 * (following + 1);
    const std::uint64_t mask = (std::uint64_t{1} << static_cast<unsigned>(valueBits)) - 1;
    if (!in)
        return std::nullopt;
    return VariableInteger{number, number & mask, (number & mask) == mask};
}

}  // namespace

std::uint64_t missingMatroskaBytes(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const auto header = readInteger(in);
    const auto headerSize = header && header->withMarker == headerId ? readInteger(in) : std::nullopt;
    if (!headerSize)
        return 0;
    in.seekg(static_cast<std::streamoff>(headerSize->value), std::ios::cur);
    const auto segment = readInteger(in);
    const auto segmentSize = segment && segment->withMarker == segmentId ? readInteger(in) : std::nullopt;
    if (!segmentSize || segmentSize->unknown)
        return 0;
    const std::uint64_t end = static_cast<std::uint64_t>(in.tellg()) + segmentSize->value;
    const std::uint64_t present = std::filesystem::file_size(file);
    return end > present ? end - present : 0;
}

}  // namespace meshreel
