// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QList>
#include <QString>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/project/project.h"
#include "engine/runs/records/run_record.h"

namespace meshreel {

/// A frame of a run's video.
struct Still {
    QImage picture;
    QString caption;
};

/// What a report tells of a run. Of one that was pasted only `record` is known.
struct ReportedRun {
    RunRecord record;
    std::optional<Project> project = {};
    std::vector<std::pair<QString, QString>> environment = {};  ///< facts and their values
    QList<Still> stills = {};
    QString videoProblem = {};  ///< why there are no stills, where there should be
};

/// A run folder, or a text file with pasted timing summaries. A video that cannot be read is told in the
/// report. Throws as readRunRecords(), Error{Cancelled}.
std::vector<ReportedRun> readReportedRuns(const std::filesystem::path& folderOrText,
                                          const StopToken& stop = {});

}  // namespace meshreel
