// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/mesh/host_file.h"

namespace meshreel {

struct LoadedProject;
struct MaxDiffusionImport;
struct ModelFacts;
struct ModelFit;
struct OpenedFiles;
struct Prediction;
struct PredictionBasis;
struct Project;
struct RunPlan;
struct TargetHardware;
struct TargetOutlook;

/// What a project means to the engine: its plan, or why there is none. A value; what it points to never
/// changes.
struct ProjectForecast {
    std::shared_ptr<const RunPlan> plan;  ///< memory.available is what the machine can give now
    /// Without a plan: one of the same project was told before, and what it shows may stay in sight, marked.
    bool hadPlan = false;
    /// Also where the project cannot be planned. Of a model that is not installed as it was released, which
    /// the plan is then made with; null: neither is known.
    std::shared_ptr<const ModelFacts> model;
    /// That take the ranks; empty: this process alone, or a file that one of the problems is about.
    std::vector<Host> hosts;
    /// Every problem of the project: by itself, and with its inputs, this model, mesh, machine and file of
    /// hosts. In the order in which they are found; listProblems() puts them in that in which they are shown.
    std::vector<Problem> problems;
    std::vector<Problem> notes;  ///< what a run does with its inputs, and what its adapters change
    /// What keeps the project from being planned, or its plan from being run, and may be no error of a key:
    /// one of the problems, too.
    std::optional<Problem> obstacle;
    std::optional<ErrorKind> refusal = {};  ///< of what planning was refused for that is no ProjectError
    std::shared_ptr<const PredictionBasis> basis;   ///< null: not read yet
    std::shared_ptr<const Prediction> prediction;   ///< of the plan; null where there is none to make
    std::optional<std::int64_t> promptTokens = {};  ///< end mark included; none without a tokenizer to read
    /// Other hardware that the project is planned for as well, and what the plan takes there; null: none.
    std::shared_ptr<const TargetHardware> target = {};
    std::shared_ptr<const TargetOutlook> outlook = {};
    /// Where the plan does not fit this machine's memory: with which settings it does.
    std::shared_ptr<const ModelFit> fit = {};
};

/// What forecasts open and remember: inputs and tokenizers. For several threads.
std::shared_ptr<OpenedFiles> noOpenedFiles();

/// What is asked beside the project. What depends on the process that asks is here, and nowhere else.
struct ForecastOptions {
    std::shared_ptr<const PredictionBasis> basis = {};  ///< null: no seconds are predicted
    /// Other hardware: what the project takes there is added. What this machine lacks for it is told all the
    /// same, and the plan is one for the target where this machine has none.
    std::shared_ptr<const TargetHardware> target = {};
    std::optional<int> ranks = {};          ///< of a launcher; nothing: the slots of the project's hosts
    int workers = 0;                        ///< as in PlanOptions
    bool oversubscribe = false;             ///< likewise
    bool beyondMemory = false;              ///< likewise: nothing is refused for this machine's memory
    bool measuresGrowth = false;            ///< likewise
    std::filesystem::path runsFolder = {};  ///< where runs are written; empty: disk is not asked
};

/// The one examination of a project, for everybody who shows its problems. Plans as the runner would, but for
/// what does not keep anybody from editing, and is among the problems: an empty prompt, too little memory or
/// disk, a released model that is not on this machine, and a file of hosts that cannot be read. Reads the
/// headers of the checkpoint, the file of hosts, the first frames of the inputs and, for a long prompt, the
/// tokenizer. Paths of inputs are absolute.
ProjectForecast makeForecast(const Project& project, const ForecastOptions& options, OpenedFiles& files);
/// The same for who asks once.
ProjectForecast makeForecast(const Project& project, const ForecastOptions& options = {});

/// The one list that everybody shows: the problems that a project was read with, and behind them those of its
/// forecast, each fault once, at its line; errors first, then in the order of the file. What was found with a
/// project that has errors by itself is left out, as that is of another project than was meant; but for an
/// empty prompt, which changes nothing else, and for a model that is not here.
std::vector<Problem> listProblems(const LoadedProject& read, std::vector<Problem> found);

/// The same list of what was imported and is no file yet, with what is wrong with its model on this machine.
std::vector<Problem> listProblems(const MaxDiffusionImport& imported);

/// Whether this is what makeForecast() tells of too little memory, of which a run that ends gives some back.
bool isShortOfMemory(const Problem& problem);

}  // namespace meshreel
