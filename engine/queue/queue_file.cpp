// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/queue_file.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

/// "key=value" texts in the order in which they are set.
using ProjectChanges = std::vector<std::string>;

/// Returns the changes that make the other project from this one; nothing when texts do not give it exactly.
std::optional<ProjectChanges> projectChanges(const Project& from, const Project& to) {
    ProjectChanges changes;
    Project reached = from;
    for (const bool followed : {true, false})  // what other values follow from comes first
        for (const ProjectKey& key : projectKeys()) {
            if ((key.follow != nullptr) != followed)
                continue;
            const std::string text = valueText(to, key);
            if (text == valueText(reached, key))
                continue;
            if (trySetFromText(reached, key, text))
                return std::nullopt;
            changes.push_back(std::string(key.name) + '=' + text);
        }
    return reached == to ? std::optional(std::move(changes)) : std::nullopt;
}

/// Throws ProjectError for a text that is not a legal value of a key.
Project withChanges(Project project, const ProjectChanges& changes) {
    for (const std::string& change : changes)
        applyOverride(project, change);
    return project;
}

constexpr const char* runsKey = "runs";
constexpr const char* projectKey = "project";
constexpr const char* changesKey = "changes";  ///< in place of the project: from that of the run before
constexpr const char* stateKey = "state";
constexpr const char* remarkKey = "remark";
constexpr const char* folderKey = "folder";
constexpr const char* variedKey = "varied";
constexpr const char* idKey = "id";
constexpr const char* addedKey = "added";
constexpr const char* endedKey = "ended";
constexpr const char* clientKey = "of_client";

nlohmann::ordered_json queuedRunJson(const QueuedRun& run, const Project* before) {
    nlohmann::ordered_json json{{idKey, run.id},         {stateKey, std::string(nameOf(run.state))},
                                {remarkKey, run.remark}, {folderKey, run.folder},
                                {variedKey, run.varied}, {addedKey, run.added},
                                {endedKey, run.ended},   {clientKey, run.isOfClient}};
    if (const auto changes = before == nullptr ? std::nullopt : projectChanges(*before, run.project))
        json[changesKey] = *changes;
    else
        json[projectKey] = resolvedYaml(run.project);
    return json;
}

// The file may be edited by hand: what has another type than ours counts as missing.

std::string stringAt(const nlohmann::json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t integerAt(const nlohmann::json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::vector<std::string> stringsAt(const nlohmann::json& json, const char* key) {
    std::vector<std::string> strings;
    if (const auto found = json.find(key); found != json.end() && found->is_array())
        for (const nlohmann::json& each : *found)
            strings.push_back(each.is_string() ? each.get<std::string>() : std::string());
    return strings;
}

/// Throws Error for anything but a run, for a project that this version cannot read, and for changes to one.
Project extractProject(const nlohmann::json& json, const std::optional<Project>& before,
                       const std::filesystem::path& file) {
    if (const auto found = json.find(projectKey); found != json.end() && found->is_string())
        return parseProject(found->get<std::string>(), withTilde(file)).project;
    if (const auto found = json.find(changesKey); found == json.end() || !found->is_array())
        throw Error(ErrorKind::Input, sentence("it holds no project"));
    if (!before)
        throw Error(ErrorKind::Input, sentence("it changes the run before it, which cannot be read"));
    return withChanges(*before, stringsAt(json, changesKey));
}

QueuedRun queuedRunOf(const nlohmann::json& json, Project project) {
    return {.project = std::move(project),
            .state = queuedStateNamed(stringAt(json, stateKey)),
            .remark = stringAt(json, remarkKey),
            .folder = stringAt(json, folderKey),
            .varied = stringsAt(json, variedKey),
            .id = stringAt(json, idKey),
            .added = integerAt(json, addedKey),
            .ended = integerAt(json, endedKey),
            .isOfClient = json.value(clientKey, nlohmann::json()) == true};
}

}  // namespace

std::filesystem::path queueFile() {
    return userDataFolder() / "queue.json";
}

void writeQueue(const std::filesystem::path& file, const std::vector<QueuedRun>& runs) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    const Project* before = nullptr;
    for (const QueuedRun& run : runs) {
        array.push_back(queuedRunJson(run, before));
        before = &run.project;
    }
    std::filesystem::create_directories(file.parent_path());
    constexpr int indent = 4;
    nlohmann::ordered_json json;
    json[runsKey] = std::move(array);
    // Names of folders need not be UTF-8.
    writeFileAtomically(file,
                        json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

KeptQueue readQueue(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file))
        return {};
    const nlohmann::json json = parseJsonObject(readFile(file, Limit::Json), withTilde(file));
    const auto runs = json.find(runsKey);
    if (runs == json.end() || !runs->is_array())
        throw Error(ErrorKind::Input, sentence("The queue has no list of runs"), withTilde(file),
                    sentence("Delete the file to start with an empty queue"));
    KeptQueue kept;
    std::optional<Project> before = Project();  // absent after a run that could not be read
    int number = 0;
    for (const nlohmann::json& each : *runs) {
        ++number;
        try {
            if (!each.is_object())
                throw Error(ErrorKind::Input, sentence("it holds no project"));
            Project project = extractProject(each, before, file);
            before = project;
            kept.runs.push_back(queuedRunOf(each, std::move(project)));
        } catch (const Error& unread) {
            before.reset();
            kept.unread.push_back({number, unread.asSentence()});
        }
    }
    std::unordered_set<std::string> taken;
    for (QueuedRun& run : kept.runs)
        if (run.id.empty() || !taken.insert(run.id).second) {
            run.id = newRunId();
            kept.isOfEarlierVersion = true;
        }
    return kept;
}

}  // namespace meshreel
