// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/measure/rate_samples.h"

namespace meshreel {

/// Returns how many things timeRound() times on this machine.
int samplesOfRound();

/// Times everything that rates are made of once: transformers, a VAE, a text encoder, runs. Throws
/// Error{Cancelled}, and what the engine throws.
void timeRound(RateSamples& samples);

}  // namespace meshreel
