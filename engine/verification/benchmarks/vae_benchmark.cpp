// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/planning/cost/vae_work.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/random_rows.h"
#include "engine/verification/benchmarks/transformer_shape.h"

namespace meshreel {
namespace {

/// Decodes the options' video in one arithmetic.
void measureDecode(BenchmarkRun& run, const Checkpoint& checkpoint, const WanVaeConfig& config,
                   Arithmetic arithmetic, const BenchmarkOptions& options) {
    const DType type = arithmetic == Arithmetic::BF16 ? DType::BF16 : DType::F32;
    const WanVae vae(config, checkpoint, {.activations = type, .weights = type});
    WanTransformerConfig latentChannels;
    latentChannels.inChannels = config.zDim;
    const Shape shape = latentShape(options, latentChannels);
    const Tensor latents = randomRows(run.execution(), shape, DType::F32);
    const MeasuredTime time = run.measure([&] { static_cast<void>(vae.decode(run.execution(), latents)); });
    run.addFlops(fmt::format("vae.decode.{}.{}x{}x{}", nameOf(arithmetic), options.width, options.height,
                             options.frames),
                 vaeDecodeWork(config, shape).flops, time, arithmetic);
}

}  // namespace

void benchmarkVae(BenchmarkRun& run) {
    constexpr std::int64_t oneChunk = 5;
    const Architecture& architecture = requireArchitecture("wan2.1-vae");
    const RandomCheckpoint random(run.execution(), tensorsOf(architecture));
    const WanVaeConfig config = WanVaeConfig::fromJson(configOf(architecture), "wan2.1-vae");
    measureDecode(run, random.checkpoint(), config, Arithmetic::BF16, run.options());
    BenchmarkOptions chunk = run.options();
    chunk.frames = std::min(chunk.frames, oneChunk);
    measureDecode(run, random.checkpoint(), config, Arithmetic::F32, chunk);
}

}  // namespace meshreel
