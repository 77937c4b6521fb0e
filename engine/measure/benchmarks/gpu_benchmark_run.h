// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/execution.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

struct GpuBenchmarkOptions {
    bool quick = false;       ///< small sizes and one round, for drivers that compute in software
    std::int64_t layers = 4;  ///< layers of the 1.3B transformer whose pass is timed
    int rounds = 5;           ///< measured, after one that is not
    double rowSeconds = 2;    ///< no new round begins after this long, and no row that would take longer
    WantedRows wanted = {};   ///< that alone are measured, beside the card's peaks
};

/// The fastest of some peaks: what rows are compared with.
struct FastestPeak {
    double rate = 0;  ///< operations a second; 0: none was measured
    std::string name = {};
    std::string_view unit = "TFLOP/s";

    void consider(double other, const std::string& otherName) {
        if (other > rate) {
            rate = other;
            name = otherName;
        }
    }
};

/// What one `meshreel bench gpu` measures: rows beside the peaks that were measured before them. If the GPU's
/// tuning is restricted to a form, only what multiplies in it is measured.
class GpuBenchmarkRun {
  public:
    using OnRow = std::function<void(const BenchmarkRow& row)>;

    /// `execution` has the GPU. Calls `onRow` with every finished row. Both references outlive the run.
    GpuBenchmarkRun(const Execution& execution, const GpuBenchmarkOptions& options, const OnRow& onRow)
        : m_execution(execution), m_options(options), m_onRow(onRow) {}

    [[nodiscard]] const Execution& execution() const { return m_execution; }
    [[nodiscard]] const GpuBenchmarkOptions& options() const { return m_options; }
    [[nodiscard]] ComputeDevice& gpu() const { return *m_execution.gpu; }

    /// Returns the rows of linear layers and the keys of attention.
    [[nodiscard]] std::vector<std::int64_t> tokens() const;

    /// As those of BenchmarkRun.
    [[nodiscard]] bool wants(std::string_view name) const { return m_options.wanted.contain(name); }
    [[nodiscard]] bool wantsAny(std::string_view beginning) const {
        return m_options.wanted.containAny(beginning);
    }

    /// Returns the form that alone is measured; nothing: every one.
    [[nodiscard]] std::optional<MatrixForm> onlyForm() const;
    [[nodiscard]] bool measuresBf16() const;
    [[nodiscard]] bool measuresInt8() const;

    /// Returns the fastest peak with f32, f16 and bf16 factors.
    [[nodiscard]] const FastestPeak& peak() const { return m_peak; }
    /// Returns the fastest peak with int8 factors.
    [[nodiscard]] const FastestPeak& int8Peak() const { return m_int8Peak; }
    /// Returns that of one form; the reference stays valid.
    [[nodiscard]] const FastestPeak& int8Peak(MatrixForm form);

    /// Measures one call of `record`, by the GPU's clock. Short ones are recorded several times a round.
    /// Throws Error{Cancelled}.
    [[nodiscard]] MeasuredTime measure(const std::function<void()>& record) const;

    /// Measures a call and compares what the first one wrote; in a quick benchmark that is the only one.
    [[nodiscard]] MeasuredTime measureCompared(const std::function<void()>& record,
                                               const std::function<void()>& compare) const;

    /// Returns the seconds of one call by the GPU's clock, without warming up. Throws Error{Cancelled}.
    [[nodiscard]] double secondsOnce(const std::function<void()>& record) const;

    /// Returns whether a row takes longer than the options say, by the rate of the rows before, or the driver
    /// refuses its peak: it is left out then.
    [[nodiscard]] bool isTooLong(double flops, const FastestPeak& peak) const;

    /// Returns the error of samples, relative to the size of what was expected. Throws Error{Device} when it
    /// is too large.
    [[nodiscard]] double errorOf(
        const std::string& name, const Tensor& y,
        const std::function<double(std::int64_t row, std::int64_t column)>& expected) const;

    /// Adds a peak, which the rows after it are compared with if it is the fastest of its kind.
    void addPeak(const DevicePeaks::Peak& peak, double flops, const MeasuredTime& time);
    /// Adds the rate of an operation.
    void addRate(const std::string& name, double flops, const MeasuredTime& time, const FastestPeak& peak,
                 std::vector<std::pair<std::string, double>> details);
    /// Adds the seconds of many operations together.
    void addSeconds(const std::string& name, double flops, const MeasuredTime& time, const FastestPeak& peak,
                    const std::vector<std::pair<std::string, double>>& details = {});
    /// Adds seconds that no peak is the measure of.
    void addPlainSeconds(const std::string& name, const MeasuredTime& time,
                         std::vector<std::pair<std::string, double>> details);
    /// Adds the shares of some rounds in which the GPU worked, 1 being all of the time.
    void addBusy(const std::string& name, const std::vector<double>& shares,
                 std::vector<std::pair<std::string, double>> details);
    /// Adds a rate in GB/s, compared with the highest until then.
    void addBytes(const std::string& name, double bytes, const MeasuredTime& time);

    /// Moves the rows out.
    [[nodiscard]] std::vector<BenchmarkRow> takeRows() { return std::move(m_rows); }

  private:
    void add(BenchmarkRow row);
    [[nodiscard]] double secondsOnGpu() const;

    const Execution& m_execution;
    GpuBenchmarkOptions m_options;
    const OnRow& m_onRow;
    std::vector<BenchmarkRow> m_rows;
    static constexpr std::string_view int8Unit = "TOP/s";
    FastestPeak m_peak;
    FastestPeak m_int8Peak{.unit = int8Unit};
    std::map<MatrixForm, FastestPeak> m_int8Peaks;
    double m_bandwidth = 0;
};

}  // namespace meshreel
