// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/forward_work.h"

#include <memory>
#include <vector>

#include "engine/models/layers/layer_memory.h"
#include "engine/planning/cost/transformer_work.h"
#include "engine/planning/video_shape.h"

namespace meshreel {

Work forwardWork(const ForwardWorkload& workload, const ForwardMesh& mesh,
                 const AttentionSettings& attention) {
    RunPlan plan;
    plan.model.transformer = workload.config;
    plan.model.transformerLayers =
        std::make_shared<const std::vector<StoredLayer>>(storedLayers(workload.config, StoredType::F32));
    plan.layout = mesh.layout;
    plan.attention = attention;
    plan.precision.transformer = workload.precision;
    plan.latentShape = workload.latents;
    plan.tokens = tokensOf(workload.latents, workload.config);
    plan.guided = false;
    return static_cast<double>(mesh.layout.devices()) * stepWork(plan, timedTextTokens);
}

}  // namespace meshreel
