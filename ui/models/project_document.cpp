// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/project_document.h"

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/models/value_edit.h"

namespace meshreel {

ProjectDocument::ProjectDocument(QObject* parent) : QObject(parent) {
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this] { emit modifiedChanged(isModified()); });
    collectProblems();
}

ProjectDocument::~ProjectDocument() {
    // The undo stack tells that it is cleared when it ends, and nobody should hear that.
    m_undo.disconnect(this);
}

Project ProjectDocument::runnableProject() const {
    return withInputsIn(m_project, m_file.parent_path());
}

QString ProjectDocument::text(const ProjectKey& key) const {
    const auto refused = m_refused.find(&key);
    return refused != m_refused.end() ? refused->second.text
                                      : QString::fromStdString(valueText(m_project, key));
}

bool ProjectDocument::isDefault(const ProjectKey& key) const {
    return !m_refused.contains(&key) && meshreel::isDefault(m_project, key);
}

void ProjectDocument::setText(const ProjectKey& key, const QString& newText) {
    const QString before = text(key);
    if (newText == before)
        return;
    State after{m_project, m_refused, m_sourceText};
    after.refused.erase(&key);
    // What follows a value is taken back with it.
    if (key.follow != nullptr && !trySetFromText(after.project, key, newText.toStdString())) {
        pushState(engineText(key.title), std::move(after));
        return;
    }
    const auto id = static_cast<int>(&key - projectKeys().data());
    m_undo.push(new ValueEdit<QString>(engineText(key.title), id, {before, newText},
                                       [this, &key](const QString& value) { apply(key, value); }));
}

void ProjectDocument::setTexts(const QString& title, const std::vector<KeyText>& texts) {
    if (std::ranges::all_of(texts,
                            [this](const KeyText& change) { return text(*change.key) == change.text; }))
        return;
    m_undo.beginMacro(title);
    for (const KeyText& change : texts)
        setText(*change.key, change.text);
    m_undo.endMacro();
}

void ProjectDocument::resetKey(const ProjectKey& key) {
    setTexts(tr("Reset %1", "title of a setting").arg(engineText(key.title)),
             {{&key, QString::fromStdString(defaultText(key, m_project))}});
}

int ProjectDocument::changedKeys() const {
    return static_cast<int>(
        std::ranges::count_if(projectKeys(), [this](const ProjectKey& key) { return !isDefault(key); }));
}

QString ProjectDocument::yaml() const {
    return QString::fromStdString(saveProjectText(m_project, m_sourceText));
}

std::vector<ProjectProblem> ProjectDocument::setYaml(const QString& text) {
    LoadedProject read = readProject(text.toStdString(), displayName().toStdString());
    const auto errors = [](const std::vector<ProjectProblem>& problems) {
        return std::ranges::count(problems, Severity::Error, &ProjectProblem::severity);
    };
    const bool everyValueKept = errors(read.problems) <= errors(validate(read.project));
    if (everyValueKept && text != yaml())
        pushState(tr("Text of the project"), {read.project, {}, std::move(read.sourceText)});
    return std::move(read.problems);
}

bool ProjectDocument::hasErrors() const {
    return meshreel::hasErrors(m_problems);
}

void ProjectDocument::startNew() {
    m_origin.clear();
    replace({}, {}, {});
}

std::vector<ProjectProblem> ProjectDocument::load(const std::filesystem::path& file) {
    LoadedProject loaded = openProject(file);
    replace(loaded.project, file, std::move(loaded.sourceText));
    return std::move(loaded.problems);
}

void ProjectDocument::adopt(const Project& project, const QString& origin) {
    constexpr int unmerged = -1;
    const Whole before{{m_project, m_refused, m_sourceText}, m_file, m_origin};
    const Whole after{{project, {}, {}}, {}, origin};
    m_undo.push(new ValueEdit<Whole>(tr("Project of %1", "run or video").arg(origin), unmerged,
                                     {before, after}, [this](const Whole& whole) { restoreWhole(whole); }));
    m_undo.setClean();
}

void ProjectDocument::save(const std::filesystem::path& file) {
    std::string text = saveProjectText(m_project, m_sourceText);
    writeFileAtomically(file, text);
    m_sourceText = std::move(text);
    m_file = file;
    m_undo.setClean();
    emit fileChanged();
}

QString ProjectDocument::displayName() const {
    if (!m_file.empty())
        return QString::fromStdString(m_file.filename().string());
    return m_origin.isEmpty() ? tr("Untitled project") : tr("Project of %1", "run or video").arg(m_origin);
}

bool ProjectDocument::isModified() const {
    return !m_undo.isClean();
}

void ProjectDocument::apply(const ProjectKey& key, const QString& newText) {
    const std::optional<ProjectProblem> problem = trySetFromText(m_project, key, newText.toStdString());
    if (problem)
        m_refused.insert_or_assign(&key, Refused{newText, *problem});
    else
        m_refused.erase(&key);
    collectProblems();
    emit changed();
}

void ProjectDocument::replace(const Project& project, const std::filesystem::path& file,
                              std::string sourceText) {
    m_project = project;
    m_refused.clear();
    m_file = file;
    m_sourceText = std::move(sourceText);
    m_undo.clear();
    m_undo.setClean();
    collectProblems();
    emit changed();
    emit fileChanged();
}

void ProjectDocument::pushState(const QString& title, State after) {
    const auto id = static_cast<int>(projectKeys().size());  // behind those of the keys
    m_undo.push(new ValueEdit<State>(title, id, {{m_project, m_refused, m_sourceText}, std::move(after)},
                                     [this](const State& state) { restore(state); }));
}

void ProjectDocument::restore(const State& state) {
    m_project = state.project;
    m_refused = state.refused;
    m_sourceText = state.sourceText;
    collectProblems();
    emit changed();
}

void ProjectDocument::restoreWhole(const Whole& whole) {
    m_file = whole.file;
    m_origin = whole.origin;
    restore(whole.state);
    emit fileChanged();
}

void ProjectDocument::collectProblems() {
    m_problems.clear();
    for (const auto& [key, refused] : m_refused)
        m_problems.push_back(refused.problem);
    std::ranges::copy_if(validate(m_project), std::back_inserter(m_problems),
                         [this](const ProjectProblem& problem) {
                             const ProjectKey* key = findProjectKey(problem.key);
                             return key == nullptr || !m_refused.contains(key);
                         });
    putErrorsFirst(m_problems);
}

}  // namespace meshreel
