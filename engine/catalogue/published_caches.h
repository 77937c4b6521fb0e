// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/catalogue/model_facts.h"
#include "engine/sampling/step_caches.h"

// What was published for the step caches of a model.

namespace meshreel {

/// One of resources/magcache/curves.json.
struct PublishedCurve {
    std::vector<double> ratios;
    double threshold = 0;
    std::int64_t layers = 0;          ///< layers of the transformer it was measured on
    std::optional<double> flowShift;  ///< the only one it holds for
};

/// The curve of the model's family and the video's height in pixels. Throws Error{Input} where the file of
/// curves is damaged.
std::optional<PublishedCurve> publishedCurve(const ModelFacts& model, std::int64_t height);

/// The coefficients that were fitted to the model at the video's height; null where there are none.
const TeaCacheRow* publishedTeaCache(const ModelFacts& model, std::int64_t height);

}  // namespace meshreel
