// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/kernels/execution.h"
#include "engine/verification/golden_report.h"

namespace meshreel {

class GoldenComparison;
class GoldenFiles;

/// One kind of golden case: what `kind` in case.json says, and what runs it.
struct GoldenKind {
    std::string_view name;
    std::string_view help;
    void (*verify)(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison);
};

std::span<const GoldenKind> goldenKinds();

/// Runs the case in `folder` (case.json, and io.safetensors, weights or a diffusers repository as its kind
/// needs) and compares every output of every variant that it holds. An output that Meshreel did not compute
/// fails. Throws Error{Project} for a kind or class that Meshreel does not know yet and Error{Input} for a
/// missing or broken case.
GoldenReport verifyCase(const Execution& execution, const std::filesystem::path& folder);

}  // namespace meshreel
