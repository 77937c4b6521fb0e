// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_benchmark_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/record.h"
#include "engine/base/units.h"
#include "engine/gpu/gpu_tuning.h"

namespace meshreel {
namespace {

constexpr std::int64_t fewTokens = 7800;    // for 832×480×17
constexpr std::int64_t manyTokens = 32760;  // for 832×480×81
constexpr std::int64_t quickTokens = 16;

/// For results with bf16 or int8 factors and a bf16 result, relative to their size.
constexpr double errorAllowed = 0.02;

}  // namespace

std::vector<std::int64_t> GpuBenchmarkRun::tokens() const {
    return m_options.quick ? std::vector<std::int64_t>{quickTokens}
                           : std::vector<std::int64_t>{fewTokens, manyTokens};
}

std::optional<MatrixForm> GpuBenchmarkRun::onlyForm() const {
    return enumNamed<MatrixForm>(findTuning(gpu()).filter().form);
}

bool GpuBenchmarkRun::measuresBf16() const {
    return !onlyForm() || !takesInt8(*onlyForm());
}

bool GpuBenchmarkRun::measuresInt8() const {
    return !onlyForm() || takesInt8(*onlyForm()) || *onlyForm() == MatrixForm::Scalar;
}

const FastestPeak& GpuBenchmarkRun::int8Peak(MatrixForm form) {
    return m_int8Peaks.try_emplace(form, FastestPeak{.unit = int8Unit}).first->second;
}

void GpuBenchmarkRun::add(BenchmarkRow row) {
    if (!wants(row.name) && !row.name.starts_with("gpu.peak."))
        return;
    m_rows.push_back(std::move(row));
    if (m_onRow)
        m_onRow(m_rows.back());
}

MeasuredTime GpuBenchmarkRun::measure(const std::function<void()>& record) const {
    constexpr double roundSeconds = 0.02;
    const auto secondsOf = [&](int times) {
        const double before = secondsOnGpu();
        for (int each = 0; each < times; ++each)
            record();
        return (secondsOnGpu() - before) / times;
    };
    const double once = secondsOf(1);
    if (m_options.quick)
        return {.median = once, .fastest = once, .slowest = once, .rounds = 1};
    const int times = std::clamp(static_cast<int>(roundSeconds / std::max(once, 1e-6)), 1, 100);
    constexpr double warmSeconds = 0.2;  // the card's frequency rises with work
    const auto start = std::chrono::steady_clock::now();
    do
        static_cast<void>(secondsOf(times));
    while (secondsSince(start) < warmSeconds);
    std::vector<double> seconds;
    double counted = 0;
    while (seconds.empty() || (std::ssize(seconds) < m_options.rounds && counted < m_options.rowSeconds)) {
        seconds.push_back(secondsOf(times));
        counted += seconds.back() * times;
    }
    const auto [fastest, slowest] = std::ranges::minmax(seconds);
    return {.median = computeMedian(seconds),
            .fastest = fastest,
            .slowest = slowest,
            .rounds = static_cast<int>(seconds.size()),
            .seconds = seconds};
}

MeasuredTime GpuBenchmarkRun::measureCompared(const std::function<void()>& record,
                                              const std::function<void()>& compare) const {
    if (m_options.quick) {
        const MeasuredTime once = measure(record);
        compare();
        return once;
    }
    record();
    compare();
    return measure(record);
}

double GpuBenchmarkRun::secondsOnce(const std::function<void()>& record) const {
    const double before = secondsOnGpu();
    record();
    return secondsOnGpu() - before;
}

double GpuBenchmarkRun::secondsOnGpu() const {
    gpu().finish(m_execution.stop);
    return gpu().seconds().value_or(0);
}

bool GpuBenchmarkRun::isTooLong(double flops, const FastestPeak& peak) const {
    constexpr double share = 0.1;  // of the peak, which every kernel reaches
    return peak.rate == 0 || (!m_options.quick && flops / (share * peak.rate) > 4 * m_options.rowSeconds);
}

double GpuBenchmarkRun::errorOf(
    const std::string& name, const Tensor& y,
    const std::function<double(std::int64_t row, std::int64_t column)>& expected) const {
    const std::int64_t rows = y.extent(0);
    const std::int64_t width = y.extent(1);
    double differences = 0;
    double sizes = 0;
    for (const std::int64_t row : {std::int64_t{0}, rows / 3, rows - 2, rows - 1}) {
        const Tensor found = y.slice(row, row + 1).host().toF32();
        for (const std::int64_t column : {std::int64_t{0}, width / 5, width / 2 + 3, width - 1}) {
            const double value = expected(row, column);
            const double difference =
                static_cast<double>(found.data<float>()[static_cast<std::size_t>(column)]) - value;
            differences += difference * difference;
            sizes += value * value;
        }
    }
    const double error = std::sqrt(differences / sizes);
    if (!(error <= errorAllowed))  // also when it is not a number
        throw Error(ErrorKind::Device,
                    sentence("{} computes wrong values in {}: an error of {:.3g}, {:.3g} is allowed",
                             gpu().name(), name, error, errorAllowed),
                    {}, sentence("Update the GPU driver, or use the CPU"));
    return error;
}

void GpuBenchmarkRun::addPeak(const DevicePeaks::Peak& peak, double flops, const MeasuredTime& time) {
    const std::string name = "gpu.peak." + peak.name;
    const double rate = flops / time.median;
    if (peak.ofInt8)
        m_int8Peaks.try_emplace(peak.form, FastestPeak{.unit = int8Unit}).first->second.consider(rate, name);
    FastestPeak& ofAllForms = peak.ofInt8 ? m_int8Peak : m_peak;
    ofAllForms.consider(rate, name);
    add({.name = name,
         .value = rate / tera,
         .unit = std::string(ofAllForms.unit),
         .of = name,
         .spread = time.spread(),
         .rounds = time.rounds,
         .seconds = time.seconds});
}

void GpuBenchmarkRun::addRate(const std::string& name, double flops, const MeasuredTime& time,
                              const FastestPeak& peak, std::vector<std::pair<std::string, double>> details) {
    details.insert(details.begin(), {"seconds", time.median});
    add({.name = name,
         .value = flops / time.median / tera,
         .unit = std::string(peak.unit),
         .ratio = flops / time.median / peak.rate,
         .of = peak.name,
         .spread = time.spread(),
         .rounds = time.rounds,
         .details = std::move(details),
         .seconds = time.seconds});
}

void GpuBenchmarkRun::addSeconds(const std::string& name, double flops, const MeasuredTime& time,
                                 const FastestPeak& peak,
                                 const std::vector<std::pair<std::string, double>>& details) {
    BenchmarkRow row{.name = name,
                     .value = time.median,
                     .unit = "s",
                     .ratio = flops / time.median / peak.rate,
                     .of = peak.name,
                     .spread = time.spread(),
                     .rounds = time.rounds,
                     .details = {{"tflop", flops / tera}, {"tflop_per_second", flops / tera / time.median}},
                     .seconds = time.seconds};
    std::ranges::copy(details, std::back_inserter(row.details));
    add(std::move(row));
}

void GpuBenchmarkRun::addPlainSeconds(const std::string& name, const MeasuredTime& time,
                                      std::vector<std::pair<std::string, double>> details) {
    add({.name = name,
         .value = time.median,
         .unit = "s",
         .of = name,
         .spread = time.spread(),
         .rounds = time.rounds,
         .details = std::move(details),
         .seconds = time.seconds});
}

void GpuBenchmarkRun::addBusy(const std::string& name, const std::vector<double>& shares,
                              std::vector<std::pair<std::string, double>> details) {
    constexpr double percent = 100;
    const double median = computeMedian(shares);
    add({.name = name,
         .value = percent * median,
         .unit = "%",
         .ratio = median,
         .of = "all of the time",
         .rounds = static_cast<int>(shares.size()),
         .details = std::move(details)});
}

void GpuBenchmarkRun::addBytes(const std::string& name, double bytes, const MeasuredTime& time) {
    const double rate = bytes / time.median;
    m_bandwidth = std::max(m_bandwidth, rate);
    add({.name = name,
         .value = rate / giga,
         .unit = "GB/s",
         .ratio = rate / m_bandwidth,
         .of = "gpu.peak.bandwidth",
         .spread = time.spread(),
         .rounds = time.rounds,
         .details = {{"seconds", time.median}},
         .seconds = time.seconds});
}

}  // namespace meshreel
