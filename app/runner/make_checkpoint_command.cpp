// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/terminal.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/verification/checkpoint_maker.h"

namespace meshreel {
namespace {

struct WeightType {
    std::string_view name;
    DType dtype;
};
constexpr std::array weightTypes{WeightType{"bf16", DType::BF16}, WeightType{"f32", DType::F32},
                                 WeightType{"f16", DType::F16}};

struct MakeArguments {
    std::string architecture;
    std::string dtype;
    std::optional<std::int64_t> layers;
    std::vector<std::string> parts;
    bool sparse = false;
    Seed seed = 0;
    std::string folder;
};

std::string_view nameOfWeightType(DType dtype) {
    return std::ranges::find(weightTypes, dtype, &WeightType::dtype)->name;
}

std::string architectureTable() {
    std::string text = fmt::format("{:<20} {:<14} {:>7} {:>8} {:>10}  {}\n", "architecture", "part",
                                   "tensors", "released", "bytes", "what it is");
    for (const Architecture& architecture : architectures()) {
        const std::vector<TensorSpec> tensors = tensorsOf(architecture);
        std::size_t bytes = 0;
        for (const TensorSpec& tensor : tensors)
            bytes += tensor.bytes();
        text +=
            fmt::format("{:<20} {:<14} {:>7} {:>8} {:>10}  {}\n", architecture.name, architecture.family.part,
                        tensors.size(), nameOfWeightType(architecture.family.released), formatBytes(bytes),
                        architecture.help);
    }
    return text;
}

CheckpointOrder toOrder(const MakeArguments& arguments) {
    CheckpointOrder order{.architecture = &requireArchitecture(arguments.architecture),
                          .layers = arguments.layers,
                          .sparse = arguments.sparse,
                          .seed = arguments.seed ? *arguments.seed : drawSeed()};
    if (!arguments.dtype.empty())
        order.dtype = std::ranges::find(weightTypes, arguments.dtype, &WeightType::name)->dtype;
    return order;
}

void showTensor(std::size_t done, std::size_t bytes) {
    say(stderr, "\r{} of {}{}", formatBytes(done), formatBytes(bytes), done == bytes ? "\n" : "  ");
    std::fflush(stderr);
}

int make(const MakeArguments& arguments) {
    if (arguments.architecture == "list") {
        say("{}", architectureTable());
        return 0;
    }
    const CheckpointOrder order = toOrder(arguments);
    if (arguments.folder.empty())
        throw Error(ErrorKind::Project, "no folder is given", "--output", "Say where: -o DIR");
    const Interrupt interrupt;
    WorkerPool workers({.workers = availableCpus()});
    const Execution execution{workers, interrupt.token()};
    const MakeProgress progress = ::isatty(STDERR_FILENO) != 0 ? showTensor : MakeProgress();
    const std::filesystem::path folder = expandTilde(arguments.folder);
    const MadeCheckpoint made = arguments.parts.empty()
                                    ? makeCheckpoint(execution, order, folder, progress)
                                    : makeModel(execution, order, arguments.parts, folder, progress);
    say("{}: {} tensors, {} in {} file{}{}{}\n", arguments.folder, made.tensors, formatBytes(made.bytes),
        made.files, made.files == 1 ? "" : "s", order.sparse ? ", zeros that take no disk" : "",
        arguments.seed ? std::string() : fmt::format(", seed {}", order.seed));
    return 0;
}

}  // namespace

Action declareMakeCheckpoint(CLI::App& app) {
    const auto arguments = std::make_shared<MakeArguments>();
    std::vector<std::string> types;
    for (const WeightType& type : weightTypes)
        types.emplace_back(type.name);
    app.add_option("--arch", arguments->architecture, "The model; 'list' prints all that there are")
        ->required()
        ->type_name("NAME");
    app.add_option("--dtype", arguments->dtype, "Type of the weights; as released when not given")
        ->check(CLI::IsMember(types));
    app.add_option("--layers", arguments->layers, "Only the first layers")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    app.add_option("--parts", arguments->parts,
                   fmt::format("Make a whole model that a project can name, of these components: {}; only "
                               "around wan2.1-t2v transformers",
                               fmt::join(modelParts(), ",")))
        ->delimiter(',')
        ->type_name("LIST");
    app.add_flag("--sparse", arguments->sparse, "Zeros that take no disk, in no time");
    addSeedOption(app, arguments->seed, "Of the random numbers; -1 draws a random one and prints it");
    app.add_option("-o,--output", arguments->folder, "New folder for config.json and the weights")
        ->type_name("DIR");
    app.footer([] { return "Architectures:\n" + architectureTable(); });
    return [arguments] { return make(*arguments); };
}

}  // namespace meshreel
