// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <string>

#include "app/runner/command.h"
#include "app/runner/inspection.h"
#include "engine/base/paths.h"

namespace meshreel {

Action declareInspect(CLI::App& app) {
    const auto what = std::make_shared<std::string>();
    app.add_option("PATH", *what, "A video, run folder, project, model folder or safetensors file")
        ->required();
    return [what] {
        inspect(expandTilde(*what));
        return 0;
    };
}

}  // namespace meshreel
