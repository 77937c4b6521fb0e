// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>
#include <vector>

#include "engine/project/project_look.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace meshreel {

class ClampedText;
class EmptyState;
class ProjectDocument;

/// Puts the look on the project: one step of undoing. Returns whether that changed anything.
bool takeLook(ProjectDocument& document, const ProjectLook& look);

/// Copies the picture of a look into the user's folder of looks, unless it lies there; returns where it is
/// now. Throws Error for a picture without a look, or where it cannot be written.
std::filesystem::path keepLook(const std::filesystem::path& picture);

/// "Steps: 8", a line for each value of the look.
QString lookSummary(const ProjectLook& look);

/// The looks that the user keeps, as pictures: one is put on the project, others are added from files, by
/// drop or from the project, copied elsewhere and removed.
class LooksDialog : public QDialog {
    Q_OBJECT

  public:
    /// `picture`: what a look of the project is shown by at first; may be empty.
    LooksDialog(ProjectDocument& document, QString picture, QWidget* parent = nullptr);

    /// Adds pictures with looks as if they had been chosen in the dialog; a message names those that are
    /// none.
    void add(const QStringList& files);
    /// Puts the chosen look on the project, and closes.
    void useChosen();
    void choose(int index);
    [[nodiscard]] const std::vector<FoundLook>& looks() const { return m_looks; }
    [[nodiscard]] QString details() const;

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* makeButtons();
    void fill();
    void showChosen();
    void askForFiles();
    void saveProjectsLook();
    void copyChosen();
    void removeChosen();
    /// Null where none is chosen.
    [[nodiscard]] const FoundLook* chosen() const;
    void select(const std::filesystem::path& file);

    ProjectDocument& m_document;
    QString m_picture;
    std::vector<FoundLook> m_looks;
    QListWidget* m_list;
    EmptyState* m_empty;
    ClampedText* m_details;
    QLabel* m_remark;
    QPushButton* m_use = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_remove = nullptr;
};

}  // namespace meshreel
