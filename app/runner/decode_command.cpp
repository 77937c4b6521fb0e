// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <string>

#include "app/runner/command.h"
#include "app/runner/run_display.h"
#include "engine/base/paths.h"
#include "engine/mesh/machine_load.h"

namespace meshreel {

Action declareDecode(CLI::App& app) {
    struct Arguments {
        std::string run;
        RunOptions options;
        bool jsonEvents = false;
    };
    const auto arguments = std::make_shared<Arguments>();
    app.add_option("RUN", arguments->run, "Run folder with latents.safetensors")
        ->required()
        ->type_name("DIR");
    app.add_option("--workers", arguments->options.workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_flag(oversubscribeOption, arguments->options.oversubscribe, oversubscribeHelp);
    app.add_flag("--json-events", arguments->jsonEvents, "Print every event as one line of JSON");
    return [arguments] {
        return displayRun(arguments->jsonEvents ? ProgressStyle::JsonEvents : ProgressStyle::Automatic,
                          [&](RunObserver& observer, const StopToken& stop) {
                              return decodeAgain(expandTilde(arguments->run), arguments->options, observer,
                                                 stop);
                          });
    };
}

}  // namespace meshreel
