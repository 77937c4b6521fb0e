// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/written_text.h"
#include "engine/project/foreign_file.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/input_files.h"
#include "engine/project/lost_text.h"
#include "engine/project/maxdiffusion_keys.h"
#include "engine/project/numbers.h"
#include "engine/project/other_names.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

/// Whether a name holds keys of its own ("flash_block_sizes").
bool isKeyGroup(std::string_view name) {
    return std::ranges::any_of(projectKeys(), [name](const ProjectKey& key) {
        return key.name.size() > name.size() && key.name.starts_with(name) && key.name[name.size()] == '.';
    });
}

std::string withoutBlanksAtEnds(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? std::string()
                                      : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

void GivenValues::addFile(const std::string& text, const std::string& fileName) {
    file = fileName;
    if (std::optional<Problem> foreign = foreignTextProblem(text)) {  // none of its keys is worth a word
        complete = false;
        problems.push_back(atPlace(fileName, *std::move(foreign)));
        return;
    }
    YamlTree tree = readYaml(text);
    complete = tree.problems.empty();
    for (Problem& problem : tree.problems) {
        problem.place.file = fileName;
        problems.push_back(std::move(problem));
    }
    if (tree.root.kind == YamlNode::Kind::Scalar || tree.root.kind == YamlNode::Kind::List) {
        complete = false;
        problems.push_back({.id = "not-a-map",
                            .place = {.file = fileName, .line = tree.root.line},
                            .message = sentence("A project is a list of keys and values"),
                            .fixes = byHand(sentence("Write one key and its value on a line, key: value"))});
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
    for (const Problem& problem : tree.problems)
        reportOverride(name, problem.message, problem.hint());
    tree.root.key = name;
    tree.root.keyLine = 0;
    for (YamlNode& child : tree.root.children)
        child.keyLine = 0;
    addEntry({}, tree.root, overrideSource);
}

void GivenValues::reportOverride(const std::string& name, Sentence message, Sentence hint) {
    problems.push_back({.id = "override-malformed",
                        .key = name,
                        .place = {.file = overrideSource},
                        .message = std::move(message),
                        .fixes = byHand(std::move(hint))});
}

namespace {

constexpr std::string_view versionKey = "version";
constexpr std::int64_t oldestVersion = 1;
constexpr std::string_view enableLoraKey = "enable_lora";
constexpr std::string_view loraConfigKey = "lora_config";

/// A default that changed. Projects up to a version that do not give the key, and, if keys that it depends on
/// are listed, give one of those, mean the former value.
struct FormerDefault {
    std::int64_t lastVersion;
    std::string_view key;
    std::string_view value;
    std::vector<std::string_view> about = {};
};

std::vector<FormerDefault> formerDefaults() {
    return {{.lastVersion = 1,
             .key = "input_fps",
             .value = keptInputRate,
             .about = {"video", "mask", "pose_video", "face_video", "background_video"}},
            {.lastVersion = 2, .key = GpuChoice::key, .value = GpuChoice::noneName}};
}

enum class Validation { OfValues, Full };

/// Numbers written as a list where the key's text separates them by commas.
bool isNumberList(const ProjectKey& key, const YamlNode& node) {
    return key.form == TextForm::Numbers && node.kind == YamlNode::Kind::List &&
           std::ranges::all_of(node.children, [](const YamlNode& child) {
               return child.kind == YamlNode::Kind::Scalar && !child.quoted;
           });
}

/// Turns given values into a project, collecting every problem.
class ProjectReader {
  public:
    ProjectReader(GivenValues given, Project start)
        : m_given(std::move(given)), m_project(std::move(start)), m_problems(std::move(m_given.problems)) {}

    /// A preset first: the others are written beside it.
    void readValues() {
        for (const bool presets : {true, false})
            for (const auto& [name, value] : m_given.values) {
                if (m_problems.size() >= problemLimit)
                    break;
                if (const ProjectKey* key = findProjectKey(name);
                    (key != nullptr && decidesDefaults(*key)) == presets)
                    readValue(name, value);
            }
        reportIgnored();
    }

    /// Keeps a default of an older version that has changed since. Behind readValues().
    void keepFormerDefaults() {
        const auto hasValue = [this](std::string_view key) {
            return !valueText(m_project, *findProjectKey(key)).empty();
        };
        for (const FormerDefault& former : formerDefaults())
            if (m_version <= former.lastVersion && !m_given.values.contains(former.key) &&
                (former.about.empty() || std::ranges::any_of(former.about, hasValue)))
                static_cast<void>(
                    trySetFromText(m_project, *findProjectKey(former.key), std::string(former.value)));
    }

    void readVersion() {
        const auto found = m_given.values.find(versionKey);
        if (found == m_given.values.end()) {
            if (!m_given.complete)
                return;
            m_problems.push_back({.id = "version-missing",
                                  .severity = Severity::Warning,
                                  .key = std::string(versionKey),
                                  .place = {.file = m_given.file},
                                  .message = sentence("The file names no version and is read as version {}",
                                                      currentProjectVersion)});
            return;
        }
        const GivenValue value = std::move(found->second);
        m_given.values.erase(found);
        const auto version = parseInteger(value.node.text);
        const auto* number = std::get_if<std::int64_t>(&version);
        if (number != nullptr && *number >= oldestVersion && *number <= currentProjectVersion) {
            m_version = *number;
            return;
        }
        report(value, versionKey,
               {.id = "version-unknown",
                .message =
                    sentence("The project file has version \"{}\", and this Meshreel reads versions {} to {}",
                             value.node.text, oldestVersion, currentProjectVersion),
                .fixes = byHand(sentence("Write version: {}, or open it with the Meshreel that wrote it",
                                         currentProjectVersion))});
    }

    /// Puts the result together. What seems missing in a text that could not be read to its end is not worth
    /// reporting.
    LoadedProject finish(Validation validation) {
        LoadedProject loaded;
        loaded.project = std::move(m_project);
        loaded.file = m_given.file;
        for (const auto& [name, value] : m_given.values)
            loaded.places.insert_or_assign(name, KeyPlace{value.file, value.line, value.node.text});
        loaded.complete = m_given.complete;
        if (validation == Validation::Full && m_given.complete)
            for (Problem& problem : validate(loaded.project)) {
                loaded.locate(problem);
                m_problems.push_back(std::move(problem));
            }
        putInFileOrder(m_problems);
        loaded.problems = std::move(m_problems);
        return loaded;
    }

  private:
    /// A problem of the value at its place; of a part of the value at the part's line.
    void report(const GivenValue& at, std::string_view key, Problem problem) {
        const bool isPart = at.line > 0 && problem.place.line > 0;
        problem.place = {.file = at.file, .line = isPart ? problem.place.line : at.line};
        m_problems.push_back(atKey(key, std::move(problem)));
    }

    void readValue(const std::string& name, const GivenValue& given) {
        if (const ProjectKey* key = findProjectKey(name))
            readProjectValue(*key, given);
        else if (name == loraConfigKey)
            readLoraConfigValue(given);
        else if (name == enableLoraKey)
            requireLoraConfig(given);
        else if (const auto foreign = findForeignKey(name))
            readForeignValue(*foreign, given);
        else
            reportUnknown(name, given);
    }

    void readProjectValue(const ProjectKey& key, const GivenValue& given) {
        const YamlNode& node = given.node;
        const std::string name(key.name);
        const bool isList = isListOfMaps(key);
        switch (node.kind) {
            case YamlNode::Kind::Refused:
                return;
            case YamlNode::Kind::Null:
                if (auto lost = lostValue(name, writingOf(key), node)) {
                    report(given, name, *std::move(lost));
                    return;
                }
                report(given, name,
                       {.id = "value-missing",
                        .message = sentence("{} has no value", name),
                        .fixes = setKey(isText(key) ? sentence("Write \"\" for no text, or remove the line")
                                                    : sentence("Write a value, or remove the line"),
                                        name, {defaultText(key, m_project)})});
                return;
            case YamlNode::Kind::List:
            case YamlNode::Kind::Map:
                if (isList || isNumberList(key, node))
                    break;
                report(given, name,
                       {.id = "value-is-a-list",
                        .message = sentence("{} holds several values", name),
                        .fixes = byHand(sentence("Write one value: {}", typeName(key)))});
                return;
            case YamlNode::Kind::Scalar:
                break;
        }
        if (node.quoted && !isText(key) && !isList) {
            report(given, name,
                   {.id = "value-in-quotes",
                    .message = sentence("{} is in quotes, but it is not a text", name),
                    .fixes = setKey(sentence("Remove the quotes"), name, {node.text})});
            return;
        }
        auto problem = given.line > 0 || node.kind != YamlNode::Kind::Scalar
                           ? trySetFromNode(m_project, key, node)
                           : trySetFromText(m_project, key, node.text);
        if (problem)
            report(given, name, *std::move(problem));
        else if (given.line > 0)
            for (Problem& lost : lostTexts(key, node))
                report(given, name, std::move(lost));
    }

    /// MaxDiffusion's list of adapters is in effect when enable_lora is true and lora is not given.
    void readLoraConfigValue(const GivenValue& given) {
        if (!isTrue(enableLoraKey)) {
            m_ignored.emplace_back(given.line, loraConfigKey);
            return;
        }
        if (m_given.values.contains("lora"))
            return;
        auto read = readLoraConfig(given.node);
        if (auto* problem = std::get_if<Problem>(&read))
            report(given, loraConfigKey, std::move(*problem));
        else
            m_project.lora = std::get<LoraList>(std::move(read));
        for (Problem& lost : lostTexts(loraConfigKey, Writing::Name, given.node))
            report(given, loraConfigKey, std::move(lost));
    }

    void requireLoraConfig(const GivenValue& given) {
        if (isTrue(enableLoraKey) && !m_given.values.contains(loraConfigKey) &&
            !m_given.values.contains("lora"))
            report(given, enableLoraKey,
                   {.id = "adapters-not-named",
                    .message = sentence("enable_lora is true, but no adapter is named"),
                    .fixes = byHand(sentence("Name them in lora: [{{file: PATH, strength: 1}}]"))});
    }

    [[nodiscard]] bool isTrue(std::string_view name) const {
        const auto found = m_given.values.find(name);
        static constexpr std::array<std::string_view, 3> yes = {"true", "True", "TRUE"};
        return found != m_given.values.end() && std::ranges::find(yes, found->second.node.text) != yes.end();
    }

    void readForeignValue(const ForeignKey& key, const GivenValue& given) {
        if (key.effect == ForeignEffect::Ignored) {
            m_ignored.emplace_back(given.line, key.name);
            return;
        }
        if (isNeutral(key, given.node))
            return;
        const bool refused = key.effect == ForeignEffect::Refused;
        const std::string name(key.name);
        const std::string line =
            given.node.kind == YamlNode::Kind::Scalar ? name + ": " + given.node.text : name;
        if (refused)
            report(given, name,
                   {.id = "key-not-possible",
                    .message = sentence("{} is not possible: {}", line, key.reason),
                    .fixes = byHand(key.hint)});
        else
            report(given, name,
                   {.id = "key-without-effect",
                    .severity = Severity::Warning,
                    .message = sentence("{} has no effect: {}", line, key.reason),
                    .fixes = byHand(key.hint)});
    }

    static bool isNeutral(const ForeignKey& key, const YamlNode& node) {
        if (node.kind != YamlNode::Kind::Scalar)
            return node.children.empty();
        static constexpr std::array<std::string_view, 4> off = {"", "false", "False", "FALSE"};
        const auto asNumber = parseReal(node.text);
        const auto neutralNumber = parseReal(key.neutral);
        const auto* number = std::get_if<double>(&asNumber);
        const auto* neutral = std::get_if<double>(&neutralNumber);
        const bool sameNumber = number != nullptr && neutral != nullptr && *number == *neutral;
        return std::ranges::find(off, node.text) != off.end() || node.text == key.neutral || sameNumber;
    }

    void reportUnknown(const std::string& name, const GivenValue& given) {
        if (isKeyGroup(name)) {
            report(given, name,
                   {.id = "key-is-a-group",
                    .message = sentence("{} is a map of keys", name),
                    .fixes = byHand(
                        sentence("Write its keys below it, indented, or set one with {}.KEY=VALUE", name))});
            return;
        }
        const std::string typed = plainText(name);
        const std::string beforeColon = withoutBlanksAtEnds(typed.substr(0, typed.find(':')));
        if (typed != name && typed.find(':') != std::string::npos && findProjectKey(beforeColon) != nullptr) {
            report(
                given, name,
                {.id = "key-is-unknown",
                 .message = sentence(
                     "The colon behind {}, or the space after it, is that of another keyboard", beforeColon),
                 .fixes =
                     byHand(sentence("Write {}: with an ASCII colon and a space behind it", beforeColon))});
            return;
        }
        std::vector<std::string_view> candidates = {versionKey};
        std::string_view near = findOtherKey(name);
        if (const ProjectKey* plain = typed == name ? nullptr : findProjectKey(withoutBlanksAtEnds(typed)))
            near = plain->name;
        for (const ProjectKey& key : projectKeys()) {
            candidates.push_back(key.name);
            if (key.name.ends_with("." + name))
                near = key.name;
        }
        if (near.empty())
            near = nearestName(name, candidates);
        report(given, name,
               {.id = "key-is-unknown",
                .message = sentence("There is no key \"{:.80}\"", shownText(name)),
                .fixes = byHand(near.empty() ? sentence("docs/project-keys.md lists all keys")
                                             : sentence("Did you mean \"{}\"?", near))});
    }

    void reportIgnored() {
        if (m_ignored.empty())
            return;
        std::ranges::sort(m_ignored);
        std::string names;
        for (const auto& [line, name] : m_ignored)
            names += (names.empty() ? "" : ", ") + std::string(name);
        m_problems.push_back(
            {.id = "keys-ignored",
             .severity = Severity::Warning,
             .place = {.file = m_given.file, .line = m_ignored.front().first},
             .message = m_ignored.size() == 1
                            ? sentence("1 MaxDiffusion key has no meaning here and is ignored: {}", names)
                            : sentence("{} MaxDiffusion keys have no meaning here and are ignored: {}",
                                       m_ignored.size(), names)});
    }

    GivenValues m_given;
    std::int64_t m_version = currentProjectVersion;
    Project m_project;
    std::vector<std::pair<int, std::string_view>> m_ignored;
    std::vector<Problem> m_problems;
};

}  // namespace

std::string readProjectText(const std::filesystem::path& file) {
    const std::string shown = wellFormedUtf8(withTilde(file));
    if (std::optional<Problem> foreign = foreignFileProblem(file))
        throw ProjectError({atPlace(shown, *std::move(foreign))});
    try {
        return readFile(file, Limit::Project);
    } catch (const Error& failure) {
        throw ProjectError({{.id = "file-unreadable",
                             .place = {.file = shown},
                             .message = failure.message(),
                             .fixes = byHand(failure.hint().empty() ? sentence("Check the project's path")
                                                                    : failure.hint())}});
    }
}

void putInFileOrder(std::vector<Problem>& problems) {
    std::ranges::stable_sort(problems, {}, [](const Problem& problem) { return problem.place.line; });
}

std::vector<Problem> textErrors(const LoadedProject& loaded) {
    const std::vector<Problem> ofProject = validate(loaded.project);
    std::vector<Problem> errors;
    std::ranges::copy_if(loaded.problems, std::back_inserter(errors), [&](const Problem& problem) {
        return problem.severity == Severity::Error && !hasFault(ofProject, problem);
    });
    return errors;
}

RefusedTexts refusedTexts(const LoadedProject& loaded) {
    RefusedTexts refused;
    for (const Problem& problem : textErrors(loaded)) {
        const ProjectKey* key = findProjectKey(problem.key);
        const auto given = loaded.places.find(problem.key);
        if (key != nullptr && given != loaded.places.end())
            refused.emplace(key, given->second.text);
    }
    return refused;
}

void LoadedProject::locate(Problem& problem) const {
    const auto given = places.find(problem.key);
    problem.place = given != places.end()
                        ? Problem::Place{.file = given->second.file, .line = given->second.line}
                        : Problem::Place{.file = file};
}

LoadedProject readProject(const std::string& text, const std::string& fileName,
                          std::span<const std::string> overrides) {
    GivenValues given;
    given.addFile(text, fileName);
    for (const std::string& override : overrides)
        given.addOverride(override);
    ProjectReader reader(std::move(given), Project());
    reader.readVersion();
    reader.readValues();
    reader.keepFormerDefaults();
    LoadedProject loaded = reader.finish(Validation::Full);
    loaded.sourceText = text;
    return loaded;
}

LoadedProject parseProject(const std::string& text, const std::string& fileName,
                           std::span<const std::string> overrides) {
    LoadedProject loaded = readProject(text, fileName, overrides);
    if (hasErrors(loaded.problems))
        throw ProjectError(std::move(loaded.problems));
    return loaded;
}

LoadedProject loadProject(const std::filesystem::path& file, std::span<const std::string> overrides) {
    LoadedProject loaded = parseProject(readProjectText(file), wellFormedUtf8(withTilde(file)), overrides);
    resolveInputs(loaded, std::filesystem::absolute(file).parent_path());
    return loaded;
}

LoadedProject readProjectFrom(const std::filesystem::path& file) {
    return readProject(readProjectText(file), wellFormedUtf8(withTilde(file)));
}

LoadedProject openProject(const std::filesystem::path& file) {
    LoadedProject loaded = readProjectFrom(file);
    if (!textErrors(loaded).empty())
        throw ProjectError(std::move(loaded.problems));
    return loaded;
}

void applyOverride(Project& project, const std::string& keyAndValue) {
    GivenValues given;
    given.addOverride(keyAndValue);
    ProjectReader reader(std::move(given), project);
    reader.readValues();
    LoadedProject loaded = reader.finish(Validation::OfValues);
    if (hasErrors(loaded.problems))
        throw ProjectError(std::move(loaded.problems));
    project = std::move(loaded.project);
}

}  // namespace meshreel
