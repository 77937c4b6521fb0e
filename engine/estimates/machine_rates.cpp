// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/machine_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/numbers.h"
#include "engine/base/paths.h"
#include "engine/base/units.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

const std::string gpuMark = "-gpu-";  // in the names of files
constexpr int format = 4;             // of the file; samples in earlier ones know fewer classes of work

/// How far `value` is on the way from `from` to `to`, by logarithms; 0 to 1.
double logShare(double value, double from, double to) {
    if (to <= from)
        return value > from ? 1 : 0;
    return std::clamp(std::log(value / from) / std::log(to / from), 0.0, 1.0);
}

nlohmann::ordered_json machineJson(const MachineRates& rates) {
    const MachineIdentity& machine = rates.machine;
    nlohmann::ordered_json json{{"cpu", machine.cpu},
                                {"isa", machine.isa},
                                {"cpus", machine.cpus},
                                {"version", machine.version},
                                {"commit", rates.commit}};
    if (!machine.gpu.empty())
        json["gpu"] = {{"id", machine.gpu}, {"name", machine.gpuName}, {"driver", machine.gpuDriver}};
    return json;
}

MachineIdentity machineFrom(const nlohmann::json& json) {
    MachineIdentity machine{.cpu = json.at("cpu").get<std::string>(),
                            .isa = json.at("isa").get<std::string>(),
                            .cpus = json.at("cpus").get<int>(),
                            .version = json.at("version").get<std::string>()};
    if (const auto gpu = json.find("gpu"); gpu != json.end()) {
        machine.gpu = gpu->at("id").get<std::string>();
        machine.gpuName = gpu->at("name").get<std::string>();
        machine.gpuDriver = gpu->at("driver").get<std::string>();
    }
    return machine;
}

nlohmann::ordered_json sampleJson(const RateSample& sample) {
    nlohmann::ordered_json json{{"name", sample.name},
                                {"devices", sample.arrangement.devices},
                                {"workers_per_device", sample.arrangement.workersPerDevice}};
    if (sample.arrangement.gpus > 0)
        json["gpus"] = sample.arrangement.gpus;
    json.update({{"seconds", sample.seconds},
                 {"predicted", sample.predicted},
                 {"rounds", sample.rounds},
                 {"work", workJson(sample.work)}});
    return json;
}

RateSample sampleFrom(const nlohmann::json& json) {
    return {.name = json.at("name").get<std::string>(),
            .work = workFrom(json.at("work")),
            .arrangement = {.devices = json.at("devices").get<int>(),
                            .workersPerDevice = json.at("workers_per_device").get<int>(),
                            .gpus = json.value("gpus", 0)},
            .seconds = json.at("seconds").get<double>(),
            .predicted = json.at("predicted").get<double>(),
            .rounds = json.at("rounds").get<std::vector<double>>()};
}

MachineRates ratesFrom(const nlohmann::json& json) {
    const nlohmann::json& slowdown = json.at("slowdown");
    MachineRates rates{.machine = machineFrom(json.at("machine")),
                       .secondsPerUnit = workFrom(json.at("seconds_per_unit")).amounts,
                       .slowdown = {.oneWorker = slowdown.at("one_worker").get<double>(),
                                    .devices = slowdown.at("devices").get<double>(),
                                    .crowded = slowdown.at("crowded").get<double>()},
                       .firstStep = json.at("first_step").get<double>(),
                       .spread = json.at("spread").get<double>(),
                       .roundSpread = json.at("round_spread").get<double>(),
                       .samples = {},
                       .firstSteps = json.at("first_steps").get<std::vector<double>>(),
                       .measured = json.at("measured").get<std::string>(),
                       .commit = json.at("machine").value("commit", std::string())};
    for (const nlohmann::json& sample : json.at("samples"))
        rates.samples.push_back(sampleFrom(sample));
    return rates;
}

/// Letters, digits and dots; what else stands there becomes one '-'.
std::string fileNamePart(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const bool plain =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
        if (plain)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    return name;
}

}  // namespace

MachineIdentity MachineIdentity::ofThis() {
    return {.cpu = cpuModelName(),
            .isa = isaName(),
            .cpus = availableCpus(),
            .version = std::string(versionNumber())};
}

MachineIdentity MachineIdentity::ofGpu(const GpuFacts& gpu) {
    MachineIdentity machine = ofThis();
    machine.gpu = gpu.id;
    machine.gpuName = gpu.name;
    machine.gpuDriver = gpu.driver;
    return machine;
}

