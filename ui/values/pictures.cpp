// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/pictures.h"

#include "engine/base/error.h"
#include "engine/media/frame_source.h"
#include "ui/values/clip.h"

namespace meshreel {

QImage readPicture(const std::filesystem::path& file) {
    return toClip(readFrames(file, {.frames = 1}), 1).frames.front();
}

QImage readSmallPicture(const QString& file, QSize size, Links links) try {
    const HeldFile held(file.toStdString(), links);
    if (held.isFolder())
        return {};
    const QImage whole = held.readWith(readPicture);
    const QSize filling = whole.size().scaled(size, Qt::KeepAspectRatioByExpanding);
    return filling.width() < whole.width()
               ? whole.scaled(filling, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
               : whole;
} catch (const Error&) {
    return {};
}

QPixmap readThumbnail(const QString& file, QSize size, Links links) {
    return QPixmap::fromImage(readSmallPicture(file, size, links));
}

}  // namespace meshreel
