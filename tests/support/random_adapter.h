// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/random_tensor.h"

namespace meshreel::testing {

/// A low-rank adapter of random numbers, of scale 2/4, for the queries of the transformer's first block, and
/// one key that fits nothing.
inline void writeRandomAdapter(const std::filesystem::path& file, const Checkpoint& transformer) {
    constexpr std::int64_t rank = 4;
    const Shape& shape = transformer.shape("blocks.0.attn1.to_q.weight");
    const std::string base = "diffusion_model.blocks.0.self_attn.q.";
    writeSafetensors(file,
                     std::vector<NamedTensor>{{base + "lora_down.weight", randomTensor({rank, shape[1]}, 1)},
                                              {base + "lora_up.weight", randomTensor({shape[0], rank}, 2)},
                                              {base + "alpha", Tensor::from<std::int64_t>(Shape(), {2})},
                                              {"diffusion_model.blocks.77.self_attn.q.lora_down.weight",
                                               randomTensor({rank, shape[1]}, 3)}});
}

}  // namespace meshreel::testing
