// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include <memory>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "app/runner/terminal.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_facts.h"
#include "engine/planning/foresight/target_hardware.h"
#include "engine/planning/plan_text.h"
#include "engine/planning/project_check.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/past_runs.h"
#include "engine/runs/run_history.h"

namespace meshreel {
namespace {

nlohmann::ordered_json inputsJson(const std::vector<InputNote>& inputs) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const InputNote& input : inputs)
        list.push_back({{"key", input.key}, {"note", input.message.text()}});
    return list;
}

void printPlan(const RunPlan& plan, const std::vector<InputNote>& inputs,
               const std::optional<Prediction>& prediction, const std::optional<TargetOutlook>& outlook,
               bool json) {
    if (json) {
        nlohmann::ordered_json object = planJson(plan);
        object["inputs"] = inputsJson(inputs);
        object["prediction"] = prediction ? predictionJson(*prediction) : nlohmann::ordered_json(nullptr);
        if (outlook)
            object["foresight"] = outlookJson(*outlook);
        say("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        return;
    }
    for (const InputNote& input : inputs)
        say("{:<14}{}. {}\n", "Input:", input.message, input.detail);
    say("{}{}", describePlan(plan),
        outlook ? describeOutlook(*outlook)
        : prediction
            ? describePrediction(*prediction)
            : std::string("Time:         not known before meshreel rates has measured this machine\n"));
}

void printMeshes(const std::vector<LegalMesh>& meshes, bool json) {
    if (json)
        say("{}\n", meshesJson(meshes).dump(2));
    else
        say("{}", describeMeshes(meshes));
}

/// A model that is not on this machine is planned by its published shapes.
RunPlan planOf(const Project& project, PlanOptions& options) {
    const ProjectModel model = readProjectModel(project);
    if (model.onDisk || !model.isReleased())
        return makePlan(project, options);
    options.model = model.facts;
    RunPlan plan = makePlan(project, options);
    const bool hasAdapters = !project.lora.empty() || wantsDistilledAdapter(project);
    plan.warnings.push_back(sentence("{}: planned by the shapes that were published{}. {}",
                                     model.refused->message(), hasAdapters ? ", without its adapters" : "",
                                     model.refused->hint()));
    return plan;
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
        PlanOptions options;
        options.workers = arguments->workers;
        if (arguments->target.given())  // other hardware is not asked what this machine carries
            arguments->project.overrides.oversubscribe = true;
        options.oversubscribe = arguments->project.overrides.oversubscribe;
        options.beyondMemory = arguments->target.given();
        options.runsFolder = runsFolder();
        const Project project = loadProjectWith(arguments->project, progressLines(),
                                                [&options](const Project&) { return options.ranks; });
        RunPlan plan = planOf(project, options);
        for (const Problem& cut : PromptLengths().warnings(plan.project, plan.modelFolder))
            plan.warnings.push_back(sentence("{}. {}", cut.message, cut.hint()));
        if (arguments->target.given()) {
            const TargetHardware target =
                readTargetHardware(arguments->target.hardware, arguments->target.program);
            if (arguments->meshes)
                printMeshes(rankedMeshesOn(target, plan), arguments->json);
            else
                printPlan(plan, inspectInputs(project).notes, {}, foreseePlan(plan, target), arguments->json);
            return 0;
        }
        const PredictionBasis basis = readPredictionBasis(options.runsFolder);
        if (arguments->meshes) {
            printMeshes(rankedMeshes(plan, {}, &basis), arguments->json);
            return 0;
        }
        const std::optional<Prediction> prediction = predictPlan(plan, basis);
        if (prediction)
            if (const auto slow = slowMeshWarning(project, options, plan, *prediction, basis))
                plan.warnings.push_back(sentence("{}. {}", slow->message, slow->hint()));
        printPlan(plan, inspectInputs(project).notes, prediction, {}, arguments->json);
        return 0;
    };
}

}  // namespace meshreel
