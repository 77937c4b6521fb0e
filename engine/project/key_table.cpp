// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <iterator>

#include "engine/project/keys/section_keys.h"

namespace meshreel {
namespace {

constexpr std::array sections{modelKeys,    taskKeys,      promptKeys, frameKeys,
                              samplingKeys, stepCacheKeys, meshKeys,   attentionKeys,
                              vaeKeys,      precisionKeys, outputKeys};

std::vector<ProjectKey> allKeys() {
    std::vector<ProjectKey> keys;
    for (const auto& section : sections)
        std::ranges::move(section(), std::back_inserter(keys));
    return keys;
}

}  // namespace

std::span<const ProjectKey> projectKeys() {
    static const std::vector<ProjectKey> keys = allKeys();
    return keys;
}

const ProjectKey* findProjectKey(std::string_view name) {
    const auto keys = projectKeys();
    const auto found = std::ranges::find(keys, name, &ProjectKey::name);
    return found == keys.end() ? nullptr : &*found;
}

}  // namespace meshreel
