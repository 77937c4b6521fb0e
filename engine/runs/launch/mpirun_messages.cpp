// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/mpirun_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace meshreel {
namespace {

constexpr std::size_t shortestRule = 40;
constexpr std::size_t longestText = 600;

bool isRule(std::string_view line) {
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
    static const std::regex abortNote(R"(mpi(run|exec): abort is already in progress.*)");
    const std::size_t end = line.find(']');
    const std::string mark = fmt::format(":{:05}", mpirun);
    return (line.starts_with('[') && end != std::string::npos && line.substr(0, end).ends_with(mark)) ||
           std::regex_match(line, abortNote);
}

}  // namespace

bool MpirunMessages::take(const std::string& line) {
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
    static const std::regex signalled(
        R"(process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+ \([^)]*\)))");
    std::smatch match;
    if (!std::regex_search(m_text, match, signalled))
        return std::nullopt;
    return MeshFailure{.device = -1,
                       .rank = std::stoi(match[1]),
                       .host = match[2],
                       .reason = sentence("it was ended by signal {}", match[3].str()),
                       .cancelled = false};
}

std::optional<std::string> MpirunMessages::lostHost() const {
    static const std::regex lost(R"(Remote daemon:\s+\S+ on node (\S+))");
    std::smatch match;
    if (!std::regex_search(m_text, match, lost))
        return std::nullopt;
    return match[1];
}

std::string MpirunMessages::text() const {
    return m_text;
}

}  // namespace meshreel
