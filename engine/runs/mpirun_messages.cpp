// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/mpirun_messages.h"

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

}  // namespace

bool MpirunMessages::take(const std::string& line) {
    if (isRule(line)) {
        m_insideBlock = !m_insideBlock;
        return true;
    }
    if (isHelpNote(line))
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
    static const std::regex lost(R"(Remote daemon:\s+\S+ on node (\S+))");
    std::smatch match;
    if (std::regex_search(m_text, match, signalled))
        return MeshFailure{.device = -1,
                           .rank = std::stoi(match[1]),
                           .host = match[2],
                           .reason = "it was ended by signal " + match[3].str(),
                           .cancelled = false};
    if (std::regex_search(m_text, match, lost))
        return MeshFailure{.device = -1,
                           .rank = -1,
                           .host = match[1],
                           .reason = "the connection to the host was lost",
                           .cancelled = false};
    return std::nullopt;
}

std::string MpirunMessages::text() const {
    return m_text;
}

}  // namespace meshreel
