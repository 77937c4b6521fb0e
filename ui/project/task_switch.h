// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/checks/task_kinds.h"
#include "engine/models/families/model_family.h"
#include "engine/planning/task_models.h"
#include "ui/project/project_document.h"
#include "ui/values/background.h"

namespace meshreel {

/// A task that nothing on this machine does, and what can be downloaded for it.
struct MissingTask {
    WanTask task = WanTask::TextToVideo;
    std::optional<ModelToGet> get = {};
};

/// Makes the project one of another kind of task in one step of undoing: with a model that does it, without
/// what does not apply to it. What the project had for the kind before is kept, and comes back with that
/// kind, until another project takes the document. Looks for models on another thread.
class TaskSwitch : public QObject {
    Q_OBJECT

  public:
    explicit TaskSwitch(ProjectDocument& document, QObject* parent = nullptr);

    /// Tells which models past runs used, the newest first, as projects spell them. Asked when a model is
    /// chosen.
    void setUsedModels(std::function<std::vector<std::string>()> used) { m_used = std::move(used); }
    /// Of the project's model, which says what `task: auto` means. Null: not known.
    void setFamily(const ModelFamily* family);
    [[nodiscard]] const ModelFamily* family() const { return m_family; }

    /// Returns the task of the project as it is; nothing where it is not known.
    [[nodiscard]] std::optional<WanTask> task() const;
    /// Returns the kind that was chosen last and is not in the project yet, else that of the project; nothing
    /// where it is not known.
    [[nodiscard]] std::optional<TaskKind> kind() const;
    /// Returns the inputs that the project's task needs and does not have; none where it is not known.
    [[nodiscard]] std::vector<std::string_view> missingInputs() const;

    void choose(TaskKind kind);
    /// The first of `tasks` that can be done, with further values; the project's own task if it is one of
    /// them. `title` names the step of undoing.
    /// `then` is called when it is in the project.
    void choose(const QString& title, std::vector<WanTask> tasks, std::vector<KeyText> values,
                std::function<void()> then);
    /// Nothing, unless the project's task was chosen here and nothing does it.
    [[nodiscard]] const std::optional<MissingTask>& missing() const { return m_missing; }

    /// Reads again which models are installed. A task that was missing takes the model that does it now.
    void refresh();
    /// Returns what the project's model and the installed ones do, as far as they have been read.
    [[nodiscard]] std::set<WanTask> tasksHere() const;

    /// Returns what is kept for kinds of task on one line, for takeDrafts() of the next session; empty when
    /// nothing is.
    [[nodiscard]] QByteArray draftsText() const;
    /// Takes them for the open project. Leaves out what this version does not know.
    void takeDrafts(const QByteArray& text);

  signals:
    /// kind(), missingInputs() or missing() may be others.
    void changed();
    /// What the user chose is in the project. Not emitted when a missing task takes a model later on: the
    /// user is elsewhere by then.
    void switched();

  private:
    struct Wish {
        QString title;
        std::vector<WanTask> tasks;
        std::vector<KeyText> values = {};
        std::function<void()> then = {};
        bool isLate = false;  ///< the choice that it belongs to is in the project already
    };

    /// What the project had for a kind of task.
    struct Draft {
        std::vector<KeyText> values;
        const ModelFamily* family = nullptr;  ///< of its model
    };

    void follow();
    void keepDraft();
    void bringBack(const QString& title, const Draft& draft);
    void look(const Wish& wish);
    void stopLooking();
    void apply(const Wish& wish, const TaskFound& found);

    ProjectDocument& m_document;
    std::function<std::vector<std::string>()> m_used;
    const ModelFamily* m_family = nullptr;
    std::map<TaskKind, Draft> m_drafts;
    std::optional<TaskKind> m_wanted;  ///< while models are looked for
    bool m_isLooking = false;
    std::optional<MissingTask> m_missing;
    std::string m_missingModel;         ///< the project's, when it was found that none does the task
    std::vector<UsableModel> m_models;  ///< that are installed, as they were read last
    LatestOnly m_looking;
    LatestOnly m_reading;
};

}  // namespace meshreel
