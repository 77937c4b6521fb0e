// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <filesystem>

#include "engine/base/problem.h"
#include "engine/project/project_look.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace meshreel {

class PathEdit;
struct Project;

/// Asks what of a project becomes a look: its name, a sentence about it, which values, and the picture that
/// shows it.
class SaveLookDialog : public QDialog {
    Q_OBJECT

  public:
    /// `picture` is what it is shown by at first; may be empty.
    SaveLookDialog(const Project& project, const QString& picture, QWidget* parent = nullptr);

    /// Returns the look as it is asked for.
    [[nodiscard]] ProjectLook look() const;
    /// Writes it into the user's folder of looks; returns its file. Throws Error for a picture that cannot be
    /// read, and where nothing can be written.
    [[nodiscard]] std::filesystem::path save() const;

    struct Fields {
        QLineEdit *name, *note;
        PathEdit* picture;
        QListWidget* values;  ///< with a check each
        QPushButton* save;
    };
    [[nodiscard]] const Fields& fields() const { return m_fields; }

  private:
    void fillValues(const KeyChanges& values);
    void choosePicture();
    void refresh();

    KeyChanges m_values;
    Fields m_fields{};
    QLabel* m_preview;
    QLabel* m_remark;
};

}  // namespace meshreel
