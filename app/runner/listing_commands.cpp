// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_settings.h"
#include "engine/attention/attention_volume.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/paths.h"
#include "engine/base/record.h"
#include "engine/base/record_json.h"
#include "engine/base/system.h"
#include "engine/base/units.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/work.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/unopened_gpus.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/first_use.h"
#include "engine/kernels/kernel_operations.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/kernels/measured_forms.h"
#include "engine/launch/host_check.h"
#include "engine/project/block_presets.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/presets.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace meshreel {

namespace {

using nlohmann::ordered_json;

/// A candidate, and whether it computes here.
struct JudgedKernel {
    KernelCandidate candidate;
    bool taken = false;
    std::string why;  // it was not taken
};

std::vector<JudgedKernel> judgeKernels(const KernelOperation& operation) {
    std::vector<JudgedKernel> result;
    bool taken = false;
    for (const KernelCandidate& candidate : operation.candidates) {
        const std::string why = whyRejected(candidate);
        const bool takes = why.empty() && !taken;
        result.push_back({.candidate = candidate,
                          .taken = takes,
                          .why = why.empty() && taken ? "one before it was taken" : why});
        taken = taken || takes;
    }
    return result;
}

std::vector<std::string> offeredNames() {
    std::vector<std::string> names;
    for (const IsaLevel level : offeredIsaLevels())
        names.emplace_back(nameOf(level));
    return names;
}

LibraryRemarks allRemarks() {
    return libraryRemarks({Arithmetic::F32, Arithmetic::BF16, Arithmetic::Int8});
}

ordered_json isaJson() {
    const LibraryRemarks remarks = allRemarks();
    ordered_json json{{"cpu", cpuModelName()},
                      {"isa", isaName()},
                      {"offered", offeredNames()},
                      {"blas", matmulLibrary()},
                      {"blas_core", matmulCore()},
                      {"notes", toTexts(remarks.notes)},
                      {"refusals", toTexts(remarks.refusals)},
                      {"operations", ordered_json::array()}};
    for (const KernelOperation& operation : kernelOperations()) {
        ordered_json candidates = ordered_json::array();
        for (const JudgedKernel& judged : judgeKernels(operation))
            candidates.push_back({{"name", judged.candidate.name},
                                  {"taken", judged.taken},
                                  {"why", judged.why},
                                  {"limits", judged.candidate.limits}});
        json["operations"].push_back({{"name", operation.name}, {"candidates", candidates}});
    }
    return json;
}

void printIsa() {
    std::string offered;
    for (const std::string& name : offeredNames())
        offered += (offered.empty() ? "" : ", ") + name;
    say("{}\nuses {}, offers {}; {}\n", cpuModelName(), isaName(), offered, matmulLibrary());
    const LibraryRemarks remarks = allRemarks();
    for (const Sentence& note : remarks.notes)
        say("{}\n", note);
    for (const Sentence& refusal : remarks.refusals)
        say("{}\n", refusal);
    for (const KernelOperation& operation : kernelOperations()) {
        say("\n{}\n", operation.name);
        for (const JudgedKernel& judged : judgeKernels(operation))
            say("  {} {}{}{}\n", judged.taken ? "taken   " : "rejected", judged.candidate.name,
                judged.why.empty() ? "" : ": " + judged.why,
                judged.candidate.limits.empty() ? "" : fmt::format(" ({})", judged.candidate.limits));
    }
}

}  // namespace

Action declareIsa(CLI::App& app) {
    const auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "Print one JSON object");
    return [json] {
        if (*json)
            say("{}\n", isaJson().dump());
        else
            printIsa();
        return 0;
    };
}

