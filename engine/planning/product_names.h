// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/estimates/placement.h"

namespace meshreel {

/// Names for each part what multiplies in it (PartPlan::productsBy), by its place and PartPlan::products: a
/// library's core or a kernel; a GPU with the form that was measured as the fastest, by the user's cache, or
/// "the fastest form of scalar, nv_f16" where a run has yet to measure that.
void nameProducts(Placement& placement);

}  // namespace meshreel
