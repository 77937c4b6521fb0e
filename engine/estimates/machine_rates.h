// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/estimates/work.h"

namespace meshreel {

struct GpuFacts;

/// Where rates are valid.
struct MachineIdentity {
    std::string cpu;  ///< the brand string
    std::string isa;
    int cpus = 1;
    std::string version;   ///< version of the engine
    std::string gpu = {};  ///< GpuFacts::id of device and driver, of a GPU's rates; empty: the CPU's
    std::string gpuName = {};
    std::string gpuDriver = {};

    static MachineIdentity ofThis();
    /// Identifies this machine's GPU; its rates also depend on the driver.
    static MachineIdentity ofGpu(const GpuFacts& gpu);
    friend bool operator==(const MachineIdentity&, const MachineIdentity&) = default;
};

/// How devices and their workers share the CPUs and GPUs.
struct Arrangement {
    int devices = 1;
    int workersPerDevice = 1;
    int gpus = 0;  ///< that divide what GPUs compute

    friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

/// How much longer the same work takes than on one device whose workers have all CPUs.
struct Slowdown {
    double oneWorker = 1;  ///< one device with one worker
    double devices = 1;    ///< with as many devices of one worker as there are CPUs
    double crowded = 1;    ///< twice as many

    /// Returns the slow-down of an arrangement, between those by the logarithm of their counts.
    [[nodiscard]] double of(const Arrangement& arrangement, int cpus) const;
};

/// What a pass differs from the next one by at the least, as |ln(one / other)|.
inline constexpr double leastSpread = 0.03;

/// A piece of work that was timed on this machine for its rates.
struct RateSample {
    std::string name;
    Work work = {};  ///< work of all devices together
    Arrangement arrangement = {};
    double seconds = 0;               ///< the median of the rounds
    double predicted = 0;             ///< predicted by the rates
    std::vector<double> rounds = {};  ///< seconds in each, the first one first
};

/// What one unit of each class of work takes on a machine, and how well that describes it.
struct MachineRates {
    MachineIdentity machine;
    std::array<double, workClasses> secondsPerUnit = {};  ///< on one device whose workers have all CPUs
    Slowdown slowdown = {};
    double firstStep = 1;    ///< seconds of a run's first step over those of the others
    double spread = 0;       ///< |ln(measured / predicted)| that four of five runs should stay under
    double roundSpread = 0;  ///< share caused by the machine's speed, which differs between rounds
    std::vector<RateSample> samples = {};
    std::vector<double> firstSteps = {};  ///< firstStep in each round
    std::string measured = {};            ///< local time, of the last round
    std::string commit = {};  ///< commit of the measuring build; empty if an earlier version did not record
                              ///< it

    /// Returns whether this build measured them: another build may be faster or slower, and its rounds do not
    /// count.
    [[nodiscard]] bool areOfThisBuild() const;

    /// Returns the number of rounds in which the samples were taken.
    [[nodiscard]] int rounds() const { return static_cast<int>(firstSteps.size()); }

    /// Returns the seconds of the work. Devices that have a CPU each start their blocks and read their
    /// weights at the same time, as the workers of one device do; all other work is divided among the CPUs.
    /// GPUs divide their work, and slow-downs of CPUs do not affect it.
    [[nodiscard]] double secondsOf(const Work& work, const Arrangement& arrangement) const;
};

/// Returns the CPU's rates with those of GPUs that compute together: for each class of GPU work those of the
/// slowest one, because all get the same work.
MachineRates ratesWithGpus(MachineRates cpu, std::span<const MachineRates> gpus);

/// <userCacheFolder()>/rates/<machine>.json: rates of other machines, instruction sets, versions and GPUs are
/// beside each other.
std::filesystem::path ratesFile(const MachineIdentity& machine);

/// Reads saved rates; nothing when none were measured, or the file is of another format or machine.
std::optional<MachineRates> readRates(const std::filesystem::path& file, const MachineIdentity& machine);

/// Returns the saved rates of all GPUs that are, or were, in this machine.
std::vector<MachineRates> readGpuRates(const MachineIdentity& machine);

/// Renames a file of rates that cannot be read to "…-damaged.json", and returns that name; nothing when there
/// is none.
std::optional<std::filesystem::path> setDamagedRatesAside(const std::filesystem::path& file);

/// A file that cannot be read is set aside first. Throws Error{Resources} or Error{Input} when the file
/// cannot be written.
void writeRates(const std::filesystem::path& file, const MachineRates& rates);

nlohmann::ordered_json ratesJson(const MachineRates& rates);

/// "203 GFLOP/s", "1.2 ms" of what is counted by ones, "-" of what was not measured.
std::string rateText(const WorkClassRow& row, const MachineRates& rates);

/// Returns the seconds per unit that predict the samples best: they minimise the sum of squares of predicted
/// / measured − 1. Classes that the samples hardly determine tend to the typical proportions of the classes,
/// which are a desktop's for GPUs. Classes without samples get 0.
std::array<double, workClasses> fitSeconds(const std::vector<RateSample>& samples);

/// Fits a machine's rates to what was timed on it. Samples on one device with a worker on every CPU give the
/// rates of all classes but Exchange and Messages; those, and the slow-downs, follow from the other
/// arrangements. `spread` contains four of five samples, widened by the degrees of freedom of the fit and by
/// the difference between whole rounds, which no fit sees. Throws Error{Internal} without samples of all
/// CPUs.
MachineRates fitRates(const MachineIdentity& machine, std::vector<RateSample> samples);

/// Returns the rates that a few samples of any arrangement show for a CPU. Classes without a sample take what
/// is typical of a machine as fast; arrangements are not distinguished, and the spread is wide. Only for work
/// like the samples'. Throws Error{Internal} without samples.
MachineRates looseRates(const MachineIdentity& machine, std::vector<RateSample> samples);

/// Returns the limit of |ln(one more round / the median of those taken)| in four of five cases: a round is as
/// slow as its median sample, and normally distributed. 0 for fewer than two rounds.
double roundSpread(const std::vector<RateSample>& samples);

/// Returns the 90 % quantile of Student's distribution, which four of five values of either sign stay under;
/// from two degrees of freedom on within 2 % (Abramowitz and Stegun 26.7.5).
double studentQuantile(double freedom);

/// Returns the value that `share` of the values (0 to 1) do not exceed; 0 of none.
double quantile(std::vector<double> values, double share);

}  // namespace meshreel
