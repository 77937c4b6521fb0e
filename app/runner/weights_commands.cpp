// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/models/families/inferred_config.h"
#include "engine/verification/checkpoint_maker.h"
#include "engine/weights/weights_conversion.h"
#include "engine/weights/weights_writer.h"

namespace meshreel {

namespace {

namespace fs = std::filesystem;

struct LayoutName {
    std::string_view name;
    TargetLayout layout;
};
constexpr std::array layoutNames{LayoutName{"diffusers", TargetLayout::Diffusers},
                                 LayoutName{"original", TargetLayout::Original},
                                 LayoutName{"comfy", TargetLayout::Comfy}};
constexpr const char* diffusersWeights = "diffusion_pytorch_model.safetensors";
constexpr const char* transformersWeights = "model.safetensors";
constexpr int jsonIndent = 2;
constexpr std::size_t shownNames = 8;

struct ConvertArguments {
    std::string source;
    std::string destination;
    std::string layout;
    std::string numbers;
};

bool endsLikeAFile(const fs::path& path) {
    return path.extension() == ".safetensors" || path.extension() == ".gguf";
}

/// GGUF files have the original names everywhere.
TargetLayout layoutOf(const ConvertArguments& arguments, const fs::path& destination) {
    if (!arguments.layout.empty())
        return std::ranges::find(layoutNames, arguments.layout, &LayoutName::name)->layout;
    return formatOfName(destination) == WeightsFormat::Gguf ? TargetLayout::Original
                                                            : TargetLayout::Diffusers;
}

/// A destination that is no file's name becomes a component's folder in diffusers layout.
fs::path fileOf(const fs::path& destination, const Checkpoint& source) {
    if (endsLikeAFile(destination))
        return destination;
    std::error_code ignored;
    fs::create_directories(destination, ignored);
    const auto part = source.layout().part;
    const bool transformers = part == ModelPart::TextEncoder || part == ModelPart::ImageEncoder;
    return destination / (transformers ? transformersWeights : diffusersWeights);
}

void requireOther(const Checkpoint& source, const fs::path& file) {
    std::error_code ignored;
    for (const TensorFile& shard : source.shards())
        if (fs::equivalent(shard.path(), file, ignored))
            throw Error(ErrorKind::Project, "source and destination are the same file", withTilde(file),
                        "Choose another destination");
}

void showProgress(std::uint64_t done, std::uint64_t total) {
    if (::isatty(STDERR_FILENO) == 1)
        fmt::print(stderr, "\r{} of {} written{}", formatBytes(done), formatBytes(total),
                   done == total ? ", reading back\n" : "");
}

std::string reportText(const ConversionReport& report, const fs::path& file) {
    std::string text =
        fmt::format("{}: {}, read back and compared\n", withTilde(file), formatBytes(report.bytes));
    for (const auto& [type, loss] : report.losses)
        text += loss.largest == 0
                    ? fmt::format("  {} tensors as {}: exact\n", loss.tensors, type)
                    : fmt::format(
                          "  {} tensors as {}: differ by {:.3g} at most, {:.2g} % of their size in the "
                          "mean (root of squares)\n",
                          loss.tensors, type, loss.largest, 100 * loss.relative);
    if (report.left.empty())
        return text;
    const std::vector<std::string> shown(
        report.left.begin(),
        report.left.begin() + std::min(std::ssize(report.left), static_cast<std::ptrdiff_t>(shownNames)));
    return text + fmt::format("  left out, for the layout has no names for them: {} ({}{})\n",
                              report.left.size(), fmt::join(shown, ", "),
                              report.left.size() > shownNames ? ", …" : "");
}

int convert(const ConvertArguments& arguments) {
    const Checkpoint source = Checkpoint::open(expandTilde(arguments.source));
    const fs::path destination = expandTilde(arguments.destination);
    const fs::path file = fileOf(destination, source);
    requireOther(source, file);
    const Interrupt interrupt;
    ConversionOrder order{
        .layout = layoutOf(arguments, file), .progress = showProgress, .stop = interrupt.token()};
    if (!arguments.numbers.empty())
        order.numbers = *targetNumbers(arguments.numbers);
    const ConversionReport report = convertWeights(source, file, order);
    if (!endsLikeAFile(destination) && source.layout().part)
        writeFileAtomically(destination / "config.json", configOf(source).dump(jsonIndent) + "\n");
    fmt::print("{}", reportText(report, file));
    return 0;
}

}  // namespace

Action declareConvert(CLI::App& app) {
    const auto arguments = std::make_shared<ConvertArguments>();
    std::vector<std::string> layouts;
    for (const LayoutName& row : layoutNames)
        layouts.emplace_back(row.name);
    std::vector<std::string> types;
    std::vector<std::string> quantisations;
    for (const std::string_view name : targetNumberNames()) {
        const bool blocks = isQuantised(targetNumbers(name)->type.value()) && !name.starts_with("fp8");
        (blocks ? quantisations : types).emplace_back(name);
    }
    app.add_option("SOURCE", arguments->source,
                   "A file of weights (safetensors, GGUF, .pth), an index of shards, or a component's folder")
        ->required();
    app.add_option(
           "DESTINATION", arguments->destination,
           "A file (.safetensors or .gguf), or a folder for diffusers' weights with their config.json")
        ->required();
    app.add_option("--layout", arguments->layout,
                   "Names of the tensors: diffusers, original, or comfy (original behind "
                   "model.diffusion_model.); of GGUF original unless told otherwise")
        ->check(CLI::IsMember(layouts));
    auto* dtype = app.add_option("--dtype", arguments->numbers,
                                 "Number type; fp8 of the layers' matrices only. Without it: the source's")
                      ->check(CLI::IsMember(types));
    app.add_option("--quantise", arguments->numbers, "Blocks of GGUF, of the layers' matrices")
        ->check(CLI::IsMember(quantisations))
        ->excludes(dtype);
    return [arguments] { return convert(*arguments); };
}

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
    fmt::print(stderr, "\r{} of {}{}", formatBytes(done), formatBytes(bytes), done == bytes ? "\n" : "  ");
    std::fflush(stderr);
}

int make(const MakeArguments& arguments) {
    if (arguments.architecture == "list") {
        fmt::print("{}", architectureTable());
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
    fmt::print("{}: {} tensors, {} in {} file{}{}{}\n", arguments.folder, made.tensors,
               formatBytes(made.bytes), made.files, made.files == 1 ? "" : "s",
               order.sparse ? ", zeros that take no disk" : "",
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