double Slowdown::of(const Arrangement& arrangement, int cpus) const {
    const double all = std::max(1, cpus);
    const double threads = std::min<double>(all, arrangement.devices * arrangement.workersPerDevice);
    const double fewThreads = all > 1 ? std::pow(oneWorker, 1 - logShare(threads, 1, all)) : 1;
    const double manyDevices = std::pow(devices, logShare(arrangement.devices, 1, all));
    const double crowd = std::pow(crowded / devices, logShare(arrangement.devices, all, 2 * all));
    return fewThreads * manyDevices * crowd;
}

double MachineRates::secondsOf(const Work& work, const Arrangement& arrangement) const {
    Work inTurn = work;
    for (const WorkClass kind : {WorkClass::Blocks, WorkClass::Weights})
        inTurn[kind] /= std::clamp(arrangement.devices, 1, std::max(1, machine.cpus));
    double onCpus = 0;
    double onGpus = 0;
    for (const WorkClassRow& row : workClassRows())
        (row.processor == Processor::Gpu ? onGpus : onCpus) +=
            inTurn[row.kind] * secondsPerUnit[static_cast<std::size_t>(row.kind)];
    return onCpus * slowdown.of(arrangement, machine.cpus) + onGpus / std::max(1, arrangement.gpus);
}

MachineRates ratesWithGpus(MachineRates cpu, std::span<const MachineRates> gpus) {
    if (gpus.empty())
        return cpu;
    for (const WorkClassRow& row : workClassRows())
        if (row.processor == Processor::Gpu) {
            const auto secondsOf = [kind = static_cast<std::size_t>(row.kind)](const MachineRates& gpu) {
                return gpu.secondsPerUnit.at(kind);
            };
            cpu.secondsPerUnit.at(static_cast<std::size_t>(row.kind)) =
                secondsOf(std::ranges::max(gpus, {}, secondsOf));
        }
    cpu.spread = std::max(cpu.spread, std::ranges::max(gpus, {}, &MachineRates::spread).spread);
    cpu.roundSpread =
        std::max(cpu.roundSpread, std::ranges::max(gpus, {}, &MachineRates::roundSpread).roundSpread);
    cpu.firstStep = std::ranges::max(gpus, {}, &MachineRates::firstStep).firstStep;
    return cpu;
}

bool MachineRates::areOfThisBuild() const {
    return commit == versionCommit();
}

fs::path ratesFile(const MachineIdentity& machine) {
    return userCacheFolder() / "rates" /
           fmt::format("{}-{}-{}cpus-{}{}.json", fileNamePart(machine.cpu), machine.isa, machine.cpus,
                       machine.version, machine.gpu.empty() ? "" : gpuMark + fileNamePart(machine.gpu));
}

std::string rateText(const WorkClassRow& row, const MachineRates& rates) {
    constexpr double slow = 1e-6;
    const double seconds = rates.secondsPerUnit[static_cast<std::size_t>(row.kind)];
    if (seconds == 0)
        return "-";
    return seconds > slow ? fmt::format("{:.3g} ms", millisecondsPerSecond * seconds)
                          : fmt::format("{:.3g} G{}/s", 1 / seconds / giga, row.unit);
}

nlohmann::ordered_json ratesJson(const MachineRates& rates) {
    nlohmann::ordered_json json{{"format", format},
                                {"machine", machineJson(rates)},
                                {"measured", rates.measured},
                                {"seconds_per_unit", workJson({rates.secondsPerUnit})},
                                {"slowdown",
                                 {{"one_worker", rates.slowdown.oneWorker},
                                  {"devices", rates.slowdown.devices},
                                  {"crowded", rates.slowdown.crowded}}},
                                {"first_step", rates.firstStep},
                                {"spread", rates.spread},
                                {"round_spread", rates.roundSpread},
                                {"first_steps", rates.firstSteps},
                                {"samples", nlohmann::ordered_json::array()}};
    for (const RateSample& sample : rates.samples)
        json["samples"].push_back(sampleJson(sample));
    return json;
}

