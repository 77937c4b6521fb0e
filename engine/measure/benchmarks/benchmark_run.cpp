// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/benchmark_run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/units.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/timing/verdict.h"

namespace meshreel {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view restlessKey = "restless";
constexpr const char* secondsKey = "round_seconds";

Json rowJson(const BenchmarkRow& row) {
    Json json{{"name", row.name}, {"value", row.value},   {"unit", row.unit},    {"ratio", row.ratio},
              {"of", row.of},     {"spread", row.spread}, {"rounds", row.rounds}};
    for (const auto& [name, value] : row.details)
        json[name] = value;
    if (!row.seconds.empty())
        json[secondsKey] = row.seconds;
    return json;
}

}  // namespace

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

void appendToHistory(const std::filesystem::path& file, const Json& benchmark) {
    Json entry{{"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))}};
    entry.update(benchmark);
    const std::string before = std::filesystem::exists(file) ? readFile(file) : std::string();
    writeFileAtomically(file, before + entry.dump() + "\n");
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

[[noreturn]] void refuse(Sentence problem, const std::string& where) {
    throw Error(
        ErrorKind::Input, std::move(problem), where,
        sentence("Give what meshreel bench --json printed, or a file that meshreel bench --append wrote"));
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
        refuse(sentence("This is not a measurement of meshreel bench"), where);
    }
    if (roofline.points.empty() || roofline.peaks.empty() || roofline.bytesPerSecond <= 0)
        refuse(sentence("No row of this measurement tells operations and bytes beside the machine's limits"),
               where);
    return roofline;
}

std::vector<PlainJson> runsIn(const std::string& text, const std::string& where) {
    if (const PlainJson whole = PlainJson::parse(text, nullptr, false); whole.is_object())
        return {whole};
    std::vector<PlainJson> runs;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.empty())
            continue;
        runs.push_back(PlainJson::parse(line, nullptr, false));
        if (!runs.back().is_object())
            refuse(sentence("A line of this file is no measurement of meshreel bench"), where);
    }
    if (runs.empty())
        refuse(sentence("This file holds no measurement"), where);
    return runs;
}

}  // namespace

SecondsByRow readRounds(const std::filesystem::path& file) {
    const std::vector<PlainJson> runs = runsIn(readFile(file), file.string());
    SecondsByRow seconds;
    try {
        const std::string cpu = runs.back().at("machine").at("cpu");
        if (cpu != cpuModelName())
            throw Error(ErrorKind::Input, sentence("These times are of another CPU: {}", cpu), file.string(),
                        sentence("Measure on this machine first"));
        for (const PlainJson& row : runs.back().at("rows"))
            if (row.contains(secondsKey))
                seconds[row.at("name")] = row.at(secondsKey).get<std::vector<double>>();
    } catch (const PlainJson::exception&) {
        refuse(sentence("This is not a measurement of meshreel bench"), file.string());
    }
    if (seconds.empty())
        throw Error(ErrorKind::Input, sentence("No row of this measurement tells the seconds of its rounds"),
                    file.string(), sentence("Measure with this version first"));
    return seconds;
}

std::optional<Verdict> judgeRow(const SecondsByRow& before, const BenchmarkRow& row) {
    const auto found = before.find(row.name);
    return found == before.end() || row.seconds.empty() ? std::nullopt
                                                        : std::optional(judge(found->second, row.seconds));
}

Roofline toRoofline(const PlainJson& benchmark) {
    return toRoofline(std::span(&benchmark, 1), {});
}

Roofline readRoofline(const std::filesystem::path& file) {
    std::vector<PlainJson> runs = runsIn(readFile(file), file.string());
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
