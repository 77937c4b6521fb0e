// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/sentence.h"
#include "engine/mesh/mesh_failure.h"

namespace meshreel {

/// What a rank that ends otherwise than well writes to stderr for the program that launched it.
struct RankReport {
    int rank = 0;
    int exitCode = 0;
    MeshFailure failure;  ///< why the ranks gave up, as this rank knows it

    /// Returns whether the rank speaks of itself.
    [[nodiscard]] bool isOwn() const { return failure.rank == rank; }
};

/// Returns the report as one line, without the newline.
std::string rankReportLine(const RankReport& report);

/// Returns nothing for a line that holds no report. Skips whatever precedes the report on the line: ranks
/// share stderr.
std::optional<RankReport> parseRankReport(std::string_view line);

}  // namespace meshreel
