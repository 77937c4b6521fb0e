// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_workloads.h"

#include <cstdint>

#include "engine/base/error.h"
#include "engine/models/families/architecture.h"

namespace meshreel {

DType rowType(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16;
}

WanTransformerConfig transformerConfig(const BenchmarkOptions& options) {
    const Architecture& architecture = requireArchitecture(options.architecture);
    if (architecture.family.part != "transformer")
        throw Error(ErrorKind::Project, sentence("{} is not a transformer", architecture.name), "--arch",
                    sentence("Choose wan2.1-t2v-1.3b or wan2.1-t2v-14b"));
    return WanTransformerConfig::fromJson(configOf(architecture, options.layers), "--arch");
}

Shape latentShape(const BenchmarkOptions& options, const WanTransformerConfig& config) {
    constexpr std::int64_t spatialFactor = 8;  // of the Wan 2.1 VAE
    constexpr std::int64_t temporalFactor = 4;
    constexpr std::int64_t pixelStep = 2 * spatialFactor;  // a token is two latents wide and high
    if (options.width % pixelStep != 0 || options.height % pixelStep != 0 ||
        (options.frames - 1) % temporalFactor != 0)
        throw Error(ErrorKind::Project,
                    sentence("{}x{}x{} is no size of a video", options.width, options.height, options.frames),
                    "--size", sentence("Choose sides that 16 divides and 4n + 1 frames: 832x480x17"));
    return {1, config.inChannels, (options.frames - 1) / temporalFactor + 1, options.height / spatialFactor,
            options.width / spatialFactor};
}

}  // namespace meshreel
