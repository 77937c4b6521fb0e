// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_look.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/media/png_text.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/prompt_variants.h"
#include "engine/project/yaml.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::string_view lookKeyword = "meshreel_look";
constexpr std::string_view lookVersion = "1";
constexpr std::string_view lookNameKey = "name";
constexpr std::string_view lookNoteKey = "note";
constexpr std::string_view lookValuesKey = "values";
constexpr std::string_view promptKeyName = "prompt";
constexpr std::string_view adaptersKeyName = "lora";

// The model is not among them: a look is put on videos of any, and says nothing of what they show. Nor is
// what only tasks with pictures or a video read (guidance_scale_image, guidance_scale_video): others refuse
// it, and which task a project has depends on its model.
constexpr std::array<std::string_view, 22> keysOfLooks{promptKeyName,
                                                       "negative_prompt",
                                                       adaptersKeyName,
                                                       "width",
                                                       "height",
                                                       "num_frames",
                                                       "fps",
                                                       "preset",
                                                       "num_inference_steps",
                                                       "guidance_scale",
                                                       "guidance_scale_high",
                                                       "guidance_scale_low",
                                                       "nag_scale",
                                                       "nag_tau",
                                                       "nag_alpha",
                                                       "boundary_ratio",
                                                       "flow_shift",
                                                       "scheduler",
                                                       "sigma_spacing",
                                                       "sigmas",
                                                       "timesteps",
                                                       "conditioning_scale"};

constexpr int mostMarks = 8;

/// Where the prompt of the project goes into a style.
int countMarks(std::string_view prompt) {
    int marks = 0;
    for (std::size_t place = prompt.find(promptMark); place != std::string_view::npos;
         place = prompt.find(promptMark, place + promptMark.size()))
        ++marks;
    return marks;
}

bool isStyle(std::string_view prompt) {
    return countMarks(prompt) > 0;
}

/// A prompt in the words of a style. One that begins and ends with them already stays as it is.
std::string styled(std::string style, const std::string& prompt) {
    const std::string_view before = std::string_view(style).substr(0, style.find(promptMark));
    const std::string_view behind =
        std::string_view(style).substr(style.rfind(promptMark) + promptMark.size());
    const bool hasEnds = !before.empty() || !behind.empty();
    if (hasEnds && prompt.size() >= before.size() + behind.size() && prompt.starts_with(before) &&
        prompt.ends_with(behind))
        return prompt;
    for (std::size_t place = style.find(promptMark); place != std::string::npos;
         place = style.find(promptMark, place + prompt.size()))
        style.replace(place, promptMark.size(), prompt);
    return style;
}

/// A look's adapters, where the project has a file of the name by the project's path.
LoraList whereTheyLie(LoraList adapters, const LoraList& known) {
    for (LoraChoice& adapter : adapters)
        for (const LoraChoice& each : known)
            if (fs::path(each.file).filename() == fs::path(adapter.file).filename())
                adapter.file = each.file;
    return adapters;
}

