// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/foresight/accelerator_case.h"
#include "engine/foresight/efficiencies.h"
#include "engine/foresight/foresight_check.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/foresight/mesh_foresight.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"

namespace meshreel {

/// Hardware that a project is planned for in place of this machine. The foresight knows its own measured
/// times.
struct TargetHardware {
    Hardware hardware;
    const AcceleratorProgram* program = nullptr;  ///< that runs the model there
    std::shared_ptr<const Foresight> foresight = {};
};

/// Returns a profile by its name or file, with its default program where none is named. Throws as
/// requireHardware() does, requireProgram() and readForesight().
TargetHardware readTargetHardware(const std::string& nameOrFile, const std::string& program = {});

/// Returns the project's generation on one device of the hardware, in bf16; only the mesh, the kernel and the
/// blocks remain to be chosen. A model that is not on this machine is taken by its published shapes. Throws
/// as makePlan() for a project that cannot be planned.
AcceleratorCase projectCase(const Project& project, const Hardware& hardware,
                            const AcceleratorProgram& program);

/// Returns the project's own mesh, mode and block sizes on the target, whatever this machine has; nothing
/// where its mesh cannot be planned: others are foreseen all the same.
std::optional<ForeseenMesh> foreseeOwnMesh(const Project& project, const TargetHardware& target);

/// What a plan takes on other hardware.
struct TargetOutlook {
    ForeseenMesh own;  ///< the plan's mesh, mode and block sizes
    std::optional<ForeseenMesh> best =
        {};  ///< of all legal meshes with as many devices; absent when none fits
    EfficiencyBasis basis = EfficiencyBasis::ClassMean;  ///< basis of `own`
    std::vector<Problem> problems = {};  ///< warnings: memory, heads that the program there does not
                                         ///< exchange, a ring that is too long
};

/// Throws as projectCase() does.
TargetOutlook foreseePlan(const RunPlan& plan, const TargetHardware& target);

/// Returns the legal meshes of the plan's devices, ranked by the seconds that they take on the target; memory
/// is that of its devices, and modes are those that differ there. Of meshes whose heads the program there
/// does not exchange only the plan's own is among them.
std::vector<LegalMesh> rankedMeshesOn(const TargetHardware& target, const RunPlan& plan);

/// "TPU v7x (Ironwood), maxdiffusion: 2.74 s a step (2.31 to 3.26), a clip 115 s" with the causes that cost
/// most, as lines of a plan.
std::string describeOutlook(const TargetOutlook& outlook);

/// {"hardware", "program", "efficiencies", "own", "best", "problems": [{"id", "key", "text"}]}; meshes as
/// foreseenMeshJson().
nlohmann::ordered_json outlookJson(const TargetOutlook& outlook);

}  // namespace meshreel
