// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/run_session.h"

namespace meshreel {

/// A model that is on rank 0's disk only, for all ranks. Every rank makes one; the constructor is a
/// collective. Ranks on other hosts get the files that Meshreel reads into their memory, and folder() holds
/// links to them under their own names, so that everything is read as from a disk.
class BroadcastModel {
  public:
    enum class Copies {
        OnePerOtherHostRank,  ///< ranks on rank 0's host read its folder
        OnePerRank,
    };

    /// `folder`: of the model, on rank 0; not looked at on the others. Throws Error{Input} when a file cannot
    /// be read, Error{Resources} when it does not fit into memory, and as Transfer::wait.
    BroadcastModel(MpiSession& ranks, const std::filesystem::path& folder,
                   Copies copies = Copies::OnePerOtherHostRank);

    /// Frees the memory once its files are no longer mapped.
    ~BroadcastModel();
    BroadcastModel(const BroadcastModel&) = delete;
    BroadcastModel& operator=(const BroadcastModel&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    std::filesystem::path m_folder;
    std::filesystem::path m_temporary;  // folder to be removed; empty when the model is on the disk
    std::vector<int> m_files;           // descriptors
};

/// While it exists, a failure of the ranks is written into the folder of this process's run as soon as it is
/// known: mpirun gives its ranks a second between SIGTERM and SIGKILL.
class RankFailureMark {
  public:
    /// `ranks` may be null: there is nothing to watch then.
    RankFailureMark(MpiSession* ranks, const std::filesystem::path& folder);
    ~RankFailureMark();
    RankFailureMark(const RankFailureMark&) = delete;
    RankFailureMark& operator=(const RankFailureMark&) = delete;

  private:
    MpiSession* m_ranks;
};

/// Returns how a plan is made for work with these options.
PlanOptions toPlanOptions(const RunOptions& options);

/// The part of this rank of a mesh whose layout is given: consecutive devices, as many on every rank. Throws
/// Error{Project} when the ranks do not divide them. Before the first transfer.
void takeRanksPart(DeviceMeshOptions& options, MpiSession& ranks);

/// Returns the options of this process's part of the plan's mesh.
DeviceMeshOptions rankMeshOptions(const RunPlan& plan, const RunOptions& options);

/// On rank 0, when there are other ranks: asks them to take part in a generation with this plan, after
/// `stepsDone` of its steps, into this run folder, and gives them the model when the project says so. They
/// answer with followRun(). The returned object must live until the generation is over.
[[nodiscard]] std::unique_ptr<BroadcastModel> callOtherRanks(const RunPlan& plan, const RunOptions& options,
                                                             int stepsDone,
                                                             const std::filesystem::path& folder);

/// Does `work` and then releases the other ranks; when it throws, reports why to them before the exception
/// propagates.
RunOutcome leadRanks(const RunOptions& options, const std::function<RunOutcome()>& work);

/// On a rank other than 0: takes part in what rank 0 asks for, and returns when rank 0 is done. options.ranks
/// is set; its devices and workers are rank 0's unless workers are given here. Throws Error of any kind that
/// generate() and makePlan() throw; by then the other ranks know.
void followRun(const RunOptions& options, const StopToken& stop);

}  // namespace meshreel
