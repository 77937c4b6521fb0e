// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_store.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "ui/values/engine_texts.h"

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

QJsonArray makeJson(const std::vector<std::string>& names) {
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

QJsonObject makeJson(const QueuedRun& run, const Project* before) {
    QJsonObject json{{stateKey, nameOf(run.state)},
                     {remarkKey, run.remark},
                     {folderKey, run.folder},
                     {variedKey, makeJson(run.varied)}};
    const auto changes = before == nullptr ? std::nullopt : projectChanges(*before, run.project);
    if (changes)
        json.insert(changesKey, makeJson(*changes));
    else
        json.insert(projectKey, QString::fromStdString(resolvedYaml(run.project)));
    return json;
}

/// Throws Error for anything but a run, for a project that this version cannot read, and for changes to one.
Project extractProject(const QJsonObject& json, const std::optional<Project>& before,
                       const std::filesystem::path& file) {
    if (json.value(projectKey).isString())
        return parseProject(json.value(projectKey).toString().toStdString(), withTilde(file)).project;
    if (!json.value(changesKey).isArray())
        throw Error(ErrorKind::Input, sentence("it holds no project"));
    if (!before)
        throw Error(ErrorKind::Input, sentence("it changes the run before it, which cannot be read"));
    return withChanges(*before, namesOf(json.value(changesKey).toArray()));
}

QueuedRun runPrefix(const QJsonObject& json, Project project) {
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
        array += makeJson(run, before);
        before = &run.project;
    }
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, QJsonDocument(QJsonObject{{runsKey, array}}).toJson().toStdString());
}

KeptQueue readQueue(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file))
        return {};
    QJsonParseError failure{};
    const QJsonDocument json = QJsonDocument::fromJson(QByteArray::fromStdString(readFile(file)), &failure);
    if (!json.isObject() || !json.object().value(runsKey).isArray())
        throw Error(ErrorKind::Input,
                    sentence("The queue cannot be read: {}", failure.errorString().toStdString()),
                    withTilde(file), sentence("Delete the file to start with an empty queue"));
    KeptQueue kept;
    std::optional<Project> before = Project();  // absent after a run that could not be read
    int number = 0;
    for (const auto& value : json.object().value(runsKey).toArray()) {
        const QJsonObject run = value.toObject();
        ++number;
        try {
            Project project = extractProject(run, before, file);
            before = project;
            kept.runs.push_back(runPrefix(run, std::move(project)));
        } catch (const Error& unread) {
            before.reset();
            kept.unread.push_back({number, sentenceText(unread.asSentence())});
        }
    }
    return kept;
}

QueueStore::QueueStore(std::filesystem::path file, QObject* parent)
    : QObject(parent), m_file(std::move(file)), m_lock(QString::fromStdString(m_file.string() + ".lock")) {
    m_writer.setMaxThreadCount(1);
    m_lock.setStaleLockTime(0);  // only the end of its process makes a lock stale
    std::error_code failure;     // no folder, no lock: the remark says what follows
    std::filesystem::create_directories(m_file.parent_path(), failure);
    if (!m_lock.tryLock(0))
        m_remark = tr(
            "The queue is open in another Studio window. Runs added here are lost when this window closes.");
}

QueueStore::~QueueStore() {
    m_writer.waitForDone();
}

std::vector<QueuedRun> QueueStore::restore() {
    if (!m_lock.isLocked())
        return {};
    KeptQueue kept;
    const std::filesystem::path aside = freePath(m_file.string() + ".damaged");
    const QString asideText = QString::fromStdString(withTilde(aside));
    std::error_code stays;
    try {
        kept = readQueue(m_file);
        if (!kept.unread.empty()) {
            stays = copyContent(m_file, aside);
            m_remark =
                tr("%n run(s) of the kept queue could not be read; a copy of the queue is %1. Run %2: %3",
                   nullptr, static_cast<int>(kept.unread.size()))
                    .arg(asideText)
                    .arg(kept.unread.front().number)
                    .arg(kept.unread.front().reason);
        }
    } catch (const Error& failure) {
        std::filesystem::rename(m_file, aside, stays);
        m_remark = tr("The kept queue could not be read and was set aside as %1: %2")
                       .arg(asideText, sentenceText(failure.message()));
    }
    for (QueuedRun& run : kept.runs)
        if (run.state == QueuedRun::State::Running)
            run.state = QueuedRun::State::Waiting;
    return std::move(kept.runs);
}

void QueueStore::keep(const std::vector<QueuedRun>& runs) {
    if (!m_lock.isLocked())
        return;
    const std::scoped_lock lock(m_mutex);
    const bool waits = m_last.has_value();
    m_last = runs;
    if (!waits)
        m_writer.start([this] { writeLast(); });
}

void QueueStore::writeLast() {
    std::vector<QueuedRun> runs;
    {
        const std::scoped_lock lock(m_mutex);
        runs = *std::exchange(m_last, std::nullopt);
    }
    try {
        writeQueue(m_file, runs);
    } catch (const std::exception&) {
        emit keepingFailed(wholeText(currentProblem()));
    }
}

}  // namespace meshreel

#include "moc_queue_store.cpp"
