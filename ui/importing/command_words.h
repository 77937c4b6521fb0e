// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "engine/project/maxdiffusion_import.h"

namespace meshreel {

/// A command line of MaxDiffusion as it is pasted from a terminal or a script. Words as a shell separates
/// them: quotes hold them together, a backslash at the end of a line goes on with the next.
MaxDiffusionCommand readPastedCommand(const QString& text);

}  // namespace meshreel
