// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QWidget>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
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

    /// The project's model decides which kind `auto` stands for. Null: not known.
    void setFamily(const ModelFamily* family);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void choose(int kind);
    void refresh();
    /// The kind of the project as it is; -1 where it is not known.
    [[nodiscard]] int chosenKind() const;

    ProjectDocument& m_document;
    const ModelFamily* m_family = nullptr;
    std::vector<QToolButton*> m_buttons;
};

/// Width and height by class ("480p") and aspect ("16:9"), and the length in seconds beside both. What is
/// none of them is called custom; the fields of width and height hold the truth.
class SizePicker : public QWidget {
    Q_OBJECT

  public:
    explicit SizePicker(ProjectDocument& document, QWidget* parent = nullptr);

    /// What the family's sizes are multiples of, in pixels.
    void setMultiple(int multiple) { m_multiple = multiple; }

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void choose();
    void swap();
    void setSize(QSize size, const QString& title);
    void refresh();

    ProjectDocument& m_document;
    int m_multiple = 16;
    QComboBox* m_class;
    QComboBox* m_aspect;
    QToolButton* m_swap;
    QLabel* m_seconds;
};

/// The size of a class (pixels of the shorter side of 16:9) and aspect, in multiples of `multiple`: about as
/// many pixels as the class has at 16:9.
QSize sizeOfClass(int lines, QSize aspect, int multiple);

/// How many videos Run makes, and whether each has a new seed. Of this program, not of the project.
class Variations : public QWidget {
    Q_OBJECT

  public:
    explicit Variations(QWidget* parent = nullptr);

    [[nodiscard]] int videos() const;
    [[nodiscard]] bool freshSeeds() const;
    void set(int videos, bool freshSeeds);

  signals:
    void changed();

  private:
    QSpinBox* m_videos;
    QCheckBox* m_fresh;
};

}  // namespace meshreel
