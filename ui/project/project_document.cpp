// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/project_document.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "engine/base/files.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/fixes.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "engine/project/project_writer.h"
#include "engine/project/prompt_variants.h"
#include "ui/project/value_edit.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

QStringList promptVariants(const QString& prompt, qsizetype most) {
    QStringList variants;
    for (const std::string& variant : promptVariants(prompt.toStdString(), static_cast<std::size_t>(most)))
        variants += QString::fromStdString(variant);
    return variants;
}

namespace {

constexpr int unmerged = -1;

int mergeNumber(const ProjectKey& key) {
    return static_cast<int>(&key - projectKeys().data());
}

int mergeIdOfText() {
    return static_cast<int>(projectKeys().size());
}

/// Whether the text is laid out so that it would be written anew, without what is wrong in it.
bool losesErrors(const LoadedProject& read, const Project& project, const RefusedTexts& refused) {
    const std::size_t errors = textErrors(read).size();
    return errors > 0 &&
           textErrors(readProject(saveProjectText(project, read.sourceText, refused), {})).size() < errors;
}

}  // namespace

std::vector<KeyText> keyTexts(const KeyChanges& changes) {
    std::vector<KeyText> texts;
    for (const KeyChange& change : changes)
        texts.push_back({findProjectKey(change.key), QString::fromStdString(change.value)});
    return texts;
}

ProjectDocument::ProjectDocument(QObject* parent) : QObject(parent) {
    m_state.place = std::make_shared<Place>();
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this] { emit modifiedChanged(isModified()); });
    collectProblems();
}

ProjectDocument::~ProjectDocument() {
    // The undo stack signals that it is cleared when it ends, and no slot should receive that.
    m_undo.disconnect(this);
}

Project ProjectDocument::runnableProject() const {
    return withInputsIn(project(), file().parent_path());
}

EditedProject ProjectDocument::edited() const {
    return {.project = project(), .refused = m_state.refused, .problems = m_problems};
}

QString ProjectDocument::text(const ProjectKey& key) const {
    const auto refused = m_state.refused.find(&key);
    return QString::fromStdString(refused != m_state.refused.end() ? refused->second
                                                                   : valueText(project(), key));
}

bool ProjectDocument::isDefault(const ProjectKey& key) const {
    return !m_state.refused.contains(&key) && meshreel::isDefault(project(), key);
}

void ProjectDocument::setText(const ProjectKey& key, const QString& newText) {
    setTexts(engineText(key.title), {{&key, newText}});
}

void ProjectDocument::typeText(const ProjectKey& key, const QString& newText) {
    if (newText != text(key))
        push(engineText(key.title), mergeNumber(key), withValue(m_state, key, newText));
}

void ProjectDocument::setTexts(const QString& title, const std::vector<KeyText>& texts) {
    if (std::ranges::all_of(texts,
                            [this](const KeyText& change) { return text(*change.key) == change.text; }))
        return;
    State after = m_state;
    for (const KeyText& change : texts)
        after = withValue(std::move(after), *change.key, change.text);
    push(title, unmerged, std::move(after));
}

void ProjectDocument::setTexts(const QString& title, const KeyChanges& changes) {
    setTexts(title, keyTexts(changes));
}

void ProjectDocument::resetKey(const ProjectKey& key) {
    setTexts(tr("Reset %1", "title of a setting").arg(engineText(key.title)),
             {{&key, QString::fromStdString(defaultText(key, project()))}});
}

int ProjectDocument::changedKeys() const {
    return static_cast<int>(
        std::ranges::count_if(projectKeys(), [this](const ProjectKey& key) { return !isDefault(key); }));
}

void ProjectDocument::setYaml(const QString& text) {
    if (text == m_yaml)
        return;
    m_state.text = m_yaml.toStdString();  // so that typing which ends where it began is recognised
    State after = withText(m_state, text.toStdString());
    if (!(after == m_state))
        push(tr("Text of the project"), mergeIdOfText(), std::move(after));
}

bool ProjectDocument::hasErrors() const {
    return meshreel::hasErrors(m_problems);
}

void ProjectDocument::startNew() {
    replace({.project = {}, .refused = {}, .text = {}, .unread = false, .place = std::make_shared<Place>()});
}

std::vector<Problem> ProjectDocument::load(const std::filesystem::path& file) {
    LoadedProject loaded = readProjectFrom(file);
    if (!textErrors(loaded).empty() && !namesAKey(loaded.sourceText))
        throw ProjectError(std::move(loaded.problems));
    const State empty{.project = {},
                      .refused = {},
                      .text = {},
                      .unread = false,
                      .place = std::make_shared<Place>(Place{.file = file, .origin = {}})};
    replace(withText(empty, loaded.sourceText));
    return std::move(loaded.problems);
}

void ProjectDocument::adopt(const Project& project, const QString& origin) {
    push(tr("Project of %1", "run or video").arg(origin), unmerged,
         {.project = project,
          .refused = {},
          .text = {},
          .unread = false,
          .place = std::make_shared<Place>(Place{.file = {}, .origin = origin})});
    m_undo.setClean();
}

void ProjectDocument::save(const std::filesystem::path& file) {
    std::string text = m_yaml.toStdString();
    writeFileAtomically(file, text);
    noteWritten(project(), std::filesystem::absolute(file).parent_path());
    m_state.text = std::move(text);
    m_state.place->file = file;
    m_undo.setClean();
    emit fileChanged();
}

QString ProjectDocument::displayName() const {
    if (!file().empty())
        return QString::fromStdString(file().filename().string());
    const QString& origin = m_state.place->origin;
    return origin.isEmpty() ? tr("Untitled project") : tr("Project of %1", "run or video").arg(origin);
}

