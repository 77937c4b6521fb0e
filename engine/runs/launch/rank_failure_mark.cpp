// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/rank_failure_mark.h"

#include "engine/mesh/mpi/mpi_session.h"
#include "engine/runs/abandoned_run.h"
#include "engine/runs/launch/rank_report.h"

namespace meshreel {

RankFailureMark::RankFailureMark(MpiSession* ranks, const std::filesystem::path& folder) : m_ranks(ranks) {
    if (m_ranks == nullptr)
        return;
    m_ranks->observe([folder](const MeshFailure& failure) {
        if (failure.cancelled)
            markEndingRun(folder, RunStatus::Cancelled, sentence("Cancelled."));
        else
            markEndingRun(folder, RunStatus::Failed, sentenceOf(failure));
    });
}

RankFailureMark::~RankFailureMark() {
    if (m_ranks != nullptr)
        m_ranks->observe({});
}

AbandonedRunMark::AbandonedRunMark(MpiSession& ranks, const std::filesystem::path& folder) : m_ranks(ranks) {
    m_ranks.observe([folder](const MeshFailure& failure) {
        if (failure.rank == 0 && !failure.cancelled)
            markAbandonedRun(folder, sentenceOf(failure));
    });
}

AbandonedRunMark::~AbandonedRunMark() {
    m_ranks.observe({});
}

}  // namespace meshreel
