// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/random_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/files.h"
#include "engine/base/stop_token.h"
#include "engine/weights/formats/safetensors_writer.h"

namespace meshreel {
namespace {

constexpr float biasDeviation = 0.02F;

/// One round of SplitMix64: a good hash of consecutive numbers.
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

/// FNV-1a.
std::uint64_t hashText(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char letter : text)
        hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x100000001B3ULL;
    return hash;
}

/// Upstream spells norms norm1.weight, norm_q.weight, layer_norm.weight, pre_layrnorm.weight, norm1.gamma.
bool isNorm(std::string_view name) {
    return name.ends_with("gamma") ||
           (name.ends_with("weight") && name.find("norm") != std::string_view::npos);
}

float deviationOf(std::string_view name, const Shape& shape) {
    if (name.ends_with(".bias"))
        return biasDeviation;
    const std::int64_t outputs = shape.rank() > 1 ? shape[0] : 1;
    return 1.0F / std::sqrt(static_cast<float>(std::max<std::int64_t>(1, shape.elements() / outputs)));
}

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

void RandomWeights::fill(WorkerPool& workers, std::string_view name, const Shape& shape, std::int64_t first,
                         std::span<float> values) const {
    if (isNorm(name)) {
        std::ranges::fill(values, 1.0F);
        return;
    }
    const std::uint64_t start = mixed(m_seed ^ hashText(name)) + static_cast<std::uint64_t>(first);
    // What numbers that are uniform in ±reach need for that deviation.
    const float reach = std::numbers::sqrt3_v<float> * deviationOf(name, shape);
    constexpr int unusedBits = 40;
    const float step = reach * 0x1p-23F;
    workers.parallelFor(std::ssize(values), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const auto bits =
                static_cast<std::int64_t>(mixed(start + static_cast<std::uint64_t>(i)) >> unusedBits);
            values[static_cast<std::size_t>(i)] = static_cast<float>(bits) * step - reach;
        }
    });
}

RandomCheckpoint::RandomCheckpoint(const Execution& execution, std::span<const TensorSpec> tensors,
                                   std::uint64_t seed)
    : m_checkpoint(written(execution, tensors, seed)) {}

}  // namespace meshreel