namespace {

/// Returns nothing when there are none, or they have another format.
std::optional<MachineRates> readRates(const fs::path& file) {
    std::error_code missing;
    if (!fs::is_regular_file(file, missing))
        return std::nullopt;
    try {
        const nlohmann::json json = nlohmann::json::parse(readFile(file));
        if (json.value("format", 0) != format)
            return std::nullopt;
        return ratesFrom(json);
    } catch (const Error&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<MachineRates> readRates(const fs::path& file, const MachineIdentity& machine) {
    std::optional<MachineRates> rates = readRates(file);
    return rates && rates->machine == machine ? std::move(rates) : std::nullopt;
}

std::vector<MachineRates> readGpuRates(const MachineIdentity& machine) {
    const fs::path own = ratesFile(machine);
    std::vector<MachineRates> found;
    std::error_code missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(own.parent_path(), missing)) {
        const std::string stem = own.stem().string() + gpuMark;
        const std::string name = entry.path().stem().string();
        if (!name.starts_with(stem) || entry.path().extension() != own.extension())
            continue;
        const std::optional<MachineRates> rates = readRates(entry.path());
        if (!rates)
            continue;
        MachineIdentity without = rates->machine;
        without.gpu = without.gpuName = without.gpuDriver = {};
        if (without == machine && !rates->machine.gpu.empty())
            found.push_back(*rates);
    }
    return found;
}

std::optional<fs::path> setDamagedRatesAside(const fs::path& file) {
    std::error_code failure;
    if (!fs::is_regular_file(file, failure))
        return std::nullopt;
    try {
        const nlohmann::json json = nlohmann::json::parse(readFile(file));
        if (json.value("format", 0) != format)
            return std::nullopt;  // from another version, and complete
        static_cast<void>(ratesFrom(json));
        return std::nullopt;
    } catch (const Error&) {
        return std::nullopt;  // it cannot be opened, and so not moved
    } catch (const nlohmann::json::exception&) {
        const fs::path aside =
            freePath(file.parent_path() / (file.stem().string() + "-damaged"), file.extension().string());
        fs::rename(file, aside, failure);
        return failure ? std::nullopt : std::optional(aside);
    }
}

void writeRates(const fs::path& file, const MachineRates& rates) {
    std::error_code failure;
    static_cast<void>(setDamagedRatesAside(file));
    fs::create_directories(file.parent_path(), failure);
    constexpr int indent = 1;
    writeFileAtomically(file, ratesJson(rates).dump(indent) + "\n");
}

namespace {

constexpr double coveredShare = 0.8;  // of the samples, within the spread

using Column = std::vector<double>;  // amount / seconds, a number for each sample

double dot(const Column& a, const Column& b) {
    double sum = 0;
    for (std::size_t row = 0; row < a.size(); ++row)
        sum += a[row] * b[row];
    return sum;
}

/// min |Σ x_c·column_c − targets|², x ≥ 0, one coordinate after the other. Columns are scaled to length 1, so
/// that units do not matter.
Column nonNegativeLeastSquares(std::vector<Column> columns, Column targets) {
    constexpr int mostSweeps = 20000;
    constexpr double settled = 1e-10;
    Column lengths;
    for (Column& column : columns) {
        lengths.push_back(std::sqrt(dot(column, column)));
        for (double& value : column)
            value /= lengths.back();
    }
    Column solution(columns.size(), 0);
    Column residual = std::move(targets);
    for (int sweep = 0; sweep < mostSweeps; ++sweep) {
        double moved = 0;
        for (std::size_t index = 0; index < columns.size(); ++index) {
            const double next = std::max(0.0, solution[index] + dot(columns[index], residual));
            const double change = next - solution[index];
            for (std::size_t row = 0; row < residual.size(); ++row)
                residual[row] -= change * columns[index][row];
            solution[index] = next;
            moved = std::max(moved, std::abs(change));
        }
        if (moved < settled)
            break;
    }
    for (std::size_t index = 0; index < solution.size(); ++index)
        solution[index] /= lengths[index];
    return solution;
}

/// min |Σ x_c·column_c − 1|² + weight²·|ln(x / typical)|², x > 0: what samples cannot tell apart stays in its
/// typical proportions, and nothing becomes 0. By Gauss and Newton from the typical values on.
Column leaningLeastSquares(const std::vector<Column>& columns, const Column& typical) {
    constexpr double weight = 0.05;  // a factor of e from the typical counts as 5 % of error of one sample
    constexpr int rounds = 12;
    constexpr double mostChange = 4;  // in a round, as a factor
    const std::size_t samples = columns.front().size();
    Column solution = typical;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Column> rows = columns;
        Column targets(samples, 1);
        for (std::size_t index = 0; index < rows.size(); ++index) {
            rows[index].resize(samples + rows.size(), 0);
            rows[index][samples + index] = weight / solution[index];
            targets.push_back(weight * (1 - std::log(solution[index] / typical[index])));
        }
        const Column next = nonNegativeLeastSquares(std::move(rows), std::move(targets));
        for (std::size_t index = 0; index < next.size(); ++index)
            solution[index] =
                std::clamp(next[index], solution[index] / mostChange, solution[index] * mostChange);
    }
    return solution;
}

double typicalSeconds(WorkClass kind) {
    return workClassRows()[static_cast<std::size_t>(kind)].typicalSeconds;
}

/// What the machine takes, over what is typical: the median of the samples.
double machineFactor(const std::vector<RateSample>& samples) {
    std::vector<double> factors;
    for (const RateSample& sample : samples) {
        double typical = 0;
        for (const WorkClassRow& row : workClassRows())
            typical += row.typicalSeconds * sample.work[row.kind];
        if (typical > 0)
            factors.push_back(sample.seconds / typical);
    }
    return factors.empty() ? 1 : quantile(std::move(factors), 1.0 / 2);
}

/// Factor of the slow-down and seconds per unit of Exchange and Messages that samples of several devices
/// follow from, by what their work would take without either.
struct DeviceFit {
    double slowdown = 1;
    double exchange = 0;
    double messages = 0;
};

DeviceFit fitDevices(const MachineRates& rates, const std::vector<RateSample>& samples, double machine) {
    MachineRates oneDevice = rates;
    oneDevice.slowdown = {};
    std::vector<Column> columns(3);
    for (const RateSample& sample : samples) {
        columns[0].push_back(oneDevice.secondsOf(sample.work, sample.arrangement) / sample.seconds);
        columns[1].push_back(sample.work[WorkClass::Exchange] / sample.seconds);
        columns[2].push_back(sample.work[WorkClass::Messages] / sample.seconds);
    }
    const Column solution = leaningLeastSquares(columns, {1, machine * typicalSeconds(WorkClass::Exchange),
                                                          machine * typicalSeconds(WorkClass::Messages)});
    // Exchange is slowed down in the same way as all other work.
    return {.slowdown = solution[0],
            .exchange = solution[1] / solution[0],
            .messages = solution[2] / solution[0]};
}

/// Median of measured / predicted as if the arrangement did not matter; 1 of none.
double medianFactor(const MachineRates& rates, const std::vector<RateSample>& samples) {
    MachineRates oneDevice = rates;
    oneDevice.slowdown = {};
    std::vector<double> factors;
    for (const RateSample& sample : samples)
        factors.push_back(sample.seconds / oneDevice.secondsOf(sample.work, sample.arrangement));
    return factors.empty() ? 1 : quantile(std::move(factors), 1.0 / 2);
}

std::vector<RateSample> chosen(const std::vector<RateSample>& samples,
                               const std::function<bool(const Arrangement&)>& fits) {
    std::vector<RateSample> some;
    std::ranges::copy_if(samples, std::back_inserter(some),
                         [&](const RateSample& sample) { return fits(sample.arrangement); });
    return some;
}

void fitArrangements(MachineRates& rates, const std::vector<RateSample>& samples, double machine) {
    const int cpus = rates.machine.cpus;
    const auto ofDevices = [&](int devices) {
        return chosen(samples, [devices](const Arrangement& arrangement) {
            return devices > 1 && arrangement.devices == devices;
        });
    };
    // secondsOf() takes slow-downs of one worker for arrangements that leave CPUs idle: here none does.
    if (const auto devices = ofDevices(std::max(2, cpus)); !devices.empty()) {
        const DeviceFit fit = fitDevices(rates, devices, machine);
        rates.secondsPerUnit[static_cast<std::size_t>(WorkClass::Exchange)] = fit.exchange;
        rates.secondsPerUnit[static_cast<std::size_t>(WorkClass::Messages)] = fit.messages;
        rates.slowdown.devices = fit.slowdown;
    }
    rates.slowdown.crowded =
        std::max(rates.slowdown.devices, medianFactor(rates, ofDevices(2 * std::max(2, cpus))));
    if (cpus > 1)
        rates.slowdown.oneWorker =
            std::max(1.0, medianFactor(rates, chosen(samples, [](const Arrangement& arrangement) {
                                           return arrangement == Arrangement{};
                                       })));
}

/// ln(round / median) of the median sample, of each round.
std::vector<double> roundFactors(const std::vector<RateSample>& samples) {
    std::size_t rounds = 0;
    for (const RateSample& sample : samples)
        rounds = std::max(rounds, sample.rounds.size());
    std::vector<double> factors;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<double> ofSamples;
        for (const RateSample& sample : samples)
            if (sample.rounds.size() == rounds)  // others were added to a measurement that was going on
                ofSamples.push_back(std::log(sample.rounds[round] / sample.seconds));
        factors.push_back(computeMedian(std::move(ofSamples)));
    }
    return factors;
}

/// Residuals of `fitted` samples are too small by what their own fit took up: so many degrees of freedom.
void fitSpread(MachineRates& rates, std::size_t fitted) {
    const auto count = static_cast<double>(fitted);
    const auto freedom = static_cast<double>(
        std::ranges::count_if(rates.secondsPerUnit, [](double seconds) { return seconds > 0; }));
    std::vector<double> errors;
    for (RateSample& sample : rates.samples) {
        sample.predicted = rates.secondsOf(sample.work, sample.arrangement);
        if (sample.predicted > 0)
            errors.push_back(std::abs(std::log(sample.seconds / sample.predicted)));
    }
    const double taken = std::sqrt(count / std::max(1.0, count - freedom));
    rates.roundSpread = roundSpread(rates.samples);
    rates.spread = std::max(leastSpread,
                            std::hypot(taken * quantile(std::move(errors), coveredShare), rates.roundSpread));
}

}  // namespace

