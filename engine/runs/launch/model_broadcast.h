// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "engine/mesh/mpi/mpi_session.h"

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

    /// Frees the memory once no map of its files is left.
    ~BroadcastModel();
    BroadcastModel(const BroadcastModel&) = delete;
    BroadcastModel& operator=(const BroadcastModel&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    std::filesystem::path m_folder;
    std::filesystem::path m_temporary;  // to be removed; empty where the model is on the disk
    std::vector<int> m_files;           // descriptors
};

}  // namespace meshreel
