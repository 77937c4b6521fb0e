// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace meshreel {

class MpiSession;

/// While it lives, the end of the ranks is written into the folder of the run that this process works on as
/// soon as it is known: mpirun gives its ranks a second between SIGTERM and SIGKILL.
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

/// On another rank, while it lives: the death of rank 0 is written into its run folder, as far as that is to
/// be reached from here.
class AbandonedRunMark {
  public:
    AbandonedRunMark(MpiSession& ranks, const std::filesystem::path& folder);
    ~AbandonedRunMark();
    AbandonedRunMark(const AbandonedRunMark&) = delete;
    AbandonedRunMark& operator=(const AbandonedRunMark&) = delete;

  private:
    MpiSession& m_ranks;
};

}  // namespace meshreel
