// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/kernels/execution.h"

namespace meshreel {

/// One output of a golden case, compared with what Meshreel computes.
struct GoldenRow {
    std::string output;
    double maxAbsError = 0.0;  ///< NaN when there was nothing to compare
    double allowed = 0.0;
    bool passed = false;
    bool informational = false;  ///< shown, but does not decide
    std::string note{};          ///< what the numbers do not say; may be empty
};

struct GoldenReport {
    std::filesystem::path folder;
    std::string kind;
    std::string className;  ///< of upstream; may be empty
    std::vector<GoldenRow> rows;

    /// Every row that decides passed, and there is at least one.
    [[nodiscard]] bool passed() const;
};

/// The report as a table, one line an output, then the verdict.
std::string formatReport(const GoldenReport& report);

/// Runs the case in `folder` (case.json, and io.safetensors, weights or a diffusers repository as its kind
/// needs) and compares every output of every variant that it holds. An output that Meshreel did not compute
/// fails. Throws Error{Project} for a kind or class that Meshreel does not know yet and Error{Input} for a
/// missing or broken case.
GoldenReport verifyCase(const Execution& execution, const std::filesystem::path& folder);

}  // namespace meshreel
