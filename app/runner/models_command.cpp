// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

#include "app/runner/command.h"
#include "engine/base/paths.h"
#include "engine/planning/model/model_catalogue.h"

namespace meshreel {

Action declareModels(CLI::App& app) {
    struct Arguments {
        bool json = false;
        std::string folder;
        bool defaultFolder = false;
    };
    const auto arguments = std::make_shared<Arguments>();
    app.add_flag("--json", arguments->json, "Print the catalogue as one JSON object");
    auto* folder = app.add_option("--set-folder", arguments->folder,
                                  "Keep another models folder for all programs; MESHREEL_MODELS wins over it")
                       ->type_name("DIR");
    app.add_flag("--default-folder", arguments->defaultFolder, "Go back to the default models folder")
        ->excludes(folder);
    return [arguments] {
        if (arguments->defaultFolder || !arguments->folder.empty())
            setModelsFolder(expandTilde(arguments->folder));
        const ModelCatalogue catalogue = scanModels();
        fmt::print("{}",
                   arguments->json ? catalogueJson(catalogue).dump(2) + "\n" : catalogueText(catalogue));
        return 0;
    };
}

}  // namespace meshreel
