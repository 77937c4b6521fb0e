// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/pair_ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace meshreel {

namespace {

constexpr double tie = 0.5;
constexpr double fictitiousVotes = 1;  ///< with the thing of strength 1, all of them ties
constexpr double quantile = 1.6449;    ///< of a normal distribution: nine of ten cases lie between -it and it
constexpr double settled = 1e-10;      ///< change of a strength's logarithm
constexpr int mostRounds = 100'000;

double odds(double logarithm) {
    return 1 / (1 + std::exp(-logarithm));
}

/// How often each pair was compared; the smaller place first.
std::map<std::pair<std::size_t, std::size_t>, double> countPairs(std::span<const PairOutcome> outcomes) {
    std::map<std::pair<std::size_t, std::size_t>, double> counts;
    for (const PairOutcome& outcome : outcomes)
        counts[std::minmax(outcome.first, outcome.second)] += 1;
    return counts;
}

/// Inverts a symmetric positive definite matrix, given row by row, by Gauss and Jordan's elimination, which
/// needs no pivots for such.
std::vector<double> inverted(std::vector<double> matrix, std::size_t size) {
    for (std::size_t pivot = 0; pivot < size; ++pivot) {
        const double scale = 1 / matrix[pivot * size + pivot];
        matrix[pivot * size + pivot] = 1;
        for (std::size_t column = 0; column < size; ++column)
            matrix[pivot * size + column] *= scale;
        for (std::size_t row = 0; row < size; ++row) {
            if (row == pivot)
                continue;
            const double factor = std::exchange(matrix[row * size + pivot], 0.0);
            for (std::size_t column = 0; column < size; ++column)
                matrix[row * size + column] -= factor * matrix[pivot * size + column];
        }
    }
    return matrix;
}

}  // namespace

PairRanking::PairRanking(std::size_t items, std::span<const PairOutcome> outcomes)
    : m_items(items), m_strengths(items) {
    for (const PairOutcome& outcome : outcomes) {
        ++m_items[outcome.first].votes;
        ++m_items[outcome.second].votes;
    }
    groupItems(outcomes);
    fit(outcomes);
    findCovariance(outcomes);
    describe();
}

void PairRanking::groupItems(std::span<const PairOutcome> outcomes) {
    std::vector<std::size_t> chief(m_items.size());
    std::iota(chief.begin(), chief.end(), std::size_t{0});
    const auto chiefOf = [&chief](std::size_t item) {
        while (chief[item] != item)
            item = chief[item] = chief[chief[item]];
        return item;
    };
    for (const PairOutcome& outcome : outcomes) {
        const auto [low, high] = std::minmax({chiefOf(outcome.first), chiefOf(outcome.second)});
        chief[high] = low;
    }
    std::map<std::size_t, int> votes;  // by chief
    for (std::size_t item = 0; item < m_items.size(); ++item)
        votes[chiefOf(item)] += m_items[item].votes;
    std::vector<std::pair<std::size_t, int>> byVotes(votes.begin(), votes.end());
    std::ranges::stable_sort(byVotes, std::greater(), &std::pair<std::size_t, int>::second);
    for (int number = 0; const auto& [which, sum] : byVotes) {
        m_groups += sum > 0 ? 1 : 0;
        for (std::size_t item = 0; item < m_items.size(); ++item)
            if (chiefOf(item) == which)
                m_items[item].group = number;
        ++number;
    }
}

