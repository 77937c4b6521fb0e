// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/timing/verdict.h"

namespace meshreel {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view restlessKey = "restless";
constexpr std::string_view limitPrefix = "peak.";  // of the machine's limits, which are always measured

Json rowJson(const BenchmarkRow& row) {
    Json json{{"name", row.name}, {"value", row.value},   {"unit", row.unit},    {"ratio", row.ratio},
              {"of", row.of},     {"spread", row.spread}, {"rounds", row.rounds}};
    for (const auto& [name, value] : row.details)
        json[name] = value;
    if (!row.seconds.empty())
        json[roundSecondsKey] = row.seconds;
    return json;
}

}  // namespace

bool WantedRows::contain(std::string_view name) const {
    return areAll() || std::ranges::find(names, name) != names.end();
}

bool WantedRows::containAny(std::string_view beginning) const {
    return areAll() || std::ranges::any_of(names, [beginning](const std::string& name) {
               return name.starts_with(beginning);
           });
}

BenchmarkRun::BenchmarkRun(const Execution& execution, BenchmarkOptions options, OnRow onRow)
    : m_execution(execution), m_options(std::move(options)), m_onRow(std::move(onRow)) {
    const PeakEffort effort{.shapeSeconds = m_options.peakSeconds,
                            .bandwidthBytes = m_options.bandwidthBytes};
    const auto peak = [&](const std::string& name, const std::string& unit, double scale,
                          const PeakRate& rate) {
        add({.name = name,
             .value = rate.perSecond / scale,
             .unit = unit,
             .of = name,
             .spread = rate.time.spread(),
             .rounds = rate.time.rounds,
             .details = rate.details,
             .seconds = rate.time.seconds});
    };
    for (const Arithmetic arithmetic : {Arithmetic::BF16, Arithmetic::F32, Arithmetic::Int8}) {
        const PeakRate rate = matmulPeak(execution, arithmetic, effort);
        m_peaks.setMatmul(arithmetic, rate.perSecond);
        m_matmulPeaks[static_cast<std::size_t>(arithmetic)] = rate;
        peak(matmulPeakName(arithmetic), arithmetic == Arithmetic::Int8 ? "TOP/s" : "TFLOP/s", tera, rate);
    }
    const PeakRate bandwidth = bandwidthPeak(execution, effort);
    m_peaks.bandwidth = bandwidth.perSecond;
    peak("peak.bandwidth", "GB/s", giga, bandwidth);
    peak("peak.exp", "Gexp/s", giga, exponentialPeak(execution, effort));
}

MeasuredTime BenchmarkRun::measure(const std::function<void()>& work,
                                   std::optional<Arithmetic> against) const {
    const Rounds rounds{.most = m_options.rounds, .seconds = m_options.rowSeconds};
    if (!against)
        return measureRounds(m_execution.stop, rounds, work);
    std::vector<double> peaks;
    MeasuredTime time = measureRounds(m_execution.stop, rounds, work, [&] {
        peaks.push_back(matmulRateNow(
            m_execution, *against, m_matmulPeaks[static_cast<std::size_t>(*against)], m_options.peakSeconds));
    });
    time.peaks = std::move(peaks);
    return time;
}

double BenchmarkRun::peakBeside(const MeasuredTime& time, Arithmetic arithmetic) const {
    return time.peaks.empty() ? m_peaks.matmul(arithmetic) : time.meanPeak();
}

void BenchmarkRun::add(BenchmarkRow row) {
    if (!wants(row.name) && !row.name.starts_with(limitPrefix))
        return;
    m_rows.push_back(std::move(row));
    if (m_onRow)
        m_onRow(m_rows.back());
}

void BenchmarkRun::addFlops(const std::string& name, double flops, const MeasuredTime& time,
                            Arithmetic arithmetic, double bytes) {
    const double rate = flops / time.median;
    BenchmarkRow row{.name = name,
                     .value = rate / tera,
                     .unit = arithmetic == Arithmetic::Int8 ? "TOP/s" : "TFLOP/s",
                     .ratio = rate / peakBeside(time, arithmetic),
                     .of = matmulPeakName(arithmetic),
                     .spread = time.spread(),
                     .rounds = time.rounds,
                     .details = {{"seconds", time.median}},
                     .seconds = time.seconds};
    if (bytes > 0)
        row.details.emplace_back("flops_per_byte", flops / bytes);
    std::ranges::copy(peakDetails(time), std::back_inserter(row.details));
    add(std::move(row));
}

