// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <string>

#include "app/runner/command.h"
#include "app/runner/inspection.h"
#include "engine/base/paths.h"

namespace meshreel {

Action declareInspect(CLI::App& app) {
    const auto what = std::make_shared<std::string>();
    const auto options = std::make_shared<InspectOptions>();
    app.add_option("PATH", *what,
                   "A video, run folder, project, model folder or file of weights (safetensors, GGUF, .pth)")
        ->required();
    app.add_flag("--json", options->json, "What weights and models are, as one JSON object");
    app.add_flag("--tensors", options->tensors, "Every tensor of the weights with its type and shape");
    return [what, options] {
        inspect(expandTilde(*what), *options);
        return 0;
    };
}

}  // namespace meshreel
