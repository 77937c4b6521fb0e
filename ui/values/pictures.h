// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QPixmap>
#include <QSize>
#include <QString>
#include <filesystem>

#include "engine/base/held_file.h"

namespace meshreel {

/// Returns the picture in a file, or the first frame of a video or folder, as the engine reads it: within its
/// limits (engine/base/limits.h), turned as EXIF says and laid on white, which Qt's readers are not. Throws
/// Error.
QImage readPicture(const std::filesystem::path& file);

/// Returns the picture in a file, as small as fills `size` and no larger than it is; null when none can be
/// read, and for a link that is refused. On any thread.
QImage readSmallPicture(const QString& file, QSize size, Links links);

/// The same for the thread of the widgets.
QPixmap readThumbnail(const QString& file, QSize size, Links links);

}  // namespace meshreel