double roundSpread(const std::vector<RateSample>& samples) {
    const std::vector<double> factors = roundFactors(samples);
    const auto rounds = static_cast<double>(factors.size());
    if (rounds < 2)
        return 0;
    const double mean = std::accumulate(factors.begin(), factors.end(), 0.0) / rounds;
    double squares = 0;
    for (const double factor : factors)
        squares += (factor - mean) * (factor - mean);
    return studentQuantile(rounds - 1) * std::sqrt(squares / (rounds - 1) * (1 + 1 / rounds));
}

double studentQuantile(double freedom) {
    constexpr double z = 1.2816;  // of the normal distribution
    constexpr double first = (z * z * z + z) / 4;
    constexpr double second = (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / 96;
    return z + first / freedom + second / (freedom * freedom);
}

double quantile(std::vector<double> values, double share) {
    if (values.empty())
        return 0;
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::ceil(share * last))];
}

std::array<double, workClasses> fitSeconds(const std::vector<RateSample>& samples) {
    const double machine = machineFactor(samples);
    std::vector<std::size_t> kinds;
    std::vector<Column> columns;
    Column typical;
    for (std::size_t kind = 0; kind < workClasses; ++kind) {
        Column column;
        std::ranges::transform(samples, std::back_inserter(column), [kind](const RateSample& sample) {
            return sample.work.amounts.at(kind) / sample.seconds;
        });
        if (dot(column, column) == 0)
            continue;
        kinds.push_back(kind);
        columns.push_back(std::move(column));
        typical.push_back(machine * typicalSeconds(static_cast<WorkClass>(kind)));
    }
    std::array<double, workClasses> seconds = {};
    if (columns.empty())
        return seconds;
    const Column solution = leaningLeastSquares(columns, typical);
    for (std::size_t index = 0; index < kinds.size(); ++index)
        seconds.at(kinds[index]) = solution[index];
    return seconds;
}

