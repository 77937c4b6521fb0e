// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "engine/kernels/execution.h"
#include "engine/models/umt5.h"
#include "engine/models/wan_transformer.h"
#include "engine/models/wan_vae.h"
#include "engine/planning/run_plan.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Which parts of a model a piece of work needs.
enum class ModelScope { Everything, DecoderOnly };

/// The files of a checkpoint in diffusers layout, mapped and read through once.
struct ModelFiles {
    std::optional<Tokenizer> tokenizer;
    std::optional<Checkpoint> textEncoder;
    std::optional<Checkpoint> transformer;
    std::optional<Checkpoint> vae;
};

/// Throws Error{Input} for files that are missing or damaged.
ModelFiles openModelFiles(const Execution& execution, const RunPlan& plan, ModelScope scope);

/// The networks with packed weights; what the scope does not name is null.
struct ModelParts {
    std::unique_ptr<Umt5Encoder> textEncoder;
    std::unique_ptr<WanTransformer> transformer;
    std::unique_ptr<WanVae> vae;
};

/// Throws Error{Input} for tensors that are missing or of another shape.
ModelParts packModel(const Execution& execution, const RunPlan& plan, const ModelFiles& files);

/// One pass of the smallest input through the transformer and the decoder: wakes the workers, touches the
/// packed weights. Returns an estimate of the seconds that decoding the plan's video takes, scaled from the
/// pass.
double warmUp(const Execution& execution, const RunPlan& plan, const ModelParts& parts);

}  // namespace meshreel