/// A name in the models folders: neither absolute, nor in a home, nor leading upwards.
bool isName(const std::string& file) {
    const fs::path path = file;
    return !file.empty() && file.front() != '~' && path.is_relative() &&
           std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

/// Adapters by the names of their files.
LoraList byNames(LoraList adapters) {
    for (LoraChoice& adapter : adapters)
        if (!isName(adapter.file))
            adapter.file = fs::path(adapter.file).filename().string();
    return adapters;
}

/// The values alone, in a project that has nothing else.
Project projectOf(const KeyChanges& values) {
    Project project;
    setFromTexts(project, values);
    return project;
}

/// Collects a look and everything that is wrong with its text.
class LookReader {
  public:
    explicit LookReader(std::string fileName) : m_file(std::move(fileName)) {}

    ProjectLook read(const std::string& text) {
        YamlTree tree = readYaml(text);
        for (Problem& problem : tree.problems) {
            problem.place.file = m_file;
            m_problems.push_back(std::move(problem));
        }
        const YamlNode* version = tree.root.find(lookKeyword);
        if (m_problems.empty() && version == nullptr)
            report(tree.root, {}, sentence("This is no look"),
                   sentence("Begin with {}: {}", lookKeyword, lookVersion));
        else if (version != nullptr && version->text != lookVersion)
            report(*version, {}, sentence("A later version of Meshreel wrote this look"),
                   sentence("Use it with that version"));
        for (const YamlNode& node : tree.root.children)
            readEntry(node);
        if (hasErrors(m_problems))
            throw ProjectError(std::move(m_problems));
        takeInOrder();
        return std::move(m_look);
    }

  private:
    void readEntry(const YamlNode& node) {
        if (node.key == lookNameKey)
            m_look.name = node.text;
        else if (node.key == lookNoteKey)
            m_look.note = node.text;
        else if (node.key == lookValuesKey)
            readValues(node);
        else if (node.key != lookKeyword)
            report(
                node, node.key, sentence("A look has no key {}", node.key),
                sentence("It has {}, {}, {} and {}", lookKeyword, lookNameKey, lookNoteKey, lookValuesKey));
    }

    void readValues(const YamlNode& node) {
        if (node.kind != YamlNode::Kind::Map && node.kind != YamlNode::Kind::Null)
            report(node, node.key, sentence("The values of a look are no map of keys"),
                   sentence("Write one key and its value on a line, indented below values"));
        for (const bool deciding : {true, false})
            for (const YamlNode& value : node.children) {
                const ProjectKey* key = findProjectKey(value.key);
                if ((key != nullptr && decidesDefaults(*key)) == deciding)
                    readValue(value);
            }
    }

    void readValue(const YamlNode& node) {
        const ProjectKey* key = findProjectKey(node.key);
        if (key == nullptr || !mayBeInLook(*key)) {
            const std::string_view near = nearestName(node.key, keysOfLooks);
            report(node, node.key,
                   key == nullptr ? sentence("There is no key \"{:.80}\"", node.key)
                                  : sentence("A look does not set {}", node.key),
                   key == nullptr && !near.empty()
                       ? sentence("Did you mean \"{}\"?", near)
                       : sentence("Remove it: a look says how videos look, not of what they are made"));
            return;
        }
        if (std::optional<Problem> refused = trySetFromNode(m_project, *key, node)) {
            refused->place = {.file = m_file, .line = node.line};
            m_problems.push_back(*std::move(refused));
            return;
        }
        if (key->name == promptKeyName && !isStyle(m_project.prompt))
            report(node, node.key, sentence("The prompt of a look is no style"),
                   sentence("Write {} where the prompt of the project goes", promptMark));
        if (key->name == promptKeyName && countMarks(m_project.prompt) > mostMarks)
            report(node, node.key, sentence("The style of a look repeats the prompt"),
                   sentence("Write {} at most {} times", promptMark, mostMarks));
        if (key->name == adaptersKeyName && !std::ranges::all_of(m_project.lora, isName, &LoraChoice::file))
            report(node, node.key, sentence("A look names adapters by a path"),
                   sentence("Write the name that the file has in the folder \"loras\" of the models folder"));
        m_given.push_back(key);
    }

    /// As the table has the keys.
    void takeInOrder() {
        for (const ProjectKey& key : projectKeys())
            if (std::ranges::find(m_given, &key) != m_given.end())
                m_look.values.push_back({.key = std::string(key.name), .value = valueText(m_project, key)});
    }

    void report(const YamlNode& node, const std::string& key, Sentence message, Sentence cure) {
        m_problems.push_back({.id = "look-malformed",
                              .key = key,
                              .place = {.file = m_file, .line = node.line},
                              .message = std::move(message),
                              .fixes = byHand(std::move(cure))});
    }

    std::string m_file;
    Project m_project;
    ProjectLook m_look;
    std::vector<const ProjectKey*> m_given;
    std::vector<Problem> m_problems;
};

}  // namespace

std::span<const std::string_view> lookKeys() {
    return keysOfLooks;
}

bool mayBeInLook(const ProjectKey& key) {
    return std::ranges::find(keysOfLooks, key.name) != keysOfLooks.end();
}

