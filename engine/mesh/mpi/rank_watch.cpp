// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/rank_watch.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/record_json.h"
#include "engine/base/sentence.h"

namespace meshreel {

FailureDetector::FailureDetector(int self, std::vector<std::string> hosts, const Limits& limits, Time now)
    : m_self(self),
      m_hosts(std::move(hosts)),
      m_limits(limits),
      m_peers(m_hosts.size(), Peer{.lastSeen = now}),
      m_lastAdvance(now) {}

void FailureDetector::settle(const MeshFailure& failure) {
    m_failing = true;
    if (!m_failure)
        m_failure = failure;
}

void FailureDetector::fail(const MeshFailure& failure) {
    settle(failure);
}

void FailureDetector::startWaitingForReason(int rank, Time now) {
    m_failing = true;
    if (m_failure || m_unexplained)
        return;
    m_unexplained = MeshFailure{.device = -1,
                                .rank = rank,
                                .host = host(rank),
                                .reason = sentence("it stopped in the middle of its work"),
                                .cancelled = false};
    m_reasonDue = now + m_limits.grace;
}

void FailureDetector::giveUp(Time now) {
    startWaitingForReason(m_self, now);
}

void FailureDetector::terminate(Time now) {
    if (std::exchange(m_terminated, true))
        return;
    m_terminationDue = now + m_limits.grace;
}

void FailureDetector::noteAlive(int rank, Time now) {
    peer(rank).lastSeen = now;
}

void FailureDetector::noteFailing(int rank, const std::optional<MeshFailure>& failure, Time now) {
    noteAlive(rank, now);
    if (failure)
        settle(*failure);
    else
        startWaitingForReason(rank, now);
}

void FailureDetector::noteQuiet(int rank, Time now) {
    noteAlive(rank, now);
    peer(rank).quiet = true;
}

void FailureDetector::noteTerminating(int rank, Time now) {
    noteAlive(rank, now);
    peer(rank).terminating = true;
}

void FailureDetector::noteBye(int rank, Time now) {
    noteAlive(rank, now);
    peer(rank).done = true;
}

void FailureDetector::advance(Time now) {
    if (const auto absence = now - m_lastAdvance; absence > m_limits.goneAfter / 4)
        for (Peer& each : m_peers)
            each.lastSeen += absence;
    m_lastAdvance = now;
    findSilent(now);
    judgeTermination(now);
    if (m_unexplained && now >= m_reasonDue && !m_terminated)
        settle(*m_unexplained);
}

void FailureDetector::findSilent(Time now) {
    for (int rank = 0; rank < static_cast<int>(m_peers.size()); ++rank) {
        Peer& each = peer(rank);
        if (rank == m_self || each.gone || each.done || now - each.lastSeen <= m_limits.goneAfter)
            continue;
        each.gone = true;
        settle(
            {.device = -1,
             .rank = rank,
             .host = host(rank),
             .reason = sentence("it has not been heard of for {} s",
                                std::chrono::duration_cast<std::chrono::seconds>(m_limits.goneAfter).count()),
             .cancelled = false});
    }
}

// mpirun ends all ranks with SIGTERM when its user wants so, and the surviving ones when one has died. All
// are asked in the first case, and say so.
void FailureDetector::judgeTermination(Time now) {
    if (!m_terminated || m_failure)
        return;
    int silent = -1;
    for (int rank = 0; rank < static_cast<int>(m_peers.size()) && silent < 0; ++rank)
        if (rank != m_self && !peer(rank).terminating && !peer(rank).done)
            silent = rank;
    if (silent < 0)
        settle({.device = -1,
                .rank = m_self,
                .host = host(m_self),
                .reason = sentence("all ranks were asked to end"),
                .cancelled = true});
    else if (now >= m_terminationDue && m_unexplained)
        settle(*m_unexplained);
    else if (now >= m_terminationDue)
        settle({.device = -1,
                .rank = silent,
                .host = host(silent),
                .reason = sentence("it has died: mpirun ends the others"),
                .cancelled = false});
}

bool FailureDetector::isQuiet(int rank) const {
    const Peer& each = m_peers[static_cast<std::size_t>(rank)];
    return each.quiet || each.gone || each.done;
}

bool FailureDetector::anyGone() const {
    return std::ranges::any_of(m_peers, &Peer::gone);
}

bool FailureDetector::allDone() const {
    for (int rank = 0; rank < static_cast<int>(m_peers.size()); ++rank) {
        const Peer& each = m_peers[static_cast<std::size_t>(rank)];
        if (rank != m_self && !each.done && !each.gone)
            return false;
    }
    return true;
}

namespace {

using nlohmann::json;

// A byte of text takes six of JSON at worst, and host and reason share the word.
constexpr std::size_t longestReason = 400;
constexpr std::size_t longestHost = 60;

json asJson(const MeshFailure& failure, const Sentence& reason) {
    json value{{"device", failure.device},
               {"rank", failure.rank},
               {"host", failure.host.substr(0, longestHost)},
               {"cancelled", failure.cancelled}};
    putSentence(value, "reason", reason);
    return value;
}

MeshFailure asFailure(const json& value) {
    return {.device = value.value("device", -1),
            .rank = value.value("rank", 0),
            .host = value.value("host", ""),
            .reason = sentenceAt(value, "reason"),
            .cancelled = value.value("cancelled", false)};
}

std::string toText(const json& message) {
    return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string encodeMessage(const ControlMessage& word) {
    json message{{"word", static_cast<int>(word.signal)}};
    if (!word.failure)
        return toText(message);
    const Sentence& reason = word.failure->reason;
    message["failure"] = asJson(*word.failure, reason);
    if (const std::string whole = toText(message); whole.size() <= longestMessage)
        return whole;
    message["failure"] = asJson(*word.failure, reason.text().substr(0, longestReason));
    return toText(message);
}

ControlMessage decodeMessage(const std::string& text) {
    const json message = json::parse(text, nullptr, false);
    const int word = message.is_object() ? message.value("word", 0) : 0;
    if (word < 0 || word > static_cast<int>(ControlSignal::Bye))
        return {};
    ControlMessage result{.signal = static_cast<ControlSignal>(word)};
    if (const auto failure = message.find("failure"); failure != message.end())
        result.failure = asFailure(*failure);
    return result;
}

}  // namespace meshreel
