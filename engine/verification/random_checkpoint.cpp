// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/random_checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/models/wan_parameters.h"
#include "engine/sampling/noise.h"
#include "engine/weights/safetensors.h"

namespace meshreel {
namespace {

// Standard deviation of the trained models' weights, about.
constexpr float deviation = 0.02F;

std::vector<NamedTensor> randomTensors(const WanTransformerConfig& config) {
    std::vector<NamedTensor> tensors;
    std::uint64_t seed = 0;
    for (const WanLayer& layer : wanLayers(config))
        for (const WanParameter& parameter : layer.parameters) {
            if (parameter.optional)
                continue;
            Tensor values = counterNormal(seed++, parameter.shape);
            for (float& value : values.data<float>())
                value *= deviation;
            tensors.emplace_back(layer.prefix + parameter.name, std::move(values));
        }
    return tensors;
}

std::filesystem::path writtenFile(const WanTransformerConfig& config) {
    std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("meshreel-random-{}.safetensors", ::getpid());
    writeSafetensors(file, randomTensors(config));
    return file;
}

}  // namespace

RandomCheckpoint::RandomCheckpoint(const WanTransformerConfig& config)
    : m_file(writtenFile(config)), m_checkpoint(Checkpoint::open(m_file)) {}

RandomCheckpoint::~RandomCheckpoint() {
    std::error_code ignored;
    std::filesystem::remove(m_file, ignored);
}

}  // namespace meshreel
