// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "engine/models/wan/wan_inputs.h"
#include "tests/support/golden_folder.h"

namespace meshreel::testing {

/// The input NAME of a variant, or what the first variant has.
inline std::optional<Tensor> goldenInput(const GoldenFolder& golden, const std::string& variant,
                                         const std::string& name) {
    for (const std::string& owner : {variant, std::string("a")})
        if (const std::string full = owner + ".in." + name; golden.has(full))
            return golden.tensor(full);
    return std::nullopt;
}

inline WanInputs goldenInputs(const GoldenFolder& golden, const std::string& variant) {
    return {.latents = goldenInput(golden, variant, "hidden_states").value(),
            .timesteps = goldenInput(golden, variant, "timestep").value(),
            .control = goldenInput(golden, variant, "control_hidden_states"),
            .pose = goldenInput(golden, variant, "pose_hidden_states")};
}

inline WanConditions goldenConditions(const GoldenFolder& golden, const std::string& variant) {
    return {.text = goldenInput(golden, variant, "encoder_hidden_states").value(),
            .image = goldenInput(golden, variant, "encoder_hidden_states_image"),
            .faces = goldenInput(golden, variant, "face_pixel_values")};
}

}  // namespace meshreel::testing
