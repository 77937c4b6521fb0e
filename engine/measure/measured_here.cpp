// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/measured_here.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/version.h"
#include "engine/estimates/machine_rates.h"

namespace meshreel {

nlohmann::ordered_json measuringMachine() {
    const MachineIdentity machine = MachineIdentity::ofThis();
    return {{"cpu", machine.cpu},         {"isa", machine.isa},        {"cpus", machine.cpus},
            {"version", machine.version}, {"commit", versionCommit()}, {"build_id", programBuildId()}};
}

std::optional<Sentence> claimMeasurements(const std::filesystem::path& file, bool begun) {
    const nlohmann::ordered_json here = measuringMachine();
    if (!std::filesystem::exists(file)) {
        writeFileAtomically(file, here.dump(2) + "\n");
        if (!begun)
            return std::nullopt;
        return sentence("It is not known on which machine the measurements in {} began: no {} records it",
                        withTilde(file.parent_path()), file.filename().string());
    }
    const nlohmann::json was = readJsonObject(file);
    std::vector<std::string> differences;
    for (const auto& [fact, now] : here.items())
        if (const nlohmann::json before = was.value(fact, nlohmann::json()); before != nlohmann::json(now))
            differences.push_back(fmt::format("{} was {}, is {}", fact, before.dump(), now.dump()));
    if (!differences.empty())
        throw Error(ErrorKind::Input,
                    sentence("the measurements were begun on another machine or build ({})",
                             fmt::to_string(fmt::join(differences, "; "))),
                    withTilde(file), sentence("Go on there, or measure all of them here in another folder"));
    return std::nullopt;
}

}  // namespace meshreel
