// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QPixmap>

class QString;

namespace meshreel {

/// A line icon of resources/icons/actions, drawn in the palette's text colour of the moment (dimmed when
/// disabled).
QIcon themedIcon(const QString& name);

/// The same in one colour, whatever the palette.
QPixmap tintedPixmap(const QString& name, QSize size, const QColor& ink);

}  // namespace meshreel
