// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/widgets/key_field.h"

class QToolButton;

namespace meshreel {

class PathEdit;

/// A file or folder that a project names: typed, chosen in a dialog, or dropped.
class PathField : public KeyField {
    Q_OBJECT

  public:
    /// What the dialog offers.
    enum class Kind { Image, Images, Video, Weights, File };

    /// The kind that suits the key; nothing for keys that name no file.
    static std::optional<Kind> kindOf(const ProjectKey& key);

    PathField(Kind kind, QWidget* parent);

    [[nodiscard]] QString text() const override;
    void setText(const QString& text) override;
    void describe(const QString& title, const QString& help) override;

  private:
    void addChooser(Kind kind);
    void chooseFiles(Kind kind);
    void chooseFolder();

    PathEdit* m_edit;
    QToolButton* m_chooser;
};

}  // namespace meshreel
