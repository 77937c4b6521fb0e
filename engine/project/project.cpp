// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/paths.h"
#include "engine/project/numbers.h"
#include "engine/project/yaml.h"

namespace meshreel {

Project::Project() = default;
Project::Project(const Project&) = default;
Project::Project(Project&&) noexcept = default;
Project& Project::operator=(const Project&) = default;
Project& Project::operator=(Project&&) noexcept = default;
Project::~Project() = default;

namespace {

constexpr std::array experts = {ExpertChoice::ByName, ExpertChoice::All, ExpertChoice::High,
                                ExpertChoice::Low};
constexpr std::array<std::string_view, 3> itemKeys = {"file", "strength", "expert"};
constexpr double mostStrength = 100.0;

/// Caught by readLora().
[[noreturn]] void refuse(const YamlNode& at, Sentence message, Sentence hint) {
    throw Error(ErrorKind::Project, Problem{.id = "adapter-list-malformed",
                                            .place = {.line = std::max(at.line, 0)},
                                            .message = std::move(message),
                                            .fixes = byHand(std::move(hint))});
}

std::string scalarText(const YamlNode& node, std::string_view what) {
    if (node.kind != YamlNode::Kind::Scalar || node.text.empty())
        refuse(node, sentence("An adapter's {} is not one text", what),
               sentence("Write one value behind it"));
    return node.text;
}

double readStrength(const YamlNode& node) {
    const auto number = parseReal(scalarText(node, "strength"));
    const auto* strength = std::get_if<double>(&number);
    if (strength == nullptr)
        refuse(node, sentence("{}: {}", "strength", std::get<Problem>(number).message),
               std::get<Problem>(number).hint());
    if (!std::isfinite(*strength) || std::abs(*strength) > mostStrength)
        refuse(node, sentence("strength {} is beyond its range", node.text),
               sentence("Write a number from -{} to {}; 1 is the adapter as it was trained", mostStrength,
                        mostStrength));
    return *strength;
}

ExpertChoice readExpert(const YamlNode& node) {
    const std::string name = scalarText(node, "expert");
    const auto found = std::ranges::find(experts, name, [](ExpertChoice expert) { return nameOf(expert); });
    if (found == experts.end())
        refuse(node, sentence("expert cannot be \"{:.80}\"", name), sentence("Write high, low or all"));
    return *found;
}

std::string fileOf(const YamlNode& node) {
    return expandTilde(scalarText(node, "file")).string();
}

LoraChoice readItem(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::Scalar)
        return {.file = fileOf(node)};
    if (node.kind != YamlNode::Kind::Map)
        refuse(node, sentence("An adapter is neither a path nor a map"),
               sentence("Write {{file: PATH, strength: 1}}"));
    LoraChoice choice;
    for (const YamlNode& child : node.children) {
        if (child.key == "file")
            choice.file = fileOf(child);
        else if (child.key == "strength")
            choice.strength = readStrength(child);
        else if (child.key == "expert")
            choice.expert = readExpert(child);
        else
            refuse(child, sentence("An adapter has no \"{:.80}\"", child.key),
                   sentence("Its keys are {}", fmt::to_string(fmt::join(itemKeys, ", "))));
    }
    if (choice.file.empty())
        refuse(node, sentence("An adapter has no file"), sentence("Write {{file: PATH, strength: 1}}"));
    return choice;
}

LoraList readList(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::List)
        return node.kind == YamlNode::Kind::Scalar && node.text.empty() ? LoraList()
                                                                        : LoraList{readItem(node)};
    LoraList list;
    for (const YamlNode& child : node.children)
        list.push_back(readItem(child));
    return list;
}

/// Entry `index` of a list of lora_config, or nothing.
const YamlNode* entryAt(const YamlNode& config, std::string_view name, std::size_t index) {
    const YamlNode* list = config.find(name);
    if (list == nullptr || list->kind != YamlNode::Kind::List || index >= list->children.size())
        return nullptr;
    const YamlNode& entry = list->children[index];
    return entry.kind == YamlNode::Kind::Scalar && !entry.text.empty() ? &entry : nullptr;
}

std::size_t longestList(const YamlNode& config) {
    std::size_t longest = 0;
    for (const YamlNode& list : config.children)
        longest = std::max(longest, list.kind == YamlNode::Kind::List ? list.children.size() : 0);
    return longest;
}

struct ExpertFile {
    std::string_view key;
    ExpertChoice expert;
};
constexpr std::array expertFiles = {ExpertFile{"weight_name", ExpertChoice::ByName},
                                    ExpertFile{"high_noise_weight_name", ExpertChoice::High},
                                    ExpertFile{"low_noise_weight_name", ExpertChoice::Low}};

LoraList readConfig(const YamlNode& config) {
    if (config.kind != YamlNode::Kind::Map)
        refuse(config, sentence("lora_config is not a map of lists"),
               sentence("Name the adapters in lora: [{{file: PATH}}]"));
    LoraList list;
    for (std::size_t index = 0; index < longestList(config); ++index) {
        const YamlNode* model = entryAt(config, "lora_model_name_or_path", index);
        const YamlNode* scale = entryAt(config, "scale", index);
        if (model == nullptr)
            refuse(config, sentence("lora_config has no lora_model_name_or_path for adapter {}", index + 1),
                   sentence("Give all its lists the same length"));
        for (const ExpertFile& row : expertFiles)
            if (const YamlNode* name = entryAt(config, row.key, index))
                list.push_back({.file = (expandTilde(model->text) / name->text).string(),
                                .strength = scale == nullptr ? 1.0 : readStrength(*scale),
                                .expert = row.expert});
    }
    return list;
}

template <typename Read>
std::variant<LoraList, Problem> attempt(const YamlNode& node, const Read& read) {
    try {
        return read(node);
    } catch (const Error& refused) {
        return refused.problem();
    }
}

}  // namespace

std::string_view nameOf(ExpertChoice expert) {
    switch (expert) {
        case ExpertChoice::High:
            return "high";
        case ExpertChoice::Low:
            return "low";
        case ExpertChoice::All:
            return "all";
        case ExpertChoice::ByName:
            break;
    }
    return "auto";
}

std::string loraText(const LoraList& adapters) {
    std::string text;
    for (const LoraChoice& adapter : adapters) {
        text += fmt::format("{}{{file: {}, strength: {}", text.empty() ? "" : ", ",
                            yamlFlowScalar(withTilde(adapter.file)), realText(adapter.strength));
        text += adapter.expert == ExpertChoice::ByName
                    ? "}"
                    : fmt::format(", expert: {}}}", nameOf(adapter.expert));
    }
    return fmt::format("[{}]", text);
}

std::variant<LoraList, Problem> readLora(const YamlNode& node) {
    return attempt(node, readList);
}

std::variant<LoraList, Problem> readLoraConfig(const YamlNode& node) {
    return attempt(node, readConfig);
}

namespace {

/// The first error, with the number of the others in its words.
Problem sumOf(const std::vector<Problem>& problems) {
    const auto first = std::ranges::find(problems, Severity::Error, &Problem::severity);
    Problem sum = first == problems.end() ? problems.front() : *first;
    const auto others = std::ranges::count(problems, Severity::Error, &Problem::severity) - 1;
    if (others > 0)
        sum.message = sentence("{} (and {} more)", sum.message, others);
    return sum;
}

}  // namespace

ProjectError::ProjectError(std::vector<Problem> problems)
    : Error(ErrorKind::Project, sumOf(problems)), m_problems(std::move(problems)) {}

}  // namespace meshreel
