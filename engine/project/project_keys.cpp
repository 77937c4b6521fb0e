// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/overloaded.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/project/numbers.h"
#include "engine/project/other_names.h"
#include "engine/project/presets.h"
#include "engine/project/yaml.h"

namespace meshreel {
namespace {

/// A value that the key cannot have, with the legal ones, the nearest first.
Problem illegalValue(ProblemId id, const ProjectKey& key, Sentence message, Sentence words,
                     const std::vector<std::string>& legal = {}) {
    return {.id = id,
            .key = std::string(key.name),
            .message = std::move(message),
            .fixes = setKey(std::move(words), key.name, legal)};
}

std::vector<std::string_view> choiceNames(const ProjectKey& key) {
    std::vector<std::string_view> names;
    for (const Choice& choice : key.choices())
        names.push_back(choice.name);
    return names;
}

/// The likeliest of the choices, the nearest first.
std::vector<std::string> nearestChoices(const ProjectKey& key, std::string_view typed) {
    constexpr std::size_t most = 2;
    const std::vector<std::string_view> names = choiceNames(key);
    std::vector<std::string> nearest(names.begin(), names.end());
    std::ranges::stable_sort(nearest, {},
                             [typed](const std::string& name) { return editDistance(name, typed); });
    nearest.resize(std::min(nearest.size(), most));
    return nearest;
}

bool isPath(const ProjectKey& key) {
    return key.form == TextForm::Model || key.form == TextForm::File;
}

Sentence withUnit(Sentence number, const ProjectKey& key) {
    return key.unit.empty() ? std::move(number) : sentence("{} {}", number, tableText(key.unit));
}

bool isOnGrid(const IntegerRange& range, std::int64_t value) {
    return range.step == 1 || (value - range.minimum) % range.step == 0;
}

std::optional<Problem> checkInteger(const ProjectKey& key, std::int64_t value) {
    const auto* range = std::get_if<IntegerRange>(&key.range);
    if (range == nullptr || value == range->automatic)
        return std::nullopt;
    if (value < range->minimum)
        return range->automatic
                   ? illegalValue("value-below-least", key,
                                  sentence("{} is {}, below its least", key.name, value),
                                  sentence("The nearest legal value is {} ({} is automatic)", range->minimum,
                                           *range->automatic),
                                  {fmt::to_string(range->minimum), fmt::to_string(*range->automatic)})
                   : illegalValue("value-below-least", key,
                                  sentence("{} is {}, below its least", key.name, value),
                                  sentence("The nearest legal value is {}", range->minimum),
                                  {fmt::to_string(range->minimum)});
    // The largest legal value: the end of the range, taken down to its grid.
    const std::int64_t last =
        range->step == 1 ? range->maximum : range->maximum - (range->maximum - range->minimum) % range->step;
    if (value > last)
        return illegalValue("value-above-most", key, sentence("{} is {}, above its most", key.name, value),
                            sentence("The nearest legal value is {}", last), {fmt::to_string(last)});
    if (isOnGrid(*range, value))
        return std::nullopt;
    const std::int64_t below = value - (value - range->minimum) % range->step;
    const std::int64_t above = below + range->step;
    const std::int64_t rest = range->minimum % range->step;
    std::vector<std::string> nearest{fmt::to_string(below), fmt::to_string(above)};
    if (above - value < value - below)
        std::ranges::reverse(nearest);
    return illegalValue(
        "value-off-grid", key,
        rest == 0
            ? sentence("{} must be a multiple of {}, not {}", key.name, range->step, value)
            : sentence("{} must be a multiple of {} plus {}, not {}", key.name, range->step, rest, value),
        sentence("The nearest legal values are {} and {}", below, above), nearest);
}

std::optional<Problem> checkReal(const ProjectKey& key, double value) {
    const auto* range = std::get_if<RealRange>(&key.range);
    if (!std::isfinite(value))
        return illegalValue("number-not-finite", key, sentence("{} is not a finite number", key.name),
                            sentence("Write a finite decimal number"));
    if (range == nullptr || (value >= range->minimum && value <= range->maximum))
        return std::nullopt;
    const bool low = value < range->minimum;
    const std::string nearest = realText(low ? range->minimum : range->maximum);
    return illegalValue(low ? ProblemId("value-below-least") : ProblemId("value-above-most"), key,
                        low ? sentence("{} is {}, below its least", key.name, realText(value))
                            : sentence("{} is {}, above its most", key.name, realText(value)),
                        sentence("The nearest legal value is {}", nearest), {nearest});
}

/// A value as another program spells it.
Problem illegalName(const ProjectKey& key, const OtherName& other) {
    Fix fix{.words = sentence("\"{}\" of {} is \"{}\" here", other.name, other.program, other.value),
            .changes = {{.key = std::string(key.name), .value = std::string(other.value)}}};
    if (!other.spacing.empty()) {
        fix.words = sentence("\"{}\" of {} is \"{}\" here, with sigma_spacing: {}", other.name, other.program,
                             other.value, other.spacing);
        fix.changes.push_back({.key = "sigma_spacing", .value = std::string(other.spacing)});
    }
    return {.id = "choice-unknown",
            .key = std::string(key.name),
            .message = sentence("{} cannot be \"{}\"", key.name, other.name),
            .fixes = {std::move(fix)}};
}

std::optional<Problem> checkText(const ProjectKey& key, const std::string& value) {
    if (key.choices == nullptr)
        return std::nullopt;
    const auto names = choiceNames(key);
    if (std::ranges::find(names, value) != names.end())
        return std::nullopt;
    if (const OtherName* const other = findOtherName(key.name, value))
        return illegalName(key, *other);
    const std::string_view near = nearestName(value, names);
    const std::string choices = fmt::to_string(fmt::join(names, ", "));
    return illegalValue("choice-unknown", key, sentence("{} cannot be \"{}\"", key.name, value),
                        near.empty() ? sentence("The choices are {}", choices)
                                     : sentence("Did you mean \"{}\"? The choices are {}", near, choices),
                        nearestChoices(key, value));
}

/// The text of a value; of a list its elements, separated by commas.
std::string toText(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::List)
        return node.text;
    std::vector<std::string_view> elements;
    for (const YamlNode& child : node.children)
        elements.push_back(child.text);
    return fmt::to_string(fmt::join(elements, ", "));
}

std::variant<bool, Problem> parseBoolean(std::string_view text) {
    if (text == "true" || text == "True" || text == "TRUE")
        return true;
    if (text == "false" || text == "False" || text == "FALSE")
        return false;
    static constexpr std::array<std::string_view, 6> yes = {"yes", "on", "y", "1", "Yes", "On"};
    static constexpr std::array<std::string_view, 6> no = {"no", "off", "n", "0", "No", "Off"};
    const auto is = [text](const auto& words) { return std::ranges::find(words, text) != words.end(); };
    return Problem{.id = "not-a-boolean",
                   .message = sentence("\"{}\" is not true or false", text),
                   .fixes = is(yes)  ? setKey(sentence("Write true"), {}, {"true", "false"})
                            : is(no) ? setKey(sentence("Write false"), {}, {"false", "true"})
                                     : setKey(sentence("Write true or false"), {}, {"true", "false"})};
}

/// Reads a list of maps from a text, which has no lines; `example`: what one looks like.
template <typename List>
std::variant<List, Problem> parseMaps(std::string_view text,
                                      std::variant<List, Problem> (*read)(const YamlNode&),
                                      ProblemId malformed, Sentence example) {
    const YamlTree tree = readYaml(std::string(text));
    if (!tree.problems.empty())
        return Problem{
            .id = malformed, .message = tree.problems.front().message, .fixes = byHand(std::move(example))};
    auto list = read(tree.root);
    if (auto* problem = std::get_if<Problem>(&list))
        problem->place = {};
    return list;
}

std::variant<LoraList, Problem> parseLora(std::string_view text) {
    return parseMaps<LoraList>(text, readLora, "adapter-list-malformed",
                               sentence("Write [{{file: PATH, strength: 1}}]"));
}

std::variant<KeyframeList, Problem> parseKeyframes(std::string_view text) {
    return parseMaps<KeyframeList>(text, readKeyframes, "keyframes-malformed",
                                   sentence("Write [{{frame: 8, image: PATH}}]"));
}

template <typename Value>
void followChange(const ProjectKey& key, Value Project::*member, Value before, Project& project) {
    Project unchanged = project;
    unchanged.*member = std::move(before);
    key.follow(unchanged, project);
}

/// Checks a text; controls other than U+0000 are kept, escaped in the file.
std::variant<std::string, Problem> parseText(const ProjectKey& key, std::string_view text) {
    if (firstInvalidUtf8(text))
        return Problem{.id = "text-not-utf8",
                       .message = sentence("The text is not UTF-8"),
                       .fixes = byHand(sentence("Write it in UTF-8"))};
    if (text.find('\0') != std::string_view::npos)
        return Problem{.id = "text-has-control-character",
                       .message = sentence("The text holds the control character U+{:04X}", 0U),
                       .fixes = byHand(sentence("Remove it"))};
    return isPath(key) ? expandTilde(std::string(text)).string() : std::string(text);
}

template <typename Value>
std::variant<Value, Problem> parseValue(const ProjectKey& key, std::string_view text) {
    if constexpr (std::is_same_v<Value, std::int64_t>)
        return parseInteger(text);
    else if constexpr (std::is_same_v<Value, double>)
        return parseReal(text);
    else if constexpr (std::is_same_v<Value, bool>)
        return parseBoolean(text);
    else if constexpr (std::is_same_v<Value, LoraList>)
        return parseLora(text);
    else if constexpr (std::is_same_v<Value, KeyframeList>)
        return parseKeyframes(text);
    else if constexpr (std::is_same_v<Value, Seed>)
        return parseSeed(text);
    else if constexpr (std::is_same_v<Value, GpuChoice>)
        return parseGpuChoice(text);
    else
        return parseText(key, text);
}

}  // namespace

