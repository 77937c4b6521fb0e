// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "engine/kernels/dispatch/isa.h"
#include "engine/kernels/kernel_operations.h"
#include "engine/kernels/linear/matmul.h"

namespace meshreel {

namespace {

using nlohmann::ordered_json;

/// A candidate and what became of it.
struct Verdict {
    KernelCandidate candidate;
    bool taken = false;
    std::string why;  // it was not taken
};

std::vector<Verdict> verdicts(const KernelOperation& operation) {
    std::vector<Verdict> result;
    bool taken = false;
    for (const KernelCandidate& candidate : operation.candidates) {
        const std::string why = whyRejected(candidate);
        const bool takes = why.empty() && !taken;
        result.push_back({.candidate = candidate,
                          .taken = takes,
                          .why = why.empty() && taken ? "one before it was taken" : why});
        taken = taken || takes;
    }
    return result;
}

std::vector<std::string> offeredNames() {
    std::vector<std::string> names;
    for (const IsaLevel level : offeredIsaLevels())
        names.emplace_back(nameOf(level));
    return names;
}

ordered_json isaJson() {
    ordered_json json{{"cpu", cpuModelName()},
                      {"isa", isaName()},
                      {"offered", offeredNames()},
                      {"blas", matmulLibrary()},
                      {"operations", ordered_json::array()}};
    for (const KernelOperation& operation : kernelOperations()) {
        ordered_json candidates = ordered_json::array();
        for (const Verdict& verdict : verdicts(operation))
            candidates.push_back({{"name", verdict.candidate.name},
                                  {"taken", verdict.taken},
                                  {"why", verdict.why},
                                  {"limits", verdict.candidate.limits}});
        json["operations"].push_back({{"name", operation.name}, {"candidates", candidates}});
    }
    return json;
}

void printIsa() {
    std::string offered;
    for (const std::string& name : offeredNames())
        offered += (offered.empty() ? "" : ", ") + name;
    fmt::print("{}\nuses {}, offers {}; {}\n", cpuModelName(), isaName(), offered, matmulLibrary());
    for (const KernelOperation& operation : kernelOperations()) {
        fmt::print("\n{}\n", operation.name);
        for (const Verdict& verdict : verdicts(operation))
            fmt::print(
                "  {} {}{}{}\n", verdict.taken ? "taken   " : "rejected", verdict.candidate.name,
                verdict.why.empty() ? "" : ": " + verdict.why,
                verdict.candidate.limits.empty() ? "" : fmt::format(" ({})", verdict.candidate.limits));
    }
}

}  // namespace

Action declareIsa(CLI::App& app) {
    const auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "Print one JSON object");
    return [json] {
        if (*json)
            fmt::print("{}\n", isaJson().dump());
        else
            printIsa();
        return 0;
    };
}

}  // namespace meshreel
