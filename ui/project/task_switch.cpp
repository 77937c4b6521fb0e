// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/task_switch.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/problem.h"
#include "engine/checks/task_change.h"
#include "engine/checks/task_choice.h"
#include "engine/project/input_files.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr auto wordKeys = std::to_array<std::string_view>({"task", "prompt", "negative_prompt"});

/// What is kept for each kind of task: what the video is made of, by which model, and what only some tasks
/// read. Size, sampling and mesh are the same for all.
std::vector<const ProjectKey*> keysOfADraft() {
    std::vector<const ProjectKey*> keys;
    const auto add = [&keys](std::string_view name) {
        const ProjectKey* key = findProjectKey(name);
        if (!std::ranges::count(keys, key))
            keys.push_back(key);
    };
    add("preset");  // first: it changes the defaults of others
    add("pretrained_model_name_or_path");
    std::ranges::for_each(keysOfAModel(), add);
    std::ranges::for_each(wordKeys, add);
    for (const InputKey& input : inputKeys())
        if (input.kind != InputKind::Sound)
            add(input.name);
    for (const WanTaskRow& row : wanTasks())
        std::ranges::for_each(row.settings, add);
    return keys;
}

const ProjectKey& taskKey() {
    return *findProjectKey("task");
}

}  // namespace

TaskSwitch::TaskSwitch(ProjectDocument& document, QObject* parent) : QObject(parent), m_document(document) {
    connect(&m_document, &ProjectDocument::replaced, this, [this] {
        m_drafts.clear();
        stopLooking();
    });
    connect(&m_document, &ProjectDocument::changed, this, &TaskSwitch::follow);
}

void TaskSwitch::setFamily(const ModelFamily* family) {
    m_family = family;
    emit changed();
}

std::optional<WanTask> TaskSwitch::task() const {
    const Project& project = m_document.project();
    if (const WanTaskRow* row = findWanTask(project.task))
        return row->task;
    return m_family == nullptr ? std::nullopt : std::optional(chooseTask(project, *m_family).task);
}

std::optional<TaskKind> TaskSwitch::kind() const {
    if (m_wanted)
        return m_wanted;
    const std::optional<WanTask> now = task();
    return now ? std::optional(kindOf(*now)) : std::nullopt;
}

std::vector<std::string_view> TaskSwitch::missingInputs() const {
    const std::optional<WanTask> now = task();
    return now ? meshreel::missingInputs(m_document.project(), *now) : std::vector<std::string_view>();
}

void TaskSwitch::follow() {
    const Project& project = m_document.project();
    if (m_missing && (project.task != rowOf(m_missing->task).name || project.model != m_missingModel))
        m_missing.reset();
    emit changed();
}

/// Of the kind that the project is now.
void TaskSwitch::keepDraft() {
    const std::optional<WanTask> now = task();
    if (!now)
        return;
    Draft& draft = m_drafts[kindOf(*now)];
    draft = {.values = {}, .family = m_family};
    for (const ProjectKey* key : keysOfADraft())
        draft.values.push_back({key, m_document.text(*key)});
}

void TaskSwitch::choose(TaskKind kind) {
    if (kind == this->kind())
        return;
    stopLooking();
    keepDraft();
    const QString title = engineText(taskKey().title);
    if (const auto kept = m_drafts.find(kind); kept != m_drafts.end())
        return bringBack(title, kept->second);
    const std::span<const WanTask> tasks = tasksOf(kind);
    m_wanted = kind;
    emit changed();
    look({.title = title, .tasks = {tasks.begin(), tasks.end()}});
}

void TaskSwitch::bringBack(const QString& title, const Draft& draft) {
    std::vector<KeyText> changes;
    for (const KeyText& value : draft.values)
        if (m_document.text(*value.key) != value.text)
            changes.push_back(value);
    m_family = draft.family;
    m_document.setTexts(title, changes);
    const std::optional<WanTask> now = task();
    if (now && (m_family == nullptr || !offers(*m_family, *now)))
        look({.title = title, .tasks = {*now}, .isLate = true});  // nothing did it then
    emit changed();
    emit switched();
}

void TaskSwitch::choose(const QString& title, std::vector<WanTask> tasks, std::vector<KeyText> values,
                        std::function<void()> then) {
    m_wanted.reset();
    keepDraft();
    if (const std::optional<WanTask> now = task()) {
        const auto own = std::ranges::find(tasks, *now);
        if (own != tasks.end())
            std::rotate(tasks.begin(), own, own + 1);
    }
    look({.title = title, .tasks = std::move(tasks), .values = std::move(values), .then = std::move(then)});
}

