// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/unread_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/project/line_edit.h"
#include "engine/project/project_lines.h"

namespace meshreel {
namespace {

bool begins(std::string_view line, std::string_view name) {
    return line.starts_with(name) && line.substr(name.size()).starts_with(':');
}

/// The line's part behind its indent where it stands in the group, else nothing.
std::string_view inGroup(std::string_view line, std::string_view openGroup, std::string_view group) {
    const std::string_view indent = indentOf(line);
    return openGroup == group && indent.empty() == group.empty() ? line.substr(indent.size())
                                                                 : std::string_view();
}

}  // namespace

bool namesAKey(const std::string& text) {
    const std::vector<EditedLine> lines = splitLines(text);
    return std::ranges::any_of(lines, [](const EditedLine& line) {
        return std::ranges::any_of(projectKeys(), [&line](const ProjectKey& key) {
            return begins(line.text, key.name) || (!groupOf(key).empty() && begins(line.text, groupOf(key)));
        });
    });
}

std::string withKeyLine(const std::string& text, const ProjectKey& key, const std::string& yaml) {
    std::vector<EditedLine> lines = splitLines(text);
    std::string_view openGroup;
    for (EditedLine& line : lines) {
        if (indentOf(line.text).empty() && !holdsNoKey(line.text))
            openGroup = begins(line.text, groupOf(key)) ? groupOf(key) : std::string_view();
        if (begins(inGroup(line.text, openGroup, groupOf(key)), leafOf(key)) || begins(line.text, key.name)) {
            line.text = withValue(line.text, yaml);
            return joinLines(lines);
        }
    }
    return joinLines(lines) + fmt::format("{}: {}\n", key.name, yaml);
}

}  // namespace meshreel
