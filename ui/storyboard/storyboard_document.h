// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/film/storyboard.h"
#include "engine/project/project.h"

namespace meshreel {

/// A shot's own text for a key; nothing: what all shots share counts.
struct ShotValue {
    std::string key;
    std::optional<std::string> text;
};

/// The storyboard being edited: its file's text, in which each edit changes one thing, what the engine reads
/// in it, and the way back.
class StoryboardDocument : public QObject {
    Q_OBJECT

  public:
    /// Nothing is open at first.
    explicit StoryboardDocument(QObject* parent = nullptr);
    ~StoryboardDocument() override;

    [[nodiscard]] bool isOpen() const { return !m_state.text.empty(); }
    [[nodiscard]] const std::string& text() const { return m_state.text; }
    /// As the engine reads it, with what is wrong in it; paths are absolute.
    [[nodiscard]] const Storyboard& board() const { return m_board; }
    [[nodiscard]] int count() const { return static_cast<int>(m_board.shots.size()); }
    [[nodiscard]] const Shot& shot(int index) const { return m_board.shots[static_cast<std::size_t>(index)]; }
    /// Returns what a shot has of its own as it is written; empty where all shots' counts.
    [[nodiscard]] QString ownText(int shot, std::string_view key) const;

    // Edits: a step of undoing each. What says how long a shot is takes the place of what said it before.
    void setValues(int shot, const QString& title, const std::vector<ShotValue>& values);
    /// While the user is typing: edits of one key of a shot in quick succession are one step.
    void typeValue(int shot, const QString& title, const ShotValue& value);
    /// So that it is number `at`.
    void add(int at);
    void duplicate(int shot);
    /// Does nothing with the only shot.
    void remove(int shot);
    void move(int shot, int to);
    /// Lets all shots share what the project has, but for what is one clip's own.
    void shareProject(const Project& project);

    /// One shot, with everything of the project: nothing to lose before it is edited.
    void startNew(const Project& project);
    /// Throws ProjectError for a file that lists no shots; the document is unchanged then.
    void load(const std::filesystem::path& file);
    /// A text that was not saved yet, as an unsaved change of its file; of none where `file` is empty or is
    /// no storyboard any more. Throws ProjectError for a text that lists no shots.
    void bringBack(const std::string& text, const std::filesystem::path& file);
    /// Throws Error.
    void save(const std::filesystem::path& file);

    /// Empty before it is saved.
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }
    [[nodiscard]] QString displayName() const;
    [[nodiscard]] bool isModified() const { return !m_undo.isClean(); }
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

  signals:
    void changed();
    /// An edit, or what undoes it, is about this shot.
    void shotEdited(int shot);
    void modifiedChanged(bool modified);
    void fileChanged();
    /// It stays as it was.
    void refused(const meshreel::Problem& problem);

  private:
    /// All that undoing brings back.
    struct State {
        std::string text;
        int shot = 0;  ///< to look at

        friend bool operator==(const State&, const State&) = default;
    };

    /// The shot to look at once an edit is undone, and once it is made.
    struct Concerned {
        int before;
        int after;
    };

    void edit(const QString& title, int mergeId, const Concerned& shots,
              const std::function<std::string(std::string text)>& change);
    void open(std::string text, const std::filesystem::path& file);
    /// load(), unless the file cannot be used.
    bool loads(const std::filesystem::path& file);
    void restore(const State& state);
    void read();

    State m_state;
    std::filesystem::path m_file;
    Storyboard m_board;
    QUndoStack m_undo;
};

}  // namespace meshreel
