// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/project/project.h"

namespace meshreel::testing {

/// The embedded model at a size that takes a fraction of a second.
inline Project smallProject() {
    Project project;
    project.name = "small";
    project.prompt = "a red ball moving right on a black background";
    project.height = 32;
    project.width = 32;
    project.numFrames = 5;
    project.numInferenceSteps = 4;
    project.guidanceScale = 3;
    project.maxSequenceLength = 64;
    project.seed = 7;
    return project;
}

/// The same with a transformer whose activations take little memory: less than a layer of the text encoder.
inline Project briefProject() {
    Project project = smallProject();
    project.prompt = "a";
    project.guidanceScale = 1;
    project.numInferenceSteps = 1;
    return project;
}

}  // namespace meshreel::testing
