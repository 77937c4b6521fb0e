// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/launched_run.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/overloaded.h"
#include "engine/events/run_event.h"
#include "engine/launch/rank_launcher.h"
#include "engine/media/frame_source.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/host_file.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_sources.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

/// A project in a file of its own, for rank 0 to read, which is on this machine. It lives in memory and has
/// no name in any folder: nobody else can put one in its place or read it, and however this process ends, it
/// is gone.
class ProjectForRanks {
  public:
    explicit ProjectForRanks(const Project& project)
        : m_descriptor(::memfd_create("meshreel-project", MFD_CLOEXEC)) {
        const std::string text = resolvedYaml(project);
        if (m_descriptor < 0 || !writeAll(text)) {
            const int reason = errno;
            if (m_descriptor >= 0)
                ::close(m_descriptor);
            throw Error(ErrorKind::Resources,
                        sentence("the project could not be handed to the ranks ({})", std::strerror(reason)),
                        {}, sentence("Close other programs or raise the limit on open files (ulimit -n)"));
        }
    }
    ~ProjectForRanks() { ::close(m_descriptor); }
    ProjectForRanks(const ProjectForRanks&) = delete;
    ProjectForRanks& operator=(const ProjectForRanks&) = delete;

    [[nodiscard]] std::string path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), m_descriptor); }

  private:
    [[nodiscard]] bool writeAll(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(m_descriptor, text.data(), text.size());
            if (written <= 0 && !(written < 0 && errno == EINTR))
                return false;
            text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
        }
        return true;
    }

    int m_descriptor;
};

void append(std::vector<std::string>& line, const RunOptions& options) {
    line.emplace_back("--json-events");
    if (options.previews == Previews::Yes)
        line.emplace_back("--previews");
    if (options.workers > 0)
        line.insert(line.end(), {"--workers", std::to_string(options.workers)});
    if (options.lowPriority)
        line.emplace_back("--low-priority");
    if (options.allowDifferentMachine)
        line.emplace_back("--allow-different-machine");
    if (options.oversubscribe)
        line.emplace_back(oversubscribeOption);
    for (const std::string& change : options.videoChanges)
        line.insert(line.end(), {"--set", change});
    if (!options.caches)
        line.emplace_back("--no-cache");
}

/// u8 [1, time, height, width, 3], as FramesReady has it.
Tensor framesOf(const fs::path& video) {
    const Tensor frames = readFrames(video, {});
    return frames.reshaped({1, frames.extent(0), frames.extent(1), frames.extent(2), frames.extent(3)});
}

/// The error of a launch that failed, with what the user can do.
Error launchError(const LaunchEnd& end, const fs::path& folder) {
    const Error failure = toError(end);
    const bool canResume = failure.kind() == ErrorKind::Device || failure.kind() == ErrorKind::Cancelled;
    if (!canResume || !RunFolder::isRun(folder))
        return failure;
    return {failure.kind(), failure.message(), failure.where(),
            sentence("To resume it: meshreel run --resume {}, with the same --hosts", folder.string())};
}

/// `isExamined`: the user was shown what rank 0 finds, too.
RunOutcome hearRanks(const std::vector<Host>& hosts, std::vector<std::string> arguments,
                     const fs::path& folder, Previews previews, bool isExamined, const EventSink& sink,
                     const StopToken& stop) {
    std::optional<RunOutcome> told;
    const auto hear = [&](const std::string& line) {
        const std::optional<RunEvent> event = readEventLine(line);
        if (!event)
            return;
        std::visit(Overloaded{[](const Planned&) {},  // this process planned, too
                              [&](const ProblemsFound&) {
                                  if (!isExamined)
                                      sink(*event);
                              },
                              [&](const RunOutcome& outcome) { told = outcome; },
                              [](const RunFailed&) {},  // the exit code says it as well
                              [&](const auto&) { sink(*event); }},
                   *event);
    };
    const auto pass = [&](const std::string& line) { sink(RunMessage{MessageLevel::Info, line}); };
    const LaunchEnd end = launchRanks({.hosts = hosts, .ranks = 0, .arguments = std::move(arguments)},
                                      {.out = hear, .err = pass}, stop);
    if (end.exitCode != 0 || !told) {
        Error failure = launchError(end, folder);
        markAbandonedRun(folder, failure.asSentence());
        throw failure;
    }
    RunOutcome outcome = *told;
    const RunFolder run = RunFolder::open(outcome.folder);
    outcome.steps = run.steps();
    outcome.resumedFrom = run.state().resumedFrom;
    if (!outcome.video.empty() && previews == Previews::Yes)
        sink(FramesReady{framesOf(outcome.video)});
    return outcome;
}

PlanPtr planFor(const Project& project, const RunOptions& options, const std::vector<Host>& hosts) {
    PlanOptions planning;
    planning.ranks = countSlots(hosts);
    planning.workers = options.workers;
    planning.oversubscribe = options.oversubscribe;
    return makePlan(project, planning);
}

}  // namespace

RunOutcome launchProject(const RunRequest& asked, const fs::path& hostFile, const EventSink& sink,
                         const StopToken& stop) {
    const RunRequest request = withDrawnWords(asked);
    const std::vector<Host> hosts =
        readHosts(hostFile, HostLimits{.oversubscribe = request.options.oversubscribe});
    sink(plannedEvent(request.examined ? request.examined->plan
                                       : planFor(request.project, request.options, hosts)));
    const fs::path folder =
        fs::absolute(request.outFolder.empty() ? newRunFolder(request.project) : request.outFolder);
    const ProjectForRanks project(withInputsWhereTheyLie(withDrawnSeeds(request.project), request.inputs));
    std::vector<std::string> arguments{"run", project.path(), "--out", folder.string()};
    append(arguments, request.options);
    return hearRanks(hosts, std::move(arguments), folder, request.options.previews,
                     request.examined.has_value(), sink, stop);
}

RunOutcome launchResumed(const fs::path& folder, const RunOptions& options, const fs::path& hostFile,
                         const EventSink& sink, const StopToken& stop) {
    const std::vector<Host> hosts = readHosts(hostFile, HostLimits{.oversubscribe = options.oversubscribe});
    const RunFolder run = RunFolder::openToWork(folder);
    sink(plannedEvent(planFor(run.project(), options, hosts)));
    std::vector<std::string> arguments{"run", "--resume", fs::absolute(folder).string()};
    append(arguments, options);
    return hearRanks(hosts, std::move(arguments), folder, options.previews, false, sink, stop);
}

}  // namespace meshreel
