// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controller/engine_use.h"

class QWidget;

namespace meshreel {

/// Whether the work may be stopped so that the window closes: asks, unless it is short.
bool mayBeStopped(EngineWork work, QWidget* window);

}  // namespace meshreel
