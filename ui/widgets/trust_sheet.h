// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/project/project_trust.h"

class QString;
class QWidget;

namespace meshreel {

/// Returns whether the project may be used: shows each path that it names and nobody has agreed to, and asks,
/// once for each folder. True at once when there is nothing to ask.
bool mayTrust(const TrustQuestion& question, QWidget* window);

/// Asks what a resumed run's project names. A folder that cannot be read is left to the code that opens it
/// next.
bool mayTrustRun(const QString& folder, QWidget* window);

}  // namespace meshreel
