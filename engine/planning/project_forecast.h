// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/mesh/host_file.h"

namespace meshreel {

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
    /// That the project has with this model, mesh, machine and file of hosts.
    std::vector<Problem> problems;
    std::vector<Problem> notes;                     ///< what its adapters change
    std::optional<Problem> obstacle;                ///< what keeps it from being planned and concerns no key
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

/// Plans as the runner would, but for four things that do not keep anybody from editing: an empty prompt,
/// and, which are among the problems, too little memory, a released model that is not on this machine, and a
/// file of hosts that cannot be read. Reads the headers of the checkpoint, the file of hosts, the first
/// frames of the inputs and, for a long prompt, the tokenizer.
ProjectForecast makeForecast(const Project& project, std::shared_ptr<const PredictionBasis> basis = {});
/// The same with files that were opened before, when they did not change since. With a `target`, what the
/// project takes there is added; what this machine lacks for it is told all the same, and the plan is one for
/// the target where this machine has none.
ProjectForecast makeForecast(const Project& project, std::shared_ptr<const PredictionBasis> basis,
                             OpenedFiles& files, std::shared_ptr<const TargetHardware> target = {});

/// Whether this is what makeForecast() tells of too little memory, of which a run that ends gives some back.
bool isShortOfMemory(const Problem& problem);

}  // namespace meshreel
