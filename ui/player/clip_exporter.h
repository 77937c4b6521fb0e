// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QImage>
#include <QObject>
#include <QStringList>
#include <filesystem>

#include "engine/base/problem.h"
#include "engine/media/video_writer.h"
#include "ui/values/background.h"
#include "ui/values/clip.h"

class QComboBox;
class QImage;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QWidget;

namespace meshreel {

inline constexpr int sheetFrames = 24;  ///< maximum

/// Returns the frames of a clip side by side under their numbers, evenly spaced, the first and the last among
/// them. Not for empty clips.
QImage contactSheet(const Clip& clip);

/// Returns every frame `factor` times as wide and high; 1 leaves the clip as it is.
Clip enlarged(Clip clip, int factor);

/// Asks for format, size, quality and file of a clip, beginning with its name and the choices made last.
class ClipExportDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ClipExportDialog(const Clip& clip, QWidget* parent = nullptr);

    [[nodiscard]] VideoFormat format() const;
    [[nodiscard]] int quality() const;
    /// Returns how many times as wide and high.
    [[nodiscard]] int scale() const;
    /// Under the format's extension; a folder for PNG frames.
    [[nodiscard]] QString file() const;

    /// Folder, format and quality are what the next dialog begins with.
    void accept() override;

  private:
    void browse();
    void refresh();

    QComboBox* m_format;
    QComboBox* m_scale;
    QSpinBox* m_quality;
    QLineEdit* m_file;
    QLabel* m_help;
    QPushButton* m_export;
};

/// Copies frames and clips, and writes frames, clips and contact sheets; the ask… functions let a person
/// choose the file first. Writes files away from the thread of the widgets; emits written() or wentWrong() at
/// the end.
class ClipExporter : public QObject {
    Q_OBJECT

  public:
    explicit ClipExporter(QWidget* window);

    void copyFrame(const QImage& frame);
    /// `frame` is counted from 0.
    void askForFrame(const Clip& clip, int frame);
    void askForClip(const Clip& clip);
    void askForSheet(const Clip& clip);
    /// Copies the videos of these run folders.
    void askForCopies(const QStringList& runs);

    /// PNG.
    void writePicture(const QImage& picture, const std::filesystem::path& file);
    /// `quality` from 0, smallest, to 100, best. The clip's project goes along.
    void writeClip(const Clip& clip, const std::filesystem::path& file, VideoFormat format, int quality);
    /// Copies the videos of run folders as they are into `folder`, each under the name of its run, replacing
    /// nothing. Tells of those that have none; emits wentWrong() behind written() where some cannot be
    /// copied.
    void copyClips(const QStringList& runs, const std::filesystem::path& folder);

  signals:
    void noted(const QString& sentence);
    /// A file is there; the sentence says so.
    void written(const QString& sentence, const QString& file);
    void wentWrong(const meshreel::Problem& problem);

  private:
    [[nodiscard]] QString askForPng(const QString& title, const QString& name);

    QWidget* m_window;
    Background m_background;
};

}  // namespace meshreel
