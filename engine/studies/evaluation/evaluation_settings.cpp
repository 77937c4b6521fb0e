// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/evaluation_settings.h"

#include "engine/project/sampling_preset.h"

namespace meshreel {

void followPreset(EvaluationSettings& settings) {
    if (settings.preset == noPreset)
        return;
    const Project& defaults = defaultsOfPreset(settings.preset);
    settings.steps = defaults.numInferenceSteps;
    settings.guidance = defaults.guidanceScale;
    settings.flowShift = defaults.flowShift;
}

}  // namespace meshreel
