// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/thumbnail.h"

#include <QImageReader>

namespace meshreel {

QPixmap readThumbnail(const QString& file, QSize size) {
    QImageReader reader(file);
    reader.setAutoTransform(true);
    const QSize whole = reader.size();
    const QSize filling = whole.scaled(size, Qt::KeepAspectRatioByExpanding);
    if (whole.isValid() && filling.width() < whole.width())
        reader.setScaledSize(filling);
    return QPixmap::fromImageReader(&reader);
}

}  // namespace meshreel
