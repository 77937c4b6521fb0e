// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace meshreel {

/// False, with everything where it was, where the system has no trash for it.
bool moveToTrash(const QString& path);

}  // namespace meshreel
