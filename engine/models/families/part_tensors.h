// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {

/// Tensors of one kind in a file that its network does not take.
struct UnusedTensors {
    std::string names;          ///< "blocks.*.self_attn.proj_l", or the one name
    std::size_t count = 0;      ///< number of tensors
    Sentence meaning;           ///< what they are for; empty when that is not known
    bool changesModel = false;  ///< without them the rest is another model

    /// "blocks.*.self_attn.proj_l (60 tensors): what for".
    [[nodiscard]] Sentence text() const;
};

/// Throws Error{Input} as Checkpoint::require() for what the network of a part takes from its file and the
/// file does not hold, holds in another shape, or stores in a way that Meshreel does not read. `config` is
/// its config.json. Reads the directory of the file only.
void requireUsedTensors(const Checkpoint& checkpoint, ModelPart part, const nlohmann::json& config);

/// Returns what else the file of a part holds, by kind. Leaves out what does not describe the network:
/// buffers that are recomputed, averages and optimisers of a training, the other parts of a file that holds a
/// whole model.
std::vector<UnusedTensors> unusedTensors(const Checkpoint& checkpoint, ModelPart part,
                                         const nlohmann::json& config);

}  // namespace meshreel
