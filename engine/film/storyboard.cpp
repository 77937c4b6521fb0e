// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/film/storyboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/checks/task_choice.h"
#include "engine/project/input_files.h"
#include "engine/project/lost_text.h"
#include "engine/project/numbers.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/yaml.h"
#include "engine/runs/next_clip.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::string_view versionKey = "version";
constexpr std::string_view shotsKey = storyboard_key::shots;
constexpr std::string_view nameKey = storyboard_key::name;
constexpr std::string_view secondsKey = storyboard_key::seconds;
constexpr std::string_view continueKey = storyboard_key::continues;
constexpr std::string_view blendKey = storyboard_key::blend;
constexpr std::array ownKeys{nameKey, secondsKey, continueKey, blendKey};
constexpr std::size_t mostShots = 1000;

Problem malformed(int line, Sentence message, Sentence fix) {
    return {.id = "storyboard-malformed",
            .place = {.line = line},
            .message = std::move(message),
            .fixes = byHand(std::move(fix))};
}

/// Whether keys of projects begin with the name and a dot.
bool isGroup(const std::string& name) {
    return std::ranges::any_of(projectKeys(),
                               [&](const ProjectKey& key) { return key.name.starts_with(name + "."); });
}

Problem valueMissing(const std::string& name, const YamlNode& node) {
    const ProjectKey* key = findProjectKey(name);
    if (auto lost = lostValue(name, key != nullptr ? writingOf(*key) : Writing::Fixed, node)) {
        lost->fixes = byHand(lost->hint());
        return *std::move(lost);
    }
    return {.id = "value-missing",
            .message = sentence("{} has no value", name),
            .fixes = byHand(sentence("Write a value, or remove the line"))};
}

bool beginsTopLevel(std::string_view line) {
    return !line.empty() && std::string_view(" \t-#\r").find(line.front()) == std::string_view::npos;
}

bool beginsShots(std::string_view line) {
    return line.starts_with(shotsKey) && line.substr(shotsKey.size()).starts_with(':');
}

/// The text with empty lines in place of its shots, so that it is a project's and lines keep their numbers.
std::string withoutShots(const std::string& text) {
    std::string rest;
    bool inShots = false;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        if (beginsTopLevel(line))
            inShots = beginsShots(line);
        if (!inShots)
            rest += line;
        rest += '\n';
        begin = end + 1;
    }
    return rest;
}

bool isShotName(std::string_view name) {
    return !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
               std::string_view("-_.").find(letter) != std::string_view::npos;
    });
}

/// The last line in which a node says something.
int lastLineOf(const YamlNode& node) {
    int last = std::max({node.line, node.keyLine, node.commentLine});
    for (const YamlNode& child : node.children)
        last = std::max(last, lastLineOf(child));
    return last;
}

/// The names that shots are given.
std::set<std::string> namesIn(const YamlNode* shots) {
    std::set<std::string> names;
    if (shots != nullptr)
        for (const YamlNode& shot : shots->children)
            if (const YamlNode* name = shot.find(nameKey))
                names.insert(name->text);
    return names;
}

/// Reads shots one after the other, collecting every problem.
class ShotReader {
  public:
    /// `names`: those that the storyboard gives.
    ShotReader(std::string shared, fs::path file, std::span<const std::string> overrides,
               std::set<std::string> names)
        : m_shared(std::move(shared)),
          m_file(std::move(file)),
          m_overrides(overrides.begin(), overrides.end()),
          m_taken(std::move(names)) {}

    void read(const YamlNode& node) {
        Shot shot{.name = {}, .line = node.line, .project = {}, .lastLine = lastLineOf(node)};
        if (node.kind != YamlNode::Kind::Map) {
            report(malformed(node.line, sentence("a shot is no map of keys"),
                             sentence("Write - prompt: ..., and further keys below it")));
            shot.name = freeName();
            m_shots.push_back(std::move(shot));
            return;
        }
        for (const std::string_view key : ownKeys)
            if (const YamlNode* value = node.find(key); value != nullptr)
                shot.written.emplace(key, value->text);
        readName(node, shot);
        readContinue(node, shot);
        readSeconds(node, shot);
        readBlend(node, shot);
        readProjectKeys(node, shot);
        m_shots.push_back(std::move(shot));
    }

