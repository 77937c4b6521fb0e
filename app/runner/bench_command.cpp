// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/render_commands.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/measure/benchmarks/benchmark_groups.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/gpu_benchmarks.h"
#include "engine/measure/benchmarks/roofline.h"

namespace meshreel {
namespace {

struct BenchArguments {
    std::string group = "all";
    std::string size = "832x480x17";
    std::string dtype = "bf16";
    int workers = availableCpus();
    bool json = false;
    std::string history;
    std::string roofline;
    std::string measured;
    BenchmarkOptions options;
    std::string gpus{GpuChoice::automaticName};
    VariantFilter variants;
    bool quick = false;
};

constexpr std::array arithmetics{Arithmetic::BF16, Arithmetic::F32, Arithmetic::Int8};

/// Reads "WIDTHxHEIGHTxFRAMES".
void readVideoSize(const std::string& size, BenchmarkOptions& options) {
    int used = 0;
    const int read =
        std::sscanf(size.c_str(), "%ldx%ldx%ld%n", &options.width, &options.height, &options.frames, &used);
    if (read != 3 || static_cast<std::size_t>(used) != size.size() || options.width < 1 ||
        options.height < 1 || options.frames < 1)
        throw Error(ErrorKind::Project, fmt::format("'{}' is no size of a video", size), "--size",
                    "Write WIDTHxHEIGHTxFRAMES: 832x480x17");
}

void printBenchmark(const BenchmarkRow& row) {
    fmt::print("{}\n", benchmarkLine(row));
    std::fflush(stdout);
}

/// Before anything is measured: that it can be drawn.
void requireDrawable(const std::string& file) {
    constexpr std::array extensions{".png", ".svg", ".pdf", ".csv", ".json"};
    const std::string extension = std::filesystem::path(file).extension().string();
    if (std::ranges::find(extensions, extension) == extensions.end())
        throw Error(ErrorKind::Project, sentence("A chart cannot be written as '{}'", extension), file,
                    sentence("Use .png, .svg, .pdf, .csv or .json"));
    requireRenderer();
}

[[noreturn]] void drawRoofline(const std::string& file, const Roofline& roofline) {
    becomeRenderer({"roofline", "-o", file}, rooflineJson(roofline));
}

/// Measured by a program of its own, as the runner links no Qt.
constexpr const char* studioGroup = "ui";

int benchStudio(const BenchArguments& arguments) {
    if (!arguments.roofline.empty())
        throw Error(ErrorKind::Project, "--roofline draws figures of the engine, not of the Studio",
                    studioGroup, "Leave it out: meshreel bench ui");
    std::vector<std::string> words;
    if (arguments.json)
        words.emplace_back("--json");
    if (!arguments.history.empty())
        words.insert(words.end(), {"--append", arguments.history});
    becomeSisterProgram({.name = "meshreel-bench-ui", .whatItIs = "The program that measures the Studio"},
                        std::move(words));
}

/// What a GPU does. Its rows are no part of "all": the CPU's peaks say nothing of them.
constexpr const char* gpuGroup = "gpu";

nlohmann::ordered_json measureGpu(const BenchArguments& arguments) {
    const Interrupt interrupt;
    const std::optional<ChosenGpu> chosen = gpuNamed(arguments.gpus);
    if (!chosen)
        throw Error(ErrorKind::Project, sentence("there is no real GPU to measure"), "--gpus",
                    sentence("meshreel devices lists those that there are; --gpus 0 measures the first, even "
                             "if it is a driver in software"));
    const std::shared_ptr<GpuWork> gpu = openGpu(*chosen);
    if (!arguments.variants.isEmpty())
        gpu->pipelines().tuning().restrict(arguments.variants);
    WorkerPool workers({.workers = arguments.workers});
    const Execution execution{workers, interrupt.token(), nullptr, gpu.get()};
    if (!arguments.json)
        fmt::print("{}: {}\n{}\n", chosen->facts.name, chosen->facts.driver, benchmarkHeader());
    GpuBenchmarkOptions options{.quick = arguments.quick, .rounds = arguments.options.rounds};
    options.layers = arguments.options.layers.value_or(options.layers);
    const std::vector<BenchmarkRow> rows = benchmarkGpu(
        execution, options, arguments.json ? std::function<void(const BenchmarkRow&)>() : printBenchmark);
    return gpuBenchmarkJson(rows, *chosen, execution);
}

/// Prints the rows as they are measured.
nlohmann::ordered_json measure(BenchArguments& arguments) {
    const Interrupt interrupt;
    BenchmarkOptions& options = arguments.options;
    readVideoSize(arguments.size, options);
    for (const Arithmetic arithmetic : arithmetics)
        if (nameOf(arithmetic) == arguments.dtype)
            options.arithmetic = arithmetic;
    WorkerPool workers({.workers = arguments.workers});
    const Execution execution{workers, interrupt.token()};
    if (!arguments.json)
        fmt::print("{}\n", benchmarkHeader());
    BenchmarkRun run(execution, options, arguments.json ? BenchmarkRun::OnRow() : printBenchmark);
    measureGroup(run, arguments.group);
    return benchmarkJson(run);
}

int bench(BenchArguments arguments) {
    if (arguments.group == studioGroup)
        return benchStudio(arguments);
    if (!arguments.roofline.empty())
        requireDrawable(arguments.roofline);
    if (!arguments.measured.empty())
        drawRoofline(arguments.roofline, readRoofline(expandTilde(arguments.measured)));
    const auto measured = arguments.group == gpuGroup ? measureGpu(arguments) : measure(arguments);
    if (arguments.json)
        fmt::print("{}\n", measured.dump(2));
    if (!arguments.history.empty())
        appendToHistory(expandTilde(arguments.history), measured);
    if (!arguments.roofline.empty())
        drawRoofline(arguments.roofline, rooflineOf(measured));
    return 0;
}

std::string groupTable() {
    std::string text = "Groups:\n";
    for (const BenchmarkGroup& group : benchmarkGroups())
        text += fmt::format("  {:<12} {}{}\n", group.name, group.help, group.inAll ? "" : " (not in all)");
    text += fmt::format("  {:<12} {} (not in all)\n", gpuGroup,
                        "a GPU: its peaks, linear layers, attention, the 1.3B transformer");
    text += fmt::format("  {:<12} {} (not in all)\n", studioGroup,
                        "the Studio: first paint, panning, long lists, stalls during a run");
    return text;
}

std::vector<std::string> groupNames() {
    std::vector<std::string> names{"all"};
    for (const BenchmarkGroup& group : benchmarkGroups())
        names.emplace_back(group.name);
    names.emplace_back(gpuGroup);
    names.emplace_back(studioGroup);
    return names;
}

}  // namespace

Action declareBench(CLI::App& app) {
    const auto arguments = std::make_shared<BenchArguments>();
    BenchmarkOptions& options = arguments->options;
    app.add_option("group", arguments->group, "What to measure beside this machine's limits")
        ->check(CLI::IsMember(groupNames()))
        ->capture_default_str();
    app.add_option("--arch", options.architecture, "The transformer of dit and mesh")->capture_default_str();
    app.add_option("--size", arguments->size, "The video, WIDTHxHEIGHTxFRAMES")->capture_default_str();
    std::vector<std::string> types;
    for (const Arithmetic arithmetic : arithmetics)
        types.emplace_back(nameOf(arithmetic));
    app.add_option("--dtype", arguments->dtype, "What is computed in")
        ->check(CLI::IsMember(types))
        ->capture_default_str();
    app.add_option("--layers", options.layers,
                   "Blocks of the transformer to run; all when not given (mesh: 2)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--attention", options.attention, "Attention mode of the transformer")
        ->capture_default_str();
    app.add_option("--tokens", options.tokens, "Rows of linear layers, keys of attention; each group's own")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    app.add_option("--rounds", options.rounds, "Measured passes of each row, behind one that is not")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--row-seconds", options.rowSeconds, "No new pass of a row begins after this long")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--peak-seconds", options.peakSeconds, "For each shape of a peak; 0: a small one, once")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--workers", arguments->workers, "Threads")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option("--gpus", arguments->gpus, "gpu: the number of the GPU in meshreel devices, or auto")
        ->type_name("N");
    app.add_option("--form", arguments->variants.form,
                   "gpu: compute in this form alone; of one that the GPU does not offer, nothing is measured")
        ->check(CLI::IsMember(EnumNames<MatrixForm>::names));
    std::vector<std::string> blocks = linearBlocks();
    for (const std::string& block : attentionBlocks())
        blocks.push_back(block);
    app.add_option("--block", arguments->variants.block,
                   "gpu: cut the work in this way alone; the others are measured without it")
        ->check(CLI::IsMember(blocks));
    app.add_flag("--quick", arguments->quick, "gpu: small sizes, for drivers in software");
    app.add_flag("--json", arguments->json, "Print one JSON object");
    app.add_option("--append", arguments->history, "Add this run to a history file, a JSON object a line")
        ->type_name("FILE");
    auto* roofline =
        app.add_option(
               "--roofline", arguments->roofline,
               "Draw the rows under the machine's limits into this file: .png, .svg, .pdf, .csv or .json")
            ->type_name("FILE");
    app.add_option(
           "--from", arguments->measured,
           "Measure nothing: draw what --json printed into this file, or the last commit of a history "
           "file")
        ->type_name("FILE")
        ->needs(roofline);
    app.footer(groupTable());
    return [arguments] { return bench(*arguments); };
}

}  // namespace meshreel