bool isText(const ProjectKey& key) {
    return std::holds_alternative<std::string Project::*>(key.member) ||
           std::holds_alternative<GpuChoice Project::*>(key.member);
}

std::optional<std::string> automaticValue(const ProjectKey& key) {
    if (key.automatic.empty())
        return std::nullopt;
    if (isText(key))
        return std::string();
    const auto* range = std::get_if<IntegerRange>(&key.range);
    const bool isSeed = std::holds_alternative<Seed Project::*>(key.member);
    const std::int64_t value = range != nullptr && range->automatic ? *range->automatic : isSeed ? -1 : 0;
    Project project;
    setFromText(project, key, std::to_string(value));
    return valueText(project, key);  // "0.0" of a real number
}

bool isListOfMaps(const ProjectKey& key) {
    return std::holds_alternative<LoraList Project::*>(key.member) ||
           std::holds_alternative<KeyframeList Project::*>(key.member);
}

Sentence typeName(const ProjectKey& key) {
    if (key.choices != nullptr)
        return sentence("choice");
    return std::visit(Overloaded{[](std::int64_t Project::*) { return sentence("integer"); },
                                 [](double Project::*) { return sentence("number"); },
                                 [](bool Project::*) { return sentence("true or false"); },
                                 [](std::string Project::*) { return sentence("text"); },
                                 [](LoraList Project::*) { return sentence("list"); },
                                 [](KeyframeList Project::*) { return sentence("list"); },
                                 [](Seed Project::*) { return sentence("integer"); },
                                 [](GpuChoice Project::*) { return sentence("text"); }},
                      key.member);
}

