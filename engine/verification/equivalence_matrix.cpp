// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/equivalence_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <memory>
#include <set>
#include <span>

#include "engine/attention/attention_mode.h"
#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/dtype.h"
#include "engine/verification/attention_trial.h"

namespace meshreel {
namespace {

constexpr int open = -1;  // a factor whose level is not chosen yet

struct Level {
    std::size_t factor = 0;
    int level = 0;
    auto operator<=>(const Level&) const = default;
};

/// The one of the smaller factor first.
struct LevelPair {
    Level first;
    Level second;
    auto operator<=>(const LevelPair&) const = default;
};

using PairSet = std::set<LevelPair>;

LevelPair orderedPair(Level a, Level b) {
    return a.factor < b.factor ? LevelPair{a, b} : LevelPair{b, a};
}

/// Calls visit(pair) for every pair of chosen levels of a row.
template <typename Visit>
void forEachPair(const FactorLevels& row, Visit visit) {
    for (std::size_t b = 0; b < row.size(); ++b)
        for (std::size_t a = 0; a < b; ++a)
            if (row[a] != open && row[b] != open)
                visit(LevelPair{{a, row[a]}, {b, row[b]}});
}

PairSet allPairs(std::span<const int> counts) {
    PairSet pairs;
    for (std::size_t b = 0; b < counts.size(); ++b)
        for (std::size_t a = 0; a < b; ++a)
            for (int levelA = 0; levelA < counts[a]; ++levelA)
                for (int levelB = 0; levelB < counts[b]; ++levelB)
                    pairs.insert(LevelPair{{a, levelA}, {b, levelB}});
    return pairs;
}

/// Missing pairs that `level` would make with the chosen levels of `row`.
std::size_t gain(const FactorLevels& row, Level level, const PairSet& missing) {
    std::size_t pairs = 0;
    for (std::size_t factor = 0; factor < row.size(); ++factor)
        if (row[factor] != open && factor != level.factor)
            pairs += missing.count(orderedPair({factor, row[factor]}, level));
    return pairs;
}

int bestLevel(const FactorLevels& row, std::size_t factor, int count, int rotation, const PairSet& missing) {
    int best = rotation % count;
    for (int step = 1; step < count; ++step)
        if (const int level = (rotation + step) % count;
            gain(row, {factor, level}, missing) > gain(row, {factor, best}, missing))
            best = level;
    return best;
}

}  // namespace

std::vector<FactorLevels> pairwiseRows(std::span<const int> counts) {
    if (counts.size() == 1) {
        std::vector<FactorLevels> rows;
        for (int level = 0; level < counts[0]; ++level)
            rows.push_back({level});
        return rows;
    }
    PairSet missing = allPairs(counts);
    std::vector<FactorLevels> rows;
    while (!missing.empty()) {
        FactorLevels row(counts.size(), open);
        const LevelPair first = *missing.begin();
        row[first.first.factor] = first.first.level;
        row[first.second.factor] = first.second.level;
        for (std::size_t factor = 0; factor < counts.size(); ++factor)
            if (row[factor] == open)
                row[factor] = bestLevel(row, factor, counts[factor], static_cast<int>(rows.size()), missing);
        forEachPair(row, [&](const LevelPair& pair) { missing.erase(pair); });
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<std::size_t> pairwiseSubset(std::span<const FactorLevels> rows) {
    PairSet missing;
    for (const FactorLevels& row : rows)
        forEachPair(row, [&](const LevelPair& pair) { missing.insert(pair); });
    std::vector<std::size_t> chosen;
    while (!missing.empty()) {
        std::size_t best = 0;
        std::size_t bestGain = 0;
        for (std::size_t index = 0; index < rows.size(); ++index) {
            std::size_t gained = 0;
            forEachPair(rows[index], [&](const LevelPair& pair) { gained += missing.count(pair); });
            if (gained > bestGain) {
                best = index;
                bestGain = gained;
            }
        }
        forEachPair(rows[best], [&](const LevelPair& pair) { missing.erase(pair); });
        chosen.push_back(best);
    }
    std::ranges::sort(chosen);
    return chosen;
}

namespace {

constexpr std::array deviceCounts{1, 2, 3, 4, 6, 8};

// Levels of the factors. Sizes are small: what differs between them is which loops end where.
constexpr std::array chunkCounts{1, 2, 3, 5};
constexpr std::array gains{1.0, 6.0, 40.0};

struct Lengths {
    std::int64_t query;
    std::int64_t key;
    std::int64_t headDim;
};
constexpr std::array lengths{
    Lengths{24, 48, 16},  // divide by every device count
    Lengths{37, 41, 24},  // by none but 1
    Lengths{19, 1, 8},    // one key
    Lengths{5, 7, 32},    // fewer than devices or rows of a block
    Lengths{67, 83, 20},  // several blocks, the last ones short
    Lengths{1, 29, 9},    // one query
};

constexpr std::array blockSizes{
    FlashBlockSizes{.blockQ = 0, .blockKv = 0, .blockKvCompute = 0},
    FlashBlockSizes{.blockQ = 16, .blockKv = 16, .blockKvCompute = 8, .blockKvComputeIn = 4},
    FlashBlockSizes{.blockQ = 24, .blockKv = 40, .blockKvCompute = 20, .blockKvComputeIn = 7},
};

/// The masks; a shard is what one of `devices` holds of `keys`.
constexpr std::size_t maskCount = 6;
KeyMask levelMask(int level, std::int64_t keys, int devices) {
    constexpr double probability = 0.4;
    constexpr std::array<KeyMask::Kind, maskCount> kinds{KeyMask::Kind::None, KeyMask::Kind::Tail,
                                                         KeyMask::Kind::Head, KeyMask::Kind::Random,
                                                         KeyMask::Kind::Row,  KeyMask::Kind::Tail};
    const KeyMask::Kind kind = kinds[static_cast<std::size_t>(level)];
    const std::int64_t shard = shardRange(keys, devices, 0).size();
    switch (kind) {
        case KeyMask::Kind::Tail:
            return {.kind = kind, .count = level == 1 ? shard : keys};
        case KeyMask::Kind::Head:
            return {.kind = kind, .count = shard};
        case KeyMask::Kind::Random:
            return {.kind = kind, .probability = probability};
        default:
            return {.kind = kind};
    }
}

enum Factor : std::size_t {
    Chunks,
    Base,
    Length,
    Mask,
    Type,
    Gain,
    Blocks,
    Batch,
    HeadsPerTile,
    Uniform,
    LeftOver
};

std::vector<int> levelCounts(const AttentionMode& mode, int devices, int ulyssesShards) {
    constexpr int both = 2;
    const bool exchangesHeads =
        mode.exchange != Exchange::None && (mode.hybrid() ? ulyssesShards : devices) > 1;
    return {mode.chunked() ? static_cast<int>(chunkCounts.size()) : 1,
            both,
            static_cast<int>(lengths.size()),
            static_cast<int>(maskCount),
            both,
            static_cast<int>(gains.size()),
            static_cast<int>(blockSizes.size()),
            both,
            mode.headsPerTile ? both : 1,
            mode.exchange == Exchange::Gather ? both : 1,
            exchangesHeads ? both : 1};
}

AttentionCase makeCase(const AttentionMode& mode, int devices, int ulyssesShards,
                       const FactorLevels& levels) {
    const auto level = [&](Factor factor) { return static_cast<std::size_t>(levels[factor]); };
    const Lengths& size = lengths[level(Length)];
    AttentionCase attention;
    attention.settings = {.mode = &mode,
                          .blocks = blockSizes[level(Blocks)],
                          .base2 = levels[Base] == 0,
                          .ulyssesShards = ulyssesShards,
                          .chunks = chunkCounts[level(Chunks)],
                          .uniformSharding = levels[Uniform] == 0};
    attention.settings.blocks.headsPerTile = 1 + levels[HeadsPerTile];
    attention.devices = devices;
    attention.batch = 1 + levels[Batch];
    // An odd number of groups: chunks of different sizes, and a short last tile of heads.
    const std::int64_t groups = attention.settings.chunks <= 2 ? 3 : 5;
    attention.queryLength = size.query;
    attention.keyLength = size.key;
    attention.headDim = size.headDim;
    attention.type = levels[Type] == 0 ? DType::F32 : DType::BF16;
    attention.gain = gains[level(Gain)];
    attention.mask = levelMask(levels[Mask], size.key, devices);
    attention.heads = groups * devices;
    if (caseProblems(attention).empty()) {
        const int sharers = attention.plan().split.ulysses;
        const int leftOver = levels[LeftOver] * (sharers / 2);  // a head more on half of the devices
        attention.heads = groups * sharers + leftOver;
    }
    return attention;
}

void addMode(const AttentionMode& mode, int modeRow, int devices, int ulyssesShards,
             std::vector<MatrixCase>& cases) {
    for (const FactorLevels& row : pairwiseRows(levelCounts(mode, devices, ulyssesShards))) {
        MatrixCase added{.attention = makeCase(mode, devices, ulyssesShards, row),
                         .levels = {modeRow, ulyssesShards}};
        added.attention.seed = cases.size();
        added.levels.insert(added.levels.end(), row.begin(), row.end());
        const bool refused = refusalExpected(added.attention);
        cases.push_back(std::move(added));
        if (refused)
            return;
    }
}

double& worstError(MatrixRow& row, const AttentionCase& attention) {
    if (attention.type == DType::F32)
        return row.worstF32;
    return attention.gain > 1 ? row.worstSharpenedBf16 : row.worstBf16;
}

MatrixRow& rowOf(const AttentionCase& attention, std::string_view transport, std::vector<MatrixRow>& rows) {
    const std::string_view mode = attention.settings.mode->name;
    if (rows.empty() || rows.back().mode != mode || rows.back().devices != attention.devices)
        rows.push_back(
            {.mode = std::string(mode), .devices = attention.devices, .transport = std::string(transport)});
    return rows.back();
}

enum class CaseVerdict : std::uint8_t { Passed, Failed, Refused };

struct CaseResult {
    CaseVerdict verdict = CaseVerdict::Passed;
    double maxAbsError = 0;
    std::string reason = {};  ///< why it failed or was refused
};

CaseResult judge(const AttentionCase& attention, const AttentionMeasurement& trial) {
    requireSound(trial, attention);
    const double allowed = allowedError(attention);
    if (trial.maxAbsError <= allowed)
        return {.verdict = CaseVerdict::Passed, .maxAbsError = trial.maxAbsError};
    return {.verdict = CaseVerdict::Failed,
            .maxAbsError = trial.maxAbsError,
            .reason = fmt::format("error {:.2e} is above {:.2e}", trial.maxAbsError, allowed)};
}

CaseResult refusal(const AttentionCase& attention, const Problem& problem) {
    return {.verdict = refusalExpected(attention) ? CaseVerdict::Refused : CaseVerdict::Failed,
            .reason = fmt::format("refused: {}: {}. {}", problem.key, problem.message, problem.hint())};
}

/// Runs a case on `mesh`, which is made when it is null or of another size and dropped when the case threw.
/// Throws Error{Cancelled} only.
CaseResult runMatrixCase(const AttentionCase& attention, const MatrixOptions& options, const StopToken& stop,
                         std::unique_ptr<DeviceMesh>& mesh) {
    if (const auto problems = caseProblems(attention); !problems.empty())
        return refusal(attention, problems.front());
    if (refusalExpected(attention))
        return {.verdict = CaseVerdict::Failed, .reason = "it should have been refused"};
    try {
        if (mesh == nullptr || mesh->layout().devices() != attention.devices)
            mesh = options.makeMesh(attention.devices);
        return judge(attention, runTrial(*mesh, attention, {.perturbation = options.perturbation}, stop));
    } catch (const Error& failure) {
        if (failure.kind() == ErrorKind::Cancelled)
            throw;
        if (failure.kind() != ErrorKind::Mismatch)
            mesh.reset();
        return {.verdict = CaseVerdict::Failed, .reason = failure.message().text()};
    }
}

std::string verdictText(const MatrixRow& row) {
    if (row.failed > 0)
        return fmt::format("{} FAILED", row.failed);
    return row.refused > 0 ? "refused" : "equal";
}

std::string errorText(const MatrixRow& row, double error) {
    return row.refused == row.cases ? "-" : fmt::format("{:.1e}", error);
}

}  // namespace

std::span<const int> matrixDevices() {
    return deviceCounts;
}

std::vector<MatrixCase> matrixCases(int devices) {
    std::vector<MatrixCase> cases;
    int modeRow = 0;
    for (const AttentionMode& mode : attentionModes()) {
        if (mode.hybrid()) {
            for (int shards = 1; shards <= devices; ++shards)
                if (devices % shards == 0)
                    addMode(mode, modeRow, devices, shards, cases);
        } else {
            addMode(mode, modeRow, devices, -1, cases);
        }
        ++modeRow;
    }
    return cases;
}

std::vector<MatrixCase> coveringCases(std::span<const MatrixCase> cases) {
    std::vector<FactorLevels> rows;
    for (const MatrixCase& matrixCase : cases)
        rows.push_back(matrixCase.levels);
    std::vector<MatrixCase> chosen;
    for (const std::size_t index : pairwiseSubset(rows))
        chosen.push_back(cases[index]);
    return chosen;
}

bool refusalExpected(const AttentionCase& attention) {
    const AttentionMode& mode = *attention.settings.mode;
    return !mode.runs() || attention.devices < mode.minimumDevices;
}

void MatrixReport::append(const MatrixReport& other) {
    rows.insert(rows.end(), other.rows.begin(), other.rows.end());
    failures.insert(failures.end(), other.failures.begin(), other.failures.end());
    seconds += other.seconds;
}

MatrixReport runMatrix(std::span<const MatrixCase> cases, std::string_view transport,
                       const MatrixOptions& options, const StopToken& stop) {
    const auto start = std::chrono::steady_clock::now();
    MatrixReport report;
    std::unique_ptr<DeviceMesh> mesh;
    for (const MatrixCase& matrixCase : cases) {
        const AttentionCase& attention = matrixCase.attention;
        const CaseResult result = runMatrixCase(attention, options, stop, mesh);
        MatrixRow& row = rowOf(attention, transport, report.rows);
        ++row.cases;
        row.refused += result.verdict == CaseVerdict::Refused ? 1 : 0;
        row.failed += result.verdict == CaseVerdict::Failed ? 1 : 0;
        worstError(row, attention) = std::max(worstError(row, attention), result.maxAbsError);
        if (result.verdict == CaseVerdict::Failed)
            report.failures.push_back(fmt::format("{} ({}): {}", attention.text(), transport, result.reason));
    }
    report.seconds = secondsSince(start);
    return report;
}

std::string formatReport(const MatrixReport& report) {
    constexpr std::size_t shownFailures = 20;
    std::string text = fmt::format("{:<28} {:>7} {:<9} {:>5} {:>9} {:>9} {:>9}\n", "mode", "devices",
                                   "transport", "cases", "f32", "bf16", "bf16 sink");
    int cases = 0;
    int refused = 0;
    int failed = 0;
    for (const MatrixRow& row : report.rows) {
        text +=
            fmt::format("{:<28} {:>7} {:<9} {:>5} {:>9} {:>9} {:>9}  {}\n", row.mode, row.devices,
                        row.transport, row.cases, errorText(row, row.worstF32), errorText(row, row.worstBf16),
                        errorText(row, row.worstSharpenedBf16), verdictText(row));
        cases += row.cases;
        refused += row.refused;
        failed += row.failed;
    }
    text += fmt::format("{:<52} {:>9} {:>9} {:>9}\n", "allowed at most", "2.0e-05", "2.0e-02", "5.0e-02");
    for (const std::string& failure :
         std::span(report.failures).first(std::min(shownFailures, report.failures.size())))
        text += failure + "\n";
    if (report.failures.size() > shownFailures)
        text += fmt::format("… and {} more\n", report.failures.size() - shownFailures);
    return text + fmt::format(
                      "{}: {} of {} cases agree with the float64 reference, {} are refused as they "
                      "should be, {:.1f} s\n",
                      report.passed() ? "passed" : "FAILED", cases - refused - failed, cases, refused,
                      report.seconds);
}

}  // namespace meshreel
