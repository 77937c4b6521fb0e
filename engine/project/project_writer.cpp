// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/project/presets.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/yaml.h"
#include "engine/project/yaml_lines.h"

namespace meshreel {
namespace {

// Keys and their lines.

std::string versionLine() {
    return fmt::format("version: {}\n", currentProjectVersion);
}
constexpr std::string_view nestedIndent = "  ";

/// "flash_block_sizes" of "flash_block_sizes.block_q"; empty for a flat key.
std::string_view groupOf(const ProjectKey& key) {
    const std::size_t dot = key.name.find('.');
    return dot == std::string_view::npos ? std::string_view() : key.name.substr(0, dot);
}

/// "block_q" of "flash_block_sizes.block_q"; the name itself for a flat key.
std::string_view leafOf(const ProjectKey& key) {
    const std::size_t dot = key.name.find('.');
    return dot == std::string_view::npos ? key.name : key.name.substr(dot + 1);
}

/// The key's line, after its group's line when `group` (that of the line before) is another; updates
/// `group`.
std::string keyLines(const WantedText& wanted, const ProjectKey& key, std::string_view& group) {
    const std::string_view keyGroup = groupOf(key);
    std::string text;
    if (!keyGroup.empty() && keyGroup != group)
        text = fmt::format("{}:\n", keyGroup);
    group = keyGroup;
    return text + fmt::format("{}{}: {}\n", keyGroup.empty() ? std::string_view() : nestedIndent, leafOf(key),
                              wanted.yaml(key));
}

/// Bare wherever it reads back so: in quotes a number would be refused for the quotes.
std::string refusedYaml(const std::string& text) {
    const YamlTree tree = readYaml("key: " + text);
    const YamlNode* value = tree.root.find("key");
    const bool readsBack = tree.problems.empty() && tree.root.children.size() == 1 && value != nullptr &&
                           (text.empty() || (value->kind == YamlNode::Kind::Scalar && value->text == text));
    return readsBack ? text : yamlQuoted(text);
}

}  // namespace

WantedText::WantedText(const Project& project, RefusedTexts refused)
    : m_project(project), m_refused(std::move(refused)) {}

bool WantedText::isDefault(const ProjectKey& key) const {
    return !m_refused.contains(&key) && meshreel::isDefault(m_project, key);
}

std::string WantedText::yaml(const ProjectKey& key) const {
    if (const auto refused = m_refused.find(&key); refused != m_refused.end())
        return refusedYaml(refused->second);
    const std::string text = valueText(m_project, key);
    return isText(key) ? yamlScalar(text) : text;
}

bool WantedText::isSaidBy(const YamlNode& node, const ProjectKey& key) const {
    if (const auto refused = m_refused.find(&key); refused != m_refused.end())
        return node.text == refused->second;
    Project read = m_project;
    if (isListOfMaps(key))
        return !trySetFromNode(read, key, node) && read == m_project;
    return node.kind == YamlNode::Kind::Scalar && (isText(key) || !node.quoted) &&
           !trySetFromText(read, key, node.text) && read == m_project;
}

namespace {

// Merging into an earlier text.

/// The lines [first, last] of one key with its value, without the comments that follow.
struct Region {
    std::size_t first = 0;
    std::size_t last = 0;
};

std::size_t lineIndex(const YamlNode& child) {
    return static_cast<std::size_t>(child.keyLine) - 1;
}

bool isBlockMap(const YamlNode& node) {
    return node.kind == YamlNode::Kind::Map && !node.flow;
}

class TextMerge {
  public:
    TextMerge(const WantedText& wanted, const YamlNode& root, const std::string& text)
        : m_wanted(wanted), m_root(root), m_lines(splitLines(text)) {
        findRegions(root, "", m_lines.size());
    }