std::string valueText(const Project& project, const ProjectKey& key) {
    return std::visit(
        Overloaded{[&](std::int64_t Project::*member) { return fmt::format("{}", project.*member); },
                   [&](double Project::*member) { return realText(project.*member); },
                   [&](bool Project::*member) { return std::string(project.*member ? "true" : "false"); },
                   [&](std::string Project::*member) {
                       return isPath(key) ? withTilde(project.*member) : project.*member;
                   },
                   [&](LoraList Project::*member) { return loraText(project.*member); },
                   [&](KeyframeList Project::*member) { return keyframesText(project.*member); },
                   [&](Seed Project::*member) { return seedText(project.*member); },
                   [&](GpuChoice Project::*member) { return (project.*member).text(); }},
        key.member);
}

std::string defaultText(const ProjectKey& key) {
    return valueText(Project(), key);
}

std::string defaultText(const ProjectKey& key, const Project& project) {
    return valueText(defaultsOfPreset(project.preset), key);
}

bool isDefault(const Project& project, const ProjectKey& key) {
    const Project& defaults = defaultsOfPreset(project.preset);
    return std::visit([&](auto member) { return project.*member == defaults.*member; }, key.member);
}

void copyValue(const ProjectKey& key, const Project& from, Project& to) {
    std::visit([&](auto member) { to.*member = from.*member; }, key.member);
}

