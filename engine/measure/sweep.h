// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/measure/timed_forward.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/project/sweep_file.h"
#include "engine/runs/records/data_table.h"

namespace meshreel {

/// What a cell of a sweep runs as.
struct ResolvedCell {
    const SweepCell* cell = nullptr;
    ForwardWorkload workload;
    ForwardMesh mesh;
    AttentionPlans attentions;

    /// Cells with the same key can take turns on one mesh with the same weights.
    [[nodiscard]] std::string group() const;
};

/// Returns how a cell, which must outlive the result, runs on so many processes. Throws Error{Project} for
/// what cannot run.
ResolvedCell resolveCell(const SweepFile& sweep, const SweepCell& cell, int ranks = 1);

/// Returns the seconds of a pass after an uncounted one. Throws as runSweep() does.
double timeCell(const ResolvedCell& cell, const StopToken& stop);

/// Times sweep.repeats passes of the cell with this name after an uncounted one: on the ranks, which make the
/// same call, or in this process alone without ranks. Reports each pass on the first rank. Throws
/// Error{Project} for a name that no cell has, and as runSweep() does.
void timePasses(const SweepFile& sweep, const std::string& name, MpiSession* ranks, const StopToken& stop,
                const std::function<void(const ForwardPass& pass)>& onPass);

/// Parses the line of JSON with which rank 0 reports a pass; returns nothing for any other line.
std::string passLine(const ForwardPass& pass);
std::optional<ForwardPass> parsePassLine(const std::string& line);

/// One timed pass of a cell, or why there is none.
struct SweepRow {
    std::string cell;  ///< SweepCell::name()
    int repeat = 0;    ///< counted from 1; 0 of a cell that cannot run
    double seconds = 0;
    std::int64_t bytesMoved = 0;
    int devices = 1;           ///< for a cell that cannot run as requested; 0 when it does not say
    int workersPerDevice = 1;  ///< for such a cell as well
    Sentence refusal = {};     ///< not empty: the cell cannot run, and this says why
    bool failed = false;       ///< a rank was lost: `refusal` names it, and the cell is tried again later
};

/// What the folder of a sweep holds, or holds now.
struct SweepPasses {
    std::vector<SweepRow> rows;
    std::vector<Error> leftOut = {};  ///< entries of the file, rows of the folder, cells: what cannot be read
    std::vector<Sentence> notes = {};  ///< worth saying
};

/// Cells that are timed more often than the others: their passes in all, by name.
using PassesOfCells = std::map<std::string, int>;

/// Receives each new row; `done` of `total` passes are there, cells that cannot run left out.
using OnSweepRow = std::function<void(const SweepRow& row, std::size_t done, std::size_t total)>;

/// Times every cell of the sweep in forward passes of random weights on threads of this process and saves
/// each finished pass in `folder`: `rows.jsonl`, `sweep.csv`, and a Chrome trace for each cell of the batch
/// to trace. Does not repeat passes that the folder holds, so that a stopped sweep continues. Cells of one
/// mesh, batch and model take turns, after an uncounted pass. Cells that cannot run are rows as well. A cell
/// whose project has `hosts` runs on ranks that are launched there, a launch for each cell; losing a rank
/// makes a row that says so, and the other cells continue. Rows that cannot be read are measured again, and
/// their file is kept as rows-damaged.jsonl. A cell whose files cannot be read is left out, and the others
/// are timed. Throws Error{Project} when the folder is of another sweep, Error{Input} when its passes are of
/// another machine or build (machine.json), Error{Cancelled}, Error{Resources}.
SweepPasses runSweep(const SweepFile& sweep, const std::filesystem::path& folder, const StopToken& stop,
                     const OnSweepRow& onRow = {}, const PassesOfCells& more = {});

/// Returns the passes that the folder of this sweep holds, after which runSweep() would continue; none when
/// it was not begun. Throws Error{Project} when the folder is of another sweep.
SweepPasses recordedPasses(const SweepFile& sweep, const std::filesystem::path& folder);

/// Returns a row a pass: strategy, the axes, batch, devices, workers, repeat, status, seconds, bytes_moved,
/// detail.
DataTable sweepTable(const SweepFile& sweep, std::span<const SweepRow> rows);

/// Returns the cell that another is compared with: that of the first strategy beside the same other settings.
std::string referenceOf(const SweepFile& sweep, const SweepCell& cell);

/// Returns a row a cell: its passes, their median and spread, and what judge() says of it beside its
/// reference.
DataTable sweepSummary(const SweepFile& sweep, std::span<const SweepRow> rows);

}  // namespace meshreel
