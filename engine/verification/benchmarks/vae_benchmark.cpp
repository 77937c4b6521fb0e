// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "engine/models/architecture.h"
#include "engine/models/random_checkpoint.h"
#include "engine/models/wan_vae.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/random_rows.h"
#include "engine/verification/benchmarks/transformer_shape.h"

namespace meshreel {
namespace {

constexpr double multiplyAdd = 2;
constexpr double kernelVolume = 27;
constexpr double kernelArea = 9;
constexpr double kernelFrames = 3;

double real(std::int64_t value) {
    return static_cast<double>(value);
}

/// Matrix products of decoding latents [1, z, T, H, W]: convolutions, and attention within the frames.
double decodeFlops(const WanVaeConfig& config, const Shape& latents) {
    double frames = real(latents[2]);
    double pixels = real(latents[3] * latents[4]);
    const double latent = real(config.zDim);
    double channels = real(config.decoderBaseDim * config.dimMult.back());
    double products = 0;  // multiply-adds
    const auto convolve = [&](double out, double in, double taps) {
        products += frames * pixels * out * in * taps;
    };
    const auto residual = [&](double in, double out) {
        convolve(out, in, kernelVolume);
        convolve(out, out, kernelVolume);
        if (in != out)
            convolve(out, in, 1);
    };
    convolve(latent, latent, 1);
    convolve(channels, latent, kernelVolume);
    residual(channels, channels);
    convolve(4 * channels, channels, 1);  // query, key, value and output projection
    products += 2 * frames * pixels * pixels * channels;
    residual(channels, channels);
    for (std::size_t level = config.dimMult.size(); level-- > 0;) {
        const double narrower = real(config.decoderBaseDim * config.dimMult[level]);
        for (std::int64_t block = 0; block <= config.numResBlocks; ++block) {
            residual(channels, narrower);
            channels = narrower;
        }
        if (level == 0)
            continue;
        if (config.temporalDownsample[level - 1]) {
            products += (frames - 1) * pixels * 2 * channels * channels * kernelFrames;
            frames = 2 * frames - 1;
        }
        pixels *= 4;
        convolve(channels / 2, channels, kernelArea);
        channels /= 2;
    }
    convolve(real(config.outChannels), channels, kernelVolume);
    return multiplyAdd * products;
}

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
                 decodeFlops(config, shape), time, arithmetic);
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