    /// `raisesVersion`: the text becomes one of the current version. Otherwise, keys that it leaves out and
    /// that have the value of `meant` stay out: an older version may mean another value than the default.
    std::string run(bool raisesVersion, const WantedText& meant) {
        if (!raisesVersion)
            m_meant = &meant;
        if (const YamlNode* version = m_root.find("version"); version != nullptr && raisesVersion)
            m_lines[lineIndex(*version)].text =
                withLineValue(m_lines[lineIndex(*version)].text, fmt::to_string(currentProjectVersion));
        if (m_root.find("version") == nullptr)
            m_lines[lineIndex(m_root.children.front())].before += versionLine();
        else
            m_position = m_regions.at("version").last;
        for (const ProjectKey& key : projectKeys()) {
            const YamlNode* group = m_root.find(groupOf(key));
            if (group == nullptr || groupOf(key).empty())
                placeKey(key);
            else if (isBlockMap(*group))
                placeInBlock(key, *group);
            else
                placeInFlow(key, *group);
        }
        return joinLines(m_lines);
    }

  private:
    /// Regions of the keys of a block map that ends before line `end`.
    void findRegions(const YamlNode& map, const std::string& prefix, std::size_t end) {
        for (auto child = map.children.begin(); child != map.children.end(); ++child) {
            const std::size_t first = lineIndex(*child);
            std::size_t stop = child + 1 == map.children.end() ? end : lineIndex(*(child + 1));
            while (stop > first + 1 && holdsNoKey(m_lines[stop - 1].text))
                --stop;
            m_regions[prefix + child->key] = {first, stop - 1};
            if (prefix.empty() && isBlockMap(*child))
                findRegions(*child, child->key + ".", stop);
        }
    }

    /// Where new lines go: after the last key seen, or in front of all.
    std::string& insertionPoint() {
        return m_position ? m_lines[*m_position].after : m_lines[lineIndex(m_root.children.front())].before;
    }

    [[nodiscard]] bool isMeant(const ProjectKey& key) const {
        return m_meant != nullptr && m_wanted.yaml(key) == m_meant->yaml(key);
    }

    void placeKey(const ProjectKey& key) {
        const auto region = m_regions.find(std::string(key.name));
        if (region != m_regions.end()) {
            update(key, *m_root.find(key.name), region->second);
            m_position = region->second.last;
        } else if (!m_wanted.isDefault(key) && !isMeant(key)) {
            insertionPoint() += keyLines(m_wanted, key, m_insertedGroup);
        }
    }

    void placeInBlock(const ProjectKey& key, const YamlNode& group) {
        const Region groupRegion = m_regions.at(group.key);
        if (!m_position || *m_position < groupRegion.first || *m_position > groupRegion.last)
            m_position = groupRegion.first;
        const auto region = m_regions.find(std::string(key.name));
        if (region != m_regions.end()) {
            const YamlNode* leaf = group.find(leafOf(key));
            update(key, leaf != nullptr ? *leaf : *m_root.find(key.name), region->second);
            m_position = region->second.last;
        } else if (!m_wanted.isDefault(key)) {
            const std::string_view indent = leadingBlanks(m_lines[lineIndex(group.children.front())].text);
            insertionPoint() += fmt::format("{}{}: {}\n", indent, leafOf(key), m_wanted.yaml(key));
        }
        if (&key == lastOfGroup(key))
            m_position = groupRegion.last;
    }

    /// A map in brackets is kept as it is, or becomes a block when one of its values changed.
    void placeInFlow(const ProjectKey& key, const YamlNode& group) {
        const Region region = m_regions.at(group.key);
        m_position = region.last;
        const YamlNode* leaf = group.find(leafOf(key));
        const bool stays = leaf == nullptr ? m_wanted.isDefault(key) : m_wanted.isSaidBy(*leaf, key);
        if (stays || !m_lines[region.first].kept)
            return;
        drop(region);
        std::string& lines = m_lines[region.last].after;
        lines = fmt::format("{}:\n", group.key) + lines;
        for (const ProjectKey& other : projectKeys())
            if (groupOf(other) == group.key &&
                (group.find(leafOf(other)) != nullptr || !m_wanted.isDefault(other)))
                lines += fmt::format("{}{}: {}\n", nestedIndent, leafOf(other), m_wanted.yaml(other));
        for (const YamlNode& child : group.children)
            if (findProjectKey(group.key + "." + child.key) == nullptr &&
                child.kind == YamlNode::Kind::Scalar)
                lines += fmt::format("{}{}: {}\n", nestedIndent, child.key, child.text);
    }

    static const ProjectKey* lastOfGroup(const ProjectKey& key) {
        const ProjectKey* last = &key;
        for (const ProjectKey& other : projectKeys())
            if (groupOf(other) == groupOf(key))
                last = &other;
        return last;
    }

