// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/text_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "engine/project/line_edit.h"
#include "engine/project/project_lines.h"
#include "engine/project/wanted_text.h"
#include "engine/project/yaml_tree.h"

namespace meshreel {
namespace {

/// Lines [first, last] of one key with its value, without the comments that follow.
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

    std::string run() {
        if (m_root.find("version") == nullptr)
            m_lines[lineIndex(m_root.children.front())].before += versionLine() + "\n";
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

    /// Where new lines go: behind the last key seen, or in front of all.
    std::string& insertionPoint() {
        return m_position ? m_lines[*m_position].after : m_lines[lineIndex(m_root.children.front())].before;
    }

    void placeKey(const ProjectKey& key) {
        const auto region = m_regions.find(std::string(key.name));
        if (region != m_regions.end()) {
            update(key, *m_root.find(key.name), region->second);
            m_position = region->second.last;
        } else if (!m_wanted.isDefault(key)) {
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
            const std::string_view indent = indentOf(m_lines[lineIndex(group.children.front())].text);
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
            line.text = withValue(line.text, value);
            return;
        }
        drop(region);
        m_lines[region.last].after = fmt::format("{}{}: {}\n", indentOf(line.text), leafOf(key), value);
    }

    void drop(Region region) {
        for (std::size_t i = region.first; i <= region.last; ++i)
            m_lines[i].kept = false;
    }

    const WantedText& m_wanted;
    const YamlNode& m_root;
    std::vector<EditedLine> m_lines;
    std::map<std::string, Region> m_regions;
    std::optional<std::size_t> m_position;
    std::string_view m_insertedGroup;
};

}  // namespace

std::optional<std::string> mergeIntoText(const WantedText& wanted, const std::string& previousText) {
    const YamlTree tree = readYaml(previousText);
    if (!tree.problems.empty() || !isBlockMap(tree.root) || tree.root.children.empty())
        return std::nullopt;
    return TextMerge(wanted, tree.root, previousText).run();
}

}  // namespace meshreel
