// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <variant>

#include "engine/attention/context_split.h"
#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/project_check.h"
#include "engine/estimates/video_shape.h"
#include "engine/launch/rank_launcher.h"
#include "engine/measure/measured_here.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/project/attention_check.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/timing/trace.h"
#include "engine/timing/verdict.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Nothing is encoded, but a project needs a prompt.
Project cellProject(const SweepCell& cell) {
    Project project = cell.project;
    if (project.prompt.empty())
        project.prompt = cell.strategy;
    return project;
}

int chooseWorkers(const Project& project, int devices) {
    return project.workers > 0 ? static_cast<int>(project.workers) : std::max(1, availableCpus() / devices);
}

ModelFacts factsOf(const SweepFile& sweep, const Project& project) {
    ModelFacts facts;
    if (sweep.architecture.empty())
        facts = readModelFacts(prepareModelFolder(project));
    else
        facts.transformer = WanTransformerConfig::fromJson(
            configOf(requireArchitecture(sweep.architecture), sweep.layers), "arch");
    facts.transformer.layers = sweep.layers;
    return facts;
}

/// What a cell asks for, whether possible or not; 0 if it leaves it open.
struct AskedMesh {
    int devices = 0;
    int workersPerDevice = 0;
};

AskedMesh askedMesh(const SweepCell& cell) {
    const Project project = cellProject(cell);
    AskedMesh asked{.devices = static_cast<int>(project.devices),
                    .workersPerDevice = static_cast<int>(project.workers)};
    if (hasErrors(check(project)))
        return asked;
    const auto mesh = resolveMesh(meshRequest(project));
    if (const auto* layout = std::get_if<MeshLayout>(&mesh))
        asked.devices = layout->devices();
    if (asked.devices > 0)
        asked.workersPerDevice = chooseWorkers(project, asked.devices);
    return asked;
}

}  // namespace

std::string ResolvedCell::group() const {
    const MeshShape shape = mesh.layout.shape();
    return fmt::format("{} {} {} {} {} {} {} {}", shape.data, shape.fsdp, shape.context, shape.tensor,
                       mesh.workersPerDevice, workload.latents.text(), toKeyValue(workload.precision.weights),
                       toKeyValue(workload.precision.activations));
}

ResolvedCell resolveCell(const SweepFile& sweep, const SweepCell& cell, int ranks) {
    const Project project = cellProject(cell);
    std::vector<Problem> problems = check(project, nullptr, ranks);
    if (hasErrors(problems))
        throw ProjectError(std::move(problems));
    const ModelFacts facts = factsOf(sweep, project);
    const auto mesh = resolveMesh(meshRequest(project, ranks));
    if (const auto* problem = std::get_if<Problem>(&mesh))
        throw Error(ErrorKind::Project, *problem);
    const MeshLayout& layout = std::get<MeshLayout>(mesh);
    if (const auto overload = deviceOverload(layout.devices() / ranks, availableCpus());
        overload && !sweep.oversubscribe)
        throw Error(ErrorKind::Project, *overload);
    const AttentionSettings attention = attentionSettings(project);
    const MeshShape shape = layout.shape();
    const auto faults = attentionProblems(attention, facts.transformer.heads, facts.transformer.headDim,
                                          shape.context, shape.tensor);
    if (!faults.empty())
        throw Error(ErrorKind::Project, faults.front());
    const Shape one = computeLatentShape(project, facts);
    ResolvedCell resolved{
        .cell = &cell,
        .workload = {.config = facts.transformer,
                     .latents = {cell.batch, facts.transformer.inChannels, one[2], one[3], one[4]},
                     .precision = readPrecision(project).transformer},
        .mesh = {.layout = layout,
                 .workersPerDevice = ranks > 1 ? static_cast<int>(project.workers)
                                               : chooseWorkers(project, layout.devices())},
        .attentions = {}};
    resolved.attentions = planAttentions(attention, resolved.workload, layout);
    return resolved;
}

