// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/studies/rates/rate_samples.h"

namespace meshreel {

/// What each class of work takes on this machine: times transformers of random weights, a VAE, a text encoder
/// and runs of the embedded model, half a minute on two CPUs, and fits rates to that. Nothing is written.
/// Throws Error{Cancelled}, and what the engine throws.
MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample = {});

}  // namespace meshreel
