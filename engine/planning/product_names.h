// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/estimates/placement.h"

namespace meshreel {

/// Names for each part what multiplies in it (PartPlan::productsBy), by its place and PartPlan::products: a
/// library's core or a kernel; nameCards() of its GPUs, with forms by the user's cache.
void nameProducts(Placement& placement);

/// A GPU that computes a part of a run.
struct CardForms {
    std::string card;
    std::vector<std::string> forms;  ///< the one that was measured as the fastest, else all that may be it
};

/// Returns each card once with its form, or with those of which a run has yet to measure the fastest: "card
/// A, nv_f16; card B, the fastest form of scalar, khr_f16".
std::string nameCards(std::span<const CardForms> cards);

}  // namespace meshreel
