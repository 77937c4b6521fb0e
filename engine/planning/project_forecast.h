// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/checks/prompt_lengths.h"
#include "engine/mesh/host_file.h"

namespace meshreel {

struct DiskRate;
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
    /// Without a plan: an earlier forecast of the same project had one, and its figures may stay visible,
    /// marked.
    bool hadPlan = false;
    /// Set even if the project cannot be planned. A released model that is not installed is taken as
    /// published, also for the plan; null: neither is known.
    std::shared_ptr<const ModelFacts> model;
    /// Hosts that take the ranks; empty: this process alone, or a file that one of the problems is about.
    std::vector<Host> hosts;
    /// Every problem of the project: on its own, and with its inputs, this model, mesh, machine and file of
    /// hosts. In the order in which they are found; listProblems() puts them in display order.
    std::vector<Problem> problems;
    std::vector<Problem> notes;  ///< what a run does with its inputs, and what its adapters change
    /// The problem that prevents planning the project or running its plan; it need not be an error of a key.
    /// Also in `problems`.
    std::optional<Problem> obstacle;
    std::optional<ErrorKind> refusal = {};  ///< kind of the refusal by planning, if it is not a ProjectError
    std::shared_ptr<const PredictionBasis> basis;   ///< null: not read yet
    std::shared_ptr<const Prediction> prediction;   ///< for the plan; null without one
    std::optional<std::int64_t> promptTokens = {};  ///< end mark included; none without a tokenizer to read
    /// Of a prompt with times, or with texts for context windows, what each part is; of a batch the first's.
    std::vector<PromptPart> promptParts = {};
    /// Other hardware that the project is planned for as well, and what the plan takes there; null: none.
    std::shared_ptr<const TargetHardware> target = {};
    std::shared_ptr<const TargetOutlook> outlook = {};
    /// Where the plan does not fit this machine's memory: with which settings it does.
    std::shared_ptr<const ModelFit> fit = {};
    /// Where a step reads weights from the disk, or would to fit: how fast the disk gives them; null: not
    /// asked.
    std::shared_ptr<const DiskRate> disk = {};
};

/// Returns what forecasts open and remember: inputs, tokenizers and rates of disks. For several threads.
std::shared_ptr<OpenedFiles> noOpenedFiles();

/// What is asked beside the project. What depends on the process that asks is here, and nowhere else.
struct ForecastOptions {
    std::shared_ptr<const PredictionBasis> basis = {};  ///< null: no seconds are predicted
    /// Other hardware: adds what the project takes there. The problems of this machine are reported all the
    /// same (isOfThisMachine()), and the plan is one for the target if this machine has none.
    std::shared_ptr<const TargetHardware> target = {};
    std::optional<int> ranks = {};          ///< ranks of a launcher; nothing: the slots of the project's
                                            ///< hosts
    int workers = 0;                        ///< as in PlanOptions
    bool oversubscribe = false;             ///< as in PlanOptions
    bool measuresMagRatios = false;         ///< as in PlanOptions
    std::filesystem::path runsFolder = {};  ///< where runs are written; empty: disk is not asked
};

/// The one examination of a project, for everything that shows its problems. Plans as the runner would,
/// except that obstacles that do not prevent editing become problems: an empty prompt, too little memory or
/// disk, a released model that is not on this machine, and a file of hosts that cannot be read. Reads the
/// headers of the checkpoint, the file of hosts, the first frames of the inputs, the files of wildcards and,
/// for a long prompt, the tokenizer. What is planned is what the run says: with the words that the seed draws
/// for wildcards (an open seed draws an example). Paths of inputs are absolute.
ProjectForecast makeForecast(const Project& project, const ForecastOptions& options, OpenedFiles& files);
/// Makes a single forecast.
ProjectForecast makeForecast(const Project& project, const ForecastOptions& options = {});

/// Returns the one list that everybody shows: the problems that a project was read with, and behind them
/// those of its forecast, each fault once, at its line; errors first, then in the order of the file. What was
/// found with a project that has errors by itself is left out, as that is of another project than was meant;
/// but for an empty prompt, which changes nothing else, and for a model that is not here.
std::vector<Problem> listProblems(const LoadedProject& read, std::vector<Problem> found);

/// Returns the same list of a project that was not read from a file.
std::vector<Problem> listProblems(const Project& project, std::vector<Problem> found);

/// Returns the problems of an imported project, which has no file yet, and of its model on this machine.
std::vector<Problem> listProblems(const MaxDiffusionImport& imported);

/// Returns the problems of a variant of a project that was examined, in display order, as far as its settings
/// decide them: by themselves, on the model of the examination where the variant names the same, and by the
/// CPUs here. Reads nothing and makes no plan, so that a thousand variants can be asked at once; the inputs,
/// adapters, memory, disk and GPU of each are examined when it comes to run.
std::vector<Problem> problemsOfVariant(const Project& variant, const Project& base,
                                       const ProjectForecast& examined);

/// Returns whether this is makeForecast()'s problem of too little memory; a run that ends frees some.
bool isShortOfMemory(const Problem& problem);

/// Returns whether an error is one of what this machine has: memory, disk, CPUs or GPUs. It keeps a run from
/// starting here, and nobody from planning for other hardware.
bool isOfThisMachine(const Problem& problem);

/// Returns whether errors among the problems keep a project from running here, or, with `target`, from being
/// planned for that.
bool areObstacles(std::span<const Problem> problems, const TargetHardware* target);

}  // namespace meshreel
