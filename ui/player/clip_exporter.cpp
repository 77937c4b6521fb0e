// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/clip_exporter.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QImage>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/media/video_writer.h"
#include "ui/controller/clip_conversion.h"
#include "ui/models/key_texts.h"
#include "ui/player/clip_export_dialog.h"
#include "ui/player/contact_sheet.h"
#include "ui/widgets/export_place.h"

namespace meshreel {

namespace {

QString shown(const std::filesystem::path& file) {
    return QString::fromStdString(withTilde(file));
}

}  // namespace

ClipExporter::ClipExporter(QWidget* window) : QObject(window), m_window(window) {}

void ClipExporter::copyFrame(const QImage& frame) {
    QGuiApplication::clipboard()->setImage(frame);
    emit noted(tr("The frame was copied."));
}

void ClipExporter::askForFrame(const Clip& clip, int frame) {
    const QString name = QStringLiteral("%1-frame-%2.png").arg(clip.fileStem()).arg(frame + 1);
    if (const QString file = askForPng(tr("Save the frame"), name); !file.isEmpty())
        writePicture(clip.frames.at(frame), file.toStdString());
}

void ClipExporter::askForSheet(const Clip& clip) {
    const QString name = QStringLiteral("%1-sheet.png").arg(clip.fileStem());
    if (const QString file = askForPng(tr("Save a contact sheet"), name); !file.isEmpty())
        writePicture(contactSheet(clip), file.toStdString());
}

void ClipExporter::askForClip(const Clip& clip) {
    ClipExportDialog dialog(clip, m_window);
    if (dialog.exec() == QDialog::Accepted)
        writeClip(clip, dialog.file().toStdString(), dialog.format(), dialog.quality());
}

void ClipExporter::writePicture(const QImage& picture, const std::filesystem::path& file) {
    m_background.run(
        [picture, file] {
            writeFileAtomically(file, [&](const std::filesystem::path& part) {
                if (!picture.save(QString::fromStdString(part.string()), "PNG"))
                    throw Error(ErrorKind::Input, sentence("The picture cannot be written"), withTilde(file),
                                sentence("Choose a folder that you may write to"));
            });
            return file;
        },
        [this](const std::filesystem::path& written) { emit noted(tr("Written: %1").arg(shown(written))); },
        [this](const Trouble& trouble) { emit troubled(trouble); });
}

void ClipExporter::writeClip(const Clip& clip, const std::filesystem::path& file, VideoFormat format,
                             int quality) {
    VideoOptions options;
    options.format = format;
    options.fps = clip.framesPerSecond;
    options.quality = quality;
    if (!clip.project.empty())
        options.metadata[std::string(projectMetadataKey)] = clip.project;
    m_background.run(
        [clip, file, options] { return writeVideo(file, framesOf(clip), options); },
        [this](const WrittenVideo& written) {
            emit noted(withHint(tr("Written: %1").arg(shown(written.file)), sentenceText(written.note)));
        },
        [this](const Trouble& trouble) { emit troubled(trouble); });
}

QString ClipExporter::askForPng(const QString& title, const QString& name) {
    return askForExport({.title = title,
                         .name = name,
                         .filters = tr("PNG pictures (*.png)"),
                         .first = QStandardPaths::MoviesLocation},
                        m_window);
}

}  // namespace meshreel
