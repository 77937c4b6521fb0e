// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/covering_rows.h"

#include <algorithm>
#include <compare>
#include <set>

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

LevelPair pairOf(Level a, Level b) {
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
            pairs += missing.count(pairOf({factor, row[factor]}, level));
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

}  // namespace meshreel