    void update(const ProjectKey& key, const YamlNode& node, Region region) {
        if (m_wanted.isSaidBy(node, key))
            return;
        const std::string value = m_wanted.yaml(key);
        EditedLine& line = m_lines[region.first];
        if (region.first == region.last) {
            line.text = withLineValue(line.text, value);
            return;
        }
        drop(region);
        m_lines[region.last].after = fmt::format("{}{}: {}\n", leadingBlanks(line.text), leafOf(key), value);
    }

    void drop(Region region) {
        for (std::size_t i = region.first; i <= region.last; ++i)
            m_lines[i].kept = false;
    }

    const WantedText& m_wanted;
    const WantedText* m_meant = nullptr;
    const YamlNode& m_root;
    std::vector<EditedLine> m_lines;
    std::map<std::string, Region> m_regions;
    std::optional<std::size_t> m_position;
    std::string_view m_insertedGroup;
};

/// The text of a project file made to say what is wanted: lines of unchanged values stay byte for byte,
/// changed values are replaced in place with their comments kept, new keys are inserted in section order.
/// Nothing when the text is empty, has problems, or is not laid out a key a line.
std::optional<std::string> mergeIntoText(const WantedText& wanted, const std::string& previousText,
                                         bool raisesVersion, const WantedText& meant) {
    const YamlTree tree = readYaml(previousText);
    if (!tree.problems.empty() || !isBlockMap(tree.root) || tree.root.children.empty())
        return std::nullopt;
    return TextMerge(wanted, tree.root, previousText).run(raisesVersion, meant);
}

/// The text of a new file.
std::string freshText(const WantedText& wanted) {
    std::string text = versionLine();
    std::string_view group;
    for (const ProjectKey& key : projectKeys())
        if (!wanted.isDefault(key))
            text += keyLines(wanted, key, group);
    return text;
}

bool begins(std::string_view line, std::string_view name) {
    return line.starts_with(name) && line.substr(name.size()).starts_with(':');
}

/// Returns the line's part after its indent if it is in the group, else nothing.
std::string_view inGroup(std::string_view line, std::string_view openGroup, std::string_view group) {
    const std::string_view indent = leadingBlanks(line);
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
        if (leadingBlanks(line.text).empty() && !holdsNoKey(line.text))
            openGroup = begins(line.text, groupOf(key)) ? groupOf(key) : std::string_view();
        if (begins(inGroup(line.text, openGroup, groupOf(key)), leafOf(key)) || begins(line.text, key.name)) {
            line.text = withLineValue(line.text, yaml);
            return joinLines(lines);
        }
    }
    return joinLines(lines) + fmt::format("{}: {}\n", key.name, yaml);
}

std::string saveProjectText(const Project& project, const std::string& previousText,
                            const RefusedTexts& refused) {
    const WantedText wanted(project, refused);
    // Whatever the layout of the previous text was, only a text that says the same project may replace it. A
    // text of an older version stays one where its meaning allows.
    const Project before = readProject(previousText, {}, {}).project;
    const WantedText meant(before);
    for (const bool raisesVersion : {false, true})
        if (const auto merged = mergeIntoText(wanted, previousText, raisesVersion, meant))
            if (readProject(*merged, {}, listOverrides(project, refused)).project == project)
                return *merged;
    return freshText(wanted);
}

std::vector<std::string> listOverrides(const Project& project, const RefusedTexts& refused) {
    std::vector<std::string> overrides;
    for (const auto& [key, text] : refused)
        overrides.push_back(fmt::format("{}={}", key->name, valueText(project, *key)));
    return overrides;
}

std::string resolvedYaml(const Project& project) {
    std::string text = versionLine();
    const WantedText wanted(project);
    const std::vector<std::string_view> taken = presetKeys(project, true);
    std::string_view section;
    std::string_view group;
    for (const ProjectKey& key : projectKeys()) {
        if (key.section != section)
            text += fmt::format("\n# {}\n", key.section);
        section = key.section;
        text += keyLines(wanted, key, group);
        if (std::ranges::find(taken, key.name) != taken.end())
            text.insert(text.size() - 1, fmt::format("  # of preset {}", project.preset));
    }
    return text;
}

}  // namespace meshreel
