// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "engine/media/video_writer.h"
#include "ui/player/clip.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace meshreel {

/// Asks for format, quality and file of a clip, beginning with its name and the choices made last.
class ClipExportDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ClipExportDialog(const Clip& clip, QWidget* parent = nullptr);

    [[nodiscard]] VideoFormat format() const;
    [[nodiscard]] int quality() const;
    /// Under the format's extension; a folder for PNG frames.
    [[nodiscard]] QString file() const;

    /// Folder, format and quality are what the next dialog begins with.
    void accept() override;

  private:
    void browse();
    void refresh();

    QComboBox* m_format;
    QSpinBox* m_quality;
    QLineEdit* m_file;
    QLabel* m_help;
    QPushButton* m_export;
};

}  // namespace meshreel