void BenchmarkRun::addBytes(const std::string& name, double bytes, const MeasuredTime& time) {
    const double rate = bytes / time.median;
    add({.name = name,
         .value = rate / giga,
         .unit = "GB/s",
         .ratio = rate / m_peaks.bandwidth,
         .of = "peak.bandwidth",
         .spread = time.spread(),
         .rounds = time.rounds,
         .details = {{"seconds", time.median}},
         .seconds = time.seconds});
}

std::vector<std::int64_t> BenchmarkRun::tokensOr(std::vector<std::int64_t> usual) const {
    return m_options.tokens.empty() ? std::move(usual) : m_options.tokens;
}

Json benchmarkJson(const BenchmarkRun& run) {
    return benchmarkJson(run.rows(), run.execution().workers.size());
}

Json benchmarkJson(std::span<const BenchmarkRow> rows, int workers) {
    Json list = Json::array();
    for (const BenchmarkRow& row : rows)
        list.push_back(rowJson(row));
    return {{"machine",
             {{"cpu", cpuModelName()},
              {"isa", isaName()},
              {"cpus", availableCpus()},
              {"workers", workers},
              {"matmul", matmulLibrary()},
              {"matmul_bf16", linearCandidate(Arithmetic::BF16).kernel.name},
              {"matmul_int8", linearCandidate(Arithmetic::Int8).kernel.name},
              {"version", versionNumber()},
              {"commit", versionCommit()}}},
            {"rows", std::move(list)}};
}

std::string benchmarkHeader() {
    return fmt::format("{:<34} {:>10} {:<8} {:>7}    {:<22} {:>7} {:>4}", "row", "value", "unit", "ratio",
                       "of", "spread", "runs");
}

std::vector<std::pair<std::string, double>> peakDetails(const MeasuredTime& time) {
    if (time.peaks.empty())
        return {};
    return {{"peak", time.meanPeak() / tera},
            {"peak_spread", time.peakSpread()},
            {std::string(restlessKey), time.isRestless() ? 1 : 0}};
}

void requireWantedRows(const WantedRows& wanted, std::span<const BenchmarkRow> measured) {
    for (const std::string& name : wanted.names)
        if (std::ranges::find(measured, name, &BenchmarkRow::name) == measured.end())
            throw Error(ErrorKind::Project, sentence("there is no row '{}' in this group", name), "--only",
                        sentence("Measure the whole group once: it prints the names of its rows"));
}

BenchmarkRow joinedRow(const BenchmarkRow& before, const BenchmarkRow& again) {
    if (before.seconds.empty() || again.seconds.empty())
        return again;
    BenchmarkRow row = again;
    row.seconds = before.seconds;
    std::ranges::copy(again.seconds, std::back_inserter(row.seconds));
    const TimesSummary times = summarizeTimes(row.seconds);
    // Seconds grow with the median, rates fall: the work is the same.
    const double median = summarizeTimes(again.seconds).median;
    const double slower = median > 0 ? times.median / median : 1;
    row.value = again.unit.ends_with("/s") ? again.value / slower : again.value * slower;
    const auto passes = static_cast<double>(row.seconds.size());
    row.ratio = (before.ratio * static_cast<double>(before.seconds.size()) +
                 again.ratio * static_cast<double>(again.seconds.size())) /
                passes;
    row.spread = times.spread();
    row.rounds = static_cast<int>(row.seconds.size());
    for (auto& [name, value] : row.details)
        if (name == "seconds")
            value = times.median;
    return row;
}

std::string benchmarkLine(const BenchmarkRow& row) {
    const auto detail = [&](std::string_view name) {
        const auto found = std::ranges::find(row.details, name, &std::pair<std::string, double>::first);
        return found == row.details.end() ? 0 : found->second;
    };
    std::string line = fmt::format("{:<34} {:>10.4g} {:<8} {:>7.3f} of {:<22} {:>5.1f} % {:>4}", row.name,
                                   row.value, row.unit, row.ratio, row.of, percent * row.spread, row.rounds);
    if (detail("peak") > 0)
        line += fmt::format("  peak {:.3g} within {:.0f} %", detail("peak"), percent * detail("peak_spread"));
    if (detail(restlessKey) > 0)
        line += ": too restless for a verdict";
    return line;
}

