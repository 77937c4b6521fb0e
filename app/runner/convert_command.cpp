// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/terminal.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/models/families/inferred_config.h"
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
        say(stderr, "\r{} of {} written{}", formatBytes(done), formatBytes(total),
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
    say("{}", reportText(report, file));
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

}  // namespace meshreel