KeyChanges lookValues(const Project& project) {
    Project named = project;
    named.lora = byNames(std::move(named.lora));
    if (!isStyle(named.prompt))
        named.prompt.clear();
    KeyChanges values;
    for (const ProjectKey& key : projectKeys())
        if (mayBeInLook(key) && !isDefault(named, key))
            values.push_back({.key = std::string(key.name), .value = valueText(named, key)});
    return values;
}

KeyChanges lookChanges(const ProjectLook& look, const Project& project) {
    KeyChanges changes;
    for (const KeyChange& value : look.values) {
        KeyChange change = value;
        if (change.key == promptKeyName)
            change.value = styled(change.value, project.prompt);
        if (change.key == adaptersKeyName) {
            Project taken;
            setFromText(taken, *findProjectKey(change.key), change.value);
            taken.lora = whereTheyLie(std::move(taken.lora), project.lora);
            change.value = valueText(taken, *findProjectKey(change.key));
        }
        if (change.value != valueText(project, *findProjectKey(change.key)))
            changes.push_back(std::move(change));
    }
    return changes;
}

std::string lookText(const ProjectLook& look) {
    std::string text = std::string(lookKeyword) + ": " + std::string(lookVersion) + "\n";
    if (!look.name.empty())
        text += std::string(lookNameKey) + ": " + yamlQuoted(look.name) + "\n";
    if (!look.note.empty())
        text += std::string(lookNoteKey) + ": " + yamlQuoted(look.note) + "\n";
    std::string values;
    std::istringstream lines(saveProjectText(projectOf(look.values)));
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && !line.starts_with("version:") && !line.starts_with('#'))
            values += "  " + line + "\n";
    return values.empty() ? text : text + std::string(lookValuesKey) + ":\n" + values;
}

ProjectLook readLook(const std::string& text, const std::string& fileName) {
    return LookReader(fileName).read(text);
}

bool isLook(const fs::path& file) noexcept {
    try {
        return readPngText(file, lookKeyword).has_value();
    } catch (const std::exception&) {
        return false;
    }
}

ProjectLook loadLook(const fs::path& picture) {
    const std::optional<std::string> text = readPngText(picture, lookKeyword);
    const std::string name = wellFormedUtf8(withTilde(picture));
    if (!text)
        throw Error(ErrorKind::Input, sentence("the picture holds no look"), name,
                    sentence("Choose a picture that was saved as a look: some programs and sites drop it"));
    ProjectLook look = readLook(*text, name);
    if (look.name.empty())
        look.name = readableStem(picture);
    return look;
}

void saveLook(const fs::path& file, const ProjectLook& look, std::string_view png) {
    const std::string bytes = withPngText(png, lookKeyword, lookText(look));
    std::error_code failure;
    fs::create_directories(file.parent_path(), failure);  // writing says what is wrong
    writeFileAtomically(file, bytes);
}

fs::path userLooksFolder() {
    return userDataFolder() / "looks";
}

std::vector<FoundLook> looksIn(const fs::path& folder, std::vector<Sentence>* unreadable) {
    constexpr std::size_t mostLooks = 1000;
    std::vector<FoundLook> looks;
    std::error_code failure;  // of a folder that is not there, or goes away
    for (fs::directory_iterator next(folder, failure); !failure && next != fs::directory_iterator();
         next.increment(failure)) {
        const fs::directory_entry entry = *next;
        if (looks.size() >= mostLooks || entry.path().extension() != ".png" || !isLook(entry.path()))
            continue;
        try {
            looks.push_back({.file = entry.path(), .look = loadLook(entry.path())});
        } catch (const Error& refused) {
            if (unreadable != nullptr)
                unreadable->push_back(
                    sentence("{} cannot be read: {}", entry.path().filename().string(), refused.message()));
        }
    }
    std::ranges::sort(looks, {}, [](const FoundLook& found) {
        return std::tuple(found.look.name, found.file.filename().string());
    });
    return looks;
}

}  // namespace meshreel