namespace {

/// Passes of a cell alone, behind one that is not counted.
void timeAlone(const ResolvedCell& cell, int passes, const StopToken& stop,
               const std::function<void(const ForwardPass&)>& onPass) {
    WorkerPool writers({.workers = availableCpus()});
    const RandomCheckpoint random({writers, stop}, wanTensors(cell.workload.config, DType::BF16));
    TimedForward forward(cell.workload, cell.mesh, cell.attentions, random.checkpoint());
    static_cast<void>(forward.run(stop));  // warms up
    for (int pass = 0; pass < passes; ++pass) {
        throwIfStopped(stop);
        onPass(forward.run(stop));
    }
}

}  // namespace

double timeCell(const ResolvedCell& cell, const StopToken& stop) {
    double seconds = 0;
    timeAlone(cell, 1, stop, [&](const ForwardPass& pass) { seconds = pass.seconds; });
    return seconds;
}

void timePasses(const SweepFile& sweep, const std::string& name, MpiSession* ranks, const StopToken& stop,
                const std::function<void(const ForwardPass& pass)>& onPass) {
    const std::vector<SweepCell> cells = sweepCells(sweep);
    const auto cell = std::ranges::find(cells, name, &SweepCell::name);
    if (cell == cells.end())
        throw Error(ErrorKind::Project, sentence("the sweep has no cell \"{}\"", name), "--cell",
                    sentence("meshreel sweep FILE --list prints the cells"));
    ResolvedCell resolved = resolveCell(sweep, *cell, ranks == nullptr ? 1 : ranks->ranks());
    resolved.mesh.ranks = ranks;
    timeAlone(resolved, sweep.repeats, stop, [&](const ForwardPass& pass) {
        if (ranks == nullptr || ranks->rank() == 0)
            onPass(pass);
    });
}

std::string passLine(const ForwardPass& pass) {
    return nlohmann::json{{"seconds", pass.seconds}, {"bytes_moved", pass.bytesMoved}}.dump();
}

std::optional<ForwardPass> parsePassLine(const std::string& line) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("seconds") || !json.contains("bytes_moved"))
        return std::nullopt;
    return ForwardPass{.seconds = json["seconds"].get<double>(),
                       .bytesMoved = json["bytes_moved"].get<std::int64_t>()};
}

namespace {

constexpr const char* rowsName = "rows.jsonl";
constexpr const char* tableName = "sweep.csv";
constexpr const char* cellsName = "cells.txt";

/// All that the cells are: two sweeps with the same text measure the same.
std::string description(const SweepFile& sweep, std::span<const SweepCell> cells) {
    std::string text = "arch: " + sweep.architecture + "\nlayers: " + std::to_string(sweep.layers) + "\n";
    for (const SweepCell& cell : cells)
        text += "--- " + cell.name() + "\n" + resolvedYaml(cell.project);
    return text;
}

nlohmann::ordered_json writeRow(const SweepRow& row) {
    nlohmann::ordered_json json{{"cell", row.cell},       {"repeat", row.repeat},
                                {"seconds", row.seconds}, {"bytes_moved", row.bytesMoved},
                                {"devices", row.devices}, {"workers", row.workersPerDevice}};
    putSentence(json, "refusal", row.refusal);
    if (row.failed)
        json["failed"] = true;
    return json;
}

SweepRow readRow(const nlohmann::json& json) {
    return {.cell = json.at("cell"),
            .repeat = json.at("repeat"),
            .seconds = json.at("seconds"),
            .bytesMoved = json.at("bytes_moved"),
            .devices = json.at("devices"),
            .workersPerDevice = json.at("workers"),
            .refusal = sentenceAt(json, "refusal"),
            .failed = json.value("failed", false)};
}

/// The rows of a sweep on disk, complete after each pass: rows.jsonl, and sweep.csv for people.
class SweepRecord {
  public:
    /// Makes the folder, or continues with its contents. Throws Error{Project} when they are of another
    /// sweep, Error{Input} when it cannot be written.
    SweepRecord(const SweepFile& sweep, std::span<const SweepCell> cells, fs::path folder, OnSweepRow onRow,
                PassesOfCells more = {})
        : m_sweep(sweep), m_folder(std::move(folder)), m_onRow(std::move(onRow)), m_more(std::move(more)) {
        for (const SweepCell& cell : cells)
            m_names.push_back(cell.name());
        std::error_code failed;
        fs::create_directories(m_folder, failed);
        if (failed)
            throw Error(ErrorKind::Input, sentence("The sweep's folder cannot be made: {}", failed.message()),
                        withTilde(m_folder), sentence("Choose another with -o"));
        if (isIn(m_folder))
            requireSameSweep(cells);
        else
            writeFileAtomically(m_folder / cellsName, description(sweep, cells));
        readRows(cells);
    }

