// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/terminal.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/measure/evaluation/evaluation.h"
#include "engine/project/presets.h"

namespace meshreel {
namespace {

struct EvaluateArguments {
    EvaluationSettings settings;
    std::string size = "64x64x17";
    std::size_t prompts = 0;  // 0: all
    Seed seed = EvaluationSettings().seed;
    std::string out;
    bool json = false;
};

/// Reads "WIDTHxHEIGHTxFRAMES".
void readSize(const std::string& size, EvaluationSettings& settings) {
    int used = 0;
    const int read = std::sscanf(size.c_str(), "%ldx%ldx%ld%n", &settings.width, &settings.height,
                                 &settings.frames, &used);
    if (read != 3 || static_cast<std::size_t>(used) != size.size())
        throw Error(ErrorKind::Project, fmt::format("'{}' is no size of a video", size), "--size",
                    "Write WIDTHxHEIGHTxFRAMES: 64x64x17");
}

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const SamplingPreset& preset : samplingPresets())
        names.emplace_back(preset.name);
    return names;
}

/// A random one is drawn when the evaluation begins, and taken from its folder when it goes on.
std::uint64_t chooseSeed(const Seed& wanted, const std::filesystem::path& folder, std::size_t videos) {
    if (!wanted)
        return EvaluationFolder::recordedSeed(folder).value_or(drawSeed());
    const std::uint64_t most =
        std::numeric_limits<std::uint64_t>::max() - (std::max<std::size_t>(videos, 1) - 1);
    if (*wanted > most)
        throw Error(ErrorKind::Project, sentence("each of the {} videos has the next seed", videos), "--seed",
                    sentence("Write {} at most", most));
    return *wanted;
}

std::filesystem::path folderOf(const EvaluateArguments& arguments) {
    if (!arguments.out.empty())
        return expandTilde(arguments.out);
    const std::filesystem::path model = expandTilde(arguments.settings.model).lexically_normal();
    const std::filesystem::path name =
        model.has_filename() ? model.filename() : model.parent_path().filename();
    return std::filesystem::path("evaluation") / name;
}

int evaluate(EvaluateArguments arguments) {
    readSize(arguments.size, arguments.settings);
    followPreset(arguments.settings);
    std::vector<HeldOutPrompt> prompts = readHeldOutPrompts(heldOutPromptsFile());
    if (arguments.prompts > 0)
        prompts.resize(std::min(arguments.prompts, prompts.size()));
    const Interrupt interrupt;
    const std::filesystem::path place = folderOf(arguments);
    arguments.settings.seed = chooseSeed(arguments.seed, place, prompts.size());
    const EvaluationFolder folder(place, arguments.settings);
    if (folder.note())
        say(stderr, "meshreel: {}\n", *folder.note());
    const auto tell = [&](std::size_t done, const EvaluatedClip& newest) {
        say(stderr, "[{}/{}] {}\n", done, prompts.size(), findingsLine(newest));
    };
    const Evaluation evaluation = evaluateModel(arguments.settings, prompts, folder, tell, interrupt.token());
    writeResults(evaluation, folder);
    for (const Sentence& note : evaluation.notes)
        say(stderr, "meshreel: {}\n", note);
    say("{}", arguments.json ? evaluationJson(evaluation) : evaluationTable(evaluation));
    return 0;
}

}  // namespace

Action declareEvaluate(CLI::App& app) {
    const auto arguments = std::make_shared<EvaluateArguments>();
    EvaluationSettings& settings = arguments->settings;
    app.add_option("MODEL", settings.model,
                   "Installed model or folder, trained on the embedded model's scenes")
        ->required();
    app.add_option("--prompts", arguments->prompts, "Only the first N of the list; all when not given")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    app.add_option("--size", arguments->size, "The videos, WIDTHxHEIGHTxFRAMES")->capture_default_str();
    CLI::Option* steps = app.add_option("--steps", settings.steps, "Denoising steps")
                             ->check(CLI::Range(1, 1000))
                             ->capture_default_str();
    CLI::Option* guidance = app.add_option("--guidance", settings.guidance, "Guidance scale")
                                ->check(CLI::NonNegativeNumber)
                                ->capture_default_str();
    CLI::Option* flowShift = app.add_option("--flow-shift", settings.flowShift,
                                            "Moves the noise levels of the steps towards high noise")
                                 ->check(CLI::Range(0.01, 100.0))
                                 ->capture_default_str();
    app.add_option("--preset", settings.preset, "Of sampling, in place of steps, guidance and flow shift")
        ->check(CLI::IsMember(presetNames()))
        ->capture_default_str()
        ->excludes(steps)
        ->excludes(guidance)
        ->excludes(flowShift);
    addSeedOption(
        app, arguments->seed,
        "Of the first video; each one has the next. -1 draws a random one, which settings.json keeps");
    app.add_option("--out", arguments->out,
                   "Keeps videos, figures.json and contact-sheet.png; evaluation/MODEL when not given. A "
                   "stopped evaluation goes on")
        ->type_name("DIR");
    app.add_flag("--json", arguments->json, "Print figures.json in place of the table");
    return [arguments] { return evaluate(*arguments); };
}

}  // namespace meshreel