Sentence legalValuesText(const ProjectKey& key) {
    if (key.choices != nullptr)
        return fmt::format("{}", fmt::join(choiceNames(key), ", "));
    if (std::holds_alternative<Seed Project::*>(key.member))
        return sentence("0 to {}; {} is random", std::numeric_limits<std::uint64_t>::max(), seedText({}));
    const auto integers = [&key](const IntegerRange& range) {
        const bool unbounded = range.maximum == std::numeric_limits<std::int64_t>::max();
        Sentence text = unbounded ? sentence("{} or more", range.minimum)
                                  : sentence("{} to {}", range.minimum, range.maximum);
        text = withUnit(std::move(text), key);
        if (range.step != 1)
            text = sentence("{}, in steps of {}", text, range.step);
        return range.automatic ? sentence("{}; {} is automatic", text, *range.automatic) : text;
    };
    const auto reals = [&key](const RealRange& range) {
        return withUnit(sentence("{} to {}", realText(range.minimum), realText(range.maximum)), key);
    };
    return std::visit(Overloaded{[](std::monostate) { return Sentence(); }, integers, reals}, key.range);
}

std::optional<Problem> checkValue(const Project& project, const ProjectKey& key) {
    return std::visit(
        Overloaded{[&](std::int64_t Project::*member) { return checkInteger(key, project.*member); },
                   [&](double Project::*member) { return checkReal(key, project.*member); },
                   [](bool Project::*) { return std::optional<Problem>(); },
                   [&](std::string Project::*member) { return checkText(key, project.*member); },
                   [](LoraList Project::*) { return std::optional<Problem>(); },
                   [](KeyframeList Project::*) { return std::optional<Problem>(); },
                   [](Seed Project::*) { return std::optional<Problem>(); },
                   [](GpuChoice Project::*) { return std::optional<Problem>(); }},
        key.member);
}

std::optional<Problem> trySetFromText(Project& project, const ProjectKey& key, std::string_view text) {
    return std::visit(
        [&]<typename Value>(Value Project::*member) -> std::optional<Problem> {
            auto parsed = parseValue<Value>(key, text);
            if (auto* problem = std::get_if<Problem>(&parsed))
                return problem->key.empty() ? valueProblem(key.name, std::move(*problem))
                                            : std::move(*problem);
            Value before = std::exchange(project.*member, std::get<Value>(std::move(parsed)));
            auto problem = checkValue(project, key);
            if (problem)
                project.*member = std::move(before);
            else if (key.follow != nullptr)
                followChange(key, member, std::move(before), project);
            return problem;
        },
        key.member);
}