    /// Call before passes are added. Throws Error{Input} when the present ones are of another machine or
    /// build.
    [[nodiscard]] std::optional<Sentence> claim() const {
        return claimMeasurements(m_folder / machineName, !m_rows.empty());
    }

    /// Keeps a file of rows that cannot all be read, which add() is going to replace.
    void keepDamagedRows() const {
        const fs::path rows(rowsName);
        if (m_unread.empty())
            return;
        const fs::path aside =
            freePath(m_folder / (rows.stem().string() + "-damaged"), rows.extension().string());
        if (const std::error_code failure = copyContent(m_folder / rows, aside))
            throw fs::filesystem_error("copy", m_folder / rows, aside, failure);
    }

    /// Rows that cannot be read.
    [[nodiscard]] const std::vector<Error>& unread() const { return m_unread; }

    /// Whether a sweep was begun in the folder.
    static bool isIn(const fs::path& folder) {
        std::error_code failed;
        return fs::exists(folder / cellsName, failed);
    }

    void add(const SweepRow& row) {
        m_rows.push_back(row);
        std::string lines;
        for (const SweepRow& one : m_rows)
            lines += writeRow(one).dump() + "\n";
        writeFileAtomically(m_folder / rowsName, lines);
        writeFileAtomically(m_folder / tableName, toCsv(sweepTable(m_sweep, m_rows)));
        if (m_onRow)
            report(row);
    }

    [[nodiscard]] const std::vector<SweepRow>& rows() const { return m_rows; }

    /// Timed passes of a cell that are there.
    [[nodiscard]] int passesOf(std::string_view cell) const {
        return static_cast<int>(std::ranges::count_if(
            m_rows, [&](const SweepRow& row) { return row.cell == cell && row.refusal.empty(); }));
    }

    /// Passes of a cell that there are to be.
    [[nodiscard]] int wantedOf(const std::string& cell) const {
        const auto found = m_more.find(cell);
        return std::max(m_sweep.repeats, found == m_more.end() ? 0 : found->second);
    }

    [[nodiscard]] bool refused(std::string_view cell) const {
        return std::ranges::any_of(
            m_rows, [&](const SweepRow& row) { return row.cell == cell && !row.refusal.empty(); });
    }

    [[nodiscard]] fs::path traceFile(const SweepCell& cell) const {
        std::string name = "trace " + cell.name();
        std::ranges::replace_if(
            name, [](char c) { return c == ' ' || c == ',' || c == '=' || c == '/'; }, '-');
        std::string plain = fileNameFrom(name);
        if (plain != name)  // two long or odd names may have become one
            plain += fmt::format("-{:08x}", std::hash<std::string>()(name) & 0xFFFFFFFFU);
        return m_folder / (plain + ".json");
    }

  private:
    void requireSameSweep(std::span<const SweepCell> cells) const {
        if (readFile(m_folder / cellsName) != description(m_sweep, cells))
            throw Error(
                ErrorKind::Project,
                sentence("The folder holds rows of another sweep, or of this one before it was changed"),
                withTilde(m_folder), sentence("Choose another folder with -o, or remove this one"));
    }

    void readRows(std::span<const SweepCell> cells) {
        if (!fs::exists(m_folder / rowsName))
            return;
        std::set<std::string> names;
        for (const SweepCell& cell : cells)
            names.insert(cell.name());
        std::istringstream stream(readFile(m_folder / rowsName));
        int number = 0;
        for (std::string line; std::getline(stream, line);) {
            ++number;
            try {
                SweepRow row = readRow(nlohmann::json::parse(line));
                if (!names.contains(row.cell))
                    throw Error(ErrorKind::Input, sentence("the sweep has no cell \"{}\"", row.cell));
                if (!row.failed)  // it is tried again
                    m_rows.push_back(std::move(row));
            } catch (const nlohmann::json::exception&) {
                leaveOut(number, sentence("this is no row of a sweep"));
            } catch (const Error& failure) {
                leaveOut(number, failure.message());
            }
        }
    }

