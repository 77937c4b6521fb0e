// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/base/stop_token.h"
#include "engine/mesh/device_mesh.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/launch/model_broadcast.h"
#include "engine/runs/run_session.h"

namespace meshreel {

/// How a plan is made for work with these options.
PlanOptions planOptionsOf(const RunOptions& options);

/// This process's part of the plan's mesh.
DeviceMeshOptions rankMeshOptions(const RunPlan& plan, const RunOptions& options);

/// On rank 0, when there are other ranks: tells them to take part in a generation with this plan, after
/// `stepsDone` of its steps, into this run folder, and gives them the model when the project says so. They
/// answer by followRun(). What is returned lives until the generation is over.
[[nodiscard]] std::unique_ptr<BroadcastModel> callOtherRanks(const RunPlan& plan, const RunOptions& options,
                                                             int stepsDone,
                                                             const std::filesystem::path& folder);

/// Does `work` and lets the other ranks go; when it throws, they are told why before the exception goes on.
RunOutcome leadRanks(const RunOptions& options, const std::function<RunOutcome()>& work);

/// On a rank other than 0: takes part in what rank 0 calls to, and returns when rank 0 is done.
/// options.ranks is set; its devices and workers are rank 0's unless workers are given here. Throws Error of
/// any kind that generate() and makePlan() throw; the other ranks have been told then.
void followRun(const RunOptions& options, const StopToken& stop);

}  // namespace meshreel
