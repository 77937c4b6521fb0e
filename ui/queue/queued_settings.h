// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "ui/queue/queued_run.h"

namespace meshreel {

/// What tells a queued run from others beside its prompt, size, steps, seed and attention: those keys that
/// its grid varies, for a run of no grid those that are not at their defaults. "Guidance: 3, Flow shift: 1",
/// cut to the width of a column.
QString distinctiveSettings(const QueuedRun& run);

/// Every setting that is varied or not at its default, "title: value" each.
QStringList chosenSettings(const QueuedRun& run);

}  // namespace meshreel