    void leaveOut(int line, const Sentence& reason) {
        m_unread.emplace_back(ErrorKind::Input, reason,
                              fmt::format("{}:{}", withTilde(m_folder / rowsName), line),
                              sentence("The pass is measured again when the sweep goes on"));
    }

    void report(const SweepRow& row) const {
        const auto timed =
            std::ranges::count_if(m_rows, [](const SweepRow& one) { return one.refusal.empty(); });
        std::size_t passes = 0;
        for (const std::string& cell : m_names)
            if (!refused(cell))
                passes += static_cast<std::size_t>(std::max(wantedOf(cell), passesOf(cell)));
        m_onRow(row, static_cast<std::size_t>(timed), passes);
    }

    const SweepFile& m_sweep;
    fs::path m_folder;
    OnSweepRow m_onRow;
    PassesOfCells m_more;
    std::vector<std::string> m_names;  ///< of all cells
    std::vector<SweepRow> m_rows;
    std::vector<Error> m_unread;
};

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
            return m_record.passesOf(cell.cell->name()) < m_record.wantedOf(cell.cell->name()) ||
                   lacksTrace(*cell.cell);
        });
        if (open.empty())
            return;
        const ForwardWorkload& workload = open.front().workload;
        WorkerPool writers({.workers = availableCpus()});
        const RandomCheckpoint random({writers, m_stop}, wanTensors(workload.config, DType::BF16));
        TimedForward forward(workload, open.front().mesh, open.front().attentions, random.checkpoint());
        for (const ResolvedCell& cell : open) {
            forward.setAttention(cell.attentions);
            static_cast<void>(forward.run(m_stop));  // warms up
        }
        int most = 0;
        for (const ResolvedCell& cell : open)
            most = std::max(most, m_record.wantedOf(cell.cell->name()));
        for (int repeat = 1; repeat <= most; ++repeat)
            for (const ResolvedCell& cell : open)
                if (repeat <= m_record.wantedOf(cell.cell->name()) &&
                    m_record.passesOf(cell.cell->name()) < repeat)
                    timeOnce(forward, cell, repeat);
        for (const ResolvedCell& cell : open)
            if (lacksTrace(*cell.cell))
                traceOnce(forward, cell);
    }

  private:
    void timeOnce(TimedForward& forward, const ResolvedCell& cell, int repeat) {
        throwIfStopped(m_stop);
        forward.setAttention(cell.attentions);
        const ForwardPass pass = forward.run(m_stop);
        SweepRow row = resolvedRow(cell);
        row.repeat = repeat;
        row.seconds = pass.seconds;
        row.bytesMoved = pass.bytesMoved;
        m_record.add(row);
    }

    void traceOnce(TimedForward& forward, const ResolvedCell& cell) {
        Trace trace;
        forward.setAttention(cell.attentions);
        static_cast<void>(forward.run(m_stop, &trace));
        writeFileAtomically(m_record.traceFile(*cell.cell), trace.chromeJson());
    }

    [[nodiscard]] bool lacksTrace(const SweepCell& cell) const {
        return m_sweep.traceBatch == cell.batch && !fs::exists(m_record.traceFile(cell));
    }

    const SweepFile& m_sweep;
    SweepRecord& m_record;
    StopToken m_stop;
};

/// The passes of cells on ranks of hosts, a launch for each cell.
class HostRun {
  public:
    HostRun(const SweepFile& sweep, SweepRecord& record, const StopToken& stop)
        : m_sweep(sweep), m_record(record), m_stop(stop) {}