namespace {

using PlainJson = nlohmann::json;

constexpr std::string_view peakPrefix = "peak.matmul.";
constexpr std::string_view bandwidthName = "peak.bandwidth";

/// Returns the operations a second of a row that has a rate.
std::optional<double> readRate(const PlainJson& row) {
    const std::string unit = row.at("unit");
    const double value = row.at("value");
    if (unit == "TFLOP/s" || unit == "TOP/s")
        return value * tera;
    if (unit == "s" && row.contains("flops"))
        return row.at("flops").get<double>() / value;
    return std::nullopt;
}

std::optional<double> readIntensity(const PlainJson& row) {
    if (row.contains("flops_per_byte"))
        return row.at("flops_per_byte").get<double>();
    if (row.contains("flops") && row.contains("bytes"))
        return row.at("flops").get<double>() / row.at("bytes").get<double>();
    return std::nullopt;
}

template <typename Named>
Named& named(std::vector<Named>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &Named::name);
    return found != all.end() ? *found : all.emplace_back(Named{.name = name});
}

/// A row of a later run takes the place of the one before; of limits the highest counts.
void addRow(Roofline& roofline, const PlainJson& row) {
    const std::string name = row.at("name");
    if (name == bandwidthName)
        roofline.bytesPerSecond = std::max(roofline.bytesPerSecond, row.at("value").get<double>() * giga);
    const std::optional<double> rate = readRate(row);
    if (!rate)
        return;
    if (name.starts_with(peakPrefix)) {
        RooflinePeak& peak = named(roofline.peaks, name.substr(peakPrefix.size()));
        peak.flopsPerSecond = std::max(peak.flopsPerSecond, *rate);
    } else if (const std::optional<double> intensity = readIntensity(row)) {
        RooflinePoint& point = named(roofline.points, name);
        point.flopsPerByte = *intensity;
        point.flopsPerSecond = *rate;
    }
}

/// Whether the peak is a limit of one of the points.
bool isRoof(const RooflinePeak& peak, std::span<const PlainJson> runs) {
    const std::string name = std::string(peakPrefix) + peak.name;
    return std::ranges::any_of(runs, [&](const PlainJson& run) {
        return std::ranges::any_of(run.at("rows"), [&](const PlainJson& row) {
            return readIntensity(row) && row.value("of", "").find(name) != std::string::npos;
        });
    });
}

Roofline toRoofline(std::span<const PlainJson> runs, const std::string& where) {
    Roofline roofline;
    try {
        roofline.machine = runs.back().at("machine").at("cpu");
        for (const PlainJson& run : runs)
            for (const PlainJson& row : run.at("rows"))
                addRow(roofline, row);
        std::erase_if(roofline.peaks, [&](const RooflinePeak& peak) { return !isRoof(peak, runs); });
    } catch (const PlainJson::exception&) {
        refuseBenchmarkFile(sentence("This is not a measurement of meshreel bench"), where);
    }
    if (roofline.points.empty() || roofline.peaks.empty() || roofline.bytesPerSecond <= 0)
        refuseBenchmarkFile(
            sentence("No row of this measurement tells operations and bytes beside the machine's limits"),
            where);
    return roofline;
}

}  // namespace

Roofline toRoofline(const PlainJson& benchmark) {
    return toRoofline(std::span(&benchmark, 1), {});
}

Roofline readRoofline(const std::filesystem::path& file) {
    std::vector<PlainJson> runs = readBenchmarkFile(file);
    const auto fact = [](const PlainJson& run, const char* name) {
        const PlainJson machine = run.value("machine", PlainJson::object());
        return machine.is_object() ? machine.value(name, PlainJson()) : PlainJson();
    };
    // Rows of a GPU stand under limits of its own.
    if (std::ranges::any_of(runs, [&](const PlainJson& run) { return fact(run, "gpu").is_null(); }))
        std::erase_if(runs, [&](const PlainJson& run) { return !fact(run, "gpu").is_null(); });
    const PlainJson last = runs.back();
    std::erase_if(runs, [&](const PlainJson& run) {
        return fact(run, "cpu") != fact(last, "cpu") || fact(run, "commit") != fact(last, "commit");
    });
    return toRoofline(runs, file.string());
}

}  // namespace meshreel
