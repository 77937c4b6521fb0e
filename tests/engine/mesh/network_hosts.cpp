// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_hosts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace meshreel::testing {
namespace {

const std::string ip = "/usr/sbin/ip";
const std::string alphaAddress = "10.213.77.1";
const std::string betaAddress = "10.213.77.2";

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

}  // namespace

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
    runIp("netns del " + name);
    return cable;
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
    // In place of ssh: AGENT HOST COMMAND...
    std::ofstream(m_folder / "agent") << "#!/bin/sh\nshift\nexec " << ip << " netns exec " << m_beta
                                      << " unshare --uts sh -c \"hostname beta; $*\"\n";
    ::chmod((m_folder / "agent").c_str(), S_IRWXU);
}

NetworkHosts::~NetworkHosts() {
    for (const std::string& name : {m_alpha, m_beta})
        runIp("netns del " + name);
}

std::vector<std::string> NetworkHosts::mpirunLine(const std::vector<std::string>& program) const {
    std::string command =
        "hostname alpha; exec " MESHREEL_MPIRUN " --allow-run-as-root -n 2 --bind-to none --host " +
        alphaAddress + ":1," + betaAddress + ":1 --mca plm_rsh_agent " + (m_folder / "agent").string() +
        " --mca oob_tcp_keepalive_time 4 --mca oob_tcp_keepalive_intvl 2"
        " --mca oob_tcp_keepalive_probes 3";
    for (const std::string& word : program)
        command += " " + word;
    return {ip, "netns", "exec", m_alpha, "unshare", "--uts", "sh", "-c", command};
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

bool NetworkHosts::anyProcessLeft() const {
    return !processesIn(m_alpha).empty() || !processesIn(m_beta).empty();
}

}  // namespace meshreel::testing
