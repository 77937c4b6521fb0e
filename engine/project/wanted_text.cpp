// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/wanted_text.h"

#include <utility>

#include "engine/project/project_keys.h"
#include "engine/project/yaml_tree.h"

namespace meshreel {
namespace {

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
    return std::holds_alternative<std::string Project::*>(key.member) ? yamlScalar(text) : text;
}

bool WantedText::isSaidBy(const YamlNode& node, const ProjectKey& key) const {
    if (const auto refused = m_refused.find(&key); refused != m_refused.end())
        return node.text == refused->second;
    const bool isText = std::holds_alternative<std::string Project::*>(key.member);
    Project read = m_project;
    if (std::holds_alternative<LoraList Project::*>(key.member))
        return !trySetFromNode(read, key, node) && read == m_project;
    return node.kind == YamlNode::Kind::Scalar && (isText || !node.quoted) &&
           !trySetFromText(read, key, node.text) && read == m_project;
}

}  // namespace meshreel
