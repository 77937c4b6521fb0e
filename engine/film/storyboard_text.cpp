// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/film/storyboard_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/film/storyboard.h"
#include "engine/project/input_files.h"
#include "engine/project/numbers.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/yaml.h"
#include "engine/project/yaml_lines.h"

namespace meshreel {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view promptKey = "prompt";
constexpr std::string_view itemMark = "- ";
constexpr std::string_view placeOfShots = "#~ the shots of this storyboard ~#";

Lines linesOf(const std::string& text) {
    Lines lines;
    for (EditedLine& line : splitLines(text))
        lines.push_back(std::move(line.text));
    return lines;
}

std::string textOfLines(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

[[noreturn]] void refuse(Sentence message, Sentence fix) {
    std::vector<Problem> problems{Problem{
        .id = "storyboard-malformed", .message = std::move(message), .fixes = byHand(std::move(fix))}};
    throw ProjectError(std::move(problems));
}

std::size_t indexOfLine(int line) {
    return static_cast<std::size_t>(std::max(line - 1, 0));
}

bool isItem(std::string_view line) {
    const std::string_view content = line.substr(leadingBlanks(line).size());
    return content == "-" || content.starts_with("- ") || content.starts_with("-\t") || content == "-\r";
}

/// Where the shots of a text stand, lines counted from 0.
struct ShotLines {
    std::size_t begin = 0;  ///< with the comments right above
    std::size_t item = 0;   ///< the line of its dash
    std::size_t end = 0;    ///< behind its last line
};

/// A text with its shots, each a map with a key a line.
struct Layout {
    Lines lines;
    YamlNode shots;
    std::vector<ShotLines> places;

    [[nodiscard]] std::string_view indent() const { return leadingBlanks(lines[places.front().item]); }
};

/// The line behind the last one of the list of shots.
std::size_t endOfShots(const YamlNode& root, const YamlNode& shots, const Lines& lines) {
    std::size_t end = lines.size();
    for (const YamlNode& child : root.children)
        if (child.keyLine > shots.keyLine)
            end = std::min(end, indexOfLine(child.keyLine));
    // A comment that is further in is the last shot's.
    while (end > indexOfLine(shots.keyLine) + 1 && holdsNoKey(lines[end - 1]) &&
           (leadingBlanks(lines[end - 1]).empty() || lines[end - 1].find('#') == std::string::npos))
        --end;
    return end;
}

/// Nothing where shots are not written as block maps, each with a dash of its own.
std::optional<Layout> layOutBlocks(const std::string& text) {
    YamlTree tree = readYaml(text);
    if (!tree.problems.empty())
        throw ProjectError(std::move(tree.problems));
    const YamlNode* shots = tree.root.find(storyboard_key::shots);
    if (shots == nullptr || shots->kind != YamlNode::Kind::List || shots->children.empty())
        refuse(sentence("a storyboard has a list of shots"),
               sentence("Write shots: and below it - prompt: ... for each"));
    Layout layout{.lines = linesOf(text), .shots = *shots, .places = {}};
    const std::size_t first = indexOfLine(shots->keyLine);
    std::size_t behind = first;  // the line of the dash before
    for (const YamlNode& shot : shots->children) {
        std::size_t item = indexOfLine(shot.line);
        while (item > behind && !isItem(layout.lines[item]))
            --item;
        if (shots->flow || shot.kind != YamlNode::Kind::Map || shot.flow || item <= behind)
            return std::nullopt;
        layout.places.push_back({.begin = item, .item = item});
        behind = item;
    }
    const std::string indent(layout.indent());
    for (std::size_t shot = 0; shot < layout.places.size(); ++shot) {
        ShotLines& place = layout.places[shot];
        if (leadingBlanks(layout.lines[place.item]) != indent)
            return std::nullopt;
        const std::size_t least = shot == 0 ? first + 1 : layout.places[shot - 1].item + 1;
        const auto isComment = [&](const std::string& line) {
            const std::string_view blanks = leadingBlanks(line);
            return blanks.size() <= indent.size() && line.substr(blanks.size()).starts_with('#');
        };
        while (place.begin > least && isComment(layout.lines[place.begin - 1]))
            --place.begin;
        if (shot > 0)
            layout.places[shot - 1].end = place.begin;
    }
    layout.places.back().end = endOfShots(tree.root, *shots, layout.lines);
    return layout;
}

std::string valueYaml(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::Scalar:
            return node.quoted ? yamlQuoted(node.text) : node.text;
        case YamlNode::Kind::Null:
            return {};
        default:
            return yamlFlowText(node);
    }
}

/// The text with its shots in lines of their own, without what stands beside them in brackets: comments.
std::string withBlocks(const std::string& text) {
    const YamlTree tree = readYaml(text);
    const YamlNode& shots = *tree.root.find(storyboard_key::shots);
    Lines lines = linesOf(text);
    const std::size_t first = indexOfLine(shots.keyLine);
    Lines anew{fmt::format("{}:", storyboard_key::shots)};
    for (const YamlNode& shot : shots.children) {
        std::string_view mark = itemMark;
        if (shot.kind != YamlNode::Kind::Map || shot.children.empty())
            anew.push_back(fmt::format("  {}{}", mark, yamlFlowText(shot)));
        else
            for (const YamlNode& child : shot.children) {
                const std::string value = valueYaml(child);
                anew.push_back(fmt::format("  {}{}:{}{}", std::exchange(mark, "  "), child.key,
                                           value.empty() ? "" : " ", value));
            }
    }
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(endOfShots(tree.root, shots, lines));
    const auto place = lines.erase(begin, end);
    lines.insert(place, anew.begin(), anew.end());
    return textOfLines(lines);
}

Layout layOut(const std::string& text) {
    if (std::optional<Layout> layout = layOutBlocks(text))
        return *std::move(layout);
    if (std::optional<Layout> layout = layOutBlocks(withBlocks(text)))
        return *std::move(layout);
    refuse(sentence("a shot is no map of keys"), sentence("Write - prompt: ..., and further keys below it"));
}

const ShotLines& placeOf(const Layout& layout, std::size_t shot) {
    if (shot >= layout.places.size())
        refuse(sentence("there is no shot {}", shot + 1), sentence("Name one of the shots"));
    return layout.places[shot];
}

Lines cut(Lines& lines, std::size_t begin, std::size_t end) {
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = lines.begin() + static_cast<std::ptrdiff_t>(end);
    Lines taken(std::make_move_iterator(first), std::make_move_iterator(last));
    lines.erase(first, last);
    return taken;
}

void put(Lines& lines, std::size_t at, const Lines& more) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
}

