// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/listed_problem.h"
#include "engine/base/paths.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/estimates/prediction.h"
#include "engine/foresight/accelerator_case.h"
#include "engine/foresight/foresight_check.h"
#include "engine/foresight/foresight_model.h"
#include "engine/foresight/foresight_text.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/foresight/mesh_foresight.h"
#include "engine/foresight/own_times.h"
#include "engine/foresight/published_times.h"
#include "engine/planning/forecast.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/plan_json.h"
#include "engine/planning/plan_text.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_trust.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_record_reader.h"

namespace meshreel {

namespace {

namespace fs = std::filesystem;

/// What a run does with its inputs.
std::vector<Problem> inputNotes(const ProjectForecast& forecast) {
    std::vector<Problem> notes;
    std::ranges::copy_if(forecast.notes, std::back_inserter(notes),
                         [](const Problem& note) { return note.id == ProblemId("input-sampled"); });
    return notes;
}

nlohmann::ordered_json inputsJson(const std::vector<Problem>& inputs) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Problem& input : inputs)
        list.push_back({{"key", input.key}, {"note", input.message.text()}});
    return list;
}

/// Why there is no prediction.
std::string unknownTime(const std::optional<MissingRates>& missing) {
    if (!missing)
        return "Time:         not known for several processes, whose network is not measured\n";
    if (!missing->why.empty())
        return fmt::format("Time:         not known: {}; meshreel rates --gpus {} --measure measures all\n",
                           missing->why, missing->gpus.front().number);
    if (!missing->gpus.empty())
        return fmt::format("Time:         not known before meshreel rates --gpus {} has measured {}\n",
                           missing->gpus.front().number, missing->gpus.front().facts.name);
    return "Time:         not known before meshreel rates has measured this machine\n";
}