namespace {

template <typename List>
std::optional<Problem> takeList(std::variant<List, Problem> read, const ProjectKey& key, List& into) {
    if (auto* problem = std::get_if<Problem>(&read))
        return atKey(key.name, std::move(*problem));
    into = std::get<List>(std::move(read));
    return std::nullopt;
}

}  // namespace

std::optional<Problem> trySetFromNode(Project& project, const ProjectKey& key, const YamlNode& node) {
    if (const auto* adapters = std::get_if<LoraList Project::*>(&key.member))
        return takeList(readLora(node), key, project.*(*adapters));
    if (const auto* keyframes = std::get_if<KeyframeList Project::*>(&key.member))
        return takeList(readKeyframes(node), key, project.*(*keyframes));
    return trySetFromText(project, key, toText(node));
}

void setFromText(Project& project, const ProjectKey& key, std::string_view text) {
    if (auto problem = trySetFromText(project, key, text))
        throw ProjectError({*std::move(problem)});
}

bool decidesDefaults(const ProjectKey& key) {
    return key.follow != nullptr;
}

void setFromTexts(Project& project, const KeyChanges& changes) {
    for (const bool deciding : {true, false})
        for (const KeyChange& change : changes)
            if (const ProjectKey& key = *findProjectKey(change.key); decidesDefaults(key) == deciding)
                setFromText(project, key, change.value);
}

namespace {

using Say = std::function<std::string(const Sentence&)>;

constexpr std::string_view origin =
    "<!-- Made from engine/project/key_rows.cpp. To make it again: MESHREEL_UPDATE_DOCS=1 ctest --preset "
    "quick -R KeysPage -->";

std::string introduction(const Say& say) {
    return fmt::format(
        "{}\n# {}\n\n{}\n\n{}\n\n{}\n", origin, say(sentence("Keys of a project file")),
        say(sentence(
            "A project is a YAML file: `version: 3`, then the keys below, each at most once; what is "
            "left out has its default. A dot in a key's name means a key inside a map. Numbers are "
            "decimal, and booleans are `true` or `false`. Anchors, aliases and tags are refused. "
            "MaxDiffusion's files can be used as they are: keys without meaning here are ignored with "
            "one warning.")),
        say(sentence(
            "Put a text that holds a blank and `#` in quotes, since YAML takes the rest of its line for a "
            "comment. Where such a comment may be the rest of a prompt, a name or a path, a warning says "
            "so; behind a path it may stand after two blanks and before another one: `  # comment`.")),
        say(sentence("On the command line, `--set key=value` overrides the file: `--set "
                     "flash_block_sizes.block_q=256`.")));
}

Sentence code(const std::string& text) {
    return text.empty() ? sentence("(empty)") : Sentence(fmt::format("`{}`", text));
}

std::string choiceLines(const ProjectKey& key, const Say& say) {
    std::string lines;
    for (const Choice& choice : key.choices())
        lines += fmt::format("  - `{}`: {}\n", choice.name, say(tableText(choice.help)));
    return lines;
}

std::string entry(const ProjectKey& key, const Say& say) {
    const Sentence kind = sentence("{}; default {}", typeName(key), code(defaultText(key)));
    std::string text = fmt::format("- **`{}`** ({}): {}\n", key.name, say(kind), say(tableText(key.help)));
    if (key.choices != nullptr)
        text += choiceLines(key, say);
    else if (const Sentence legal = legalValuesText(key); !legal.empty())
        text += fmt::format("  {}\n", say(sentence("Legal: {}.", legal)));
    if (!key.inactive.empty())
        text +=
            fmt::format("  {}\n", say(sentence("Other values have no effect: {}.", tableText(key.inactive))));
    return text;
}

}  // namespace

std::string keysMarkdown(const Say& say) {
    std::string text = introduction(say);
    std::string_view section;
    for (const ProjectKey& key : projectKeys()) {
        if (key.section != section)
            text += fmt::format("\n## {}\n\n", say(tableText(key.section)));
        section = key.section;
        text += entry(key, say);
    }
    return text;
}

}  // namespace meshreel
