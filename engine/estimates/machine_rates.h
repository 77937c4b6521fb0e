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
    std::string version;   ///< of the engine
    std::string gpu = {};  ///< GpuFacts::id of device and driver, of a GPU's rates; empty: the CPU's
    std::string gpuName = {};
    std::string gpuDriver = {};

    static MachineIdentity ofThis();
    /// This machine's GPU, by whose driver its rates are told apart too.
    static MachineIdentity ofGpu(const GpuFacts& gpu);
    friend bool operator==(const MachineIdentity&, const MachineIdentity&) = default;
};

/// How devices and their workers share the CPUs and GPUs.
struct Arrangement {
    int devices = 1;
    int workersPerDevice = 1;
    int gpus = 0;  ///< that share out what GPUs compute

    friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

/// How much longer the same work takes than on one device whose workers have all CPUs.
struct Slowdown {
    double oneWorker = 1;  ///< one device with one worker
    double devices = 1;    ///< as many devices of one worker as there are CPUs
    double crowded = 1;    ///< twice as many

    /// The slow-down of an arrangement, between those by the logarithm of their counts.
    [[nodiscard]] double of(const Arrangement& arrangement, int cpus) const;
};

/// What a pass differs from the next one by at the least, as |ln(one / other)|.
inline constexpr double leastSpread = 0.03;

/// Something that was timed on this machine for its rates.
struct RateSample {
    std::string name;
    Work work = {};  ///< of all devices together
    Arrangement arrangement = {};
    double seconds = 0;               ///< the median of the rounds
    double predicted = 0;             ///< by the rates
    std::vector<double> rounds = {};  ///< seconds in each, the first one first
};

/// What one unit of each class of work takes on a machine, and how well that describes it.
struct MachineRates {
    MachineIdentity machine;
    std::array<double, workClasses> secondsPerUnit = {};  ///< on one device whose workers have all CPUs
    Slowdown slowdown = {};
    double firstStep = 1;    ///< seconds of a run's first step over those of the others
    double spread = 0;       ///< |ln(measured / predicted)| that four of five runs should stay under
    double roundSpread = 0;  ///< the part of it that is the machine's speed, which differs between rounds
    std::vector<RateSample> samples = {};
    std::vector<double> firstSteps = {};  ///< firstStep in each round
    std::string measured = {};            ///< local time, of the last round
    std::string commit = {};  ///< of the build that measured; empty where an earlier version did not say

    /// Another build may be faster or slower: its rounds are no rounds of this one.
    [[nodiscard]] bool areOfThisBuild() const;

    /// The rounds in which the samples were taken.
    [[nodiscard]] int rounds() const { return static_cast<int>(firstSteps.size()); }

    /// Devices that have a CPU each start their blocks and read their weights at the same time, as the
    /// workers of one device do; all else is shared out over the CPUs. GPUs share out what is theirs, and no
    /// slow-down of CPUs concerns that.
    [[nodiscard]] double secondsOf(const Work& work, const Arrangement& arrangement) const;
};

/// The CPU's rates with those of GPUs that compute together: of each class of work of GPUs the slowest one's,
/// as all of them get the same.
MachineRates ratesWithGpus(MachineRates cpu, std::span<const MachineRates> gpus);

/// <userCacheFolder()>/rates/<machine>.json: rates of other machines, instruction sets, versions and GPUs lie
/// beside each other.
std::filesystem::path ratesFile(const MachineIdentity& machine);

/// Rates that were kept; nothing where none were measured, or the file is of another format or machine.
std::optional<MachineRates> readRates(const std::filesystem::path& file, const MachineIdentity& machine);

/// The kept rates of all GPUs that are, or were, in this machine.
std::vector<MachineRates> readGpuRates(const MachineIdentity& machine);

/// Moves a file of rates that cannot be read to a name of its own, "…-damaged.json", and returns that;
/// nothing where there is none.
std::optional<std::filesystem::path> setDamagedRatesAside(const std::filesystem::path& file);

/// A file that cannot be read is set aside first. Throws Error{Resources} or Error{Input} when the file
/// cannot be written.
void writeRates(const std::filesystem::path& file, const MachineRates& rates);

nlohmann::ordered_json ratesJson(const MachineRates& rates);

/// "203 GFLOP/s", "1.2 ms" of what is counted by ones, "-" of what was not measured.
std::string rateText(const WorkClassRow& row, const MachineRates& rates);

/// Seconds per unit with which the samples are predicted best: the sum of squares of
/// predicted / measured − 1 is least. What samples say little about leans to the typical proportions of the
/// classes, which are a desktop's for GPUs. Classes that no sample has get 0.
std::array<double, workClasses> fitSeconds(const std::vector<RateSample>& samples);

/// Rates of a machine from what was timed on it. Samples on one device with a worker on every CPU give the
/// rates of all but the classes Exchange and Messages; those, and the slow-downs, follow from the other
/// arrangements. `spread` is what four of five samples come out within, widened by the degrees of
/// freedom that the fit has, and, which no fit sees, by how much whole rounds differ. Throws Error{Internal}
/// without samples of all CPUs.
MachineRates fitRates(const MachineIdentity& machine, std::vector<RateSample> samples);

/// What a few samples of any arrangement tell of a CPU. Classes that none of them has take what is typical of
/// a machine as fast; arrangements are not told apart, and the spread is wide. For work like the samples'
/// alone. Throws Error{Internal} without samples.
MachineRates looseRates(const MachineIdentity& machine, std::vector<RateSample> samples);

/// |ln(one more round / the median of those taken)| that it stays under in four of five cases: a round is as
/// slow as its median sample, and normally distributed. 0 of less than two rounds.
double roundSpread(const std::vector<RateSample>& samples);

/// The 90 % quantile of Student's distribution, which four of five values of either sign stay under; from two
/// degrees of freedom on within 2 % (Abramowitz and Stegun 26.7.5).
double studentQuantile(double freedom);

/// The value that `share` of the values (0 to 1) do not exceed; 0 of none.
double quantile(std::vector<double> values, double share);

}  // namespace meshreel
