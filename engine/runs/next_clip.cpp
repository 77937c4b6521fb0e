// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/next_clip.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "engine/checks/task_choice.h"
#include "engine/project/numbers.h"
#include "engine/project/project_settings.h"

namespace fs = std::filesystem;

namespace meshreel {

Seed nextSeed(const Seed& seed) {
    if (!seed)
        return seed;
    return *seed == std::numeric_limits<std::uint64_t>::max() ? 0 : *seed + 1;
}

KeyChanges continuingChanges(const Project& project, const fs::path& clip, std::optional<std::int64_t> at) {
    KeyChanges changes{{"continue_from", clip.string()},
                       {"continue_at", at ? fmt::to_string(*at) : Project().continueAt}};
    if (!project.image.empty() && !keepsImage(project))
        changes.push_back({"image", ""});
    changes.push_back({"seed", seedText(nextSeed(project.seed))});
    return changes;
}

KeyChanges nextClipChanges(const RunFolder& run, std::optional<std::int64_t> at) {
    const Project batch = run.project();
    const Project project = extractProject(batch, batchItems(batch).front());
    KeyChanges changes = continuingChanges(project, fs::absolute(run.path()), at);
    if (!batch.batchPrompts.empty()) {
        changes.push_back({"batch_prompts", ""});
        changes.push_back({"prompt", project.prompt});
    }
    if (!batch.batchSeeds.empty())
        changes.push_back({"batch_seeds", ""});
    return changes;
}

}  // namespace meshreel
