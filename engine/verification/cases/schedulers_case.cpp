// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "engine/base/error.h"
#include "engine/sampling/schedulers/scheduler.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr const char* initialSample = "x0";

/// What a name such as "unipc.shift5.n10.solver_order=3" asks for.
struct SchedulerRun {
    std::string name;
    std::string kind;  ///< a name of schedulerKinds()
    double shift = 1.0;
    std::optional<int> steps{};  ///< absent: the run's sigmas stand in custom.json
    json overrides = json::object();
};

constexpr const char* cleanSample = "misc.x";
constexpr const char* addedNoise = "misc.noise";

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
    static const std::regex form(
        R"(([a-z0-9_]+)\.shift(\d{1,6}(?:\.\d{1,9})?)\.(?:n(\d{1,6})|sigmas\w*)((?:\.[a-z_0-9]+=.*)?))");
    static const std::regex override(R"(\.([a-z_0-9]+)=(.*?)(?=\.[a-z_0-9]+=|$))");
    std::smatch match;
    if (!std::regex_match(name, match, form))
        return std::nullopt;
    SchedulerRun run{.name = name, .kind = match[1], .shift = std::stod(match[2])};
    if (match[3].matched)
        run.steps = std::stoi(match[3]);
    const std::string rest = match[4];
    for (auto it = std::sregex_iterator(rest.begin(), rest.end(), override); it != std::sregex_iterator();
         ++it)
        run.overrides[(*it)[1].str()] = pythonLiteral((*it)[2]);
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

Tensor trajectory(Scheduler& scheduler, const Tensor& start) {
    const std::int64_t width = start.elements();
    Tensor rows = Tensor::empty({scheduler.steps() + 1, width});
    Tensor sample = start.clone();
    for (std::int64_t row = 0;; ++row) {
        std::ranges::copy(std::as_const(sample).data<float>(),
                          rows.slice(row, row + 1).data<float>().begin());
        if (row == scheduler.steps())
            return rows;
        const double timestep = scheduler.timesteps()[static_cast<std::size_t>(row)];
        sample = scheduler.step(standInModel(sample, timestep), sample);
    }
}

/// "misc.KIND.add_noise.shiftX.nN.iI" (Euler calls it scale_noise): the inputs misc.x and misc.noise mixed as
/// at step I. False when the name is of another form.
bool verifyAddedNoise(const std::string& output, const GoldenFiles& files, GoldenComparison& comparison) {
    static const std::regex form(R"(misc\.(\w+)\.(?:add|scale)_noise\.(shift.*)\.i(\d{1,6}))");
    std::smatch match;
    if (!std::regex_match(output, match, form))
        return false;
    const auto scheduler = schedulerOf(match[1].str() + "." + match[2].str(), files);
    if (scheduler == nullptr)
        return false;
    const SafetensorsFile& golden = comparison.golden();
    comparison.compare(output,
                       scheduler->addNoise(golden.get(cleanSample).toF32(), golden.get(addedNoise).toF32(),
                                           std::stoi(match[3])),
                       {files.tolerance("trajectory"), 0.0});
    return true;
}

template <typename T>
Tensor vectorOf(std::span<const T> values) {
    return Tensor::from({static_cast<std::int64_t>(values.size())},
                        std::vector<T>(values.begin(), values.end()));
}

void verifyRun(const std::string& name, Scheduler& scheduler, const GoldenFiles& files,
               GoldenComparison& comparison) {
    comparison.compare(name + ".sigmas", vectorOf(scheduler.sigmas()), {files.tolerance("sigmas"), 0.0});
    comparison.compare(name + ".timesteps", vectorOf(scheduler.timesteps()),
                       {files.tolerance("timesteps"), 0.0});
    const Tensor start = comparison.golden().get(initialSample).toF32();
    comparison.compare(name + ".traj", trajectory(scheduler, start), {files.tolerance("trajectory"), 0.0});
}

/// A run that is refused fails its outputs and lets the others go on.
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

}  // namespace meshreel
