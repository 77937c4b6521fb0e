// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/yaml_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace meshreel {
namespace {

constexpr std::string_view lineBlanks = " \t\r";

/// Returns the place after the quoted text that begins at `begin`.
std::size_t endOfQuoted(std::string_view line, std::size_t begin) {
    const char quote = line[begin];
    for (std::size_t i = begin + 1; i < line.size(); ++i) {
        const bool doubled = quote == '\'' && line.substr(i, 2) == "''";
        const bool escaped = quote == '"' && line[i] == '\\';
        if (doubled || escaped)
            ++i;
        else if (line[i] == quote)
            return i + 1;
    }
    return line.size();
}

bool startsQuoted(std::string_view line, std::size_t at) {
    return at < line.size() && (line[at] == '"' || line[at] == '\'');
}

/// Returns the place after the value that begins at `begin`: before blanks and comment.
std::size_t endOfValue(std::string_view line, std::size_t begin) {
    if (startsQuoted(line, begin))
        return endOfQuoted(line, begin);
    const bool onlyComment = begin < line.size() && line[begin] == '#';
    const std::size_t comment = onlyComment ? begin : line.find(" #", begin);
    const std::size_t last = line.substr(0, comment).find_last_not_of(lineBlanks);
    return last == std::string_view::npos || last < begin ? begin : last + 1;
}

}  // namespace

std::vector<EditedLine> splitLines(const std::string& text) {
    std::vector<EditedLine> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back({.text = text.substr(begin, end - begin)});
        begin = end + 1;
    }
    return lines;
}

std::string joinLines(const std::vector<EditedLine>& lines) {
    std::string text;
    for (const EditedLine& line : lines) {
        text += line.before;
        if (line.kept)
            text += line.text + "\n";
        text += line.after;
    }
    return text;
}

std::string withLineValue(std::string_view line, std::string_view value) {
    const std::size_t keyBegin = std::min(line.find_first_not_of(lineBlanks), line.size());
    const std::size_t colon =
        line.find(':', startsQuoted(line, keyBegin) ? endOfQuoted(line, keyBegin) : keyBegin);
    const std::size_t begin = std::min(line.find_first_not_of(lineBlanks, colon + 1), line.size());
    const std::size_t end = endOfValue(line, begin);
    // Without a value there is nothing whose place the new one could take.
    const std::string_view head = end == begin ? line.substr(0, colon + 1) : line.substr(0, begin);
    const std::string_view tail = line.substr(end);
    return fmt::format("{}{}{}{}{}", head, head.ends_with(':') ? " " : "", value,
                       tail.starts_with('#') ? " " : "", tail);
}

std::string_view leadingBlanks(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool holdsNoKey(std::string_view line) {
    const std::string_view content = line.substr(leadingBlanks(line).size());
    return content.empty() || content == "\r" || content.front() == '#' || line.starts_with("...") ||
           line.starts_with("---");
}

}  // namespace meshreel