/// The value as it is written behind its key's colon.
std::string writtenValue(std::string_view key, const std::string& text) {
    if (key == storyboard_key::continues && (text == "true" || text == "false"))
        return text;
    const ProjectKey* known = findProjectKey(key);
    const bool isNumber = std::holds_alternative<double>(parseReal(text));
    if (known != nullptr && isListOfMaps(*known) && text.starts_with('['))
        return text;
    if (known != nullptr ? !isText(*known) && isNumber : isNumber && key != storyboard_key::name)
        return text;
    return known != nullptr && !isText(*known) && (text == "true" || text == "false") ? text
                                                                                      : yamlScalar(text);
}

/// The lines of a key of a shot, without comments that follow.
struct KeyLines {
    std::size_t first = 0;
    std::size_t end = 0;
};

KeyLines linesOfKey(const Layout& layout, std::size_t shot, const YamlNode& key) {
    const YamlNode& node = layout.shots.children[shot];
    KeyLines place{.first = indexOfLine(key.keyLine), .end = layout.places[shot].end};
    for (const YamlNode& other : node.children)
        if (other.keyLine > key.keyLine)
            place.end = std::min(place.end, indexOfLine(other.keyLine));
    while (place.end > place.first + 1 && holdsNoKey(layout.lines[place.end - 1]))
        --place.end;
    return place;
}

/// What stands before the key of a line: blanks, and the dash of the shot that it begins.
std::string headOfKey(const std::string& line) {
    const std::size_t blanks = leadingBlanks(line).size();
    return line.substr(0, isItem(line) ? line.find_first_not_of(" \t", blanks + 1) : blanks);
}

