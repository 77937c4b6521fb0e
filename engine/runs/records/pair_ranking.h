// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace meshreel {

/// Two things were compared, by their places in a list.
struct PairOutcome {
    std::size_t first = 0;
    std::size_t second = 0;
    double score = 0;  ///< of the first: 1 where it was better, 0 where the second was, 0.5 of a tie
};

/// How often a thing is preferred to another one of its group. The interval holds the true share in about
/// nine of ten cases. All are above 0 and below 1.
struct Preference {
    double share = 0;
    double low = 0;
    double high = 0;

    friend bool operator==(const Preference&, const Preference&) = default;
};

/// A thing of a ranking.
struct RankedItem {
    int votes = 0;  ///< comparisons that it took part in
    /// Things of one group were compared with one another, directly or through others; only these have an
    /// order. Groups are numbered by falling votes; a thing without votes is alone in its own.
    int group = 0;
    std::optional<Preference> preference;  ///< absent without votes
    // Places within the group, from 1, that the intervals of its differences leave open. 0 without votes.
    int bestPlace = 0;
    int worstPlace = 0;

    friend bool operator==(const RankedItem&, const RankedItem&) = default;
};

/// The order of things that were compared in pairs, by the model of Bradley and Terry (Rank Analysis of
/// Incomplete Block Designs, Biometrika 39, 1952): each has a strength p > 0, and i is preferred to j with
/// the chance p_i / (p_i + p_j). Strengths are found by Hunter's iteration (MM Algorithms for Generalized
/// Bradley-Terry Models, Annals of Statistics 32, 2004):
///     p_i <- W_i / sum over j of n_ij / (p_i + p_j),
/// where W_i are its wins and n_ij how often both were compared.
///
/// - A tie is half a win of each. Davidson's model (1970) has a parameter for ties, about which few votes say
///   little. With halves the scores vary less than the model expects, so intervals are too wide rather than
///   too narrow.
/// - Each thing is also compared once with a fictitious one of strength 1, and ties: W_i gains a half, the
///   sum 1 / (p_i + 1). The most likely strength of what was always preferred would be infinite (Ford, 1957);
///   so it is finite, and few votes prove little.
/// - Where things fall into groups that were never compared with one another, that fictitious comparison is
///   all that their strengths have in common: shares and places are told within a group only.
///
/// The share of a thing is the mean of its chances against the others of its group. Its interval is that of
/// the observed information of the strengths' logarithms, by the delta method on the scale of log odds.
class PairRanking {
  public:
    /// Outcomes name places below `items`, two different ones each.
    PairRanking(std::size_t items, std::span<const PairOutcome> outcomes);

    [[nodiscard]] const std::vector<RankedItem>& items() const { return m_items; }
    /// Returns how many groups have votes.
    [[nodiscard]] int groups() const { return m_groups; }
    /// Returns the chance that the first is preferred to the second.
    [[nodiscard]] double chance(std::size_t first, std::size_t second) const;
    /// Returns how much another comparison of both would tell: the variance of its outcome times that of the
    /// difference of their strengths' logarithms. The larger, the less certain is what comes out.
    [[nodiscard]] double uncertainty(std::size_t first, std::size_t second) const;
    /// Returns the places of the things, the best first: group by group, without votes last.
    [[nodiscard]] std::vector<std::size_t> order() const;

  private:
    void groupItems(std::span<const PairOutcome> outcomes);
    void fit(std::span<const PairOutcome> outcomes);
    void findCovariance(std::span<const PairOutcome> outcomes);
    void describe();
    [[nodiscard]] double varianceOfDifference(std::size_t first, std::size_t second) const;
    [[nodiscard]] double covariance(std::size_t row, std::size_t column) const {
        return m_covariance[row * m_items.size() + column];
    }

    std::vector<RankedItem> m_items;
    int m_groups = 0;
    std::vector<double> m_strengths;   ///< logarithms
    std::vector<double> m_covariance;  ///< of these, row by row
};

}  // namespace meshreel
