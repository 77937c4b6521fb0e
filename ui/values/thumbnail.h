// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QSize>
#include <QString>

namespace meshreel {

/// The picture in a file, as small as fills `size` and no larger than it is; null where none can be read.
QPixmap readThumbnail(const QString& file, QSize size);

}  // namespace meshreel
