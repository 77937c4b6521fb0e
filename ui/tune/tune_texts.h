// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/tune/tile_tuner.h"

namespace meshreel {

constexpr double millisecondsPerSecond = 1e3;

/// "ulysses: 1,024 queries × 1,024 keys, 12 choices".
QString taskText(const TuneTask& task);

/// Where a search that began so many seconds ago is, and about how long it takes still.
QString progressText(const TuneTask& task, const TuneProgress& progress, double secondsSinceBegin);

/// The fastest sizes, the project's own, and what changing them would bring.
QString verdictText(const TuneResult& result);

}  // namespace meshreel
