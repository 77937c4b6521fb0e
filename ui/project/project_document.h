// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/checks/fixes.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"

namespace meshreel {

/// Marks where a style takes the prompt that it is put around.
inline constexpr QLatin1String styleMark("{prompt}");

/// Returns every text that a prompt with alternatives stands for, the last choice changing fastest: "a
/// {red|blue} {ball|cube}" gives four. Choices may be empty and nested; braces without a bar stay unchanged.
/// Returns at most the first `most`, because a typing mistake can make many.
QStringList promptVariants(const QString& prompt, qsizetype most);

struct ModelFacts;
struct ProjectKey;

/// Hardware that a project is planned for beside this machine.
struct TargetName {
    QString profile = {};  ///< name or file of a profile; empty: this machine alone
    QString program = {};  ///< that runs the model there; empty: the profile's default

    friend bool operator==(const TargetName&, const TargetName&) = default;
};

/// A key and the text it is to have.
struct KeyText {
    const ProjectKey* key;
    QString text;

    friend bool operator==(const KeyText&, const KeyText&) = default;
};

/// Returns the texts of the engine's changes.
std::vector<KeyText> keyTexts(const KeyChanges& changes);

/// The project being edited: its values as texts, its problems, its file, and the way back.
///
/// Keeps what was typed but is not valid beside the project, and reports it as a problem: texts that are not
/// legal values of their keys, lines that name no key, a whole text that is not YAML. Editors show it,
/// undoing restores it and saving writes it, while the project itself stays well-formed.
class ProjectDocument : public QObject {
    Q_OBJECT

  public:
    explicit ProjectDocument(QObject* parent = nullptr);
    ~ProjectDocument() override;

    /// Legal values only; texts that were refused are not in it.
    [[nodiscard]] const Project& project() const { return m_state.project; }

    /// Returns the project with relative paths of images and videos found beside its file: what is planned
    /// and run.
    [[nodiscard]] Project runnableProject() const;
    /// Returns what the search for fixes works on.
    [[nodiscard]] EditedProject edited() const;
    [[nodiscard]] QString text(const ProjectKey& key) const;
    [[nodiscard]] bool isDefault(const ProjectKey& key) const;

    /// A step of undoing.
    void setText(const ProjectKey& key, const QString& text);
    /// Sets the text while the user is typing: edits of one key in quick succession are one step.
    void typeText(const ProjectKey& key, const QString& text);
    /// Several keys at once: one step of undoing, called `title`.
    void setTexts(const QString& title, const std::vector<KeyText>& texts);
    void setTexts(const QString& title, const KeyChanges& changes);
    void resetKey(const ProjectKey& key);
    /// Returns the keys whose text is not the default's.
    [[nodiscard]] int changedKeys() const;

    /// Returns the project as its file would be written, comments kept, with what was refused as it was
    /// typed.
    [[nodiscard]] const QString& yaml() const { return m_yaml; }
    /// Takes over every value of the text that can be, and keeps the rest as it was typed; can be undone,
    /// edits in quick succession as one step. The project keeps the last legal values of what was refused,
    /// and all of them where the text is not YAML.
    void setYaml(const QString& text);

    /// Returns what was refused, and the project's own problems, in the order of listProblems(). Those of a
    /// line of yaml() that belongs to no key have its number, the others none.
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }
    /// listProblems() with what a forecast of the document found; lines as in problems().
    [[nodiscard]] std::vector<Problem> listWith(std::vector<Problem> found) const;
    [[nodiscard]] bool hasErrors() const;
    /// Returns whether something that was typed is not in the project.
    [[nodiscard]] bool hasRefusedTexts() const { return m_hasRefused; }
    /// Returns whether the text is not YAML, so that nothing of it is in the project.
    [[nodiscard]] bool isUnread() const { return m_state.unread; }

    /// A project with the default values and no file.
    void startNew();
    /// Throws ProjectError when the file cannot be read or has no key of a project in it; the document is
    /// unchanged then. Returns the problems of the file.
    std::vector<Problem> load(const std::filesystem::path& file);
    /// Takes over the project of a run, a video or a preset; `origin` names it. It has no file, and nothing
    /// to lose yet; undoing brings back the project before, with its file.
    void adopt(const Project& project, const QString& origin);
    /// Writes the file, complete or not at all, keeping the comments it had. Throws Error.
    void save(const std::filesystem::path& file);

    /// A file that the project names was written again: what follows from it may be another.
    void noteFilesChanged() { emit changed(); }

    /// Empty when the project has no file yet.
    [[nodiscard]] const std::filesystem::path& file() const { return m_state.place->file; }
    /// Returns the file's name, else where the project came from.
    [[nodiscard]] QString displayName() const;
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

    /// Returns what the project is planned for. It is no part of its text, and no step of undoing: another
    /// project has its own, and undoing back to this one finds it again.
    [[nodiscard]] const TargetName& target() const { return m_state.place->target; }
    void setTarget(const TargetName& target);

  signals:
    /// Values, problems or both are new.
    void changed();
    void modifiedChanged(bool modified);
    void fileChanged();
    /// Another project was opened or taken over, or an earlier one was restored.
    void replaced();
    /// The same project is planned for something else.
    void targetChanged();

  private:
    /// Where a project came from and is saved to: one for all that is edited there, so that undoing leads
    /// back to the file that was saved last.
    struct Place {
        std::filesystem::path file;
        QString origin;  ///< without a file; empty for a new project
        TargetName target = {};
    };

    /// All that undoing brings back.
    struct State {
        Project project;
        RefusedTexts refused;
        std::string text;     ///< the file as read or written last, or what was typed since
        bool unread = false;  ///< nothing could be taken from the text
        std::shared_ptr<Place> place;

        friend bool operator==(const State&, const State&) = default;
    };

    static State withValue(State state, const ProjectKey& key, const QString& text);
    static State withText(State state, const std::string& text);
    void push(const QString& title, int mergeId, State after);
    void replace(State state);
    void restore(const State& state);
    void collectProblems();
    void addRefusals(std::vector<Problem> ofText);

    State m_state;
    QString m_yaml;
    LoadedProject m_read;  ///< yaml(), with the problems of what it is in the form
    std::vector<Problem> m_problems;
    bool m_hasRefused = false;
    QUndoStack m_undo;
};

/// "Set Frames to 17", "Set Width to 640, Height to 368".
QString fixLabel(const std::vector<KeyText>& fix);

/// A problem with the changes that end it.
struct Diagnosis {
    Problem problem;
    std::vector<std::vector<KeyText>> fixes;  ///< each sets its keys at once; at least one

    friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

/// listProblems() of the document and what a forecast of it found, each with the changes that end it
/// (findFixes()). `model` may be null.
std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<Problem>& found,
                                const ModelFacts* model);

}  // namespace meshreel
