// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/mpirun_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/base/strings.h"

namespace meshreel {
namespace {

bool isRule(std::string_view line) {
    constexpr std::size_t shortestRule = 40;
    return line.size() >= shortestRule && std::ranges::all_of(line, [](char c) { return c == '-'; });
}

/// "[host:123] 1 more process has sent help message", and how to see them all.
bool isHelpNote(const std::string& line) {
    return line.starts_with('[') && (line.find("] Set MCA parameter") != std::string::npos ||
                                     line.find("has sent help message") != std::string::npos ||
                                     line.find("have sent help message") != std::string::npos);
}

/// "[host:01234] ...": notes for its developers; or what it says when it is asked to end twice.
bool isInnerNote(const std::string& line, pid_t mpirun) {
    static const RegularExpression abortNote(R"(mpi(run|exec): abort is already in progress.*)");
    const std::size_t end = line.find(']');
    const std::string mark = fmt::format(":{:05}", mpirun);
    return (line.starts_with('[') && end != std::string::npos && line.substr(0, end).ends_with(mark)) ||
           abortNote.match(line);
}

}  // namespace

bool MpirunMessages::take(const std::string& line) {
    constexpr std::size_t longestText = 600;
    if (isRule(line)) {
        m_insideBlock = !m_insideBlock;
        return true;
    }
    if (isHelpNote(line) || isInnerNote(line, m_mpirun))
        return true;
    if (!m_insideBlock)
        return false;
    const std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string::npos && m_text.size() < longestText)
        m_text += (m_text.empty() ? "" : " ") + line.substr(start);
    return true;
}

std::optional<MeshFailure> MpirunMessages::death() const {
    static const RegularExpression signalled(
        R"(process rank (\d{1,9}) with PID \d+ on node (\S+) exited on signal (\d+ \([^)]*\)))");
    const auto found = signalled.search(m_text);
    if (!found)
        return std::nullopt;
    return MeshFailure{.device = -1,
                       .rank = std::stoi((*found)[1]),
                       .host = (*found)[2],
                       .reason = sentence("it was ended by signal {}", (*found)[3]),
                       .cancelled = false};
}

std::optional<std::string> MpirunMessages::lostHost() const {
    static const RegularExpression lost(R"(Remote daemon:\s+\S+ on node (\S+))");
    const auto found = lost.search(m_text);
    return found ? std::optional((*found)[1]) : std::nullopt;
}

std::string MpirunMessages::text() const {
    return m_text;
}

}  // namespace meshreel
