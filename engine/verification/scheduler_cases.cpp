// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/scheduler_cases.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/sigma_schedules.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr const char* initialSample = "x0";
constexpr const char* cleanSample = "misc.x";
constexpr const char* addedNoise = "misc.noise";

/// What a name such as "unipc.shift5.n10.solver_order=3" asks for.
struct SchedulerRun {
    std::string name;
    std::string kind;  ///< a name of schedulerKinds()
    double shift = 1.0;
    std::optional<int> steps{};  ///< absent: the run's sigmas stand in custom.json
    json overrides = json::object();
};

/// Reads a Python literal as its `repr` writes it: True, None, numbers, lists, and bare words as texts.
json pythonLiteral(std::string text) {
    static const std::map<std::string, json> words{{"True", true}, {"False", false}, {"None", nullptr}};
    if (const auto found = words.find(text); found != words.end())
        return found->second;
    json value = json::parse(text, nullptr, false);
    return value.is_discarded() ? json(std::move(text)) : value;
}

/// Empty when the name is not of the form KIND.shiftX(.nN | .sigmas…)(.key=value)*.
std::optional<SchedulerRun> parseSchedulerRun(const std::string& name) {
    static const RegularExpression form(
        R"(([a-z0-9_]+)\.shift(\d{1,6}(?:\.\d{1,9})?)\.(?:n(\d{1,6})|sigmas\w*)((?:\.[a-z_0-9]+=.*)?))");
    static const RegularExpression override(R"(\.([a-z_0-9]+)=(.*?)(?=\.[a-z_0-9]+=|$))");
    const auto found = form.match(name);
    if (!found)
        return std::nullopt;
    const RegularExpression::Groups& groups = *found;
    SchedulerRun run{.name = name, .kind = groups[1], .shift = std::stod(groups[2])};
    if (!groups[3].empty())
        run.steps = std::stoi(groups[3]);
    std::string rest = groups[4];
    while (const auto next = override.search(rest)) {
        run.overrides[(*next)[1]] = pythonLiteral((*next)[2]);
        rest.erase(0, rest.find(next->front()) + next->front().size());
    }
    return run;
}

/// diffusers' UniPC takes the case's config; the others upstream's defaults. Both take the name's shift and
/// overrides.
json schedulerConfig(const SchedulerRun& run, const SchedulerKind& kind, const GoldenFiles& files) {
    json config = json::object();
    if (kind.className == files.className())
        config = files.json("config.json");
    config["_class_name"] = std::string(kind.className);
    config[config.contains("flow_shift") ? "flow_shift" : "shift"] = run.shift;
    config.update(run.overrides);
    return config;
}

void setTimesteps(Scheduler& scheduler, const SchedulerRun& run, const GoldenFiles& files) {
    if (run.steps) {
        scheduler.setTimesteps(*run.steps);
        return;
    }
    const json custom = files.json("custom.json");
    if (!custom.contains(run.name))
        throw Error(ErrorKind::Input, sentence("custom.json has no sigmas for \"{}\"", run.name),
                    files.folder().string());
    scheduler.setTimesteps(custom.at(run.name).get<std::vector<double>>());
}

/// The scheduler that a run's name asks for, its timesteps set; null when the name is not understood.
std::unique_ptr<Scheduler> schedulerOf(const std::string& name, const GoldenFiles& files) {
    const std::optional<SchedulerRun> run = parseSchedulerRun(name);
    const SchedulerKind* kind = run ? findSchedulerKind(run->kind) : nullptr;
    if (kind == nullptr)
        return nullptr;
    auto scheduler = makeScheduler(SchedulerConfig::fromJson(schedulerConfig(*run, *kind, files),
                                                             files.folder().string() + ", " + name));
    setTimesteps(*scheduler, *run, files);
    return scheduler;
}

/// The golden's stand-in for a model: 0.7 x + 0.4 sin(t / 100 + x) - 0.2, in f32.
Tensor standInModel(const Tensor& sample, double timestep) {
    Tensor output = Tensor::empty(sample.shape());
    const auto x = sample.data<float>();
    const auto y = output.data<float>();
    const auto phase = static_cast<float>(timestep / 100.0);
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = 0.7F * x[i] + 0.4F * std::sin(phase + x[i]) - 0.2F;
    return output;
}

/// [rows, elements of start]: the sample before each step and at the end; of every second step where a noise
/// level takes two.
Tensor trajectory(Scheduler& scheduler, const Tensor& start, int stepsOfRow = 1) {
    const std::int64_t width = start.elements();
    Tensor rows = Tensor::empty({(scheduler.steps() + stepsOfRow - 1) / stepsOfRow + 1, width});
    Tensor sample = start.clone();
    for (int step = 0;; ++step) {
        const bool ends = step == scheduler.steps();
        if (const std::int64_t row = ends ? rows.extent(0) - 1 : step / stepsOfRow;
            ends || step % stepsOfRow == 0)
            std::ranges::copy(std::as_const(sample).data<float>(),
                              rows.slice(row, row + 1).data<float>().begin());
        if (ends)
            return rows;
        const double timestep = scheduler.timesteps()[static_cast<std::size_t>(step)];
        sample = scheduler.step(standInModel(sample, timestep), sample);
    }
}