    void run(const ResolvedCell& cell, const std::vector<Host>& hosts) {
        const std::string name = cell.cell->name();
        const int missing = m_record.wantedOf(name) - m_record.passesOf(name);
        if (missing <= 0)
            return;
        std::vector<std::string> arguments{"sweep", m_sweep.file.string(), "--cell",
                                           name,    "--repeats",           std::to_string(missing)};
        if (m_sweep.oversubscribe)
            arguments.emplace_back(oversubscribeOption);
        const auto hear = [&](const std::string& line) {
            if (const std::optional<ForwardPass> pass = parsePassLine(line))
                add(cell, *pass);
        };
        const LaunchEnd end = launchRanks({.hosts = hosts, .ranks = 0, .arguments = std::move(arguments)},
                                          {.out = hear, .err = [](const std::string&) {}}, m_stop);
        throwIfStopped(m_stop);
        if (end.exitCode == 0)
            return;
        const Error failure = toError(end);
        if (failure.kind() != ErrorKind::Device)
            throw failure;
        SweepRow row = resolvedRow(cell);
        row.refusal = failure.message();
        row.failed = true;
        m_record.add(row);
    }

  private:
    void add(const ResolvedCell& cell, const ForwardPass& pass) {
        SweepRow row = resolvedRow(cell);
        row.repeat = m_record.passesOf(row.cell) + 1;
        row.seconds = pass.seconds;
        row.bytesMoved = pass.bytesMoved;
        m_record.add(row);
    }

    const SweepFile& m_sweep;
    SweepRecord& m_record;
    StopToken m_stop;
};

/// The hosts that a cell runs on; none: this process alone.
std::vector<Host> readCellHosts(const SweepFile& sweep, const SweepCell& cell) {
    if (cell.project.hosts.empty())
        return {};
    if (sweep.file.empty())
        throw Error(ErrorKind::Project,
                    sentence("ranks on hosts read a sweep from its file, and this one has none"), "hosts",
                    sentence("Save the sweep, or leave out hosts"));
    return readHosts(expandTilde(cell.project.hosts), HostLimits{.oversubscribe = sweep.oversubscribe});
}

}  // namespace

SweepPasses recordedPasses(const SweepFile& sweep, const fs::path& folder) {
    if (!SweepRecord::isIn(folder))
        return {};
    const SweepRecord record(sweep, sweepCells(sweep), folder, {});
    return {.rows = record.rows(), .leftOut = record.unread()};
}

SweepPasses runSweep(const SweepFile& sweep, const fs::path& folder, const StopToken& stop,
                     const OnSweepRow& onRow, const PassesOfCells& more) {
    const std::vector<SweepCell> cells = sweepCells(sweep);
    SweepRecord record(sweep, cells, folder, onRow, more);
    SweepPasses passes{.rows = {}, .leftOut = sweep.leftOut};
    std::ranges::copy(record.unread(), std::back_inserter(passes.leftOut));
    if (auto unknown = record.claim())
        passes.notes.push_back(std::move(*unknown));
    record.keepDamagedRows();
    std::vector<std::string> order;
    std::map<std::string, std::vector<ResolvedCell>> groups;
    std::vector<std::pair<ResolvedCell, std::vector<Host>>> onHosts;
    for (const SweepCell& cell : cells) {
        try {
            std::vector<Host> hosts = readCellHosts(sweep, cell);
            ResolvedCell resolved = resolveCell(sweep, cell, hosts.empty() ? 1 : countSlots(hosts));
            if (!hosts.empty()) {
                onHosts.emplace_back(std::move(resolved), std::move(hosts));
                continue;
            }
            const std::string group = resolved.group();
            if (!groups.contains(group))
                order.push_back(group);
            groups[group].push_back(std::move(resolved));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Input)
                passes.leftOut.emplace_back(ErrorKind::Input,
                                            sentence("{}: {}", cell.name(), error.message()), error.where(),
                                            error.hint());
            else if (error.kind() != ErrorKind::Project)
                throw;
            else if (!record.refused(cell.name()))
                record.add(refusedRow(cell, error));
        }
    }
    GroupRun run(sweep, record, stop);
    for (const std::string& group : order)
        run.run(groups.at(group));
    if (!onHosts.empty() && sweep.traceBatch)
        passes.notes.push_back(
            sentence("Cells on hosts leave no trace; trace_batch serves those of this machine"));
    HostRun ranks(sweep, record, stop);
    for (const auto& [cell, hosts] : onHosts)
        ranks.run(cell, hosts);
    passes.rows = record.rows();
    return passes;
}

