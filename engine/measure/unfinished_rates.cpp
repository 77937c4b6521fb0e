// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/unfinished_rates.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace meshreel {
namespace {

namespace fs = std::filesystem;

struct Files {
    fs::path rounds;
    fs::path round;
};

Files filesOf(const MachineIdentity& machine) {
    const fs::path rates = ratesFile(machine);
    const fs::path folder = rates.parent_path() / "unfinished";
    return {.rounds = folder / rates.filename(),
            .round = folder / (rates.stem().string() + "-round" + rates.extension().string())};
}

}  // namespace

std::size_t UnfinishedRates::timed() const {
    std::size_t count = round.samples.size();
    for (const RateSample& sample : rounds.samples)
        count += sample.rounds.size();
    return count;
}

std::optional<UnfinishedRates> readUnfinishedRates(const MachineIdentity& machine) {
    const Files files = filesOf(machine);
    std::optional<MachineRates> rounds = readRates(files.rounds, machine);
    std::optional<MachineRates> round = readRates(files.round, machine);
    if (!rounds || !round || !rounds->areOfThisBuild() || !round->areOfThisBuild())
        return std::nullopt;
    return UnfinishedRates{.rounds = std::move(*rounds), .round = std::move(*round)};
}

void writeUnfinishedRates(const UnfinishedRates& rates) {
    const Files files = filesOf(rates.rounds.machine);
    writeRates(files.rounds, rates.rounds);
    writeRates(files.round, rates.round);
}

void forgetUnfinishedRates(const MachineIdentity& machine) {
    const Files files = filesOf(machine);
    std::error_code missing;
    fs::remove(files.rounds, missing);
    fs::remove(files.round, missing);
}

}  // namespace meshreel
