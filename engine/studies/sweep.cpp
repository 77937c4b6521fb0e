// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "engine/attention/context_split.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/models/architecture.h"
#include "engine/models/random_checkpoint.h"
#include "engine/models/wan_tensor_specs.h"
#include "engine/planning/model_library.h"
#include "engine/planning/run_precision.h"
#include "engine/planning/video_shape.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/studies/sweep_record.h"
#include "engine/studies/timed_forward.h"

namespace meshreel {
namespace {

/// What a cell runs as.
struct ResolvedCell {
    const SweepCell* cell = nullptr;
    ForwardWorkload workload;
    ForwardMesh mesh;
    AttentionSettings attention;

    /// Cells with the same key can take turns on one mesh with the same weights.
    [[nodiscard]] std::string group() const {
        const MeshShape shape = mesh.layout.shape();
        return fmt::format("{} {} {} {} {} {} {} {}", shape.data, shape.fsdp, shape.context, shape.tensor,
                           mesh.workersPerDevice, workload.latents.text(),
                           keyValueOf(workload.precision.weights),
                           keyValueOf(workload.precision.activations));
    }
};

ModelFacts factsOf(const SweepFile& sweep, const Project& project) {
    ModelFacts facts;
    if (sweep.architecture.empty())
        facts = readModelFacts(findModel(project.model));
    else
        facts.transformer = WanTransformerConfig::fromJson(
            configOf(requireArchitecture(sweep.architecture), sweep.layers), "arch");
    facts.transformer.layers = sweep.layers;
    return facts;
}

/// Throws Error{Project} for what cannot run.
ResolvedCell resolve(const SweepFile& sweep, const SweepCell& cell) {
    Project project = cell.project;
    if (project.prompt.empty())
        project.prompt = cell.strategy;  // nothing is encoded, but a project wants one
    std::vector<ProjectProblem> problems = validate(project);
    if (hasErrors(problems))
        throw ProjectError(std::move(problems));
    const ModelFacts facts = factsOf(sweep, project);
    const auto mesh = resolveMesh(meshRequest(project));
    if (const auto* fault = std::get_if<MeshFault>(&mesh))
        throw Error(ErrorKind::Project, fault->message, fault->key, fault->hint);
    const MeshLayout& layout = std::get<MeshLayout>(mesh);
    AttentionSettings attention = attentionSettings(project);
    const MeshShape shape = layout.shape();
    const auto faults = attentionProblems(attention, facts.transformer.heads, facts.transformer.headDim,
                                          shape.context, shape.tensor);
    if (!faults.empty())
        throw Error(ErrorKind::Project, faults.front().message, faults.front().key, faults.front().hint);
    attention.blocks = resolveFlashBlocks(attention.blocks);
    const Shape one = latentShapeOf(project, facts);
    const int workers = project.workers > 0 ? static_cast<int>(project.workers)
                                            : std::max(1, availableCpus() / layout.devices());
    return {.cell = &cell,
            .workload = {.config = facts.transformer,
                         .latents = {cell.batch, facts.transformer.inChannels, one[2], one[3], one[4]},
                         .precision = precisionOf(project).transformer},
            .mesh = {.layout = layout, .workersPerDevice = workers},
            .attention = attention};
}

SweepRow rowOf(const ResolvedCell& resolved) {
    return {.cell = resolved.cell->name(),
            .devices = resolved.mesh.layout.devices(),
            .workersPerDevice = resolved.mesh.workersPerDevice};
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
        SweepRow row = rowOf(cell);
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

std::vector<SweepRow> runSweep(const SweepFile& sweep, const std::filesystem::path& folder,
                               const StopToken& stop, const OnSweepRow& onRow) {
    const std::vector<SweepCell> cells = sweepCells(sweep);
    SweepRecord record(sweep, cells, folder, onRow);
    std::vector<std::string> order;
    std::map<std::string, std::vector<ResolvedCell>> groups;
    for (const SweepCell& cell : cells) {
        try {
            ResolvedCell resolved = resolve(sweep, cell);
            const std::string group = resolved.group();
            if (!groups.contains(group))
                order.push_back(group);
            groups[group].push_back(std::move(resolved));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Project)
                throw;
            if (!record.refused(cell.name()))
                record.add({.cell = cell.name(), .refusal = error.what()});
        }
    }
    GroupRun run(sweep, record, stop);
    for (const std::string& group : order)
        run.run(groups.at(group));
    return record.rows();
}

}  // namespace meshreel
