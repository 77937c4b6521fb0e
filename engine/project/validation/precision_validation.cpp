// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/validation/precision_validation.h"

namespace meshreel {

std::vector<ProjectProblem> precisionProblems(const Project& project) {
    if (project.weightsDtype != "int8" || project.activationsDtype == "bfloat16")
        return {};
    return {{.key = "weights_dtype",
             .message = sentence(
                 "weights_dtype: int8 rounds what goes into the layers to 8 bits, and does not go with "
                 "activations_dtype: float32"),
             .hint = sentence(
                 "Set activations_dtype: bfloat16, or weights_dtype: bfloat16 to keep float32 activations")}};
}

}  // namespace meshreel
