// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QPixmap>

class QString;

namespace meshreel {

/// A line icon of resources/icons/actions, drawn in the palette's text colour of the moment (dimmed when
/// disabled).
QIcon themedIcon(const QString& name);

/// The same in one colour, whatever the palette; `size` in device-independent pixels, as sharp as the
/// sharpest screen.
QPixmap tintedPixmap(const QString& name, QSize size, const QColor& ink);

}  // namespace meshreel