    void report(Problem problem) {
        problem.place.file = m_file.string();
        m_problems.push_back(std::move(problem));
    }

    [[nodiscard]] std::vector<Problem>& problems() { return m_problems; }
    [[nodiscard]] std::vector<Shot>& shots() { return m_shots; }

  private:
    void readName(const YamlNode& node, Shot& shot) {
        const YamlNode* name = node.find(nameKey);
        if (name == nullptr) {
            shot.name = freeName();
            return;
        }
        if (!isShotName(name->text))
            report(malformed(name->line, sentence("\"{}\" is no name of a shot", name->text),
                             sentence("Write letters, digits, '-', '_' and '.'; it names a folder")));
        else if (find(name->text))
            report(malformed(name->line, sentence("two shots are called {}", name->text),
                             sentence("Give each a name of its own")));
        shot.name = name->text;
    }

    std::string freeName() {
        for (std::size_t number = m_shots.size() + 1;; ++number)
            if (const auto [name, isFree] = m_taken.insert(fmt::format("shot-{}", number)); isFree)
                return *name;
    }

    void readContinue(const YamlNode& node, Shot& shot) {
        const YamlNode* value = node.find(continueKey);
        if (value == nullptr || value->text == "false")
            return;
        if (value->text == "true" && !value->quoted)
            shot.continues = m_shots.empty() ? std::nullopt : std::optional(m_shots.size() - 1);
        else
            shot.continues = find(value->text);
        if (!shot.continues)
            report(
                malformed(value->line,
                          m_shots.empty() ? sentence("the first shot has none to continue")
                                          : sentence("there is no earlier shot called \"{}\"", value->text),
                          sentence("Write continue: true for the shot before, the name of an earlier one, or "
                                   "continue_from: PATH for another clip")));
    }

    void readSeconds(const YamlNode& node, Shot& shot) {
        const YamlNode* value = node.find(secondsKey);
        if (value == nullptr)
            return;
        const auto read = parseReal(value->text);
        const auto* seconds = std::get_if<double>(&read);
        constexpr double most = 3600;
        if (seconds == nullptr || *seconds <= 0 || *seconds > most)
            report(malformed(value->line, sentence("seconds is \"{}\"", value->text),
                             sentence("Write how long the shot lasts, more than 0 and at most {}", most)));
        else
            shot.seconds = *seconds;
        if (node.find("num_frames") != nullptr)
            report(malformed(value->line, sentence("seconds and num_frames both say how long the shot is"),
                             sentence("Leave out one of them")));
    }

    void readBlend(const YamlNode& node, Shot& shot) {
        const YamlNode* value = node.find(blendKey);
        if (value == nullptr)
            return;
        const auto read = parseInteger(value->text);
        const auto* frames = std::get_if<std::int64_t>(&read);
        constexpr std::int64_t most = 1000;
        if (frames == nullptr || *frames < 0 || *frames > most)
            report(malformed(value->line, sentence("blend is \"{}\"", value->text),
                             sentence("Write how many frames pass over, 0 to {}", most)));
        else if (!shot.continues || *shot.continues + 1 != m_shots.size())
            report(malformed(value->line,
                             sentence("the film passes over only into a shot that continues the one "
                                      "right before it"),
                             sentence("Leave out blend, or write continue: true")));
        else
            shot.blend = *frames;
    }

    void readProjectKeys(const YamlNode& node, Shot& shot) {
        std::vector<std::string> own = m_overrides;
        if (shot.continues) {
            if (node.find("continue_from") != nullptr)
                report(malformed(node.line,
                                 sentence("continue and continue_from both say what the shot continues"),
                                 sentence("Leave out one of them")));
            if (node.find("seed") == nullptr)
                own.push_back("seed=" + seedText(nextSeed(m_shots[*shot.continues].project.seed)));
            own.push_back("continue_from=" + m_shots[*shot.continues].name);
        }
        addOverrides(node, {}, own, shot);
        const LoadedProject loaded = readProject(m_shared, m_file.string(), own);
        for (Problem problem : loaded.problems) {
            const bool isShared = problem.place.line > 0 || problem.key == versionKey;
            if (!isShared)
                problem.place.line = lineOf(node, problem.key);
            else if (!m_told.insert(problem.text()).second)
                continue;  // told with an earlier shot
            report(std::move(problem));
        }
        shot.project = loaded.project;
        if (shot.continues) {
            shot.project.continueFrom.clear();
            if (node.find("image") == nullptr && !keepsImage(shot.project))
                shot.project.image.clear();
        }
        shot.project = withInputsIn(std::move(shot.project), fs::absolute(m_file).parent_path());
    }