/// The column in which the keys of a shot begin.
std::size_t keyColumn(const Layout& layout, std::size_t shot) {
    return headOfKey(layout.lines[indexOfLine(layout.shots.children[shot].children.front().keyLine)]).size();
}

void writeKey(Layout& layout, std::size_t shot, std::string_view key, const std::string& value) {
    const YamlNode& node = layout.shots.children[shot];
    const YamlNode* child = node.find(key);
    const std::string written = writtenValue(key, value);
    if (child == nullptr) {
        const KeyLines last = linesOfKey(layout, shot, node.children.back());
        const std::string indent(keyColumn(layout, shot), ' ');
        put(layout.lines, last.end, {fmt::format("{}{}: {}", indent, key, written)});
        return;
    }
    const KeyLines place = linesOfKey(layout, shot, *child);
    std::string& line = layout.lines[place.first];
    if (place.end == place.first + 1) {
        line = withLineValue(line, written);
        return;
    }
    line = fmt::format("{}{}: {}", headOfKey(line), key, written);
    cut(layout.lines, place.first + 1, place.end);
}

void dropKey(Layout& layout, std::size_t shot, std::string_view key) {
    const YamlNode& node = layout.shots.children[shot];
    const YamlNode* child = node.find(key);
    if (child == nullptr)
        return;
    const KeyLines place = linesOfKey(layout, shot, *child);
    const std::string line = layout.lines[place.first];
    if (node.children.size() == 1) {  // a shot says something
        cut(layout.lines, place.first, place.end);
        put(layout.lines, place.first, {fmt::format("{}{}: \"\"", headOfKey(line), promptKey)});
        return;
    }
    if (isItem(line)) {  // the next key takes the dash
        std::string& next = layout.lines[indexOfLine(node.children[1].keyLine)];
        const std::size_t column = keyColumn(layout, shot);
        next = line.substr(0, column) + next.substr(leadingBlanks(next).size());
    }
    cut(layout.lines, place.first, place.end);
}

/// "dawn-2" for "dawn": the first with a number that no shot has.
std::string freeNameLike(const YamlNode& shots, std::string name) {
    std::set<std::string> taken;
    for (const YamlNode& shot : shots.children)
        if (const YamlNode* other = shot.find(storyboard_key::name))
            taken.insert(other->text);
    while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0)
        name.pop_back();
    if (!name.ends_with('-'))
        name += '-';
    for (std::size_t number = 2;; ++number)
        if (const std::string free = name + fmt::to_string(number); !taken.contains(free))
            return free;
}

/// Keys of what is seen in one clip only: its prompt, and what it is made of.
std::vector<std::string_view> clipKeys() {
    std::vector<std::string_view> names{promptKey};
    for (const InputKey& input : inputKeys())
        names.push_back(input.name);
    names.insert(names.end(), {"continue_at", "continue_frames"});
    return names;
}

/// A shot makes one video.
constexpr std::array<std::string_view, 3> batchKeys{"run_name", "batch_prompts", "batch_seeds"};

/// What all shots can share of a project.
Project withoutClip(Project project) {
    const Project usual;
    const auto reset = [&](std::string_view name) {
        const ProjectKey& key = *findProjectKey(name);
        static_cast<void>(trySetFromText(project, key, valueText(usual, key)));
    };
    std::ranges::for_each(clipKeys(), reset);
    std::ranges::for_each(batchKeys, reset);
    return project;
}

/// The shots of a text, for what they are called and continue; where the file is does not matter.
std::vector<Shot> shotsIn(const std::string& text) {
    return examineStoryboard(text, "storyboard.yaml").shots;
}

std::string withKey(const std::string& text, std::size_t shot, std::string_view key,
                    const std::optional<std::string>& value) {
    Layout layout = layOut(text);
    placeOf(layout, shot);
    if (value)
        writeKey(layout, shot, key, *value);
    else
        dropKey(layout, shot, key);
    return textOfLines(layout.lines);
}

/// Each shot that continues another one by its name goes on from the same one, whatever that is called now.
std::string withLinksKept(const std::vector<Shot>& before, std::string text) {
    const std::vector<Shot> after = shotsIn(text);
    for (std::size_t shot = 0; shot < after.size(); ++shot) {
        const std::optional<std::size_t> wanted = before.at(shot).continues;
        if (wanted && after[shot].continues != wanted)
            text = withKey(text, shot, storyboard_key::continues, after[*wanted].name);
    }
    return text;
}

