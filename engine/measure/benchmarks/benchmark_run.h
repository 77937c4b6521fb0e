// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/runs/records/roofline.h"

namespace meshreel {

/// Rows that somebody asks for by their names.
struct WantedRows {
    std::vector<std::string> names = {};  ///< every row when empty

    [[nodiscard]] bool areAll() const { return names.empty(); }
    [[nodiscard]] bool contain(std::string_view name) const;
    /// Returns whether a wanted name begins like this.
    [[nodiscard]] bool containAny(std::string_view beginning) const;
};

struct BenchmarkOptions {
    std::string architecture = "wan2.1-t2v-1.3b";  ///< for the groups dit and mesh
    std::int64_t width = 832;                      ///< of the video, in pixels
    std::int64_t height = 480;
    std::int64_t frames = 17;
    std::string attention = "ulysses_custom";           ///< mode of the transformer
    std::optional<std::int64_t> layers = {};            ///< layers of the transformer; all when absent
    Arithmetic arithmetic = Arithmetic::BF16;           ///< for what is compared with a matmul peak
    std::vector<std::int64_t> tokens = {};              ///< rows and keys; each group's own when empty
    int rounds = 5;                                     ///< measured, after one that is not
    double rowSeconds = 20;                             ///< no new round begins after this long
    double peakSeconds = 0.3;                           ///< for each shape of a peak
    std::size_t bandwidthBytes = std::size_t{1} << 29;  ///< that the triad streams through
    WantedRows wanted = {};                             ///< that alone are measured, beside the limits
};

/// What one `meshreel bench` measures: the machine's limits first, then rows beside them.
class BenchmarkRun {
  public:
    using OnRow = std::function<void(const BenchmarkRow& row)>;

    /// Measures the machine's limits. Calls `onRow` with every finished row.
    BenchmarkRun(const Execution& execution, BenchmarkOptions options, OnRow onRow = {});

    [[nodiscard]] const Execution& execution() const { return m_execution; }
    [[nodiscard]] const BenchmarkOptions& options() const { return m_options; }
    [[nodiscard]] const MachinePeaks& peaks() const { return m_peaks; }
    [[nodiscard]] const std::vector<BenchmarkRow>& rows() const { return m_rows; }

    /// Runs `work` once for warming up, then as often as the options say. Throws Error{Cancelled}. With
    /// `against`, the peak that the row is compared with is measured again beside it.
    [[nodiscard]] MeasuredTime measure(const std::function<void()>& work,
                                       std::optional<Arithmetic> against = {}) const;

    /// Adds a row that is wanted; leaves out others.
    void add(BenchmarkRow row);

    /// Returns whether a row is to be measured; of one that is not, nothing need be prepared.
    [[nodiscard]] bool wants(std::string_view name) const { return m_options.wanted.contain(name); }
    /// Returns whether one of the rows that begin like this is.
    [[nodiscard]] bool wantsAny(std::string_view beginning) const {
        return m_options.wanted.containAny(beginning);
    }

    /// Returns the matmul peak to compare a row of this time with: the mean of those measured beside it, or
    /// that of the whole run.
    [[nodiscard]] double peakBeside(const MeasuredTime& time, Arithmetic arithmetic) const;

    /// A rate in TFLOP/s, compared with peakBeside(). `bytes` that the work moves at least give its
    /// arithmetic intensity (a detail); 0 when that says nothing.
    void addFlops(const std::string& name, double flops, const MeasuredTime& time, Arithmetic arithmetic,
                  double bytes = 0);

    /// A rate in GB/s, compared with the bandwidth.
    void addBytes(const std::string& name, double bytes, const MeasuredTime& time);

    /// Returns the options' tokens, or `usual` when there are none.
    [[nodiscard]] std::vector<std::int64_t> tokensOr(std::vector<std::int64_t> usual) const;

  private:
    const Execution& m_execution;
    BenchmarkOptions m_options;
    OnRow m_onRow;
    MachinePeaks m_peaks;
    std::array<PeakRate, 3> m_matmulPeaks;  // indexed by Arithmetic
    std::vector<BenchmarkRow> m_rows;
};

/// {"machine": {cpu, isa, cpus, workers, matmul, version, commit}, "rows": [{name, value, unit, ratio, of,
/// spread, rounds, ...details}]}.
nlohmann::ordered_json benchmarkJson(const BenchmarkRun& run);
/// Returns the same object for metrics that were measured otherwise, while `workers` computed.
nlohmann::ordered_json benchmarkJson(std::span<const BenchmarkRow> rows, int workers);

/// Returns a row's details of the peaks measured beside it: their mean and spread, and whether they forbid a
/// verdict.
std::vector<std::pair<std::string, double>> peakDetails(const MeasuredTime& time);

/// Throws Error{Project} when a wanted row is not among those that were measured.
void requireWantedRows(const WantedRows& wanted, std::span<const BenchmarkRow> measured);

/// Returns the row that both measurements of one row make together: the times of both, and what follows from
/// them. Its ratio is the mean of both, weighted by their passes; details are those of the later one.
BenchmarkRow joinedRow(const BenchmarkRow& before, const BenchmarkRow& again);

/// Returns the line of a row under benchmarkHeader(), without an end of line. Marks the rows of a restless
/// machine.
std::string benchmarkLine(const BenchmarkRow& row);
std::string benchmarkHeader();

/// Returns every row of benchmarkJson() that has an arithmetic intensity (flops_per_byte, or flops and bytes
/// beside its seconds). Throws Error{Input} when the JSON is not such an object, or has no such row.
Roofline toRoofline(const nlohmann::json& benchmark);

/// Reads what `meshreel bench --json` wrote, or a history file. A history gives the rows of its last line's
/// machine and commit: the last of equal rows, and the highest limits. Throws Error{Input}.
Roofline readRoofline(const std::filesystem::path& file);

}  // namespace meshreel
