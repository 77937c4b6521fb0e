// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention/attention_settings.h"
#include "engine/planning/cost/work.h"
#include "engine/studies/timed_forward.h"

namespace meshreel {

/// What all devices together do in a pass of a TimedForward of random weights.
Work forwardWork(const ForwardWorkload& workload, const ForwardMesh& mesh,
                 const AttentionSettings& attention);

}  // namespace meshreel