/// What a name such as "res_2s.beta57.shift8.n10" or "bong_tangent.n8" asks for. `linear` is the flow's even
/// spacing from 1.
std::unique_ptr<Scheduler> resSchedulerOf(const std::string& name) {
    static const RegularExpression form(
        R"((?:(res_2s|res_multistep)\.)?(linear|beta|beta57|bong_tangent)(?:\.shift(\d{1,6}))?\.n(\d{1,6}))");
    const auto found = form.match(name);
    if (!found)
        return nullptr;
    const RegularExpression::Groups& groups = *found;
    SchedulerConfig config;
    config.className = findSchedulerKind(groups[1].empty() ? "euler" : groups[1])->className;
    config.flowShift = groups[3].empty() ? 1.0 : std::stod(groups[3]);
    const int steps = std::stoi(groups[4]);
    if (const OwnSpacing* const own = findOwnSpacing(groups[2])) {
        config.spacing = own->spacing;
        auto scheduler = makeScheduler(config);
        scheduler->setTimesteps(steps);
        return scheduler;
    }
    std::vector<double> even;
    for (int step = 0; step < steps; ++step)
        even.push_back(1.0 - static_cast<double>(step) / steps);
    auto scheduler = makeScheduler(config);
    scheduler->setTimesteps(even);
    return scheduler;
}

/// "misc.KIND.add_noise.shiftX.nN.iI" (Euler randomCalls it scale_noise): the inputs misc.x and misc.noise
/// mixed as at step I. Returns false when the name has another form.
bool verifyAddedNoise(const std::string& output, const GoldenFiles& files, GoldenComparison& comparison) {
    static const RegularExpression form(R"(misc\.(\w+)\.(?:add|scale)_noise\.(shift.*)\.i(\d{1,6}))");
    const auto found = form.match(output);
    if (!found)
        return false;
    const RegularExpression::Groups& groups = *found;
    const auto scheduler = schedulerOf(groups[1] + "." + groups[2], files);
    if (scheduler == nullptr)
        return false;
    const SafetensorsFile& golden = comparison.golden();
    comparison.compare(output,
                       scheduler->addNoise(golden.get(cleanSample).toF32(), golden.get(addedNoise).toF32(),
                                           std::stoi(groups[3])),
                       {files.tolerance("trajectory"), 0.0});
    return true;
}

void verifyRun(const std::string& name, Scheduler& scheduler, const GoldenFiles& files,
               GoldenComparison& comparison) {
    comparison.compare(name + ".sigmas", vectorTensor(scheduler.sigmas()), {files.tolerance("sigmas"), 0.0});
    comparison.compare(name + ".timesteps", vectorTensor(scheduler.timesteps()),
                       {files.tolerance("timesteps"), 0.0});
    const Tensor start = comparison.golden().get(initialSample).toF32();
    comparison.compare(name + ".traj", trajectory(scheduler, start), {files.tolerance("trajectory"), 0.0});
}

/// A refused run fails its outputs and lets the others continue.
void reportErrors(const std::string& output, GoldenComparison& comparison,
                  const std::function<void()>& verify) {
    try {
        verify();
    } catch (const Error& error) {
        comparison.fail(output, error.what());
    }
}

bool isTrajectoryInput(const std::string& name) {
    return name == initialSample || name == cleanSample || name == addedNoise;
}

}  // namespace

void verifySchedulers(const Execution& /*execution*/, const GoldenFiles& files,
                      GoldenComparison& comparison) {
    files.requireClass("UniPCMultistepScheduler");
    comparison =
        GoldenComparison(files.tensors(), [](const std::string& name) { return !isTrajectoryInput(name); });

    std::set<std::string> runs;
    for (const std::string& output : comparison.outputs()) {
        // A name that is not understood leaves its outputs "not produced".
        reportErrors(output, comparison, [&] {
            if (!verifyAddedNoise(output, files, comparison))
                runs.insert(output.substr(0, output.rfind('.')));
        });
    }
    for (const std::string& name : runs)
        reportErrors(name, comparison, [&] {
            if (const auto scheduler = schedulerOf(name, files))
                verifyRun(name, *scheduler, files, comparison);
        });
}

void verifyResSamplers(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    constexpr int passesOfRes2s = 2;
    comparison =
        GoldenComparison(files.tensors(), [](const std::string& name) { return name != initialSample; });
    const Tensor start = comparison.golden().get(initialSample).toF32();
    for (const std::string& output : comparison.outputs())
        reportErrors(output, comparison, [&] {
            const std::size_t dot = output.rfind('.');
            const std::string what = output.substr(dot + 1);
            const auto scheduler = resSchedulerOf(output.substr(0, dot));
            if (scheduler == nullptr)
                return;
            if (what == "sigmas")
                comparison.compare(output, vectorTensor(scheduler->sigmas()),
                                   {files.tolerance("sigmas"), 0.0});
            if (what == "traj")
                comparison.compare(
                    output, trajectory(*scheduler, start, output.starts_with("res_2s") ? passesOfRes2s : 1),
                    {files.tolerance("trajectory"), 0.0});
        });
}

}  // namespace meshreel
