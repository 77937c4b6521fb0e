// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/command.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/project/project_reader.h"

namespace meshreel {
namespace {

// Group by group, in the order that --help shows.
constexpr std::array commandTable{
    Command{"Make", "run", "Generate a video from a project file, or resume a run", declareRun},
    Command{"Make", "film", "Make a film from a storyboard, shot after shot", declareFilm},
    Command{"Make", "finish", "Make a finished video smoother, larger, or give it sound", declareFinish},
    Command{"Make", "serve", "Take runs from other programs over HTTP, and work off the queue", declareServe},
    Command{"Make", "queue", "List the queue; add, remove or retry its runs", declareQueue},
    Command{"Make", "plan", "Print what a run would do: shapes, memory, FLOPs, disk", declarePlan},
    Command{"Make", "validate", "Check project files and print every problem", declareValidate},
    Command{"Make", "import", "Make a project of a MaxDiffusion config; list what happened to each key",
            declareImport},
    Command{"Make", "decode", "Decode the latents of a run again", declareDecode},
    Command{"Look", "inspect", "Print what a video, run folder, project or checkpoint holds", declareInspect},
    Command{"Look", "chart", "Draw a chart of runs to a file", declareChart},
    Command{"Look", "report", "Write a page about runs, with their charts and pictures", declareReport},
    Command{"Look", "keys", "List the keys of a project file", declareKeys},
    Command{"Look", "modes", "List the attention modes", declareModes},
    Command{"Compare", "compare", "Print the timings of runs side by side", declareCompare},
    Command{"Compare", "sweep", "Time a grid of settings: modes, meshes, batches, block sizes", declareSweep},
    Command{"Compare", "tune", "Find the fastest flash block sizes, or kernels of a GPU, for a project here",
            declareTune},
    Command{"Compare", "evaluate", "Measure what a model draws of the held-out prompts", declareEvaluate},
    Command{"Compare", "foresee", "Foresee the fastest mesh on accelerators that one does not own",
            declareForesee},
    Command{"Measure", "attention", "Run one attention on a mesh and compare it with float64",
            declareAttention},
    Command{"Measure", "bench", "Measure this machine, and what the engine makes of it", declareBench},
    Command{"Measure", "rates", "Measure what predictions of a run's time are made from", declareRates},
    Command{"Measure", "check", "Check every attention mode on this machine", declareCheck},
    Command{"Measure", "verify", "Check the engine against golden cases", declareVerify},
    Command{"Measure", "calibrate", "Measure the curve that MagCache goes by, of a project's own model",
            declareCalibrate},
    Command{"Models", "models", "List what is installed: models, their parts, single files, adapters",
            declareModels},
    Command{"Models", "get", "List what can be downloaded; download a model and what it needs", declareGet},
    Command{"Models", "convert", "Convert weights between layouts, number types and quantisations",
            declareConvert},
    Command{"Models", "make-checkpoint", "Make random weights of a released model's shapes",
            declareMakeCheckpoint},
    Command{"Machine", "devices", "List the CPU and the GPUs, and why a GPU or a way to use it is rejected",
            declareDevices},
    Command{"Machine", "isa", "List what computes each operation on this CPU, and why", declareIsa},
    Command{"Machine", "cache", "List, verify or clear what is kept between runs", declareCache},
    Command{"Machine", "completion", "Print the completion script of a shell", declareCompletion},
    Command{"Machine", "manual", "Print the manual page, for man -l", declareManual},
};

}  // namespace

std::span<const Command> commands() {
    return commandTable;
}

std::shared_ptr<const std::vector<Action>> declareCommands(CLI::App& app, DeclaredOptions options) {
    app.description("Wan video generation on CPUs and GPUs, without a window");
    app.set_version_flag(
        "--version", fmt::format("meshreel {} ({}, {})", versionNumber(), versionCommit(), versionPreset()));
    app.require_subcommand(1);
    const auto actions = std::make_shared<std::vector<Action>>(commands().size());
    for (std::size_t index = 0; index < commands().size(); ++index) {
        const Command& command = commands()[index];
        CLI::App& subcommand = *app.add_subcommand(std::string(command.name), std::string(command.help));
        subcommand.group(std::string(command.group));
        subcommand.fallthrough();  // to the options of all commands
        const auto declare = [&command, &subcommand, actions, index] {
            (*actions)[index] = command.declare(subcommand);
        };
        if (options == DeclaredOptions::OfAll)
            declare();
        else
            subcommand.preparse_callback([declare](std::size_t /*remaining*/) { declare(); });
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

std::string withoutTypedPlace(std::string text) {
    const std::string place = overrideSource + ": ";
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
        const std::size_t lineStart =
            text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
        const bool beginsLine = text.find_first_not_of(' ', lineStart) == at;
        if (beginsLine)
            text.erase(at, place.size());
        else
            at += place.size();
    }
    return text;
}

void sayWarnings(const std::vector<Problem>& warnings) {
    for (const Problem& warning : warnings)
        say(stderr, "meshreel: warning: {}\n", warning.text());
}

}  // namespace meshreel
