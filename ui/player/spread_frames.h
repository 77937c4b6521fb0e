// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

namespace meshreel {

/// At most `most` frames of a clip of `length`, evenly spaced, the first and the last among them.
QList<int> spreadFrames(int length, int most);

}  // namespace meshreel