    /// "key=value" of each project key of a shot; keys of a group have its name before them.
    void addOverrides(const YamlNode& node, const std::string& group, std::vector<std::string>& overrides,
                      Shot& shot) {
        for (const YamlNode& child : node.children) {
            const std::string name = group + child.key;
            if (group.empty() && std::ranges::find(ownKeys, child.key) != ownKeys.end())
                continue;
            const ProjectKey* key = findProjectKey(name);
            if (child.kind == YamlNode::Kind::Map && key == nullptr) {
                addOverrides(child, name + ".", overrides, shot);
            } else if (child.kind == YamlNode::Kind::Null) {
                if (!isGroup(name))
                    reportAt(name, child.keyLine, valueMissing(name, child));
            } else {
                const bool isText = child.kind == YamlNode::Kind::Scalar;
                const std::string text = isText ? child.text : yamlFlowText(child);
                overrides.push_back(fmt::format("{}={}", name, text));
                shot.written.emplace(name, text);
                if (key != nullptr)
                    for (Problem& lost : lostTexts(*key, child)) {
                        lost.fixes = byHand(lost.hint());
                        const int line = lost.place.line;
                        reportAt(name, line, std::move(lost));
                    }
            }
        }
    }

    void reportAt(const std::string& name, int line, Problem problem) {
        problem.key = name;
        problem.place.line = line;
        report(std::move(problem));
    }

    static int lineOf(const YamlNode& node, const std::string& key) {
        const YamlNode* child = node.find(key);
        return child != nullptr ? child->keyLine : node.line;
    }

    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
        const auto found = std::ranges::find(m_shots, name, &Shot::name);
        return found == m_shots.end() ? std::nullopt
                                      : std::optional(static_cast<std::size_t>(found - m_shots.begin()));
    }

    std::string m_shared;
    fs::path m_file;
    std::vector<std::string> m_overrides;
    std::set<std::string> m_taken;  // names
    std::set<std::string> m_told;   // what is wrong with the keys that all share
    std::vector<Shot> m_shots;
    std::vector<Problem> m_problems;
};

}  // namespace

std::optional<std::size_t> Storyboard::shotAt(int line) const {
    const auto found = std::ranges::find_if(
        shots, [line](const Shot& shot) { return shot.line <= line && line <= shot.lastLine; });
    return found == shots.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - shots.begin()));
}

Storyboard examineStoryboard(const std::string& text, const fs::path& file,
                             std::span<const std::string> overrides) {
    const YamlTree tree = readYaml(text);
    const YamlNode* shots = tree.root.find(shotsKey);
    ShotReader reader(withoutShots(text), file, overrides, namesIn(shots));
    for (const Problem& problem : tree.problems)
        reader.report(problem);
    if (tree.problems.empty() && (shots == nullptr || shots->children.empty()))
        reader.report(malformed(1, sentence("a storyboard has a list of shots"),
                                sentence("Write shots: and below it - prompt: ... for each")));
    else if (tree.problems.empty() &&
             (shots->kind != YamlNode::Kind::List || shots->children.size() > mostShots))
        reader.report(malformed(shots->line, sentence("shots is no list of 1 to {} shots", mostShots),
                                sentence("Write - prompt: ... for each shot")));
    else if (tree.problems.empty())
        for (const YamlNode& shot : shots->children)
            reader.read(shot);
    return {.file = file, .shots = std::move(reader.shots()), .problems = std::move(reader.problems())};
}

Storyboard parseStoryboard(const std::string& text, const fs::path& file,
                           std::span<const std::string> overrides) {
    Storyboard read = examineStoryboard(text, file, overrides);
    if (hasErrors(read.problems))
        throw ProjectError(std::move(read.problems));
    return read;
}

Storyboard readStoryboard(const fs::path& file, std::span<const std::string> overrides) {
    return parseStoryboard(readProjectText(file), file, overrides);
}

bool isStoryboard(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (beginsShots(std::string_view(text).substr(begin, end - begin)))
            return true;
        begin = end + 1;
    }
    return false;
}

}  // namespace meshreel
