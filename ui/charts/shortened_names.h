// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QFontMetricsF;

namespace meshreel {

/// Pixels that a name in a chart may take where there is room for all: those of about 24 letters.
double usualNameRoom(const QFontMetricsF& letters);

/// The names within so many pixels each. What has no room is left out of their middle; where different names
/// would look the same then, at one end, or at both what they have in common; and where that does not tell
/// them apart either, they are numbered.
QStringList shortenedNames(const QStringList& names, const QFontMetricsF& letters, double room);

}  // namespace meshreel