namespace {

constexpr int labelWidth = 17;

void printLine(std::string_view label, std::string_view text) {
    say("  {:<{}} {}\n", label, labelWidth, text);
}

void printCollectives(const AttentionMode& mode) {
    std::string_view label = "moves";
    for (const AttentionCollective& collective : attentionCollectives(mode)) {
        printLine(label, fmt::format("{}: {}{}", collective.name, collective.formula,
                                     collective.chunked ? ", in chunks" : ""));
        label = "then";
    }
}

void printMode(const AttentionMode& mode) {
    say("\n{}{}\n", mode.name, mode.runs() ? "" : " (does not run here)");
    printLine("", mode.help);
    if (!mode.runs()) {
        printLine("instead", mode.instead);
        return;
    }
    printLine("sharded", attentionSharding(mode));
    printCollectives(mode);
    printLine("when", mode.when);
    printLine("limits", mode.limits);
    if (!mode.longCrossAttention.empty())
        printLine("cross-attention", fmt::format("{}; {} where the text is longer than the video",
                                                 mode.crossAttention, mode.longCrossAttention));
    else if (mode.crossAttention != mode.name)
        printLine("cross-attention", mode.crossAttention);
}

/// Names of the modes that run with these sizes as they were found.
std::string modesFor(const BlockPreset& preset) {
    std::string names;
    for (const AttentionMode& mode : attentionModes())
        if (preset.suits(mode))
            names += fmt::format("{}{}", names.empty() ? "" : ", ", mode.name);
    return names;
}

void printPreset(const BlockPreset& preset) {
    say("\n{}\n", preset.name);
    if (preset.sizes == FlashBlockSizes{}) {
        printLine("sizes", "all 0: what suits the caches of a core is taken");
    } else {
        std::string words;
        for (const BlockSizeRow& row : blockSizeRows())
            if (const std::int64_t size = preset.sizes.*row.member; size != FlashBlockSizes().*row.member)
                words += fmt::format("{}{} {}", words.empty() ? "" : ", ", row.name(), size);
        printLine("sizes", words);
        printLine("published", preset.source);
        printLine("modes", modesFor(preset));
    }
}

}  // namespace

Action declareModes(CLI::App&) {
    return [] {
        say("Attention modes, and the bytes that each moves to one device per attention when shards are "
            "even. C: devices of the\ncontext axis, U: ulysses_shards (C for ulysses), R = C/U; q, k: bytes "
            "of one device's queries, keys. One device moves\nnothing. Cross-attention keys (the text) are "
            "on every device and are not moved.\n");
        for (const AttentionMode& mode : attentionModes())
            printMode(mode);
        say("\nBlock sizes to start from, in flash_block_sizes. Sizes of accelerators rarely suit a CPU's "
            "caches: `meshreel tune` finds\nwhat does.\n");
        for (const BlockPreset& preset : blockPresets())
            printPreset(preset);
        return 0;
    };
}

namespace {

void printKey(const ProjectKey& key) {
    say("{} ({}{}{}), default {}\n    {}\n", key.name, typeName(key), key.unit.empty() ? "" : ", ", key.unit,
        defaultText(key).empty() ? "empty" : defaultText(key), key.help);
    if (const Sentence legal = legalValuesText(key); !legal.empty())
        say("    Legal: {}\n", legal);
    if (!key.inactive.empty())
        say("    {}\n", key.inactive);
}

void printChoices(const ProjectKey& key) {
    if (key.choices == nullptr)
        return;
    for (const Choice& choice : key.choices())
        say("    {}: {}\n", choice.name, choice.help);
}

void printPresets() {
    for (const SamplingPreset& preset : samplingPresets()) {
        if (preset.values.empty())
            continue;
        say("    {} sets:\n", preset.name);
        for (const PresetValue& value : preset.values)
            say("        {}: {}\n", value.key, value.value);
    }
}

}  // namespace

Action declareKeys(CLI::App& app) {
    const auto wanted = std::make_shared<std::string>();
    app.add_option("KEY", *wanted, "Only this key");
    return [wanted] {
        if (!wanted->empty()) {
            const ProjectKey* key = findProjectKey(*wanted);
            if (!key)
                throw Error(ErrorKind::Project, "there is no key of this name", *wanted,
                            "meshreel keys lists them all");
            printKey(*key);
            printChoices(*key);
            if (key == findProjectKey("preset"))
                printPresets();
            return 0;
        }
        std::string_view section;
        for (const ProjectKey& key : projectKeys()) {
            if (key.section != section)
                say("{}[{}]\n", section.empty() ? "" : "\n", key.section);
            section = key.section;
            printKey(key);
        }
        return 0;
    };
}

