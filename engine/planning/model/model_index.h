// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// The file of a diffusers folder that names its parts.
constexpr const char* modelIndexName = "model_index.json";

}  // namespace meshreel