MachineRates looseRates(const MachineIdentity& machine, std::vector<RateSample> samples) {
    if (samples.empty())
        throw Error(ErrorKind::Internal, "rates need samples");
    static const double looseSpread = std::log(2.0);  // typical proportions are off by as much
    constexpr double busySpread = 0.2;  // nobody knows what else the machine did while it was timed
    MachineRates rates{.machine = machine,
                       .secondsPerUnit = fitSeconds(samples),
                       .slowdown = {},
                       .spread = looseSpread,
                       .roundSpread = busySpread,
                       .samples = std::move(samples)};
    const double factor = machineFactor(rates.samples);
    for (const WorkClassRow& row : workClassRows())
        if (double& seconds = rates.secondsPerUnit[static_cast<std::size_t>(row.kind)];
            seconds == 0 && row.processor != Processor::Gpu)
            seconds = factor * row.typicalSeconds;
    return rates;
}

MachineRates fitRates(const MachineIdentity& machine, std::vector<RateSample> samples) {
    const std::vector<RateSample> alone = chosen(samples, [&](const Arrangement& arrangement) {
        return arrangement == Arrangement{.devices = 1,
                                          .workersPerDevice = machine.cpus,
                                          .gpus = machine.gpu.empty() ? 0 : 1};
    });
    if (alone.empty())
        throw Error(ErrorKind::Internal, "no sample of rates ran on one device with all CPUs");
    MachineRates rates{.machine = machine,
                       .secondsPerUnit = fitSeconds(alone),
                       .slowdown = {},
                       .samples = std::move(samples)};
    fitArrangements(rates, rates.samples, machineFactor(alone));
    fitSpread(rates, alone.size());
    return rates;
}

}  // namespace meshreel
