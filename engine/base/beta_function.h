// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// Returns the regularised incomplete beta function I_x(alpha, beta): the part of the beta distribution below
/// x in [0, 1]. `alpha` and `beta` are above 0.
double regularisedBeta(double x, double alpha, double beta);

}  // namespace meshreel
