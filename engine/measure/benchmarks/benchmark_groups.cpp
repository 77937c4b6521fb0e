// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_groups.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/measure/benchmarks/attention_benchmarks.h"
#include "engine/measure/benchmarks/finish_benchmarks.h"
#include "engine/measure/benchmarks/linear_benchmarks.h"
#include "engine/measure/benchmarks/mesh_benchmarks.h"
#include "engine/measure/benchmarks/record_benchmarks.h"
#include "engine/measure/benchmarks/sparse_benchmarks.h"
#include "engine/measure/benchmarks/text_encoder_benchmarks.h"
#include "engine/measure/benchmarks/transformer_benchmarks.h"
#include "engine/measure/benchmarks/vae_benchmarks.h"

namespace meshreel {
namespace {

constexpr std::string_view everything = "all";

constexpr std::array groups{
    BenchmarkGroup{"peaks", "this machine's own limits, which every other group measures too", true,
                   [](BenchmarkRun&) {}},
    BenchmarkGroup{"linear", "the linear layers of the 1.3B, 5B and 14B transformers", true, benchmarkLinear},
    BenchmarkGroup{"int8", "layers of the 14B transformer in int8 against bf16", true, benchmarkInt8},
    BenchmarkGroup{"library",
                   "the linear layers against the product that OpenBLAS or oneDNN computes for them", false,
                   benchmarkLibrary},
    BenchmarkGroup{"attention", "custom and flash attention, 12 heads of 128", true, benchmarkAttention},
    BenchmarkGroup{"sparse",
                   "block-sparse attention against dense attention of 12 heads of 128: seconds and error",
                   false, benchmarkSparse},
    BenchmarkGroup{"elementwise", "norms, rotary embedding, activations", true, benchmarkElementwise},
    BenchmarkGroup{"dit", "one forward pass of a transformer of random weights", true, benchmarkTransformer},
    BenchmarkGroup{"vae", "decoding with the Wan 2.1 VAE", true, benchmarkVae},
    BenchmarkGroup{"text", "encoding with four layers of UMT5-XXL", true, benchmarkText},
    BenchmarkGroup{"finish", "networks for finished videos: RIFE 4.26, and ESRGAN's of 64 channels", false,
                   benchmarkFinish},
    BenchmarkGroup{"mesh", "the transformer on meshes of devices", false, benchmarkMeshRows},
    BenchmarkGroup{"workers", "the transformer on 1, 2, 4, 8 and 16 workers, and as 2 and 16 devices", false,
                   benchmarkWorkers},
    BenchmarkGroup{"records", "writing 10,000 steps of 128 devices into a run folder", false,
                   benchmarkRecords},
};

}  // namespace

std::span<const BenchmarkGroup> benchmarkGroups() {
    return groups;
}

void measureGroup(BenchmarkRun& run, std::string_view name) {
    const auto* found = std::ranges::find(groups, name, &BenchmarkGroup::name);
    if (found == groups.end() && name != everything) {
        std::string names(everything);
        for (const BenchmarkGroup& group : groups)
            names += ", " + std::string(group.name);
        throw Error(ErrorKind::Project, sentence("there is no group '{}'", name), "bench",
                    sentence("Choose among {}", names));
    }
    for (const BenchmarkGroup& group : groups)
        if (group.name == name || (name == everything && group.inAll))
            group.measure(run);
    requireWantedRows(run.options().wanted, run.rows());
}

}  // namespace meshreel
