// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_problem.h"

namespace meshreel {

struct ProjectKey;

/// A key and the text it is to have.
struct KeyText {
    const ProjectKey* key;
    QString text;
};

/// The project being edited: its values as texts, its problems, its file, and the way back.
///
/// A text that is no legal value of its key is kept beside the project and reported as a problem, so that an
/// editor can show what was typed while the project itself stays well-formed.
class ProjectDocument : public QObject {
    Q_OBJECT

  public:
    explicit ProjectDocument(QObject* parent = nullptr);
    ~ProjectDocument() override;

    /// Legal values only; texts that were refused are not in it.
    [[nodiscard]] const Project& project() const { return m_project; }

    /// The project with relative paths of images and videos found beside its file: what is planned and run.
    [[nodiscard]] Project runnableProject() const;
    [[nodiscard]] QString text(const ProjectKey& key) const;
    [[nodiscard]] bool isDefault(const ProjectKey& key) const;

    /// Can be undone; edits of one key in quick succession are one step.
    void setText(const ProjectKey& key, const QString& text);

    /// Several keys, or one apart from what is being typed: one step of undoing, called `title`.
    void setTexts(const QString& title, const std::vector<KeyText>& texts);
    void resetKey(const ProjectKey& key);
    /// Keys whose text is not the default's.
    [[nodiscard]] int changedKeys() const;

    /// The project as its file would be written, comments kept.
    [[nodiscard]] QString yaml() const;
    /// Takes over the text when every value in it can be kept, and can undo that; edits in quick succession
    /// are one step. Gives what is wrong, by line: with a value that cannot be kept nothing changes.
    std::vector<ProjectProblem> setYaml(const QString& text);

    /// Refused texts and what validate() finds; errors first.
    [[nodiscard]] const std::vector<ProjectProblem>& problems() const { return m_problems; }
    [[nodiscard]] bool hasErrors() const;
    /// Whether a text is kept beside the project, which saving leaves out.
    [[nodiscard]] bool hasRefusedTexts() const { return !m_refused.empty(); }

    /// A project with the default values and no file.
    void startNew();
    /// Throws ProjectError; the document is unchanged then. Returns the problems of the file.
    std::vector<ProjectProblem> load(const std::filesystem::path& file);
    /// Takes over the project of a run, a video or a preset; `origin` names it. It has no file, and nothing
    /// to lose yet; undoing brings back the project before, with its file.
    void adopt(const Project& project, const QString& origin);
    /// Writes the file, complete or not at all, keeping the comments it had. Throws Error.
    void save(const std::filesystem::path& file);

    /// Empty when the project has no file yet.
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }
    /// The file's name, else where the project came from.
    [[nodiscard]] QString displayName() const;
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

  signals:
    /// Values, problems or both are new.
    void changed();
    void modifiedChanged(bool modified);
    void fileChanged();

  private:
    struct Refused {
        QString text;
        ProjectProblem problem;
    };
    /// All that undoing a change of the whole text brings back.
    struct State {
        Project project;
        std::map<const ProjectKey*, Refused> refused;
        std::string sourceText;
    };

    /// What is edited, and where it came from.
    struct Whole {
        State state;
        std::filesystem::path file;
        QString origin;
    };

    void apply(const ProjectKey& key, const QString& text);
    void replace(const Project& project, const std::filesystem::path& file, std::string sourceText);
    void pushState(const QString& title, State after);
    void restore(const State& state);
    void restoreWhole(const Whole& whole);
    void collectProblems();

    Project m_project;
    std::map<const ProjectKey*, Refused> m_refused;
    std::vector<ProjectProblem> m_problems;
    std::filesystem::path m_file;
    std::string m_sourceText;  ///< the file as read or written last
    QString m_origin;          ///< of a project without a file; empty for a new one
    QUndoStack m_undo;
};

}  // namespace meshreel
