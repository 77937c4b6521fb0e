// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_measurement.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/open_devices.h"
#include "engine/measure/benchmarks/benchmark_groups.h"
#include "engine/measure/benchmarks/gpu_benchmark_run.h"
#include "engine/measure/benchmarks/gpu_benchmarks.h"
#include "engine/planning/gpu_selection.h"

namespace meshreel {

void refuseWithoutGpu() {
    throw Error(
        ErrorKind::Project, sentence("there is no real GPU to measure"), "--gpus",
        sentence(
            "meshreel devices lists in a terminal those that there are; --gpus 0 measures the first, even "
            "if it is a driver in software"));
}

ChosenGpu gpuToMeasure(const GpuChoice& choice) {
    const std::vector<ChosenGpu> chosen =
        chooseGpus(choice.isNone() ? GpuChoice::anyReal() : choice, recentDrivers());
    if (chosen.empty())
        refuseWithoutGpu();
    return chosen.front();
}

void requireSameGpu(const ChosenGpu& gpu, const KeptBenchmark& before) {
    if (before.processor != gpu.facts.name)
        throw Error(ErrorKind::Project,
                    sentence("These rows were measured on {}, and the project's GPU is {}", before.processor,
                             gpu.facts.name),
                    "gpus", sentence("Choose that GPU to repeat them, or run the group on this one"));
}

BenchmarkMeasurement::BenchmarkMeasurement(BenchmarkRequest request, std::vector<BenchmarkRow> before)
    : m_request(std::move(request)), m_rows(std::move(before)) {
    if (m_request.workers == 0)
        m_request.workers = availableCpus();
}

void BenchmarkMeasurement::measure(const StopToken& stop, const BenchmarkRun::OnRow& onRow) {
    if (m_request.group == gpuBenchmarks)
        return measureGpu(stop, onRow);
    WorkerPool workers({.workers = m_request.workers});
    const Execution execution{workers, stop};
    BenchmarkRun run(execution, m_request.options,
                     [this, &onRow](const BenchmarkRow& row) { take(row, onRow); });
    measureGroup(run, m_request.group);
}

void BenchmarkMeasurement::measureGpu(const StopToken& stop, const BenchmarkRun::OnRow& onRow) {
    if (!m_request.gpu)
        refuseWithoutGpu();
    m_gpu = openDevice(*m_request.gpu);
    if (!m_request.variants.isEmpty())
        findTuning(*m_gpu).restrict(m_request.variants);
    WorkerPool workers({.workers = m_request.workers});
    const Execution execution{workers, stop, nullptr, m_gpu.get()};
    GpuBenchmarkOptions options{
        .quick = m_request.quick.value_or(m_request.gpu->facts.kind == GpuKind::Software),
        .rounds = m_request.options.rounds,
        .wanted = m_request.options.wanted};
    options.layers = m_request.options.layers.value_or(options.layers);
    benchmarkGpu(execution, options, [this, &onRow](const BenchmarkRow& row) { take(row, onRow); });
}

void BenchmarkMeasurement::take(const BenchmarkRow& row, const BenchmarkRun::OnRow& onRow) {
    const auto before = std::ranges::find(m_rows, row.name, &BenchmarkRow::name);
    const BenchmarkRow* taken = nullptr;
    if (before == m_rows.end())
        taken = &m_rows.emplace_back(row);
    else if (m_request.options.wanted.contain(row.name))
        taken = &(*before = joinedRow(*before, row));
    if (taken != nullptr && onRow)
        onRow(*taken);
}

nlohmann::ordered_json BenchmarkMeasurement::json() const {
    return m_gpu == nullptr ? benchmarkJson(m_rows, m_request.workers)
                            : gpuBenchmarkJson(m_rows, *m_request.gpu, *m_gpu, m_request.workers);
}

}  // namespace meshreel
