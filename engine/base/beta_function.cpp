// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/beta_function.h"

#include <unsupported/Eigen/SpecialFunctions>

namespace meshreel {

double regularisedBeta(double x, double alpha, double beta) {
    return Eigen::numext::betainc(alpha, beta, x);
}

}  // namespace meshreel
