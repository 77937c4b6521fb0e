// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/mpirun_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "engine/base/paths.h"
#include "engine/mesh/mpi/mpi_environment.h"

namespace meshreel {

int rankCount(const LaunchRequest& request) {
    return request.ranks > 0 ? request.ranks : countSlots(request.hosts);
}

std::filesystem::path programOf(const LaunchRequest& request) {
    return request.program.empty() ? executableFolder() / "meshreel" : request.program;
}

bool isOnlyThisMachine(std::span<const Host> hosts) {
    return std::ranges::all_of(hosts, [](const Host& host) { return isThisMachine(host.name); });
}

namespace {

using Words = std::vector<std::string>;

/// Set in the environment of ranks that launchRanks() started.
constexpr const char* launcherVariable = "MESHREEL_LAUNCHER";

void appendWords(Words& line, const Words& words) {
    line.insert(line.end(), words.begin(), words.end());
}

Words hostWords(const LaunchRequest& request) {
    std::string list;
    for (const Host& host : request.hosts)
        list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host.name, host.ranks);
    return {"-n", std::to_string(rankCount(request)), "--host", list};
}

/// Names only: mpirun takes the values from its own environment, and each host its own of everything else.
Words variableWords() {
    Words words;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const std::string name(variable.substr(0, variable.find('=')));
        if (name.starts_with("MESHREEL_") && name != launcherVariable)
            appendWords(words, {"-x", name});
    }
    appendWords(words, {"-x", std::string(launcherVariable) + "=1"});
    return words;
}

/// One setting of Open MPI; `ofPrrte`: its name since Open MPI 5, if that differs.
struct MpirunSetting {
    std::string name;
    std::string value;
    std::string ofPrrte = {};
};

Words settingWords(const LaunchRequest& request, const MpirunProgram& mpirun) {
    Words words;
    const auto set = [&](const MpirunSetting& setting) {
        const bool isRenamed = mpirun.isPrrte() && !setting.ofPrrte.empty();
        appendWords(words, {"--mca", isRenamed ? setting.ofPrrte : setting.name, setting.value});
    };
    // Waiting ranks leave the CPU to the others: there may be more ranks than CPUs.
    set({"mpi_yield_when_idle", "1"});
    // Time to mark the run folder between mpirun's SIGTERM and SIGKILL, in seconds.
    set({"odls_base_sigkill_timeout", "2"});
    // Both sides notice a host that has become unreachable, in some twenty seconds: after the ranks, which
    // can name the missing one.
    set({"oob_tcp_keepalive_time", "10"});
    set({"oob_tcp_keepalive_intvl", "2"});
    set({"oob_tcp_keepalive_probes", "5"});
    set({"plm_rsh_no_tree_spawn", "1", "plm_ssh_no_tree_spawn"});
    // Inside a job of a scheduler the hosts file decides all the same: neither the job's nodes nor its
    // launcher are used. Names that an installation does not know are passed over.
    set({"ras", "^slurm,tm,pbs,lsf,gridengine,loadleveler,alps,flux"});
    set({"plm", "^slurm,tm,pbs,lsf,alps,flux"});
    set({"plm_rsh_disable_qrsh", "1", "plm_ssh_disable_qrsh"});
    set({"plm_rsh_disable_llspawn", "1", "plm_ssh_disable_llspawn"});
    // Hosts are called as the file of hosts writes them: names may differ behind their first dot only.
    set({"orte_keep_fqdn_hostnames", "1", "prte_keep_fqdn_hostnames"});
    if (!mayCopyBetweenProcesses())
        set(mpirun.isPrrte() ? MpirunSetting{"smsc", "^cma"}
                             : MpirunSetting{"btl_vader_single_copy_mechanism", "none"});
    if (isOnlyThisMachine(request.hosts)) {
        set({"btl", localTransports});
        set({"pml", localMessaging});
    }
    return words;
}

}  // namespace

bool startedByLauncher() {
    return std::getenv(launcherVariable) != nullptr;
}

std::vector<std::string> mpirunLine(const LaunchRequest& request, const MpirunProgram& mpirun,
                                    const std::vector<std::string>& settings) {
    Words line{mpirun.path.string(), "--bind-to", "none"};
    appendWords(line, mpirun.isPrrte() ? Words{"--map-by", "slot:OVERSUBSCRIBE"}
                                       : Words{"--oversubscribe", "--map-by", "slot"});
    appendWords(line, hostWords(request));
    if (::geteuid() == 0)
        line.emplace_back("--allow-run-as-root");
    appendWords(line, settingWords(request, mpirun));
    appendWords(line, settings);
    appendWords(line, variableWords());
    line.push_back(programOf(request).string());
    appendWords(line, request.arguments);
    return line;
}

}  // namespace meshreel
