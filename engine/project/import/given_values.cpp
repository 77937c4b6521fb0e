// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/import/given_values.h"

#include <algorithm>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/project/project_keys.h"

namespace meshreel {
bool isKeyGroup(std::string_view name) {
    return std::ranges::any_of(projectKeys(), [name](const ProjectKey& key) {
        return key.name.size() > name.size() && key.name.starts_with(name) && key.name[name.size()] == '.';
    });
}

void GivenValues::addFile(const std::string& text, const std::string& fileName) {
    YamlTree tree = readYaml(text);
    file = fileName;
    complete = tree.problems.empty();
    for (ProjectProblem& problem : tree.problems) {
        problem.file = fileName;
        problems.push_back(std::move(problem));
    }
    if (tree.root.kind == YamlNode::Kind::Scalar || tree.root.kind == YamlNode::Kind::List) {
        complete = false;
        problems.push_back({.file = fileName,
                            .line = tree.root.line,
                            .message = sentence("A project is a list of keys and values"),
                            .hint = sentence("Write one key and its value on a line, key: value")});
        return;
    }
    for (const YamlNode& child : tree.root.children)
        addEntry({}, child, fileName);
}

void GivenValues::addEntry(const std::string& prefix, const YamlNode& node, const std::string& source) {
    const std::string name = prefix + node.key;
    const bool holdsKeys = node.kind == YamlNode::Kind::Map || node.kind == YamlNode::Kind::Null;
    if (prefix.empty() && holdsKeys && isKeyGroup(name)) {
        for (const YamlNode& child : node.children)
            addEntry(name + ".", child, source);
        return;
    }
    values[name] = {source, node.keyLine, node};
}

void GivenValues::addOverride(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (firstInvalidUtf8(text)) {
        reportOverride({}, sentence("A --set value is not UTF-8"), sentence("Use a UTF-8 terminal"));
        return;
    }
    if (equals == std::string::npos || equals == 0) {
        reportOverride({}, sentence("\"{}\" does not set anything", text), sentence("Write key=value"));
        return;
    }
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (isKeyGroup(name) && value.starts_with('{')) {
        addNestedOverride(name, value);
        return;
    }
    YamlNode node;
    node.kind = YamlNode::Kind::Scalar;
    node.text = value;
    values[name] = {overrideSource, 0, std::move(node)};
}

void GivenValues::addNestedOverride(const std::string& name, const std::string& value) {
    YamlTree tree = readYaml(value);
    for (const ProjectProblem& problem : tree.problems)
        reportOverride(name, problem.message, problem.hint);
    tree.root.key = name;
    tree.root.keyLine = 0;
    for (YamlNode& child : tree.root.children)
        child.keyLine = 0;
    addEntry({}, tree.root, overrideSource);
}

void GivenValues::reportOverride(const std::string& name, Sentence message, Sentence hint) {
    problems.push_back(
        {.file = overrideSource, .key = name, .message = std::move(message), .hint = std::move(hint)});
}

}  // namespace meshreel
