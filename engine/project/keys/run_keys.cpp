// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys/section_keys.h"

namespace meshreel {

std::vector<ProjectKey> runKeys() {
    return {
        {.name = "run_name",
         .member = &Project::name,
         .section = "Run",
         .title = "Name",
         .help = "What run folders are called after; empty takes the project file's name.",
         .level = KeyLevel::Basic},
        {.name = "workers",
         .member = &Project::workers,
         .section = "Run",
         .title = "Workers",
         .help = "Threads of each device; 0 shares out every CPU of this process.",
         .unit = "threads",
         .range = IntegerRange{.minimum = 0, .maximum = 1024}},
        {.name = "memory_budget",
         .member = &Project::memoryBudget,
         .section = "Run",
         .title = "Memory budget",
         .help =
             "Memory that the run may take. Layers of the transformer that it does not hold are read from "
             "the checkpoint each time they are used; 0 keeps all of them in memory.",
         .unit = "GiB",
         .range = RealRange{.minimum = 0, .maximum = 65536}},
    };
}

}  // namespace meshreel
