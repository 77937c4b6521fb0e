// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/vae_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/background_work.h"
#include "engine/estimates/work.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/benchmark_workloads.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {
namespace {

/// Decodes the options' video in one arithmetic.
void measureDecode(BenchmarkRun& run, const Checkpoint& checkpoint, const WanVaeConfig& config,
                   Arithmetic arithmetic, const BenchmarkOptions& options) {
    const std::string name = fmt::format("vae.decode.{}.{}x{}x{}", nameOf(arithmetic), options.width,
                                         options.height, options.frames);
    if (!run.wants(name))
        return;
    const DType type = arithmetic == Arithmetic::BF16 ? DType::BF16 : DType::F32;
    const WanVae vae(config, checkpoint, {.activations = type, .weights = type});
    WanTransformerConfig latentChannels;
    latentChannels.inChannels = config.zDim;
    const Shape shape = latentShape(options, latentChannels);
    const Tensor latents = randomRows(run.execution(), shape, DType::F32);
    const MeasuredTime time =
        run.measure([&] { static_cast<void>(vae.decode(run.execution(), latents)); }, arithmetic);
    run.addFlops(name, vaeDecodeWork(config, shape).flops, time, arithmetic);
}

/// Seconds that decoding took beside an encoder that sleeps, for each chunk, as long as the chunk took to
/// decode.
struct DecodeBesideEncoder {
    double decoding = 0;  ///< until the last chunk was there
    double encoding = 0;  ///< slept
    double whole = 0;
    std::size_t chunksLeft = 0;  ///< to encode when the last was there, that one among them
};

DecodeBesideEncoder decodeBesideEncoder(Device& device, const WanVae& vae, const Tensor& latents) {
    using Clock = std::chrono::steady_clock;
    const auto secondsTo = [](Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    };
    DecodeBesideEncoder result;
    BackgroundWork encoder;
    const Clock::time_point start = Clock::now();
    Clock::time_point before = start;
    VaeEvents events;
    events.chunk = [&](const VaeChunk&) {
        const Clock::time_point now = Clock::now();
        const Clock::duration own = now - before;
        before = now;
        result.decoding = secondsTo(start, now);
        encoder.add([own, &result] {
            std::this_thread::sleep_for(own);
            result.encoding += std::chrono::duration<double>(own).count();
        });
    };
    static_cast<void>(vae.decodeFrames(device, 1, latents, events));
    result.chunksLeft = encoder.left();
    encoder.finish();
    result.whole = secondsTo(start, Clock::now());
    return result;
}

/// Chunks are encoded while later ones are decoded: both together take little longer than one of them.
void measureDecodeBesideEncoder(BenchmarkRun& run, const Checkpoint& checkpoint, const WanVaeConfig& config) {
    if (!run.wantsAny("vae.frames"))
        return;
    constexpr std::int64_t frames = 81;  // 21 chunks: the last, which nothing overlaps, is a twentieth
    constexpr std::int64_t smaller = 4;  // the time of a chunk does not matter here
    constexpr std::int64_t step = 16;
    BenchmarkOptions options = run.options();
    options.frames = frames;
    options.width = std::max(step, options.width / smaller / step * step);
    options.height = std::max(step, options.height / smaller / step * step);
    const WanVae vae(config, checkpoint, {.activations = DType::BF16, .weights = DType::BF16});
    WanTransformerConfig latentChannels;
    latentChannels.inChannels = config.zDim;
    const Tensor latents = randomRows(run.execution(), latentShape(options, latentChannels), DType::F32);
    LoneDevice lone(run.execution());
    std::vector<DecodeBesideEncoder> rounds;
    const MeasuredTime time =
        run.measure([&] { rounds.push_back(decodeBesideEncoder(lone.device(), vae, latents)); });
    std::ranges::sort(rounds, {}, &DecodeBesideEncoder::whole);
    const DecodeBesideEncoder& median = rounds[rounds.size() / 2];
    const double longer = std::max(median.decoding, median.encoding);
    const std::string size = fmt::format("{}x{}x{}", options.width, options.height, options.frames);
    const std::string alone = "vae.frames." + size;
    run.add({.name = alone, .value = longer, .unit = "s", .of = alone, .rounds = time.rounds});
    run.add({.name = "vae.frames_and_encoder." + size,
             .value = median.whole,
             .unit = "s",
             .ratio = median.whole / longer,
             .of = alone,
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = {{"chunks_left", static_cast<double>(median.chunksLeft)}},
             .seconds = time.seconds});
}

}  // namespace

void benchmarkVae(BenchmarkRun& run) {
    if (!run.wantsAny("vae."))
        return;
    constexpr std::int64_t oneChunk = 5;
    const Architecture& architecture = requireArchitecture("wan2.1-vae");
    const RandomCheckpoint random(run.execution(), tensorsOf(architecture));
    const WanVaeConfig config = WanVaeConfig::fromJson(configOf(architecture), "wan2.1-vae");
    measureDecode(run, random.checkpoint(), config, Arithmetic::BF16, run.options());
    BenchmarkOptions chunk = run.options();
    chunk.frames = std::min(chunk.frames, oneChunk);
    measureDecode(run, random.checkpoint(), config, Arithmetic::F32, chunk);
    measureDecodeBesideEncoder(run, random.checkpoint(), config);
}

}  // namespace meshreel
