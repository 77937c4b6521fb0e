// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/project/gpu_choice.h"
#include "engine/tensor/compute_device.h"

namespace meshreel {

/// Every group that `all` has; and what a GPU does, which is not part of it: the CPU's limits do not apply
/// there.
inline constexpr std::string_view allBenchmarks = "all";
inline constexpr std::string_view allBenchmarksHelp =
    "everything that a video is made of on the CPU, which takes minutes";
inline constexpr std::string_view gpuBenchmarks = "gpu";
inline constexpr std::string_view gpuBenchmarksHelp =
    "a GPU: its peaks, linear layers, attention, the 1.3B transformer";

/// What is to be measured.
struct BenchmarkRequest {
    std::string group{allBenchmarks};   ///< one of benchmarkGroups(), or one of the two above
    BenchmarkOptions options = {};      ///< of a GPU only rounds, layers and the wanted rows
    int workers = 0;                    ///< 0: as many as there are CPUs
    std::optional<ChosenGpu> gpu = {};  ///< which; only for gpuBenchmarks, which needs one
    VariantFilter variants = {};        ///< of its kernels
    std::optional<bool> quick = {};     ///< small sizes on the GPU; nothing: on a driver in software
};

/// Returns the GPU to measure: the first that the choice means, or a real one where it means none. Throws
/// Error{Project} when there is none, and as chooseGpus() does.
ChosenGpu gpuToMeasure(const GpuChoice& choice);

[[noreturn]] void refuseWithoutGpu();

/// Throws Error{Project} where kept rows, which are to be measured again, are of another GPU: times of two
/// would be joined to one row.
void requireSameGpu(const ChosenGpu& gpu, const KeptBenchmark& before);

/// One measurement of a group of benchmarks, alone or joined to an earlier one: `meshreel bench` and the
/// Studio's page Bench.
class BenchmarkMeasurement {
  public:
    /// A row that is measured again is joined to that of `before` (joinedRow()). The machine's limits of
    /// before stay, unless they are wanted.
    explicit BenchmarkMeasurement(BenchmarkRequest request, std::vector<BenchmarkRow> before = {});

    /// Calls `onRow` with every row, as it is in rows(). Throws what measureGroup() and benchmarkGpu() throw;
    /// what was measured until then stays.
    void measure(const StopToken& stop, const BenchmarkRun::OnRow& onRow = {});

    [[nodiscard]] const std::vector<BenchmarkRow>& rows() const { return m_rows; }
    /// benchmarkJson(), or gpuBenchmarkJson(), of the rows.
    [[nodiscard]] nlohmann::ordered_json json() const;

  private:
    void measureGpu(const StopToken& stop, const BenchmarkRun::OnRow& onRow);
    void take(const BenchmarkRow& row, const BenchmarkRun::OnRow& onRow);

    BenchmarkRequest m_request;
    std::vector<BenchmarkRow> m_rows;
    std::shared_ptr<ComputeDevice> m_gpu;  ///< once it is open
};

}  // namespace meshreel
