// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/random_checkpoint.h"

#include "engine/base/scratch_folder.h"
#include "engine/models/families/random_weights.h"
#include "engine/weights/formats/safetensors_stream.h"

namespace meshreel {
namespace {

Checkpoint written(const Execution& execution, std::span<const TensorSpec> tensors, std::uint64_t seed) {
    const ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "random.safetensors";
    const RandomWeights random(seed);
    streamSafetensorsInPlace(
        file, tensors, [&](std::size_t index, std::int64_t first, std::span<float> values) {
            throwIfStopped(execution.stop);
            random.fill(execution.workers, tensors[index].name, tensors[index].shape, first, values);
        });
    return Checkpoint::open(file);
}

}  // namespace

RandomCheckpoint::RandomCheckpoint(const Execution& execution, std::span<const TensorSpec> tensors,
                                   std::uint64_t seed)
    : m_checkpoint(written(execution, tensors, seed)) {}

}  // namespace meshreel
