// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/mesh/device_mesh.h"
#include "engine/verification/attention_case.h"

namespace meshreel {

/// One level of each factor.
using FactorLevels = std::vector<int>;

/// Returns few rows in which every pair of levels of every two factors appears together; factor f has levels
/// 0 … counts[f] - 1. Greedy and deterministic.
std::vector<FactorLevels> pairwiseRows(std::span<const int> counts);

/// Returns indices of few of these rows, in order, in which every pair appears that appears in any.
std::vector<std::size_t> pairwiseSubset(std::span<const FactorLevels> rows);

/// A case of the matrix and the level of each factor that made it: mode, ulysses_shards, then those that
/// every pair of appears (chunks, base, lengths, mask, type, gain, blocks, batch, heads per tile, uniform
/// sharding, heads that are left over when devices have equally many).
struct MatrixCase {
    AttentionCase attention;
    FactorLevels levels;
};

/// Device counts that the matrix is run on.
std::span<const int> matrixDevices();

/// Returns, for every mode and every ulysses_shards that divides `devices`, cases in which every pair of the
/// other factors' levels appears. Combinations to be refused appear once.
std::vector<MatrixCase> matrixCases(int devices);

/// Returns few of them in which every pair of factors' levels still appears.
std::vector<MatrixCase> coveringCases(std::span<const MatrixCase> cases);

/// Returns whether the case is there to be refused: cudnn_flash_te anywhere, and `ring` without a second
/// device.
bool refusalExpected(const AttentionCase& attention);

struct MatrixOptions {
    /// A mesh whose context axis is `devices`.
    std::function<std::unique_ptr<DeviceMesh>(int devices)> makeMesh;
    double perturbation = 0;  ///< added to an output of every case, to see whether the matrix notices
};

/// The cases of one mode on one device count.
struct MatrixRow {
    std::string mode;
    int devices = 0;
    std::string transport;
    int cases = 0;
    int refused = 0;
    int failed = 0;
    double worstF32 = 0;            ///< largest errors
    double worstBf16 = 0;           ///< at gain 1
    double worstSharpenedBf16 = 0;  ///< at larger gains: sink heads
};

struct MatrixReport {
    std::vector<MatrixRow> rows = {};
    std::vector<std::string> failures = {};  ///< one line for each case that failed
    double seconds = 0;

    [[nodiscard]] bool passed() const { return failures.empty() && !rows.empty(); }
    void append(const MatrixReport& other);
};

/// Runs the cases in their order; they have one device count.
MatrixReport runMatrix(std::span<const MatrixCase> cases, std::string_view transport,
                       const MatrixOptions& options, const StopToken& stop);

/// Returns the report as a table, one line for each mode and device count, the failures, then the verdict.
std::string formatReport(const MatrixReport& report);

}  // namespace meshreel
