// SPDX-License-Identifier: GPL-3.0-or-later
#include "mpi_runs.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

namespace meshreel::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto pollInterval = 20ms;

std::vector<pid_t> childProcesses(pid_t parent) {
    const std::string id = std::to_string(parent);
    std::ifstream list("/proc/" + id + "/task/" + id + "/children");
    std::vector<pid_t> children;
    for (pid_t child = 0; list >> child;)
        children.push_back(child);
    return children;
}

/// A zombie is gone: whoever adopted it has not looked yet.
bool isAlive(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name = text.rfind(')');
    return name != std::string::npos && text.size() > name + 2 && text[name + 2] != 'Z';
}

}  // namespace

const std::vector<std::string> overTcp{"--mca", "btl", "tcp,self"};
const std::vector<std::string> withoutSingleCopy{"--mca", "btl_vader_single_copy_mechanism", "none"};

MpiRun::MpiRun(int ranks, const std::string& scenario, const std::vector<std::string>& mpirunOptions) {
    std::vector<std::string> line{MESHREEL_MPIRUN,   "-n",        std::to_string(ranks),
                                  "--oversubscribe", "--bind-to", "none"};
    line.insert(line.end(), mpirunOptions.begin(), mpirunOptions.end());
    line.insert(line.end(), {MESHREEL_LINK_PROGRAM, scenario});
    ProcessOptions options;
    options.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    m_process = std::make_unique<Process>(line, options);
}

std::vector<pid_t> MpiRun::waitUntilTurning() {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (m_process->running() && std::chrono::steady_clock::now() < deadline &&
           m_process->errSoFar().find("turning") == std::string::npos)
        std::this_thread::sleep_for(pollInterval);
    m_ranks = childProcesses(m_process->id());
    return m_ranks;
}

std::vector<pid_t> MpiRun::waitUntilStarted(std::size_t ranks) {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (m_process->running() && std::chrono::steady_clock::now() < deadline &&
           (m_ranks = childProcesses(m_process->id())).size() < ranks)
        std::this_thread::sleep_for(1ms);
    return m_ranks;
}

ProcessResult MpiRun::wait(std::chrono::seconds limit) {
    ProcessResult result = m_process->wait(limit);
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    const auto alive = [&] { return std::ranges::count_if(m_ranks, isAlive); };
    while (alive() > 0 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(pollInterval);
    m_left = static_cast<int>(alive());
    return result;
}

ProcessResult runScenario(int ranks, const std::string& scenario,
                          const std::vector<std::string>& mpirunOptions) {
    return MpiRun(ranks, scenario, mpirunOptions).wait();
}

}  // namespace meshreel::testing
