// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/command.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace {

constexpr std::array commandTable{
    Command{"run", "Generate a video from a project file, or continue a run", declareRun},
    Command{"validate", "Check project files and print every problem", declareValidate},
    Command{"import", "Make a project of a MaxDiffusion config, and tell what became of each key",
            declareImport},
    Command{"plan", "Print what a run would do: shapes, memory, FLOPs, disk", declarePlan},
    Command{"foresee", "Foresee the fastest mesh on accelerators that one does not own", declareForesee},
    Command{"verify", "Check the engine against golden cases", declareVerify},
    Command{"inspect", "Print what a video, run folder, project or checkpoint holds", declareInspect},
    Command{"models", "List what is installed: models, their parts, single files, adapters", declareModels},
    Command{"convert", "Convert weights between layouts, number types and quantisations", declareConvert},
    Command{"decode", "Decode the latents of a run again", declareDecode},
    Command{"compare", "Print the timings of runs side by side", declareCompare},
    Command{"chart", "Draw a chart of runs to a file", declareChart},
    Command{"report", "Write a page about runs, with their charts and pictures", declareReport},
    Command{"modes", "List the attention modes", declareModes},
    Command{"attention", "Run one attention on a mesh and compare it with float64", declareAttention},
    Command{"check", "Check every attention mode on this machine", declareCheck},
    Command{"bench", "Measure this machine, and what the engine makes of it", declareBench},
    Command{"rates", "Measure what predictions of a run's time are made from", declareRates},
    Command{"tune", "Find the fastest flash block sizes for a project on this machine", declareTune},
    Command{"calibrate", "Measure the curve that MagCache goes by, of a project's own model",
            declareCalibrate},
    Command{"sweep", "Time a grid of settings: modes, meshes, batches, block sizes", declareSweep},
    Command{"evaluate", "Measure what a model draws of the held-out prompts", declareEvaluate},
    Command{"make-checkpoint", "Make random weights of a released model's shapes", declareMakeCheckpoint},
    Command{"cache", "List, verify or clear what is kept between runs", declareCache},
    Command{"isa", "List what computes each operation on this CPU, and why", declareIsa},
    Command{"devices", "List the CPU and the GPUs, and why a GPU or a way to use it is rejected",
            declareDevices},
    Command{"keys", "List the keys of a project file", declareKeys},
    Command{"completion", "Print the completion script of a shell", declareCompletion},
};

}  // namespace

std::span<const Command> commands() {
    return commandTable;
}

std::vector<Action> declareCommands(CLI::App& app) {
    app.description("Wan video generation on CPUs, without a window");
    app.set_version_flag(
        "--version", "meshreel " + std::string(versionNumber()) + " (" + std::string(versionCommit()) + ")");
    app.require_subcommand(1);
    std::vector<Action> actions;
    for (const Command& command : commands()) {
        CLI::App& subcommand = *app.add_subcommand(std::string(command.name), std::string(command.help));
        subcommand.fallthrough();  // to the options of all commands
        actions.push_back(command.declare(subcommand));
    }
    return actions;
}

std::function<void()> declareIsaOption(CLI::App& app) {
    const auto level = std::make_shared<std::string>();
    app.add_option(
           "--isa", *level,
           "Use no wider instructions than these: avx2, avx512, avx512_bf16 or amx (see: meshreel isa)")
        ->type_name("NAME");
    return [level] {
        const char* inherited = std::getenv(isaVariable);
        if (!level->empty())
            limitIsa(*level);
        else if (inherited != nullptr && *inherited != '\0')
            limitIsa(inherited);
    };
}

}  // namespace meshreel
