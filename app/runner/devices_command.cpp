// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "engine/base/record_json.h"
#include "engine/base/system.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace {

struct DevicesArguments {
    bool json = false;
    bool again = false;
    std::string ofDriver;
};

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

RecordJson devicesJson(const std::vector<GpuDriver>& drivers) {
    RecordJson json{{"cpu",
                     {{"name", cpuModelName()},
                      {"isa", isaName()},
                      {"memory_free", static_cast<double>(availableMemory())}}},
                    {"gpus", RecordJson::array()},
                    {"drivers", RecordJson::array()},
                    {"why_no_gpu", whyNoGpu(drivers).text()}};
    for (const GpuFacts& gpu : gpusOf(drivers)) {
        RecordJson entry{{"number", json["gpus"].size()}};
        putFields(entry, gpu);
        json["gpus"].push_back(entry);
    }
    for (const GpuDriver& driver : drivers)
        json["drivers"].push_back({{"manifest", driver.manifest.string()},
                                   {"state", enumName(driver.state)},
                                   {"devices", driver.gpus.size()},
                                   {"why", driver.why.text()}});
    return json;
}

void printGpu(std::size_t number, const GpuFacts& gpu) {
    fmt::print("\nGPU {}: {} ({})\n  driver  {}, Vulkan {}\n  memory  {:.1f} GiB{}\n", number, gpu.name,
               enumName(gpu.kind), gpu.driver, gpu.vulkan, gpu.memoryTotal / gib,
               gpu.memoryFree ? fmt::format(", {:.1f} GiB free", *gpu.memoryFree / gib) : "");
    for (const MatrixFormFacts& form : gpu.forms)
        fmt::print("  {} {}{}\n", form.taken ? "taken   " : "rejected", form.name,
                   form.why.empty() ? "" : ": " + form.why.text());
}

void printDevices(const std::vector<GpuDriver>& drivers) {
    fmt::print("CPU: {} ({})\n  memory  {:.1f} GiB free\n", cpuModelName(), isaName(),
               static_cast<double>(availableMemory()) / gib);
    const std::vector<GpuFacts> gpus = gpusOf(drivers);
    for (std::size_t number = 0; number < gpus.size(); ++number)
        printGpu(number, gpus[number]);
    if (const Sentence why = whyNoGpu(drivers); !why.empty())
        fmt::print("\nNo GPU can be used: {}.\n", why);
    fmt::print("\nRuns compute on the CPU. With gpus: N (or --gpus N) GPU N computes the transformer.\n");
    const char* title = "\nDrivers without a device:\n";
    for (const GpuDriver& driver : drivers) {
        if (!driver.gpus.empty())
            continue;
        fmt::print(
            "{}  {}: {}{}\n", title, driver.manifest.string(), driver.why,
            driver.state == DriverState::Skipped ? " (skipped; meshreel devices --again asks it)" : "");
        title = "";
    }
}

}  // namespace

Action declareDevices(CLI::App& app) {
    const auto arguments = std::make_shared<DevicesArguments>();
    app.add_flag("--json", arguments->json, "Print one JSON object");
    app.add_flag("--again", arguments->again, "Ask drivers, too, that failed before");
    // For the child process that asks one driver; not in --help.
    app.add_option("--of-driver", arguments->ofDriver)->group("");
    return [arguments] {
        if (!arguments->ofDriver.empty()) {
            fmt::print("{}\n", answerOfDriver(arguments->ofDriver));
            return 0;
        }
        DriverQuestion question = usualQuestion();
        question.again = arguments->again;
        std::vector<GpuDriver> drivers = askDrivers(question);
        for (GpuDriver& driver : drivers)
            for (GpuFacts& gpu : driver.gpus)
                tellMeasuredForms(GpuTuning(usualTuningFile(), gpu.id), gpu);
        if (arguments->json)
            fmt::print("{}\n", devicesJson(drivers).dump());
        else
            printDevices(drivers);
        return 0;
    };
}

}  // namespace meshreel
