// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_file.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/project/project_file.h"
#include "ui/queue/project_changes.h"

namespace meshreel {

namespace {

constexpr QLatin1String runsKey("runs");
constexpr QLatin1String projectKey("project");
constexpr QLatin1String changesKey("changes");  ///< in place of the project: from that of the run before
constexpr QLatin1String stateKey("state");
constexpr QLatin1String remarkKey("remark");
constexpr QLatin1String folderKey("folder");
constexpr QLatin1String variedKey("varied");

constexpr std::array stateNames{std::pair{QueuedRun::State::Waiting, QLatin1String("waiting")},
                                std::pair{QueuedRun::State::Running, QLatin1String("running")},
                                std::pair{QueuedRun::State::Done, QLatin1String("done")},
                                std::pair{QueuedRun::State::Cancelled, QLatin1String("cancelled")},
                                std::pair{QueuedRun::State::Failed, QLatin1String("failed")}};

QString nameOf(QueuedRun::State state) {
    return std::ranges::find(stateNames, state, &std::pair<QueuedRun::State, QLatin1String>::first)->second;
}

QueuedRun::State stateOf(const QString& name) {
    const auto found = std::ranges::find_if(stateNames, [&](const auto& row) { return row.second == name; });
    return found == stateNames.end() ? QueuedRun::State::Waiting : found->first;
}

QJsonArray jsonOf(const std::vector<std::string>& names) {
    QJsonArray array;
    for (const std::string& name : names)
        array += QString::fromStdString(name);
    return array;
}

std::vector<std::string> namesOf(const QJsonArray& array) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(array.size()));
    for (const auto& name : array)
        names.push_back(name.toString().toStdString());
    return names;
}

QJsonObject jsonOf(const QueuedRun& run, const Project* before) {
    QJsonObject json{{stateKey, nameOf(run.state)},
                     {remarkKey, run.remark},
                     {folderKey, run.folder},
                     {variedKey, jsonOf(run.varied)}};
    const auto changes = before == nullptr ? std::nullopt : projectChanges(*before, run.project);
    if (changes)
        json.insert(changesKey, jsonOf(*changes));
    else
        json.insert(projectKey, QString::fromStdString(resolvedYaml(run.project)));
    return json;
}

Project projectOf(const QJsonObject& json, const Project& before, const std::filesystem::path& file) {
    if (json.contains(projectKey))
        return parseProject(json.value(projectKey).toString().toStdString(), withTilde(file)).project;
    return withChanges(before, namesOf(json.value(changesKey).toArray()));
}

QueuedRun runOf(const QJsonObject& json, Project project) {
    return {.project = std::move(project),
            .state = stateOf(json.value(stateKey).toString()),
            .remark = json.value(remarkKey).toString(),
            .folder = json.value(folderKey).toString(),
            .varied = namesOf(json.value(variedKey).toArray())};
}

}  // namespace

void writeQueue(const std::filesystem::path& file, const std::vector<QueuedRun>& runs) {
    QJsonArray array;
    const Project* before = nullptr;
    for (const QueuedRun& run : runs) {
        array += jsonOf(run, before);
        before = &run.project;
    }
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, QJsonDocument(QJsonObject{{runsKey, array}}).toJson().toStdString());
}

std::vector<QueuedRun> readQueue(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file))
        return {};
    QJsonParseError failure{};
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(readFile(file)), &failure);
    if (!json.isObject())
        throw Error(ErrorKind::Input,
                    sentence("The queue cannot be read: {}", failure.errorString().toStdString()),
                    withTilde(file), sentence("Delete the file to start with an empty queue"));
    std::vector<QueuedRun> runs;
    const QJsonArray array = json.object().value(runsKey).toArray();
    runs.reserve(static_cast<std::size_t>(array.size()));
    for (const auto& value : array) {
        const QJsonObject run = value.toObject();
        const Project before = runs.empty() ? Project() : runs.back().project;
        runs.push_back(runOf(run, projectOf(run, before, file)));
    }
    return runs;
}

}  // namespace meshreel
