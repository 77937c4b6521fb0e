// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/network_hosts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace meshreel::testing {
namespace {

const std::string ip = "/usr/sbin/ip";
constexpr std::chrono::milliseconds hostPollInterval{100};
/// ip with these words; what it printed, or nothing when it failed.
std::optional<std::string> runIp(const std::string& words) {
    std::istringstream list(words);
    std::vector<std::string> line{ip};
    for (std::string word; list >> word;)
        line.push_back(word);
    const ProcessResult result = Process(line).wait();
    if (result.exitCode != 0)
        return std::nullopt;
    return result.out;
}

void requireIp(const std::string& words) {
    if (!runIp(words))
        throw std::runtime_error("failed: ip " + words);
}

/// The program of a process; nothing when it has ended, be it that nobody has looked yet.
std::optional<std::string> nameOf(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t begin = text.find('(');
    const std::size_t end = text.rfind(") ");
    if (begin == std::string::npos || end == std::string::npos || text[end + 2] == 'Z')
        return std::nullopt;
    return text.substr(begin + 1, end - begin - 1);
}

}  // namespace

const std::string NetworkHosts::alphaAddress = "10.213.77.1";
const std::string NetworkHosts::betaAddress = "10.213.77.2";

bool NetworkHosts::possible() {
    if (::geteuid() != 0 || ::access(ip.c_str(), X_OK) != 0)
        return false;
    const std::string name = "mr-try-" + std::to_string(::getpid());
    const std::string first = "mrt" + std::to_string(::getpid());
    if (!runIp("netns add " + name))
        return false;
    const bool cable =
        runIp("link add " + first + " netns " + name + " type veth peer name " + first + "p netns " + name)
            .has_value();
    const bool entered = runIp("-n " + name + " link set lo up").has_value();  // not below every chroot
    runIp("netns del " + name);
    return cable && entered;
}

NetworkHosts::NetworkHosts() {
    const std::string id = std::to_string(::getpid());
    m_alpha = "mr-alpha-" + id;
    m_beta = "mr-beta-" + id;
    m_cable = "mr" + id;
    requireIp("netns add " + m_alpha);
    requireIp("netns add " + m_beta);
    requireIp("link add " + m_cable + "a netns " + m_alpha + " type veth peer name " + m_cable + "b netns " +
              m_beta);
    requireIp("-n " + m_alpha + " addr add " + alphaAddress + "/24 dev " + m_cable + "a");
    requireIp("-n " + m_beta + " addr add " + betaAddress + "/24 dev " + m_cable + "b");
    for (const std::string& device : {"-n " + m_alpha + " link set lo up", "-n " + m_beta + " link set lo up",
                                      "-n " + m_alpha + " link set " + m_cable + "a up",
                                      "-n " + m_beta + " link set " + m_cable + "b up"})
        requireIp(device);
    writeRemoteShell({});
}

void NetworkHosts::writeRemoteShell(const std::string& before) const {
    std::ofstream(remoteShell()) << "#!/bin/sh\nshift\nexec " << ip << " netns exec " << m_beta
                                 << " unshare --uts --mount sh -c \"hostname beta; " << before << " $*\"\n";
    ::chmod(remoteShell().c_str(), S_IRWXU);
}

void NetworkHosts::hideOnBeta(const std::filesystem::path& folder) const {
    writeRemoteShell("mount -t tmpfs none " + folder.string() + ";");
}

NetworkHosts::~NetworkHosts() {
    for (const std::string& name : {m_alpha, m_beta})
        runIp("netns del " + name);
}

std::vector<std::string> NetworkHosts::onAlpha(const std::string& command) const {
    return {ip, "netns", "exec", m_alpha, "unshare", "--uts", "sh", "-c", "hostname alpha; exec " + command};
}

void NetworkHosts::enter(const std::string& name) {
    const int file = ::open(("/var/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
    const bool entered = ::setns(file, CLONE_NEWNET) == 0;
    ::close(file);
    if (!entered)
        throw std::runtime_error("cannot enter " + name);
}

void NetworkHosts::cutCable() const {
    requireIp("-n " + m_alpha + " link set " + m_cable + "a down");
}

std::vector<pid_t> NetworkHosts::processesIn(const std::string& name) {
    std::istringstream list(runIp("netns pids " + name).value_or(""));
    std::vector<pid_t> processes;
    for (pid_t process = 0; list >> process;)
        processes.push_back(process);
    return processes;
}

std::vector<std::string> NetworkHosts::processNames() const {
    std::vector<std::string> names;
    for (const std::string& host : {m_alpha, m_beta})
        for (const pid_t process : processesIn(host))
            if (const auto name = nameOf(process))
                names.push_back(*name);
    return names;
}

std::vector<std::string> NetworkHosts::leftAfter(std::chrono::milliseconds limit) const {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::vector<std::string> left = processNames();
    while (!left.empty() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(hostPollInterval);
        left = processNames();
    }
    return left;
}

}  // namespace meshreel::testing