namespace {

std::map<std::string, SweepCell> cellsByName(const SweepFile& sweep) {
    std::map<std::string, SweepCell> cells;
    for (SweepCell& cell : sweepCells(sweep))
        cells.emplace(cell.name(), std::move(cell));
    return cells;
}

/// Strategy, the axes' values and the batch.
std::vector<DataCell> listSettings(const SweepCell& cell) {
    std::vector<DataCell> settings{cell.strategy};
    for (const auto& [key, value] : cell.values)
        settings.emplace_back(value);
    settings.emplace_back(cell.batch);
    return settings;
}

std::vector<std::string> settingColumns(const SweepFile& sweep) {
    std::vector<std::string> columns{"strategy"};
    for (const SweepAxis& axis : sweep.axes)
        columns.push_back(axis.key);
    columns.emplace_back("batch");
    return columns;
}

void append(std::vector<std::string>& columns, std::initializer_list<const char*> more) {
    columns.insert(columns.end(), more.begin(), more.end());
}

std::vector<double> secondsOf(std::span<const SweepRow> rows, const std::string& cell) {
    std::vector<double> seconds;
    for (const SweepRow& row : rows)
        if (row.cell == cell && row.refusal.empty())
            seconds.push_back(row.seconds);
    return seconds;
}

/// Returns nothing for a count that a refused cell leaves open.
DataCell countCell(int count) {
    return count > 0 ? DataCell(std::int64_t{count}) : DataCell();
}

/// How many passes, their median and their spread.
std::vector<DataCell> resultCells(const std::vector<double>& seconds) {
    const TimesSummary times = summarizeTimes(seconds);
    const auto passes = static_cast<std::int64_t>(times.count);
    return {passes, times.count > 0 ? DataCell(times.median) : DataCell(),
            times.count > 1 ? DataCell(times.spread()) : DataCell()};
}

}  // namespace

DataTable sweepTable(const SweepFile& sweep, std::span<const SweepRow> rows) {
    DataTable table{.columns = settingColumns(sweep), .rows = {}};
    append(table.columns, {"devices", "workers", "repeat", "status", "seconds", "bytes_moved", "detail"});
    const std::map<std::string, SweepCell> cells = cellsByName(sweep);
    for (const SweepRow& row : rows) {
        const bool ran = row.refusal.empty();
        std::vector<DataCell> line = listSettings(cells.at(row.cell));
        line.push_back(countCell(row.devices));
        line.push_back(countCell(row.workersPerDevice));
        line.emplace_back(std::int64_t{row.repeat});
        line.emplace_back(std::string(ran ? "ok" : row.failed ? "failed" : "refused"));
        line.push_back(ran ? DataCell(row.seconds) : DataCell());
        line.push_back(ran ? DataCell(row.bytesMoved) : DataCell());
        line.emplace_back(row.refusal.text());
        table.rows.push_back(std::move(line));
    }
    return table;
}

std::string referenceOf(const SweepFile& sweep, const SweepCell& cell) {
    SweepCell first = cell;
    first.strategy = sweep.strategies.front().name;
    return first.name();
}

DataTable sweepSummary(const SweepFile& sweep, std::span<const SweepRow> rows) {
    DataTable table{.columns = settingColumns(sweep), .rows = {}};
    append(table.columns, {"runs", "seconds", "spread", "verdict"});
    for (const SweepCell& cell : sweepCells(sweep)) {
        const std::string reference = referenceOf(sweep, cell);
        const std::vector<double> seconds = secondsOf(rows, cell.name());
        const std::vector<double> against = secondsOf(rows, reference);
        std::vector<DataCell> line = listSettings(cell);
        std::ranges::move(resultCells(seconds), std::back_inserter(line));
        line.push_back(seconds.empty() || against.empty() || cell.name() == reference
                           ? DataCell()
                           : DataCell(verdictSentence(judge(against, seconds)).text()));
        table.rows.push_back(std::move(line));
    }
    return table;
}

}  // namespace meshreel
