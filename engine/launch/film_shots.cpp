// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/film_shots.h"

#include <utility>

#include "engine/base/paths.h"
#include "engine/film/film_plan.h"
#include "engine/launch/launched_run.h"

namespace meshreel {

AgreedInputs inputsAsTheyAre(const Storyboard& storyboard) {
    AgreedInputs agreed;
    for (const Shot& shot : storyboard.shots)
        agreed.emplace(shot.name, TrustedInputs::asTheyAre(shot.project));
    return agreed;
}

ShotMaker makeShotsByRuns(const RunOptions& options, AgreedInputs agreed, const EventSink& sink,
                          const StopToken& stop) {
    const auto hosts = [](const PlannedShot& shot) { return expandTilde(shot.project.hosts); };
    const auto make = [options, agreed = std::move(agreed), hosts, sink, stop](const PlannedShot& shot) {
        TrustedInputs inputs = agreed.at(shot.name);
        if (!shot.project.continueFrom.empty())
            inputs.add(shot.project.continueFrom);  // a shot that was made meanwhile
        const RunRequest request{.project = shot.project,
                                 .outFolder = shot.folder,
                                 .options = options,
                                 .inputs = std::move(inputs)};
        return shot.project.hosts.empty() ? runProject(request, sink, stop)
                                          : launchProject(request, hosts(shot), sink, stop);
    };
    const auto resume = [options, hosts, sink, stop](const PlannedShot& shot) {
        return shot.project.hosts.empty() ? resumeRun(shot.folder, options, sink, stop)
                                          : launchResumed(shot.folder, options, hosts(shot), sink, stop);
    };
    return {.make = make, .resume = resume};
}

}  // namespace meshreel
