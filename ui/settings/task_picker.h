// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QToolButton;

namespace meshreel {

struct ModelFamily;
class ProjectDocument;

/// What the video is made of, as words: Text, Image, Video, Edit, Character. A click sets the project's task
/// to the first of its kind; where a task of that kind is set, that stays.
class TaskPicker : public QWidget {
    Q_OBJECT

  public:
    explicit TaskPicker(ProjectDocument& document, QWidget* parent = nullptr);

    /// The project's model decides which kind `auto` means. Null: not known.
    void setFamily(const ModelFamily* family);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void choose(int kind);
    void refresh();
    /// Returns the kind of the project as it is; -1 where it is not known.
    [[nodiscard]] int chosenKind() const;

    ProjectDocument& m_document;
    const ModelFamily* m_family = nullptr;
    std::vector<QToolButton*> m_buttons;
};

}  // namespace meshreel
