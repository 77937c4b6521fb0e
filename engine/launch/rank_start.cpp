// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/rank_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace meshreel {
namespace {

constexpr std::string_view signMark = "meshreel-rank-sign: ";
constexpr std::array<std::string_view, 3> signWords{" alive", " met", " left"};  // by RankSign::Kind

}  // namespace

std::string rankSignLine(const RankSign& sign) {
    return fmt::format("{}{}{}", signMark, sign.rank, signWords[static_cast<std::size_t>(sign.kind)]);
}

std::optional<HeardSign> parseRankSign(std::string_view line) {
    const std::size_t start = line.find(signMark);
    if (start == std::string_view::npos)
        return std::nullopt;
    const std::string_view text = line.substr(start + signMark.size());
    HeardSign heard{.sign = {}, .before = std::string(line.substr(0, start))};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), heard.sign.rank);
    const std::string_view word = text.substr(static_cast<std::size_t>(end - text.data()));
    const auto known = std::ranges::find(signWords, word);
    if (failure != std::errc() || heard.sign.rank < 0 || known == signWords.end())
        return std::nullopt;
    heard.sign.kind = static_cast<RankSign::Kind>(known - signWords.begin());
    return heard;
}

RankStartWatch::RankStartWatch(std::span<const Host> hosts, int ranks, const Limits& limits, Time now)
    : m_hosts(hosts.begin(), hosts.end()),
      m_ranks(static_cast<std::size_t>(ranks), Rank{.lastSeen = now}),
      m_limits(limits),
      m_began(now),
      m_now(now) {}

void RankStartWatch::note(const RankSign& sign, Time now) {
    if (static_cast<std::size_t>(sign.rank) >= m_ranks.size())
        return;
    Rank& rank = m_ranks[static_cast<std::size_t>(sign.rank)];
    rank.begun = true;
    rank.met = rank.met || sign.kind != RankSign::Kind::Alive;
    rank.left = rank.left || sign.kind == RankSign::Kind::Left;
    rank.lastSeen = now;
}

void RankStartWatch::advance(Time now) {
    if (const auto absence = now - m_now; absence > m_limits.silence / 4) {
        m_began += absence;
        for (Rank& rank : m_ranks)
            rank.lastSeen += absence;
    }
    m_now = now;
}

bool RankStartWatch::isDeaf() const {
    return allMet() && !m_ranks.front().left && m_now - m_ranks.front().lastSeen > m_limits.deaf;
}

bool RankStartWatch::anyHeard() const {
    return std::ranges::any_of(m_ranks, &Rank::begun);
}

bool RankStartWatch::allMet() const {
    return std::ranges::all_of(m_ranks, &Rank::met);
}

std::optional<int> RankStartWatch::silentRank() const {
    const auto silent = std::ranges::find_if(m_ranks, [this](const Rank& rank) {
        return rank.begun && !rank.met && m_now - rank.lastSeen > m_limits.silence;
    });
    if (silent == m_ranks.end())
        return std::nullopt;
    return static_cast<int>(silent - m_ranks.begin());
}

bool RankStartWatch::isOverdue() const {
    return !allMet() && m_now - m_began > m_limits.begin;
}

std::vector<Host> RankStartWatch::missingHosts() const {
    const auto isElsewhere = [](const Host& host) { return !isThisMachine(host.name); };
    const bool begun = anyHeard();
    const bool othersOnly = !begun && std::ranges::any_of(m_hosts, isElsewhere);
    std::vector<Host> missing;
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        const Host& host = hostOf(static_cast<int>(rank));
        const bool isMissing = begun ? !m_ranks[rank].met : !othersOnly || isElsewhere(host);
        if (isMissing && std::ranges::find(missing, host) == missing.end())
            missing.push_back(host);
    }
    return missing;
}

// mpirun that is asked for more ranks than the hosts have slots goes through the hosts again.
const Host& RankStartWatch::hostOf(int rank) const {
    return m_hosts[hostOfRank(m_hosts, rank % countSlots(m_hosts))];
}

}  // namespace meshreel