void PairRanking::fit(std::span<const PairOutcome> outcomes) {
    std::vector<double> wins(m_items.size(), tie * fictitiousVotes);
    for (const PairOutcome& outcome : outcomes) {
        wins[outcome.first] += outcome.score;
        wins[outcome.second] += 1 - outcome.score;
    }
    const auto counts = countPairs(outcomes);
    std::vector<double> strengths(m_items.size(), 1.0);
    for (int round = 0; round < mostRounds; ++round) {
        std::vector<double> expected(m_items.size());
        for (std::size_t item = 0; item < m_items.size(); ++item)
            expected[item] = fictitiousVotes / (strengths[item] + 1);
        for (const auto& [pair, count] : counts) {
            const double each = count / (strengths[pair.first] + strengths[pair.second]);
            expected[pair.first] += each;
            expected[pair.second] += each;
        }
        double change = 0;
        for (std::size_t item = 0; item < m_items.size(); ++item) {
            const double next = wins[item] / expected[item];
            change = std::max(change, std::abs(std::log(next / strengths[item])));
            strengths[item] = next;
        }
        if (change < settled)
            break;
    }
    std::ranges::transform(strengths, m_strengths.begin(), [](double value) { return std::log(value); });
}

void PairRanking::findCovariance(std::span<const PairOutcome> outcomes) {
    const std::size_t size = m_items.size();
    std::vector<double> information(size * size);
    for (std::size_t item = 0; item < size; ++item) {
        const double share = odds(m_strengths[item]);
        information[item * size + item] = fictitiousVotes * share * (1 - share);
    }
    for (const auto& [pair, count] : countPairs(outcomes)) {
        const double share = chance(pair.first, pair.second);
        const double weight = count * share * (1 - share);
        information[pair.first * size + pair.first] += weight;
        information[pair.second * size + pair.second] += weight;
        information[pair.first * size + pair.second] -= weight;
        information[pair.second * size + pair.first] -= weight;
    }
    m_covariance = inverted(std::move(information), size);
}

void PairRanking::describe() {
    for (std::size_t item = 0; item < m_items.size(); ++item) {
        RankedItem& described = m_items[item];
        if (described.votes == 0)
            continue;
        std::vector<std::size_t> others;
        for (std::size_t other = 0; other < m_items.size(); ++other)
            if (other != item && m_items[other].group == described.group)
                others.push_back(other);
        double share = 0;
        std::vector<double> slope(m_items.size());  // of the share, by each strength's logarithm
        described.bestPlace = 1;
        described.worstPlace = static_cast<int>(others.size()) + 1;
        for (const std::size_t other : others) {
            const double wins = chance(item, other);
            const double each = wins * (1 - wins) / static_cast<double>(others.size());
            share += wins / static_cast<double>(others.size());
            slope[item] += each;
            slope[other] -= each;
            const double difference = m_strengths[item] - m_strengths[other];
            const double reach = quantile * std::sqrt(varianceOfDifference(item, other));
            described.bestPlace += difference < -reach ? 1 : 0;
            described.worstPlace -= difference > reach ? 1 : 0;
        }
        double variance = 0;
        for (std::size_t row = 0; row < slope.size(); ++row)
            for (std::size_t column = 0; column < slope.size(); ++column)
                variance += slope[row] * covariance(row, column) * slope[column];
        const double middle = std::log(share / (1 - share));
        const double reach = quantile * std::sqrt(variance) / (share * (1 - share));
        described.preference =
            Preference{.share = share, .low = odds(middle - reach), .high = odds(middle + reach)};
    }
}

double PairRanking::chance(std::size_t first, std::size_t second) const {
    return odds(m_strengths[first] - m_strengths[second]);
}

double PairRanking::varianceOfDifference(std::size_t first, std::size_t second) const {
    return covariance(first, first) + covariance(second, second) - 2 * covariance(first, second);
}

double PairRanking::uncertainty(std::size_t first, std::size_t second) const {
    const double share = chance(first, second);
    return share * (1 - share) * varianceOfDifference(first, second);
}

std::vector<std::size_t> PairRanking::order() const {
    std::vector<std::size_t> places(m_items.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    const auto key = [this](std::size_t item) {
        const RankedItem& ranked = m_items[item];
        return std::pair(ranked.group, ranked.preference ? -ranked.preference->share : 0.0);
    };
    std::ranges::stable_sort(places, {}, key);
    return places;
}

}  // namespace meshreel
