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

    /// Whether the rank speaks of itself.
    [[nodiscard]] bool isOwn() const { return failure.rank == rank; }
};

/// The report as one line, without the newline.
std::string rankReportLine(const RankReport& report);

/// Nothing for a line that holds no report. What stands before it on the line is passed over: ranks share
/// stderr.
std::optional<RankReport> parseRankReport(std::string_view line);

}  // namespace meshreel
