// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/text_encoder_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "engine/estimates/work.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

void benchmarkText(BenchmarkRun& run) {
    if (!run.wantsAny("text."))
        return;
    constexpr std::int64_t layers = 4;
    constexpr std::int64_t length = 512;
    // Rows of the embedding are looked up, not multiplied: a few do.
    constexpr std::int64_t vocabulary = 1024;
    const Architecture& architecture = requireArchitecture("umt5-xxl");
    nlohmann::json json = configOf(architecture, std::min(layers, run.options().layers.value_or(layers)));
    json["vocab_size"] = vocabulary;
    std::vector<TensorSpec> tensors = architecture.family.tensors(json);
    for (TensorSpec& tensor : tensors)
        tensor.dtype = architecture.family.released;
    const Umt5Config config = Umt5Config::fromJson(json, "umt5-xxl");
    const RandomCheckpoint random(run.execution(), tensors);
    const Arithmetic arithmetic =
        run.options().arithmetic == Arithmetic::F32 ? Arithmetic::F32 : Arithmetic::BF16;
    const Umt5Encoder encoder(config, random.checkpoint(), arithmetic);
    Tensor ids = Tensor::empty({1, length}, DType::I64);
    std::iota(ids.data<std::int64_t>().begin(), ids.data<std::int64_t>().end(), 0);
    const MeasuredTime time =
        run.measure([&] { static_cast<void>(encoder.encode(run.execution(), ids, Tensor())); }, arithmetic);

    const auto bytes = static_cast<double>(random.checkpoint().bytes());
    const double flops = textEncodeFlops(config, length);
    const double limit = std::max(bytes / run.peaks().bandwidth, flops / run.peakBeside(time, arithmetic));
    run.add({.name = fmt::format("text.encode.{}_layers", config.layers),
             .value = time.median,
             .unit = "s",
             .ratio = time.median / limit,
             .of = fmt::format("max(bytes / peak.bandwidth, FLOPs / {})", matmulPeakName(arithmetic)),
             .spread = time.spread(),
             .rounds = time.rounds,
             .details = {{"bytes", bytes}, {"flops", flops}},
             .seconds = time.seconds});
}

}  // namespace meshreel
