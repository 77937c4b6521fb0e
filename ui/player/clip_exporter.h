// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>

#include "engine/media/video_writer.h"
#include "ui/controller/background.h"
#include "ui/player/clip.h"

class QImage;
class QWidget;

namespace meshreel {

/// Copies frames and writes frames, clips and contact sheets; the ask… functions let a person choose the file
/// first. Files are written away from the thread of the widgets; noted() or troubled() tells when they are.
class ClipExporter : public QObject {
    Q_OBJECT

  public:
    explicit ClipExporter(QWidget* window);

    void copyFrame(const QImage& frame);
    /// `frame` is counted from 0.
    void askForFrame(const Clip& clip, int frame);
    void askForClip(const Clip& clip);
    void askForSheet(const Clip& clip);

    /// PNG.
    void writePicture(const QImage& picture, const std::filesystem::path& file);
    /// `quality` from 0, smallest, to 100, best. The clip's project goes along.
    void writeClip(const Clip& clip, const std::filesystem::path& file, VideoFormat format, int quality);

  signals:
    void noted(const QString& sentence);
    void troubled(const meshreel::Trouble& trouble);

  private:
    [[nodiscard]] QString askForPng(const QString& title, const QString& name);

    QWidget* m_window;
    Background m_background;
};

}  // namespace meshreel
