// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/prediction.h"
#include "engine/estimates/run_work.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"

namespace meshreel {

/// What predictions on this machine need, read once (engine/runs/run_history.h): predicting itself reads
/// nothing.
struct PredictionBasis {
    std::optional<MachineRates> rates;  ///< rates of the CPU; nothing before `meshreel rates` has measured
                                        ///< them
    std::vector<PastRun> past;
    std::vector<MachineRates> gpuRates = {};  ///< rates of each GPU that `meshreel rates --gpus N` has
                                              ///< measured
    std::optional<MachineRates> taught = {};  ///< from the past runs, when the CPU was not measured
};

/// Returns the rates for work on the GPUs with these ids (GpuFacts::id), or on the CPU alone; nothing when
/// some of them were not measured.
std::optional<MachineRates> ratesFor(std::span<const std::string> gpus, const PredictionBasis& basis);

/// Rates for this work; nothing also where those of a GPU lack a class that it is made of, as an earlier
/// build did not measure that.
std::optional<MachineRates> ratesFor(const RunWork& work, const PredictionBasis& basis);

/// What has to be measured before the plan's time is known: the CPU, or GPUs; nothing when it is known, or
/// measuring would not help.
struct MissingRates {
    std::vector<ChosenGpu> gpus = {};  ///< none: the CPU's
    Sentence why = {};  ///< why its rates cannot be used, although the first GPU was measured; empty when it
                        ///< was not
};
std::optional<MissingRates> missingRates(const RunPlan& plan, const PredictionBasis& basis);

/// Predicts how long a run by this plan takes; returns nothing without rates of everything involved, and for
/// several processes, whose network is not known. Without measurements of the CPU, runs like this one give
/// the prediction (Prediction::byRunsAlone).
std::optional<Prediction> predictPlan(const RunPlan& plan, const PredictionBasis& basis);

/// Says that another build of this version measured the rates that the plan is predicted by, which are used
/// all the same; nothing when this one did, or nobody. Rates of another CPU, instruction set or number of
/// CPUs are never used.
std::optional<Sentence> foreignRatesRemark(const RunPlan& plan, const PredictionBasis& basis);

/// Returns the legal meshes of a plan, ranked by what `basis` predicts; `hostRanks` as in MeshSearch. Where
/// `basis` is null or predicts nothing, as of several machines, whose network is not known, the least
/// exchange comes first.
std::vector<LegalMesh> rankedMeshes(const RunPlan& plan, std::vector<int> hostRanks = {},
                                    const PredictionBasis* basis = nullptr);

/// Returns a warning when one device is predicted to be clearly faster than the several of `plan`, which was
/// made from `asked` with `options` and predicted by `basis`; with the change of the key that selects one
/// device, if there is such a key. Returns nothing when one device cannot run it. Plans again, and reads what
/// that reads.
std::optional<Problem> slowMeshWarning(const Project& asked, const PlanOptions& options, const RunPlan& plan,
                                       const Prediction& prediction, const PredictionBasis& basis);

}  // namespace meshreel
