// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// The file of a diffusers folder that names its parts.
constexpr const char* modelIndexName = "model_index.json";

/// Its key in one that Meshreel made: by part the file that another was chosen over for its name alone.
constexpr const char* passedOverKey = "_passed_over_by_name";

/// Its key in a model of random weights, whose texts mean nothing: true.
constexpr const char* randomWeightsKey = "_random_weights";

}  // namespace meshreel
