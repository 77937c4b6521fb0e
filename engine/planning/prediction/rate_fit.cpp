// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/prediction/rate_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr double coveredShare = 0.8;  // of the samples, by the spread

using Column = std::vector<double>;  // amount / seconds, a number for each sample

double dot(const Column& a, const Column& b) {
    double sum = 0;
    for (std::size_t row = 0; row < a.size(); ++row)
        sum += a[row] * b[row];
    return sum;
}

/// min |Σ x_c·column_c − 1|², x ≥ 0, one coordinate after the other. Columns are scaled to length 1, so that
/// units do not matter.
Column nonNegativeLeastSquares(std::vector<Column> columns) {
    constexpr int mostSweeps = 20000;
    constexpr double settled = 1e-10;
    Column lengths;
    for (Column& column : columns) {
        lengths.push_back(std::sqrt(dot(column, column)));
        for (double& value : column)
            value /= lengths.back();
    }
    Column solution(columns.size(), 0);
    Column residual(columns.front().size(), 1);
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

/// Factor of the slow-down and seconds per unit of Exchange and Messages that samples of several devices
/// follow from, by what their work would take without either.
struct DeviceFit {
    double slowdown = 1;
    double exchange = 0;
    double messages = 0;
};

DeviceFit fitDevices(const MachineRates& rates, const std::vector<RateSample>& samples) {
    constexpr Arrangement alone{};
    MachineRates oneDevice = rates;
    oneDevice.slowdown = {};
    std::vector<Column> columns(3);
    for (const RateSample& sample : samples) {
        columns[0].push_back(oneDevice.secondsOf(sample.work, alone) / sample.seconds);
        columns[1].push_back(sample.work[WorkClass::Exchange] / sample.seconds);
        columns[2].push_back(sample.work[WorkClass::Messages] / sample.seconds);
    }
    std::vector<Column> used;
    std::vector<std::size_t> places;
    for (std::size_t index = 0; index < columns.size(); ++index)
        if (dot(columns[index], columns[index]) > 0) {
            used.push_back(columns[index]);
            places.push_back(index);
        }
    const Column solution = nonNegativeLeastSquares(used);
    std::array<double, 3> found{1, 0, 0};
    for (std::size_t index = 0; index < places.size(); ++index)
        found.at(places[index]) = solution[index];
    // Exchange goes through the same slow-down as all other work.
    const double slowdown = std::max(found[0], std::numeric_limits<double>::epsilon());
    return {.slowdown = slowdown, .exchange = found[1] / slowdown, .messages = found[2] / slowdown};
}

/// Median of measured / predicted as if the arrangement did not matter; 1 of none.
double medianFactor(const MachineRates& rates, const std::vector<RateSample>& samples) {
    constexpr Arrangement alone{};
    MachineRates oneDevice = rates;
    oneDevice.slowdown = {};
    std::vector<double> factors;
    for (const RateSample& sample : samples)
        factors.push_back(sample.seconds / oneDevice.secondsOf(sample.work, alone));
    return factors.empty() ? 1 : quantile(std::move(factors), 1.0 / 2);
}

std::vector<RateSample> chosen(const std::vector<RateSample>& samples,
                               const std::function<bool(const Arrangement&)>& fits) {
    std::vector<RateSample> some;
    std::ranges::copy_if(samples, std::back_inserter(some),
                         [&](const RateSample& sample) { return fits(sample.arrangement); });
    return some;
}

void fitArrangements(MachineRates& rates, const std::vector<RateSample>& samples) {
    const int cpus = rates.machine.cpus;
    const auto ofDevices = [&](int devices) {
        return chosen(samples, [devices](const Arrangement& arrangement) {
            return devices > 1 && arrangement.devices == devices;
        });
    };
    // secondsOf() takes slow-downs of one worker for arrangements that leave CPUs idle: here none does.
    if (const auto devices = ofDevices(std::max(2, cpus)); !devices.empty()) {
        const DeviceFit fit = fitDevices(rates, devices);
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
    rates.spread = std::max(leastSpread, taken * quantile(std::move(errors), coveredShare));
}

}  // namespace

double quantile(std::vector<double> values, double share) {
    if (values.empty())
        return 0;
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::ceil(share * last))];
}

std::array<double, workClasses> fitSeconds(const std::vector<RateSample>& samples) {
    std::vector<std::size_t> kinds;
    std::vector<Column> columns;
    for (std::size_t kind = 0; kind < workClasses; ++kind) {
        Column column;
        std::ranges::transform(samples, std::back_inserter(column), [kind](const RateSample& sample) {
            return sample.work.amounts.at(kind) / sample.seconds;
        });
        if (dot(column, column) == 0)
            continue;
        kinds.push_back(kind);
        columns.push_back(std::move(column));
    }
    std::array<double, workClasses> seconds = {};
    if (columns.empty())
        return seconds;
    const Column solution = nonNegativeLeastSquares(std::move(columns));
    for (std::size_t index = 0; index < kinds.size(); ++index)
        seconds.at(kinds[index]) = solution[index];
    return seconds;
}

MachineRates fitRates(const MachineIdentity& machine, std::vector<RateSample> samples) {
    const std::vector<RateSample> alone = chosen(samples, [&](const Arrangement& arrangement) {
        return arrangement == Arrangement{.devices = 1, .workersPerDevice = machine.cpus};
    });
    if (alone.empty())
        throw Error(ErrorKind::Internal, "no sample of rates ran on one device with all CPUs");
    MachineRates rates{.machine = machine,
                       .secondsPerUnit = fitSeconds(alone),
                       .slowdown = {},
                       .samples = std::move(samples)};
    fitArrangements(rates, rates.samples);
    fitSpread(rates, alone.size());
    return rates;
}

}  // namespace meshreel
