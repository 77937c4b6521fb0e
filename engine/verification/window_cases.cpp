// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/window_cases.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "engine/sampling/context_windows.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

using nlohmann::json;

// What ComfyUI has and Meshreel does not: windows that share nothing, and a running mean.
constexpr std::string_view batchedSchedule = "batched";
constexpr std::string_view relativeFuse = "relative";

/// ComfyUI's name of a way of fusing as the project key has it.
std::string_view fuseName(std::string_view upstream) {
    return upstream == "overlap-linear" ? "linear" : upstream;
}

ContextWindows windowsOf(const json& given) {
    return {.frames = given.at("frames").get<std::int64_t>(),
            .length = given.at("length").get<std::int64_t>(),
            .overlap = given.at("overlap").get<std::int64_t>()};
}

void add(const std::string& output, bool passed, GoldenComparison& comparison) {
    comparison.add({.output = output, .passed = passed, .note = passed ? "" : "another list"});
}

void verifyLists(const json& lists, GoldenComparison& comparison) {
    for (const json& given : lists) {
        const auto schedule = given.at("schedule").get<std::string>();
        if (schedule == batchedSchedule)
            continue;
        ContextWindows windows = windowsOf(given);
        const WindowScheduleRow* row = findWindowSchedule(schedule);
        const auto step = given.at("step").get<int>();
        const bool closed = given.at("closed_loop").get<bool>();
        windows.levels = given.at("stride").get<int>();
        bool same = false;
        if (row != nullptr) {
            windows.schedule = row->schedule;
            same = listWindows(windows, step, closed) == given.at("windows").get<std::vector<WindowFrames>>();
        }
        add(fmt::format("{}{}, {} of {} by {}, stride {}, step {}", schedule, closed ? " closed" : "",
                        windows.length, windows.frames, windows.overlap, windows.levels, step),
            same, comparison);
    }
}

void verifyFused(const json& given, GoldenTolerance tolerance, GoldenComparison& comparison) {
    const auto name = given.at("name").get<std::string>();
    const WindowFuseRow* fuse = findWindowFuse(fuseName(given.at("method").get<std::string>()));
    const WindowScheduleRow* schedule = findWindowSchedule(given.at("schedule").get<std::string>());
    if (fuse == nullptr || schedule == nullptr)
        return;
    ContextWindows windows = windowsOf(given);
    windows.fuse = fuse->fuse;
    windows.schedule = schedule->schedule;
    const auto list = given.at("windows").get<std::vector<WindowFrames>>();
    const auto shares = windowShares(windows, list);
    Tensor fused = Tensor::zeros(comparison.golden().get(name + ".out").shape());
    for (std::size_t index = 0; index < list.size(); ++index) {
        const std::vector<double> weights = windowWeights(windows, list[index]);
        comparison.compare(
            fmt::format("{}.window{}.weights", name, index),
            Tensor::from({std::ssize(weights)}, std::vector<float>(weights.begin(), weights.end())),
            tolerance);
        addWindow(fused, comparison.golden().get(fmt::format("{}.in.window{}", name, index)), list[index],
                  shares[index]);
    }
    comparison.compare(name + ".out", fused, tolerance);
}

}  // namespace

void verifyContextWindows(const Execution& /*execution*/, const GoldenFiles& files,
                          GoldenComparison& comparison) {
    files.requireClass("IndexListContextHandler");
    comparison = GoldenComparison(files.tensors(), [](const std::string& name) {
        return name.find(".in.") == std::string::npos && !name.starts_with(relativeFuse);
    });
    const auto listIn = [&](std::string_view name) { return json::parse(readFile(files.place(name))); };
    verifyLists(listIn("windows.json"), comparison);
    for (const json& given : listIn("fuse.json"))
        verifyFused(given, files.outputTolerance(), comparison);
    for (const json& given : listIn("freenoise.json")) {
        const auto seed = given.at("seed").get<std::uint64_t>();
        add(fmt::format("FreeNoise of {} frames, seed {}", given.at("frames").get<std::int64_t>(), seed),
            freeNoiseOrder(windowsOf(given), seed) == given.at("order").get<WindowFrames>(), comparison);
    }
}

}  // namespace meshreel
