// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

class QString;

namespace meshreel {

/// A line icon of resources/icons/actions, drawn in the palette's text colour of the moment (dimmed when
/// disabled).
QIcon themedIcon(const QString& name);

}  // namespace meshreel