namespace {

struct DevicesArguments {
    bool json = false;
    bool again = false;
    std::string ofDriver;
    std::string ofUnopenedDriver;
    std::vector<std::string> tryKernel;  // a GPU's id, kernel, form, block
    bool ofHost = false;
};

/// A project up to the line that ends its document.
Project readGivenProject() {
    std::string text;
    for (std::string line; std::getline(std::cin, line) && line != "...";)
        text += line + "\n";
    return parseProject(text, "standard input").project;
}

std::optional<MachineRates> gpuRatesOf(const GpuFacts& gpu) {
    const MachineIdentity machine = MachineIdentity::ofGpu(gpu);
    return readRates(ratesFile(machine), machine);
}

RecordJson devicesJson(const std::vector<GpuDriver>& drivers) {
    RecordJson json{{"cpu",
                     {{"name", cpuModelName()},
                      {"isa", isaName()},
                      {"memory_free", static_cast<double>(availableMemory())}}},
                    {"gpus", RecordJson::array()},
                    {"drivers", RecordJson::array()},
                    {"why_no_gpu", whyNoGpu(drivers).text()}};
    for (const GpuFacts& gpu : listGpus(drivers)) {
        RecordJson entry{{"number", json["gpus"].size()}};
        putFields(entry, gpu);
        entry["rates"] = nullptr;
        if (const std::optional<MachineRates> rates = gpuRatesOf(gpu)) {
            entry["rates"] = ratesJson(*rates);
            entry["rates"].erase("samples");
        }
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
    say("\nGPU {}: {} ({})\n  driver  {}, Vulkan {}\n  memory  {:.1f} GiB{}\n", number, gpu.name,
        enumName(gpu.kind), gpu.driver, gpu.vulkan, gpu.memoryTotal / gibibyte,
        gpu.memoryFree ? fmt::format(", {:.1f} GiB free", *gpu.memoryFree / gibibyte) : "");
    if (!gpu.launches.empty())
        say("  PTX     launched by {}\n", gpu.launches);
    for (const MatrixFormFacts& form : gpu.forms)
        say("  {} {}{}{}\n", form.taken ? "taken   " : "rejected", form.name,
            form.taken && form.rate ? fmt::format(", {:.3g} {}", *form.rate / tera,
                                                  form.isOfInt8() ? "TOP/s in int8" : "TFLOP/s in bf16")
                                    : "",
            form.why.empty() ? "" : ": " + form.why.text());
    const std::optional<MachineRates> rates = gpuRatesOf(gpu);
    if (!rates) {
        say("  rates   not measured; meshreel rates --gpus {} measures them\n", number);
        return;
    }
    say("  rates   measured {}{}\n", rates->measured, rates->areOfThisBuild() ? "" : " by another build");
    for (const WorkClassRow& row : workClassRows())
        if (row.processor == Processor::Gpu && rates->secondsPerUnit[static_cast<std::size_t>(row.kind)] > 0)
            say("    {:<22}{:>20}\n", row.name, rateText(row, *rates));
}

void printDevices(const std::vector<GpuDriver>& drivers) {
    say("CPU: {} ({})\n  memory  {:.1f} GiB free\n", cpuModelName(), isaName(),
        static_cast<double>(availableMemory()) / gibibyte);
    const std::vector<GpuFacts> gpus = listGpus(drivers);
    for (std::size_t number = 0; number < gpus.size(); ++number)
        printGpu(number, gpus[number]);
    if (const Sentence why = whyNoGpu(drivers); !why.empty())
        say("\nNo GPU can be used: {}.\n", why);
    say("\nRuns compute on the CPU. With gpus: N (or --gpus N) GPU N computes transformer, VAE and "
        "encoders.\n");
    const char* title = "\nDrivers without a device:\n";
    for (const GpuDriver& driver : drivers) {
        if (!driver.gpus.empty())
            continue;
        say("{}  {}: {}{}\n", title, driver.manifest.string(), driver.why,
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
    app.add_option("--of-unopened-driver", arguments->ofUnopenedDriver)->group("");
    // For the child process that uses a kernel of PTX first; not in --help.
    app.add_option("--try-kernel", arguments->tryKernel)->expected(4)->group("");
    // For --check-hosts of a run, with its project on standard input; not in --help.
    app.add_flag("--of-host", arguments->ofHost)->group("");
    return [arguments] {
        if (arguments->ofHost) {
            say("{}\n", hostFactsLine(thisHostFacts(readGivenProject())));
            return 0;
        }
        if (!arguments->ofDriver.empty()) {
            say("{}\n", answerOfDriver(arguments->ofDriver));
            return 0;
        }
        if (!arguments->ofUnopenedDriver.empty()) {
            say("{}\n", answerOfUnopenedDriver(arguments->ofUnopenedDriver));
            return 0;
        }
        if (!arguments->tryKernel.empty()) {
            const std::vector<std::string>& asked = arguments->tryKernel;
            say("{}\n",
                answerOfFirstUse(asked[0], {.kernel = asked[1], .form = asked[2], .block = asked[3]}));
            return 0;
        }
        const std::vector<GpuDriver> drivers = askMeasuredDrivers(arguments->again);
        if (arguments->json)
            say("{}\n", devicesJson(drivers).dump());
        else
            printDevices(drivers);
        return 0;
    };
}

}  // namespace meshreel
