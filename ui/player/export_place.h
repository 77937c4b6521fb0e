// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace meshreel {

struct Clip;

/// Where the last export went; the folder of videos at first, or the home folder where there is none.
QString exportFolder();

/// Of the file that was chosen, for the next exports.
void keepExportFolder(const QString& file);

/// What files made of the clip are called, without an extension.
QString exportStem(const Clip& clip);

}  // namespace meshreel
