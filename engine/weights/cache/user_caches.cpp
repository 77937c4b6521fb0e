// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/user_caches.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/paths.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* weightLimitVariable = "MESHREEL_WEIGHT_CACHE_GIB";
constexpr double gibibyte = 1 << 30;
constexpr std::uint64_t promptLimit = 256 << 20;  // 30 to 1000 prompts of UMT5-XXL, by their length
constexpr std::uint64_t previewLimit = 4 << 20;   // about 2000 VAEs
constexpr const char* weightCacheExtension = ".packed";
constexpr std::uint64_t weightLimit = 40'000'000'000;

std::uint64_t limitFrom(std::string_view text) {
    double value = -1;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1e6))
        throw Error(ErrorKind::Project, sentence("\"{}\" is not a number of GiB", text), weightLimitVariable,
                    sentence("Set it to the size that the cache of packed weights may reach"));
    return static_cast<std::uint64_t>(value * gibibyte);
}

/// Half of what is free, or held by the folder already.
std::uint64_t halfOfDisk(const fs::path& folder) {
    fs::path existing = fs::absolute(folder);
    std::error_code ignored;
    while (!fs::exists(existing, ignored) && existing.has_relative_path())
        existing = existing.parent_path();
    const fs::space_info disk = fs::space(existing, ignored);
    std::uint64_t room = ignored ? 0 : disk.available;
    for (const CacheEntry& entry : CacheFolder(folder, weightCacheExtension, 0).entries())
        room += entry.bytes;
    return room / 2;
}

}  // namespace

Caches userCaches() {
    const fs::path folder = userCacheFolder();
    const fs::path weights = folder / "weights";
    const char* asked = std::getenv(weightLimitVariable);
    const std::uint64_t limit =
        asked != nullptr && *asked != '\0' ? limitFrom(asked) : std::min(weightLimit, halfOfDisk(weights));
    return {.prompts = CacheFolder(folder / "prompts", ".safetensors", promptLimit),
            .weights = CacheFolder(weights, weightCacheExtension, limit),
            .previews = CacheFolder(folder / "previews", ".safetensors", previewLimit)};
}

}  // namespace meshreel