bool ProjectDocument::isModified() const {
    return !m_undo.isClean();
}

void ProjectDocument::setTarget(const TargetName& target) {
    if (target == m_state.place->target)
        return;
    m_state.place->target = target;
    emit targetChanged();
}

ProjectDocument::State ProjectDocument::withValue(State state, const ProjectKey& key, const QString& text) {
    if (trySetFromText(state.project, key, text.toStdString()))
        state.refused.insert_or_assign(&key, text.toStdString());
    else
        state.refused.erase(&key);
    if (!state.unread)
        return state;
    // Only the text will say what else the project is to be, so it must contain the value.
    const std::string yaml = WantedText(state.project, state.refused).yaml(key);
    const std::string changed = withKeyLine(state.text, key, yaml);
    return withText(std::move(state), changed);
}

ProjectDocument::State ProjectDocument::withText(State state, const std::string& text) {
    const LoadedProject read = readProject(text, {});
    RefusedTexts refused = refusedTexts(read);
    // Again with the last legal values: others may follow from them.
    Project project = readProject(text, {}, listOverrides(state.project, refused)).project;
    state.text = text;
    state.unread = !read.complete || losesErrors(read, project, refused);
    if (state.unread)
        return state;
    state.project = std::move(project);
    state.refused = std::move(refused);
    return state;
}

void ProjectDocument::push(const QString& title, int mergeId, State after) {
    m_undo.push(new ValueEdit<State>(title, mergeId, {m_state, std::move(after)},
                                     [this](const State& state) { restore(state); }));
}

void ProjectDocument::replace(State state) {
    m_state = std::move(state);
    m_undo.clear();
    m_undo.setClean();
    collectProblems();
    emit changed();
    emit replaced();
    emit fileChanged();
}

void ProjectDocument::restore(const State& state) {
    const bool isElsewhere = state.place != m_state.place;
    m_state = state;
    collectProblems();
    emit changed();
    if (isElsewhere) {
        emit replaced();
        emit fileChanged();
    }
}

namespace {

/// Lines change under the hands of who edits a form; a problem is shown at its key.
std::vector<Problem> withoutLinesOfKeys(std::vector<Problem> problems) {
    for (Problem& problem : problems)
        if (findProjectKey(problem.key) != nullptr)
            problem.place = {};
    return problems;
}

}  // namespace

void ProjectDocument::collectProblems() {
    const RefusedTexts& refused = m_state.refused;
    const std::string text =
        m_state.unread ? m_state.text : saveProjectText(project(), m_state.text, refused);
    m_yaml = QString::fromStdString(text);
    m_read = readProject(text, {});
    const LoadedProject legal = readProject(text, {}, listOverrides(project(), refused));
    m_hasRefused = m_state.unread || !textErrors(legal).empty() || !refused.empty();
    std::vector<Problem> refusals = std::exchange(m_read.problems, legal.problems);
    std::erase_if(m_read.problems, [&](const Problem& problem) {
        const ProjectKey* key = findProjectKey(problem.key);
        return key != nullptr && refused.contains(key);
    });
    for (Problem& problem : m_read.problems)
        if (findProjectKey(problem.key) != nullptr)
            m_read.locate(problem);
    addRefusals(std::move(refusals));
    m_problems = listWith({});
}

std::vector<Problem> ProjectDocument::listWith(std::vector<Problem> found) const {
    return withoutLinesOfKeys(listProblems(m_read, std::move(found)));
}

/// The text is read with legal values in place of the refused ones; this finds why they were refused. For a
/// whole text that cannot be read only the texts of the keys can show it.
void ProjectDocument::addRefusals(std::vector<Problem> ofText) {
    const auto add = [this](Problem problem) {
        m_read.locate(problem);
        if (!hasFault(m_read.problems, problem))
            m_read.problems.push_back(std::move(problem));
    };
    for (Problem& problem : ofText)
        if (const ProjectKey* key = findProjectKey(problem.key);
            key != nullptr && m_state.refused.contains(key) && problem.severity == Severity::Error)
            add(std::move(problem));
    for (const auto& [key, text] : m_state.refused) {
        Project probe = project();
        if (auto problem = trySetFromText(probe, *key, text))
            add(*std::move(problem));
    }
}

namespace {

struct Fixes {
    Q_DECLARE_TR_FUNCTIONS(meshreel::Fixes)
};

}  // namespace

QString fixLabel(const std::vector<KeyText>& fix) {
    const auto filled = [](const QString& words, const KeyText& change) {
        return words.arg(engineText(change.key->title), change.text);
    };
    if (fix.size() == 1)
        return filled(Fixes::tr("Set %1 to %2", "title of a setting, value"), fix.front());
    QStringList settings;
    for (const KeyText& change : fix)
        settings +=
            filled(Fixes::tr("%1 to %2", "title of a setting, value; one of several in “Set …”"), change);
    return Fixes::tr("Set %1", "several settings with their values").arg(settings.join(QStringLiteral(", ")));
}

std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<Problem>& found,
                                const ModelFacts* model) {
    std::vector<Problem> problems = document.listWith(found);
    const EditedProject edited = document.edited();
    std::vector<Diagnosis> diagnoses;
    for (Problem& problem : problems) {
        std::vector<std::vector<KeyText>> fixes;
        for (const KeyChanges& fix : findFixes(problem, edited, model))
            fixes.push_back(keyTexts(fix));
        diagnoses.push_back({std::move(problem), std::move(fixes)});
    }
    return diagnoses;
}

}  // namespace meshreel

#include "moc_project_document.cpp"
