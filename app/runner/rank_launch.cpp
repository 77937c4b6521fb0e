// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/rank_launch.h"

#include <fmt/core.h>
#include <unistd.h>

#include <optional>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "engine/base/child_output.h"
#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/launch/mpirun_line.h"
#include "engine/launch/rank_launcher.h"
#include "engine/launch/rank_process.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/runs/rank_work.h"

namespace meshreel {

std::vector<std::string> givenArguments(const CLI::App& command) {
    std::vector<std::string> arguments{command.get_name()};
    for (const CLI::Option* option : command.get_options())
        if (!option->get_lnames().empty())
            for (const std::string& value : option->results())
                arguments.push_back(fmt::format("--{}={}", option->get_lnames().front(), value));
    return arguments;
}

std::string launchLocally(int ranks, RankLoad load, const std::vector<std::string>& arguments,
                          const StopToken& stop) {
    if (load == RankLoad::Limited) {
        auto overload = rankOverload(ranks, "localhost", availableCpus());
        if (overload || (overload = rankOverload(ranks)))
            throw Error(ErrorKind::Project, *overload);
    }
    ChildText text;
    const LaunchOutput output{.out = [&](const std::string& line) { text.add(line + "\n"); },
                              .err = [](const std::string& line) { say(stderr, "{}\n", line); }};
    const LaunchEnd end = launchRanks(
        {.hosts = {{.name = "localhost", .ranks = ranks}}, .ranks = ranks, .arguments = arguments}, output,
        stop);
    throwIfStopped(stop);
    if (end.exitCode != 0)
        throw toError(end);
    return text.text();
}

int runAsStoppableRank(RankLoad load,
                       const std::function<int(MpiSession& session, const StopToken& stop)>& work) {
    return runAsRank(load, [&](MpiSession& session) {
        Interrupt interrupt([&session] { session.terminate(); });
        std::optional<CancelInput> cancel;
        if (session.rank() == 0 && startedByLauncher())
            cancel.emplace(STDIN_FILENO, [&interrupt] { interrupt.requestStop(); });
        return work(session, interrupt.token());
    });
}

DeviceMeshOptions rankMesh(MpiSession& session, int devices, int workersPerDevice) {
    DeviceMeshOptions options{.layout = MeshLayout({.context = devices}),
                              .workersPerDevice = workersPerDevice};
    takeRanksPart(options, session);
    return options;
}

}  // namespace meshreel
