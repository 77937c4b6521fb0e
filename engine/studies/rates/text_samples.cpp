// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <numeric>

#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/text_encoder/umt5.h"
#include "engine/planning/cost/text_flops.h"
#include "engine/studies/rates/rate_samples.h"

namespace meshreel {
namespace {

constexpr std::array<std::int64_t, 2> lengths{16, 256};

/// A quarter of UMT5-XXL's width, two layers.
nlohmann::json smallConfig(const ArchitectureFamily& family) {
    nlohmann::json json = nlohmann::json::parse(family.config);
    json.update(
        {{"d_model", 1024}, {"d_ff", 2560}, {"num_heads", 16}, {"num_layers", 2}, {"vocab_size", 512}});
    return json;
}

Tensor someIds(std::int64_t length) {
    Tensor ids = Tensor::empty({1, length}, DType::I64);
    std::iota(ids.data<std::int64_t>().begin(), ids.data<std::int64_t>().end(), 0);
    return ids;
}

}  // namespace

void sampleTextEncoder(RateSamples& samples) {
    const ArchitectureFamily& family = requireArchitecture("umt5-xxl").family;
    const nlohmann::json json = smallConfig(family);
    const std::vector<TensorSpec> tensors = family.tensors(json);
    const int cpus = availableCpus();
    WorkerPool workers({.workers = cpus});
    const Execution execution{workers, samples.stop()};
    const RandomCheckpoint random(execution, tensors);
    const Umt5Config config = Umt5Config::fromJson(json, "rates");
    const Umt5Encoder encoder(config, random.checkpoint(), Arithmetic::F32);
    for (const std::int64_t length : lengths) {
        RateSample sample{.name = fmt::format("text encoder, {} tokens", length),
                          .work = {},
                          .arrangement = {.devices = 1, .workersPerDevice = cpus}};
        sample.work[WorkClass::Prompts] = 1;
        sample.work[WorkClass::LinearF32] = textEncodeFlops(config, length);
        for (const TensorSpec& tensor : tensors)
            sample.work[WorkClass::TextWeights] += static_cast<double>(tensor.shape.elements());
        const Tensor ids = someIds(length);
        samples.time(std::move(sample), false, [&] {
            return secondsOf([&] { static_cast<void>(encoder.encode(execution, ids, Tensor())); });
        });
    }
}

}  // namespace meshreel
