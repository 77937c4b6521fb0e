// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace meshreel {

/// XXH3, 64 bits: finds damage, not malice.
std::uint64_t contentHash(std::span<const std::byte> bytes);

/// XXH3, 128 bits, as 32 hexadecimal digits: names what a text identifies.
std::string nameHash(std::string_view text);

}  // namespace meshreel
