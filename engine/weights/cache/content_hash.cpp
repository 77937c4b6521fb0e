// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace meshreel {

std::uint64_t contentHash(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::string nameHash(std::string_view text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace meshreel