void TaskSwitch::stopLooking() {
    m_wanted.reset();
    m_looking.forget();
    m_isLooking = false;
}

void TaskSwitch::look(const Wish& wish) {
    m_isLooking = true;
    m_looking.run([project = m_document.runnableProject(), tasks = wish.tasks,
                   used = m_used ? m_used() : std::vector<std::string>(),
                   models = m_models] { return findTask(project, tasks, used, models); },
                  [this, wish](const TaskFound& found) { apply(wish, found); },
                  [this](const Problem&) {  // of the installation; Problems tells of it, too
                      stopLooking();
                      emit changed();
                  });
}

void TaskSwitch::apply(const Wish& wish, const TaskFound& found) {
    stopLooking();
    const Project& project = m_document.project();
    std::vector<KeyText> changes;
    if (!found.model.empty())
        changes = keyTexts(changesToModel(project, found.model));
    for (KeyText& change : keyTexts(changesToTask(project, found.task)))
        changes.push_back(std::move(change));
    changes.insert(changes.end(), wish.values.begin(), wish.values.end());
    if (found.family != nullptr) {
        m_family = found.family;
        m_missing.reset();  // also where the project named the model that was missing
    }
    m_document.setTexts(wish.title, changes);
    if (found.family == nullptr) {
        m_missing = MissingTask{.task = found.task, .get = found.get};
        m_missingModel = project.model;
    }
    emit changed();
    if (!wish.isLate)
        emit switched();
    if (wish.then)
        wish.then();
}

std::set<WanTask> TaskSwitch::tasksHere() const {
    std::set<WanTask> tasks;
    const auto add = [&tasks](const ModelFamily& family) {
        std::ranges::copy_if(family.tasks, std::inserter(tasks, tasks.end()),
                             [&family](WanTask task) { return isMadeFor(family, task); });
    };
    for (const UsableModel& model : m_models)
        add(*model.family);
    if (m_family != nullptr)
        add(*m_family);
    return tasks;
}

void TaskSwitch::refresh() {
    m_reading.run(
        [] { return listUsableModels(); },
        [this](const std::vector<UsableModel>& models) {
            m_models = models;
            if (m_missing && !m_isLooking && tasksHere().contains(m_missing->task))
                look({.title = engineText(taskKey().title), .tasks = {m_missing->task}, .isLate = true});
        },
        [](const Problem&) {});  // of the installation; Problems tells of it
}

namespace {

constexpr QLatin1String familyMember("family");
constexpr QLatin1String valuesMember("values");

QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Null when there is none.
const ModelFamily* familyNamed(const QString& name) {
    const std::span<const ModelFamily> families = modelFamilies();
    const auto found = std::ranges::find_if(
        families, [&name](const ModelFamily& family) { return fromView(family.name) == name; });
    return found == families.end() ? nullptr : &*found;
}

}  // namespace

QByteArray TaskSwitch::draftsText() const {
    QJsonObject kinds;
    for (const auto& [kind, draft] : m_drafts) {
        QJsonObject values;
        for (const KeyText& value : draft.values)
            values.insert(fromView(value.key->name), value.text);
        QJsonObject kept{{valuesMember, values}};
        if (draft.family != nullptr)
            kept.insert(familyMember, fromView(draft.family->name));
        kinds.insert(fromView(nameOf(kind)), kept);
    }
    return kinds.isEmpty() ? QByteArray() : QJsonDocument(kinds).toJson(QJsonDocument::Compact);
}

void TaskSwitch::takeDrafts(const QByteArray& text) {
    const QJsonObject kinds = QJsonDocument::fromJson(text).object();
    for (auto kept = kinds.begin(); kept != kinds.end(); ++kept) {
        const std::optional<TaskKind> kind = findTaskKind(kept.key().toStdString());
        if (!kind)
            continue;
        const QJsonObject draft = kept.value().toObject();
        const QJsonObject values = draft.value(valuesMember).toObject();
        Draft& taken = m_drafts[*kind];
        taken = {.values = {}, .family = familyNamed(draft.value(familyMember).toString())};
        for (const ProjectKey* key : keysOfADraft())  // in their order, as some change the defaults of others
            if (const QJsonValue value = values.value(fromView(key->name)); value.isString())
                taken.values.push_back({key, value.toString()});
    }
}

}  // namespace meshreel

#include "moc_task_switch.cpp"