/// Prints the list on stderr. With `json` it goes to stdout, and to both where it keeps the project from
/// being planned; otherwise it is part of the plan's object.
void printList(const std::vector<ListedProblem>& problems, bool isRefused, bool json) {
    if (!json || isRefused)
        printProblems(problems);
    if (json && isRefused)
        say("{}\n", nlohmann::ordered_json{{"problems", problemsJson(problems)}}.dump(
                        2, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// What the plan is made with that is not of this machine, or not measured with it.
std::vector<Sentence> planNotes(const ExaminedProject& examined, const PredictionBasis& basis) {
    const ProjectForecast& forecast = examined.forecast;
    const Project& project = examined.loaded.project;
    std::vector<Sentence> notes;
    if (forecast.plan->modelFolder.empty()) {
        const bool hasAdapters = !project.lora.empty() || wantsDistilledAdapter(project);
        notes.push_back(sentence("planned by the shapes that were published{}",
                                 hasAdapters ? ", without its adapters" : ""));
    }
    if (const auto remark = foreignRatesRemark(*forecast.plan, basis); forecast.prediction && remark)
        notes.push_back(
            !forecast.plan->placement.hasGpus()
                ? sentence("{}. meshreel rates --measure measures it again", *remark)
                : sentence("{}. meshreel rates --measure measures it again, and with --gpus {} its GPU",
                           *remark, forecast.plan->placement.gpus.front().number));
    return notes;
}

void printPlan(const ExaminedProject& examined, const PredictionBasis& basis,
               const std::optional<TargetOutlook>& outlook, bool json) {
    const ProjectForecast& forecast = examined.forecast;
    const RunPlan& plan = *forecast.plan;
    const Prediction* const prediction = outlook ? nullptr : forecast.prediction.get();
    const std::vector<Sentence> notes = planNotes(examined, basis);
    const std::vector<Problem> inputs = inputNotes(forecast);
    if (json) {
        nlohmann::ordered_json object = planJson(plan, notes);
        object["problems"] = problemsJson(examined.listed);
        object["inputs"] = inputsJson(inputs);
        object["prompt_parts"] = promptPartsJson(forecast.promptParts);
        object["prediction"] =
            prediction != nullptr ? predictionJson(*prediction) : nlohmann::ordered_json(nullptr);
        if (outlook)
            object["foresight"] = outlookJson(*outlook);
        say("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        return;
    }
    for (const Problem& input : inputs)
        say("{:<14}{}. {}\n", "Input:", input.message, input.hint());
    for (const Problem& note : forecast.notes)
        if (note.id == ProblemId("wildcards-drawn"))
            say("{:<14}{}\n", "Words:", note.message);
    say("{}", describePromptParts(forecast.promptParts));
    say("{}{}", describePlan(plan, notes),
        outlook                 ? describeOutlook(*outlook)
        : prediction != nullptr ? describePrediction(*prediction)
                                : unknownTime(missingRates(plan, basis)));
}

void printMeshes(const std::vector<LegalMesh>& meshes, bool json) {
    if (json)
        say("{}\n", meshesJson(meshes).dump(2));
    else
        say("{}", describeMeshes(meshes));
}

}  // namespace

Action declarePlan(CLI::App& app) {
    struct Arguments {
        ProjectArguments project;
        int workers = 0;
        TargetArguments target;
        bool meshes = false;
        bool json = false;
    };
    const auto arguments = std::make_shared<Arguments>();
    addProjectArguments(app, arguments->project, ProjectRequired::Yes);
    app.add_option("--workers", arguments->workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    addTargetHardware(app, arguments->target);
    app.add_flag("--meshes", arguments->meshes,
                 "List the legal meshes of as many devices instead, the best first");
    app.add_flag("--json", arguments->json, "Print one JSON object");
    return [arguments] {
        std::shared_ptr<const TargetHardware> target;
        if (arguments->target.given())
            target = std::make_shared<const TargetHardware>(
                readTargetHardware(arguments->target.hardware, arguments->target.program));
        const auto basis = std::make_shared<const PredictionBasis>(readPredictionBasis(runsFolder()));
        const ExaminedProject examined =
            loadExamined(arguments->project,
                         {.basis = basis,
                          .target = target,
                          .workers = arguments->workers,
                          .oversubscribe = arguments->project.overrides.oversubscribe,
                          .runsFolder = runsFolder()},
                         ModelNeed::Shapes,
                         [json = arguments->json](const std::vector<ListedProblem>& found, bool isRefused) {
                             printList(found, isRefused, json);
                         });
        const RunPlan& plan = *examined.forecast.plan;
        if (arguments->meshes)
            printMeshes(
                target != nullptr ? rankedMeshesOn(*target, plan) : rankedMeshes(plan, {}, basis.get()),
                arguments->json);
        else
            printPlan(examined, *basis,
                      target != nullptr ? std::optional(foreseePlan(plan, *target)) : std::nullopt,
                      arguments->json);
        return 0;
    };
}

namespace {

enum class Form { Text, Json, Markdown, Csv };

struct ForeseeArguments {
    ProjectArguments project;
    std::string hardware;
    std::vector<int> devices;
    std::string program;
    double price = 0;
    std::string explain;
    bool scaling = false;
    std::string check;
    bool leaveSourceOut = false;
    std::vector<std::string> fit;
    std::string out;
    bool json = false;
    bool markdown = false;
    bool csv = false;

    [[nodiscard]] Form form() const {
        return json ? Form::Json : markdown ? Form::Markdown : csv ? Form::Csv : Form::Text;
    }
    [[nodiscard]] ForesightView view() const {
        return {.price = price > 0 ? std::optional(price) : std::nullopt};
    }
};

void printJson(const nlohmann::ordered_json& json) {
    say("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

int checkTable(const ForeseeArguments& arguments) {
    const Foresight foresight = readForesight();
    const std::vector<PublishedTime> rows = readPublishedTimes(arguments.check);
    const std::vector<CheckedTime> times =
        arguments.leaveSourceOut ? checkTimesWithoutSource(rows) : checkTimes(rows, foresight);
    if (arguments.form() == Form::Json)
        printJson(checkJson(times, foresight));
    else
        say("{}", arguments.form() == Form::Markdown ? checkMarkdown(times, foresight)
                                                     : describeCheck(times, foresight));
    return 0;
}

Project projectFor(const ForeseeArguments& arguments) {
    if (arguments.project.file.empty())
        throw Error(ErrorKind::Project, sentence("There is no project to foresee"), "PROJECT",
                    sentence("Name a project file, or --check FILE.csv"));
    // An examination would need its model and inputs on this machine; this does not.
    const std::filesystem::path file = expandTilde(arguments.project.file);
    LoadedProject loaded = loadProject(file, arguments.project.overrides.all());
    requireAgreement(askTrust(loaded, std::filesystem::absolute(file).parent_path()),
                     arguments.project.overrides.trust);
    return std::move(loaded.project);
}

Hardware hardwareFor(const ForeseeArguments& arguments) {
    if (arguments.hardware.empty())
        static_cast<void>(requireHardware("that was not named"));  // the error lists the profiles
    Hardware hardware = requireHardware(arguments.hardware);
    sayWarnings(hardware->warnings);
    return hardware;
}

/// The project of a run folder; of a pasted text the one on the command line.
std::vector<PublishedTime> measuredRows(const ForeseeArguments& arguments, const HardwareProfile& hardware,
                                        const std::string& program) {
    const int devices = arguments.devices.empty() ? 0 : arguments.devices.front();
    std::vector<PublishedTime> rows;
    for (const std::string& path : arguments.fit) {
        if (path.ends_with(".csv")) {
            const std::vector<PublishedTime> table = readPublishedTimes(path);
            rows.insert(rows.end(), table.begin(), table.end());
            continue;
        }
        for (const RunRecord& run : readRunRecords(path)) {
            const Project project = run.pasted
                                        ? projectFor(arguments)
                                        : loadProject(std::filesystem::path(path) / "project.yaml").project;
            const OwnTimes times{
                .name = run.name, .timings = run.timings, .stepSeconds = run.warmStepSeconds()};
            const std::vector<PublishedTime> own =
                ownTimeRows(project, run.pasted ? devices : run.devices, times, hardware, program);
            rows.insert(rows.end(), own.begin(), own.end());
        }
    }
    return rows;
}

int fitProfile(const ForeseeArguments& arguments) {
    if (arguments.out.empty())
        throw Error(ErrorKind::Project, sentence("There is no file to write the fitted profile to"), "--fit",
                    sentence("Add -o my-hardware.yaml"));
    const Hardware hardware = hardwareFor(arguments);
    const std::string program = arguments.program.empty() ? hardware->defaultProgram : arguments.program;
    static_cast<void>(requireProgram(program));
    const std::vector<PublishedTime> rows = measuredRows(arguments, *hardware, program);
    if (rows.empty())
        throw Error(ErrorKind::Input, sentence("The runs hold no times to fit to"), arguments.fit.front(),
                    sentence("Name finished runs, a text with TIMING SUMMARY blocks, or a table of times"));
    writeFittedProfile(arguments.out, *hardware, rows);
    const Foresight foresight = readForesight(readHardwareProfile(arguments.out));
    say("{}: {} with {} measured times\n", arguments.out, hardware->title, rows.size());
    return 0;
}

int scale(const ForeseeArguments& arguments, const AcceleratorCase& of, const Foresight& foresight) {
    const std::vector<ForeseenScaling> points = foreseeScaling(of, foresight);
    const ForesightView view = arguments.view();
    switch (arguments.form()) {
        case Form::Json:
            printJson({{"hardware", of.hardware->id},
                       {"program", of.program->name},
                       {"scaling", scalingJson(points, view)}});
            break;
        case Form::Markdown:
            say("{}", scalingMarkdown(points, view));
            break;
        case Form::Csv:
            say("{}", scalingCsv(points, view));
            break;
        case Form::Text:
            say("{}, {}\n{}", of.hardware->title, of.program->name, describeScaling(points, view));
            break;
    }
    return 0;
}

int explain(const ForeseeArguments& arguments, const MeshForesight& meshes, const Foresight& foresight) {
    const ForeseenMesh& mesh = requireMesh(meshes, arguments.explain);
    const EfficiencyValues values = foresight.efficiencies.valuesFor(mesh.of);
    if (arguments.form() == Form::Json)
        printJson(explanationJson(mesh, values));
    else
        say("{}", explainMesh(mesh, values));
    return 0;
}

int rank(const ForeseeArguments& arguments, const AcceleratorCase& of, const Foresight& foresight,
         const std::optional<ForeseenMesh>& own) {
    ForesightView view = arguments.view();
    view.own = own ? &*own : nullptr;
    nlohmann::ordered_json json;
    bool first = true;
    for (const int devices : arguments.devices) {
        const MeshForesight meshes = foreseeMeshes(of, devices, foresight);
        if (!arguments.explain.empty())
            return explain(arguments, meshes, foresight);
        switch (arguments.form()) {
            case Form::Json:
                if (first)
                    json = foresightBasisJson(meshes, of);
                json["meshes_by_devices"].push_back(meshForesightJson(meshes, devices, view));
                break;
            case Form::Markdown:
                say("{}", meshForesightMarkdown(meshes, devices, of, view));
                break;
            case Form::Csv:
                say("{}", meshForesightCsv(meshes, view, first));
                break;
            case Form::Text:
                say("{}{}", first ? "" : "\n", describeMeshForesight(meshes, devices, of, view));
                break;
        }
        first = false;
    }
    if (arguments.form() == Form::Json)
        printJson(json);
    return 0;
}

int foreseeProject(const ForeseeArguments& arguments) {
    const Hardware hardware = hardwareFor(arguments);
    const Project project = projectFor(arguments);
    const AcceleratorProgram& program =
        requireProgram(arguments.program.empty() ? hardware->defaultProgram : arguments.program);
    const AcceleratorCase of = projectCase(project, hardware, program);
    const auto foresight = std::make_shared<const Foresight>(readForesight(hardware));
    if (arguments.scaling)
        return scale(arguments, of, *foresight);
    if (arguments.devices.empty())
        throw Error(ErrorKind::Project, sentence("The number of devices is not given"), "--devices",
                    sentence("Add --devices 8, or several: --devices 8,16; --scaling tries all up to 4,096"));
    return rank(arguments, of, *foresight,
                foreseeOwnMesh(project, {.hardware = hardware, .program = &program, .foresight = foresight}));
}

}  // namespace

Action declareForesee(CLI::App& app) {
    constexpr int mostDevices = 4096;
    const auto arguments = std::make_shared<ForeseeArguments>();
    addProjectArguments(app, arguments->project, ProjectRequired::No);
    // --devices of the project's overrides is one number; here it is a list.
    app.remove_option(app.get_option("--devices"));
    app.add_option("--hardware", arguments->hardware, "Profile: a name such as tpu-v7x or h100, or a file")
        ->type_name("NAME");
    app.add_option("--devices", arguments->devices, "Devices of the mesh, or several numbers: 8,16")
        ->type_name("N")
        ->delimiter(',')
        ->allow_extra_args(false)  // what follows may be the project
        ->check(CLI::Range(1, mostDevices));
    app.add_option("--program", arguments->program,
                   "What runs the model there; by itself the profile's default")
        ->type_name("NAME");
    app.add_option("--price", arguments->price, "Price of a device for an hour: adds the money for a clip")
        ->type_name("MONEY")
        ->check(CLI::PositiveNumber);
    app.add_option("--explain", arguments->explain,
                   "Explain one mesh, such as dp2-cp4-U2R2: seconds by cause")
        ->type_name("MESH");
    app.add_flag("--scaling", arguments->scaling,
                 "The best mesh of 1, 2, 4 … 4,096 devices, and what breaks");
    app.add_option("--check", arguments->check, "Compare the model with a table of published times")
        ->type_name("FILE.csv");
    app.add_flag("--leave-source-out", arguments->leaveSourceOut,
                 "With --check: foresee each time by a fit without all times of its source")
        ->needs("--check");
    takeRunNames(app.add_option("--fit", arguments->fit,
                                "Fit the profile to runs, pasted TIMING SUMMARY texts or tables of times"))
        ->type_name("RUN");
    app.add_option("-o,--out", arguments->out, "Where --fit writes the profile")->type_name("FILE.yaml");
    auto* json = app.add_flag("--json", arguments->json, "Print one JSON object");
    auto* markdown = app.add_flag("--markdown", arguments->markdown, "Print a Markdown table");
    auto* csv = app.add_flag("--csv", arguments->csv, "Print CSV");
    json->excludes(markdown)->excludes(csv);
    markdown->excludes(csv);
    return [arguments] {
        if (!arguments->check.empty())
            return checkTable(*arguments);
        return arguments->fit.empty() ? foreseeProject(*arguments) : fitProfile(*arguments);
    };
}

}  // namespace meshreel
