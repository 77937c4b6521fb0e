// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/storyboard/storyboard_document.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/film/storyboard_text.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "ui/project/value_edit.h"

namespace meshreel {

namespace {

constexpr int unmergedEdit = -1;
constexpr const char* usualFile = "storyboard.yaml";
/// Only one of them can say how long a shot is.
constexpr std::array<std::string_view, 2> lengthKeys{storyboard_key::seconds, "num_frames"};

/// Of edits that may become one: of a key of a shot.
int mergeIdOf(int shot, std::string_view key) {
    constexpr std::size_t most = 1U << 30U;
    return static_cast<int>((std::hash<std::string_view>()(key) + static_cast<std::size_t>(shot)) % most);
}

std::string withValues(std::string text, std::size_t shot, const std::vector<ShotValue>& values,
                       const Shot& before) {
    for (const ShotValue& value : values) {
        if (value.text && std::ranges::find(lengthKeys, value.key) != lengthKeys.end())
            for (const std::string_view other : lengthKeys)
                if (other != value.key && before.written.contains(other))
                    text = withShotValue(text, shot, other, std::nullopt);
        text = withShotValue(text, shot, value.key, value.text);
    }
    return text;
}

void requireShots(const std::string& text, const std::filesystem::path& file) {
    Storyboard read = examineStoryboard(text, file);
    if (read.shots.empty())
        throw ProjectError(std::move(read.problems));
}

}  // namespace

StoryboardDocument::StoryboardDocument(QObject* parent) : QObject(parent) {
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this](bool clean) { emit modifiedChanged(!clean); });
}

StoryboardDocument::~StoryboardDocument() {
    // The undo stack signals that it is cleared when it ends, and no slot should receive that.
    m_undo.disconnect(this);
}

QString StoryboardDocument::ownText(int shot, std::string_view key) const {
    const auto& written = this->shot(shot).written;
    const auto found = written.find(key);
    return found == written.end() ? QString() : QString::fromStdString(found->second);
}

void StoryboardDocument::setValues(int shot, const QString& title, const std::vector<ShotValue>& values) {
    edit(title, unmergedEdit, {shot, shot}, [&](std::string text) {
        return withValues(std::move(text), static_cast<std::size_t>(shot), values, this->shot(shot));
    });
}

void StoryboardDocument::typeValue(int shot, const QString& title, const ShotValue& value) {
    edit(title, mergeIdOf(shot, value.key), {shot, shot}, [&](std::string text) {
        return withValues(std::move(text), static_cast<std::size_t>(shot), {value}, this->shot(shot));
    });
}

void StoryboardDocument::add(int at) {
    edit(tr("Add a shot"), unmergedEdit, {at - 1, at},
         [at](const std::string& text) { return withNewShot(text, static_cast<std::size_t>(at), {}); });
}

void StoryboardDocument::duplicate(int shot) {
    edit(tr("Duplicate a shot"), unmergedEdit, {shot, shot + 1},
         [shot](const std::string& text) { return withCopiedShot(text, static_cast<std::size_t>(shot)); });
}

void StoryboardDocument::remove(int shot) {
    if (count() > 1)
        edit(tr("Remove a shot"), unmergedEdit, {shot, std::min(shot, count() - 2)},
             [shot](const std::string& text) { return withoutShot(text, static_cast<std::size_t>(shot)); });
}

void StoryboardDocument::move(int shot, int to) {
    if (shot != to && shot >= 0 && to >= 0 && std::max(shot, to) < count())
        edit(tr("Move a shot"), unmergedEdit, {shot, to}, [shot, to](const std::string& text) {
            return withMovedShot(text, static_cast<std::size_t>(shot), static_cast<std::size_t>(to));
        });
}

void StoryboardDocument::shareProject(const Project& project) {
    edit(tr("Settings for all shots"), unmergedEdit, {m_state.shot, m_state.shot},
         [&project](const std::string& text) { return withSharedKeys(text, project); });
}

void StoryboardDocument::edit(const QString& title, int mergeId, const Concerned& shots,
                              const std::function<std::string(std::string text)>& change) {
    try {
        const State before{.text = m_state.text, .shot = shots.before};
        State after{.text = change(m_state.text), .shot = shots.after};
        if (after.text != before.text)
            m_undo.push(new ValueEdit<State>(title, mergeId, {before, std::move(after)},
                                             [this](const State& state) { restore(state); }));
    } catch (...) {
        emit refused(currentProblem());
    }
}

void StoryboardDocument::restore(const State& state) {
    m_state = state;
    read();
    emit changed();
    emit shotEdited(std::clamp(state.shot, 0, std::max(count() - 1, 0)));
}

void StoryboardDocument::startNew(const Project& project) {
    open(newStoryboardText(project), {});
}

void StoryboardDocument::load(const std::filesystem::path& file) {
    std::string text = readProjectText(file);
    requireShots(text, file);
    open(std::move(text), file);
}

void StoryboardDocument::bringBack(const std::string& text, const std::filesystem::path& file) {
    requireShots(text, usualFile);
    const bool hasFile = !file.empty() && loads(file);
    if (!hasFile)
        open(text, {});
    edit(tr("Changes of the last session"), unmergedEdit, {0, 0},
         [&text](const std::string&) { return text; });
    if (!hasFile)
        m_undo.resetClean();
}

bool StoryboardDocument::loads(const std::filesystem::path& file) {
    try {
        load(file);
        return true;
    } catch (const Error&) {
        return false;
    }
}

void StoryboardDocument::open(std::string text, const std::filesystem::path& file) {
    m_state = {.text = std::move(text), .shot = 0};
    m_file = file;
    read();
    m_undo.clear();
    m_undo.setClean();
    emit fileChanged();
    emit changed();
    emit shotEdited(0);
    emit modifiedChanged(isModified());
}

void StoryboardDocument::save(const std::filesystem::path& file) {
    writeFileAtomically(file, m_state.text);
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    for (const Shot& shot : m_board.shots)
        noteWritten(shot.project, folder);
    m_file = file;
    m_undo.setClean();
    read();  // its paths begin elsewhere, and its film is called after it
    emit fileChanged();
    emit changed();
}

QString StoryboardDocument::displayName() const {
    return m_file.empty() ? tr("Untitled storyboard") : QString::fromStdString(m_file.filename().string());
}

void StoryboardDocument::read() {
    m_board = examineStoryboard(m_state.text, m_file.empty() ? std::filesystem::path(usualFile) : m_file);
}

}  // namespace meshreel

#include "moc_storyboard_document.cpp"
