// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/key_choices.h"
#include "engine/project/keys/section_keys.h"

namespace meshreel {

std::vector<ProjectKey> precisionKeys() {
    return {
        {.name = "weights_dtype",
         .member = &Project::weightsDtype,
         .section = "Precision & memory",
         .title = "Weights",
         .help = "Number type of the weights of the transformer's blocks. With bfloat16 activations, float32 "
                 "weights are rounded to bfloat16 too; int8 needs bfloat16 activations.",
         .choices = weightsDtypeChoices},
        {.name = "activations_dtype",
         .member = &Project::activationsDtype,
         .section = "Precision & memory",
         .title = "Activations",
         .help =
             "Number type that the transformer's blocks compute in. Sums, the residual stream, the time and "
             "text embeddings and the output stay float32.",
         .choices = dtypeChoices},
        {.name = "text_encoder_dtype",
         .member = &Project::textEncoderDtype,
         .section = "Precision & memory",
         .title = "Text encoder",
         .help = "Number type that the text encoder computes in.",
         .choices = dtypeChoices},
        {.name = "vae_dtype",
         .member = &Project::vaeDtype,
         .section = "Precision & memory",
         .title = "VAE",
         .help = "Number type that the VAE computes in.",
         .choices = dtypeChoices},
        {.name = "vae_weights_dtype",
         .member = &Project::vaeWeightsDtype,
         .section = "Precision & memory",
         .title = "VAE weights",
         .help = "Number type of the VAE's weights.",
         .choices = dtypeChoices},
        {.name = "scheduler_dtype",
         .member = &Project::schedulerDtype,
         .section = "Precision & memory",
         .title = "Scheduler",
         .help = "Number type that each step's prediction and the latents it leads to are rounded to.",
         .choices = dtypeChoices},
        {.name = "memory_budget",
         .member = &Project::memoryBudget,
         .section = "Precision & memory",
         .title = "Memory budget",
         .help =
             "Memory that the run may take. Layers of the transformer that it does not hold are read from "
             "the checkpoint each time they are used; 0 keeps all of them in memory.",
         .unit = "GiB",
         .range = RealRange{.minimum = 0, .maximum = 65536}},
    };
}

}  // namespace meshreel
