// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/sweep.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/transformer/wan_tensor_specs.h"
#include "engine/studies/sweep_cell.h"
#include "engine/studies/sweep_record.h"

namespace meshreel {
namespace {

SweepRow resolvedRow(const ResolvedCell& resolved) {
    return {.cell = resolved.cell->name(),
            .devices = resolved.mesh.layout.devices(),
            .workersPerDevice = resolved.mesh.workersPerDevice};
}

SweepRow refusedRow(const SweepCell& cell, const Error& error) {
    const AskedMesh mesh = askedMesh(cell);
    return {.cell = cell.name(),
            .devices = mesh.devices,
            .workersPerDevice = mesh.workersPerDevice,
            .refusal = error.asSentence()};
}

/// The passes of cells that share a mesh.
class GroupRun {
  public:
    GroupRun(const SweepFile& sweep, SweepRecord& record, const StopToken& stop)
        : m_sweep(sweep), m_record(record), m_stop(stop) {}

    void run(const std::vector<ResolvedCell>& cells) {
        std::vector<ResolvedCell> open;
        std::ranges::copy_if(cells, std::back_inserter(open), [&](const ResolvedCell& cell) {
            return m_record.passesOf(cell.cell->name()) < m_sweep.repeats || lacksTrace(*cell.cell);
        });
        if (open.empty())
            return;
        const ForwardWorkload& workload = open.front().workload;
        WorkerPool writers({.workers = availableCpus()});
        const RandomCheckpoint random({writers, m_stop}, wanTensors(workload.config, DType::BF16));
        TimedForward forward(workload, open.front().mesh, open.front().attention, random.checkpoint());
        for (const ResolvedCell& cell : open) {
            forward.setAttention(cell.attention);
            static_cast<void>(forward.run(m_stop));  // warms up
        }
        for (int repeat = 1; repeat <= m_sweep.repeats; ++repeat)
            for (const ResolvedCell& cell : open)
                if (m_record.passesOf(cell.cell->name()) < repeat)
                    timeOnce(forward, cell, repeat);
        for (const ResolvedCell& cell : open)
            if (lacksTrace(*cell.cell))
                traceOnce(forward, cell);
    }

  private:
    void timeOnce(TimedForward& forward, const ResolvedCell& cell, int repeat) {
        throwIfStopped(m_stop);
        forward.setAttention(cell.attention);
        const ForwardPass pass = forward.run(m_stop);
        SweepRow row = resolvedRow(cell);
        row.repeat = repeat;
        row.seconds = pass.seconds;
        row.bytesMoved = pass.bytesMoved;
        m_record.add(row);
    }

    void traceOnce(TimedForward& forward, const ResolvedCell& cell) {
        Trace trace;
        forward.setAttention(cell.attention);
        static_cast<void>(forward.run(m_stop, &trace));
        writeFileAtomically(m_record.traceFile(*cell.cell), trace.chromeJson());
    }

    [[nodiscard]] bool lacksTrace(const SweepCell& cell) const {
        return m_sweep.traceBatch == cell.batch && !std::filesystem::exists(m_record.traceFile(cell));
    }

    const SweepFile& m_sweep;
    SweepRecord& m_record;
    StopToken m_stop;
};

}  // namespace

std::vector<SweepRow> recordedPasses(const SweepFile& sweep, const std::filesystem::path& folder) {
    if (!SweepRecord::isIn(folder))
        return {};
    return SweepRecord(sweep, sweepCells(sweep), folder, {}).rows();
}

std::vector<SweepRow> runSweep(const SweepFile& sweep, const std::filesystem::path& folder,
                               const StopToken& stop, const OnSweepRow& onRow) {
    const std::vector<SweepCell> cells = sweepCells(sweep);
    SweepRecord record(sweep, cells, folder, onRow);
    std::vector<std::string> order;
    std::map<std::string, std::vector<ResolvedCell>> groups;
    for (const SweepCell& cell : cells) {
        try {
            ResolvedCell resolved = resolveCell(sweep, cell);
            const std::string group = resolved.group();
            if (!groups.contains(group))
                order.push_back(group);
            groups[group].push_back(std::move(resolved));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Project)
                throw;
            if (!record.refused(cell.name()))
                record.add(refusedRow(cell, error));
        }
    }
    GroupRun run(sweep, record, stop);
    for (const std::string& group : order)
        run.run(groups.at(group));
    return record.rows();
}

}  // namespace meshreel
