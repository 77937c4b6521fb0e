// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_benchmarks.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/record.h"
#include "engine/base/record_json.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/device_kernels.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/gpu_attention_benchmarks.h"
#include "engine/measure/benchmarks/gpu_convolution_benchmarks.h"
#include "engine/measure/benchmarks/gpu_linear_benchmarks.h"
#include "engine/measure/benchmarks/gpu_model_benchmarks.h"
#include "engine/measure/benchmarks/gpu_overhead_benchmarks.h"
#include "engine/measure/benchmarks/gpu_peak_benchmarks.h"

namespace meshreel {
namespace {

/// Throws Error{Device} when the form that alone is measured is none of the GPU's.
void requireOfferedForm(const GpuBenchmarkRun& run) {
    if (!run.onlyForm() || *run.onlyForm() == MatrixForm::Scalar)
        return;
    const OfferedForm& offer = findMatrixOffers(run.gpu()).of(*run.onlyForm());
    if (offer.extents.empty())
        throw Error(ErrorKind::Device,
                    sentence("{} does not multiply in the form {}: {}", run.gpu().name(),
                             enumName(offer.form), offer.why),
                    "--form", sentence("Choose another form: the list of devices names those of each GPU"));
}

}  // namespace

std::vector<BenchmarkRow> benchmarkGpu(const Execution& execution, const GpuBenchmarkOptions& options,
                                       const std::function<void(const BenchmarkRow& row)>& onRow) {
    GpuBenchmarkRun run(execution, options, onRow);
    requireOfferedForm(run);
    benchmarkGpuPeaks(run);
    benchmarkGpuBandwidth(run);
    benchmarkGpuTransfer(run);
    if (run.measuresBf16()) {
        benchmarkGpuChain(run);
        benchmarkGpuRecording(run);
    }
    benchmarkGpuLinear(run);
    if (run.measuresBf16())
        benchmarkGpuAttention(run);
    benchmarkGpuTransformer(run);
    if (run.measuresBf16()) {
        benchmarkGpuConvolution(run);
        benchmarkGpuVae(run);
    }
    std::vector<BenchmarkRow> rows = run.takeRows();
    requireWantedRows(options.wanted, rows);
    return rows;
}

nlohmann::ordered_json gpuBenchmarkJson(std::span<const BenchmarkRow> rows, const ChosenGpu& chosen,
                                        ComputeDevice& gpu, int workers) {
    nlohmann::ordered_json json = benchmarkJson(rows, workers);
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const MeasuredKernel& kernel : findTuning(gpu).kernels()) {
        RecordJson entry = RecordJson::object();
        putFields(entry, kernel);
        entry.erase("gpu");
        kernels.push_back(std::move(entry));
    }
    json["machine"]["gpu"] = {{"name", chosen.facts.name},
                              {"kind", enumName(chosen.facts.kind)},
                              {"driver", chosen.facts.driver},
                              {"vulkan", chosen.facts.vulkan},
                              {"memory_total", chosen.facts.memoryTotal},
                              {"kernels", std::move(kernels)}};
    return json;
}

}  // namespace meshreel
