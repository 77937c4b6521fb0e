// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_lines.h"

#include <fmt/format.h>

#include "engine/project/wanted_text.h"

namespace meshreel {

std::string_view groupOf(const ProjectKey& key) {
    const std::size_t dot = key.name.find('.');
    return dot == std::string_view::npos ? std::string_view() : key.name.substr(0, dot);
}

std::string_view leafOf(const ProjectKey& key) {
    const std::size_t dot = key.name.find('.');
    return dot == std::string_view::npos ? key.name : key.name.substr(dot + 1);
}

std::string versionLine() {
    return "version: 1";
}

std::string keyLines(const WantedText& wanted, const ProjectKey& key, std::string_view& group) {
    const std::string_view keyGroup = groupOf(key);
    std::string text;
    if (!keyGroup.empty() && keyGroup != group)
        text = fmt::format("{}:\n", keyGroup);
    group = keyGroup;
    return text + fmt::format("{}{}: {}\n", keyGroup.empty() ? std::string_view() : nestedIndent, leafOf(key),
                              wanted.yaml(key));
}

}  // namespace meshreel
