// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kernels/matmul.h"
#include "engine/verification/mesh_benchmark.h"

namespace meshreel {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t spatialFactor = 8;
constexpr std::int64_t temporalFactor = 4;

struct BenchArguments {
    std::string group = "mesh";
    std::string architecture = "wan2.1-t2v-1.3b";
    std::string size = "832x480x17";
    int layers = 2;
    int rounds = 3;
    bool json = false;
};

/// Latents of "WIDTHxHEIGHTxFRAMES".
Shape latentsOf(const std::string& size, std::int64_t channels) {
    std::array<std::int64_t, 3> extents{};
    int used = 0;
    const int read =
        std::sscanf(size.c_str(), "%ldx%ldx%ld%n", extents.data(), &extents[1], &extents[2], &used);
    constexpr std::int64_t pixelStep = 2 * spatialFactor;
    const bool legal = read == std::ssize(extents) && static_cast<std::size_t>(used) == size.size() &&
                       extents[0] > 0 && extents[1] > 0 && extents[2] > 0 && extents[0] % pixelStep == 0 &&
                       extents[1] % pixelStep == 0 && (extents[2] - 1) % temporalFactor == 0;
    if (!legal)
        throw Error(ErrorKind::Project, fmt::format("'{}' is no size of a video", size), "--size",
                    "Write WIDTHxHEIGHTxFRAMES with sides that 16 divides and 4n + 1 frames: 832x480x17");
    return {1, channels, (extents[2] - 1) / temporalFactor + 1, extents[1] / spatialFactor,
            extents[0] / spatialFactor};
}

Json machineJson() {
    return {{"cpu", cpuModelName()},     {"isa", isaName()},           {"cpus", availableCpus()},
            {"matmul", matmulLibrary()}, {"version", versionNumber()}, {"commit", versionCommit()}};
}

Json rowsJson(const std::vector<MeshTiming>& timings) {
    Json rows = Json::array();
    for (const MeshTiming& timing : timings)
        rows.push_back({{"name", "mesh." + timing.setup.name},
                        {"value", timing.seconds},
                        {"unit", "s"},
                        {"ratio", timings.front().seconds / timing.seconds},
                        {"of", "mesh." + timings.front().setup.name},
                        {"fastest", timing.fastest},
                        {"slowest", timing.slowest},
                        {"bytes_moved", timing.bytesMoved}});
    return rows;
}

void printTable(const BenchArguments& arguments, const std::vector<MeshTiming>& timings) {
    fmt::print(
        "{} of {} layers, {}, f32: seconds of one forward pass (median of {}), speed against one device\n\n",
        arguments.architecture, arguments.layers, arguments.size, arguments.rounds);
    fmt::print("{:<30} {:>8} {:>8} {:>9} {:>7} {:>12}\n", "mode, devices", "workers", "seconds", "spread",
               "speed", "MiB moved");
    constexpr double mebibyte = 1 << 20;
    for (const MeshTiming& timing : timings)
        fmt::print("{:<30} {:>8} {:>8.2f} {:>8.1f}% {:>7.3f} {:>12.1f}\n", timing.setup.name,
                   timing.setup.workersPerDevice, timing.seconds,
                   100 * (timing.slowest - timing.fastest) / timing.seconds,
                   timings.front().seconds / timing.seconds,
                   static_cast<double>(timing.bytesMoved) / mebibyte);
}

int bench(const BenchArguments& arguments) {
    const Interrupt interrupt;
    MeshBenchmark benchmark;
    benchmark.config = wanArchitecture(arguments.architecture);
    benchmark.config.layers = arguments.layers;
    benchmark.latents = latentsOf(arguments.size, benchmark.config.inChannels);
    benchmark.rounds = arguments.rounds;
    const std::vector<MeshSetup> setups =
        standardMeshSetups(benchmark.config.heads, benchmark.config.headDim, availableCpus());
    const std::vector<MeshTiming> timings =
        benchmarkMesh(benchmark, setups, interrupt.token(), [](int done, int total) {
            fmt::print(stderr, "\rpass {} of {}{}", done, total, done == total ? "\n" : "");
            std::fflush(stderr);
        });
    if (arguments.json)
        fmt::print("{}\n", Json{{"machine", machineJson()}, {"rows", rowsJson(timings)}}.dump(2));
    else
        printTable(arguments, timings);
    return 0;
}

}  // namespace

Action declareBench(CLI::App& app) {
    const auto arguments = std::make_shared<BenchArguments>();
    app.add_option("group", arguments->group, "What to measure")->check(CLI::IsMember({"mesh"}));
    app.add_option("--arch", arguments->architecture, "The transformer")->capture_default_str();
    app.add_option("--size", arguments->size, "The video, WIDTHxHEIGHTxFRAMES")->capture_default_str();
    app.add_option("--layers", arguments->layers, "Blocks of the transformer to run")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--rounds", arguments->rounds, "Measured passes of each setup")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag("--json", arguments->json, "Print one JSON object");
    return [arguments] { return bench(*arguments); };
}

}  // namespace meshreel