std::string withName(const std::string& text, std::size_t shot, const std::optional<std::string>& name) {
    const std::vector<Shot> before = shotsIn(text);
    for (std::size_t other = 0; name && other < before.size(); ++other)
        if (other != shot && before[other].name == *name)
            refuse(sentence("two shots are called {}", *name), sentence("Give each a name of its own"));
    return withLinksKept(before, withKey(text, shot, storyboard_key::name, name));
}

}  // namespace

std::string withShotValue(const std::string& text, std::size_t shot, std::string_view key,
                          const std::optional<std::string>& value) {
    return key == storyboard_key::name ? withName(text, shot, value) : withKey(text, shot, key, value);
}

std::string withNewShot(const std::string& text, std::size_t at, const std::string& prompt) {
    Layout layout = layOut(text);
    const std::size_t line = at < layout.places.size() ? layout.places[at].begin : layout.places.back().end;
    put(layout.lines, line,
        {fmt::format("{}{}{}: {}", layout.indent(), itemMark, promptKey,
                     prompt.empty() ? "\"\"" : yamlScalar(prompt))});
    return textOfLines(layout.lines);
}

std::string withCopiedShot(const std::string& text, std::size_t shot) {
    Layout layout = layOut(text);
    const ShotLines place = placeOf(layout, shot);
    const Lines copy(layout.lines.begin() + static_cast<std::ptrdiff_t>(place.item),
                     layout.lines.begin() + static_cast<std::ptrdiff_t>(place.end));
    put(layout.lines, place.end, copy);
    const std::string copied = textOfLines(layout.lines);
    const YamlNode* name = layout.shots.children[shot].find(storyboard_key::name);
    return name == nullptr
               ? copied
               : withKey(copied, shot + 1, storyboard_key::name, freeNameLike(layout.shots, name->text));
}

std::string withoutShot(const std::string& text, std::size_t shot) {
    Layout layout = layOut(text);
    const ShotLines place = placeOf(layout, shot);
    if (layout.places.size() == 1)
        refuse(sentence("a film has at least one shot"), sentence("Add another shot first"));
    cut(layout.lines, place.begin, place.end);
    return textOfLines(layout.lines);
}

std::string withMovedShot(const std::string& text, std::size_t shot, std::size_t to) {
    Layout layout = layOut(text);
    const ShotLines place = placeOf(layout, shot);
    placeOf(layout, to);
    if (shot == to)
        return text;
    const std::size_t goal = to < shot ? layout.places[to].begin : layout.places[to].end;
    const Lines moved = cut(layout.lines, place.begin, place.end);
    put(layout.lines, to < shot ? goal : goal - moved.size(), moved);
    return textOfLines(layout.lines);
}

std::string withSharedKeys(const std::string& text, const Project& project) {
    Layout layout = layOut(text);
    const std::size_t first = indexOfLine(layout.shots.keyLine);
    const std::string shots = textOfLines(cut(layout.lines, first, layout.places.back().end));
    // A comment keeps their place among the keys, unless the text is written anew.
    put(layout.lines, first, {std::string(placeOfShots)});
    std::string shared = saveProjectText(withoutClip(project), textOfLines(layout.lines));
    const std::size_t place = shared.find(placeOfShots);
    return place == std::string::npos ? shared + shots
                                      : shared.replace(place, placeOfShots.size() + 1, shots);
}

std::string newStoryboardText(const Project& project) {
    Lines own;
    for (const std::string_view name : clipKeys()) {
        const ProjectKey& key = *findProjectKey(name);
        if (name == promptKey || !isDefault(project, key))
            own.push_back(fmt::format("{}: {}", name, writtenValue(name, valueText(project, key))));
    }
    std::string text = saveProjectText(withoutClip(project)) + fmt::format("{}:\n", storyboard_key::shots);
    std::string_view mark = itemMark;
    for (const std::string& line : own)
        text += fmt::format("  {}{}\n", std::exchange(mark, "  "), line);
    return text;
}

}  // namespace meshreel
