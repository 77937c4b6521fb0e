// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/remote_shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/base/child_output.h"
#include "engine/base/child_process.h"
#include "engine/base/strings.h"

namespace meshreel {

std::string quotedWord(const std::string& word) {
    std::string quoted = "'";
    for (const char letter : word)
        quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return quoted + "'";
}

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 15s;
constexpr auto pollInterval = 20ms;
constexpr int unreachable = 255;     // what ssh ends with when it is ssh that failed
constexpr int programMissing = 126;  // our own word

/// The last line with words in what a pipe still holds.
std::string lastLine(int descriptor) {
    ChildText text;
    text.drain(descriptor);
    return excerpt(text.lastLine(), 200);
}

/// One host that is being called.
class Call {
  public:
    Call(const Host& host, std::vector<std::string> line, const std::filesystem::path& program)
        : m_host(host) {
        line.insert(line.end(), {host.name, fmt::format("command -v orted || exit 1; test -x {} || exit {}",
                                                        quotedWord(program.string()), programMissing)});
        m_child = std::make_unique<ChildProcess>(line);
    }

    [[nodiscard]] bool ended() {
        m_status = m_child->poll();
        return m_status.has_value();
    }

    [[nodiscard]] std::optional<SilentHost> silence() const {
        if (m_status == 0)
            return std::nullopt;
        const std::string said = lastLine(m_child->err());
        if (!m_status)
            return SilentHost{m_host, sentence("it does not answer")};
        if (*m_status == unreachable)
            return SilentHost{m_host, said.empty() ? sentence("it cannot be reached") : Sentence(said)};
        if (*m_status == programMissing)
            return SilentHost{m_host, sentence("the program is not there")};
        return SilentHost{m_host, said.empty()
                                      ? sentence("Open MPI is not installed there: the shell finds no orted")
                                      : sentence("the shell finds no orted of Open MPI there: {}", said)};
    }

  private:
    Host m_host;
    std::unique_ptr<ChildProcess> m_child;
    std::optional<int> m_status;
};

}  // namespace

std::vector<std::string> remoteShell() {
    const char* chosen = nullptr;
    for (const char* variable : {"MESHREEL_RSH", "OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"})
        if (chosen == nullptr || *chosen == '\0')
            chosen = std::getenv(variable);
    if (chosen == nullptr || *chosen == '\0')
        return {"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"};
    std::vector<std::string> words;
    const std::string_view alternatives(chosen);  // "ssh : rsh": the first
    std::istringstream text{std::string(alternatives.substr(0, alternatives.find(" : ")))};
    for (std::string word; text >> word;)
        words.push_back(word);
    return words;
}

std::optional<SilentHost> findSilentHost(std::span<const Host> hosts, const std::filesystem::path& program) {
    std::vector<Call> calls;
    for (const Host& host : hosts)
        if (!isThisMachine(host.name))
            calls.emplace_back(host, remoteShell(), program);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    const auto allEnded = [&calls] {
        return std::ranges::count_if(calls, [](Call& call) { return !call.ended(); }) == 0;
    };
    while (!allEnded() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(pollInterval);
    for (const Call& call : calls)
        if (auto silent = call.silence())
            return silent;
    return std::nullopt;
}

}  // namespace meshreel
