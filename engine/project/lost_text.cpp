// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/lost_text.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/base/strings.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/yaml.h"

namespace meshreel {
namespace {

bool mayBeText(Writing writing, const YamlNode& node) {
    if (node.comment.empty() || writing == Writing::Fixed)
        return false;
    const bool isSetOff = node.comment.starts_with("  #") || node.comment.starts_with("\t#") ||
                          node.comment.find_first_not_of(" \t") > 1;
    const std::size_t behind = node.comment.find('#') + 1;
    const bool isSpaced = behind == node.comment.size() || node.comment[behind] == ' ';
    return writing == Writing::Prose || !isSetOff || !isSpaced;
}

bool isLost(Writing writing, const YamlNode& node) {
    return node.kind == YamlNode::Kind::Scalar && mayBeText(writing, node);
}

/// Names stand among numbers, such as an adapter's strength.
bool isLostPart(Writing writing, const YamlNode& node) {
    return isLost(writing, node) && !std::holds_alternative<double>(parseReal(node.text));
}

/// Returns the text from the '#' on.
std::string commentOf(const YamlNode& node) {
    return node.comment.substr(node.comment.find('#'));
}

std::string shownComment(const std::string& comment) {
    constexpr std::size_t most = 60;  // bytes
    return comment.size() <= most ? comment : comment.substr(0, characterBegin(comment, most)) + "…";
}

Problem lostText(std::string_view name, const YamlNode& node) {
    return {.id = "comment-behind-text",
            .severity = Severity::Warning,
            .key = std::string(name),
            .place = {.line = node.commentLine},
            .message = sentence("{} ends before \"{}\", which YAML takes for a comment", name,
                                shownComment(commentOf(node))),
            .fixes = byHand(sentence("If it belongs to the text, put the text in quotes; else put the "
                                     "comment on a line of its own"))};
}

void collectParts(std::string_view name, Writing writing, const YamlNode& node,
                  std::vector<Problem>& problems) {
    for (const YamlNode& child : node.children) {
        collectParts(name, writing, child, problems);
        if (isLostPart(writing, child))
            problems.push_back(lostText(name, child));
    }
}

/// Makes every text of the value whole, and says whether it could: in brackets a comment swallows what ends
/// the text, too.
bool restore(Writing writing, YamlNode& node) {
    return std::ranges::all_of(node.children, [&](YamlNode& child) {
        if (isLostPart(writing, child)) {
            if (node.flow)
                return false;
            child.text += child.comment;
        }
        return restore(writing, child);
    });
}

}  // namespace

Writing writingOf(const ProjectKey& key) {
    if (isListOfMaps(key))
        return Writing::Name;
    const auto* const member = std::get_if<std::string Project::*>(&key.member);
    if (member == nullptr || key.choices != nullptr || key.form == TextForm::Numbers)
        return Writing::Fixed;
    return key.form == TextForm::Paragraph || *member == &Project::name ? Writing::Prose : Writing::Name;
}

std::vector<Problem> lostTexts(std::string_view name, Writing writing, const YamlNode& value) {
    std::vector<Problem> problems;
    collectParts(name, writing, value, problems);
    if (!isLost(writing, value))
        return problems;
    Problem& lost = problems.emplace_back(lostText(name, value));
    lost.fixes = setKey(lost.hint(), name, {value.text + value.comment});
    return problems;
}

std::vector<Problem> lostTexts(const ProjectKey& key, const YamlNode& value) {
    const Writing writing = writingOf(key);
    std::vector<Problem> problems = lostTexts(key.name, writing, value);
    if (problems.empty() || !isListOfMaps(key))
        return problems;
    YamlNode whole = value;
    if (isLost(writing, whole))
        whole.text += whole.comment;
    if (!restore(writing, whole))
        return problems;
    Project meant;
    if (!trySetFromNode(meant, key, whole))
        for (Problem& problem : problems)
            problem.fixes = setKey(problem.hint(), key.name, {valueText(meant, key)});
    return problems;
}

std::optional<Problem> lostValue(std::string_view name, Writing writing, const YamlNode& value) {
    if (value.kind != YamlNode::Kind::Null || !mayBeText(writing, value))
        return std::nullopt;
    const std::string comment = commentOf(value);
    return Problem{
        .id = "value-missing",
        .message = sentence("{} has no value: YAML takes \"{}\" for a comment", name, shownComment(comment)),
        .fixes = setKey(sentence("Put the text in quotes"), name, {comment})};
}

}  // namespace meshreel
