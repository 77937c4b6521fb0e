// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_record_reader.h"

#include <nlohmann/json.hpp>

#include "engine/attention/context_split.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/pipelines/generation_events.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_settings_reader.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

nlohmann::json environmentIn(const RunFolder& folder) {
    return folder.has(run_file::environment) ? readJsonObject(folder.file(run_file::environment))
                                             : nlohmann::json::object();
}

void readEnvironment(const nlohmann::json& environment, const Project& project, RunRecord& record) {
    record.devices = environment.value("devices", 1);
    record.workersPerDevice = environment.value("workers_per_device", 1);
    const auto context = environment.value("/mesh/context"_json_pointer, 1);
    const ContextSplit split = contextSplit(attentionSettings(project), context);
    record.ulysses = split.ulysses;
    record.ring = split.ring;
    record.blockQ = environment.value("/attention/block_q"_json_pointer, record.blockQ);
    record.blockKv = environment.value("/attention/block_kv"_json_pointer, record.blockKv);
}

/// Phases that timings.json tells of, in the order of a run.
std::vector<PhaseMemoryRecord> readMemory(const RunFolder& folder) {
    if (!folder.has(run_file::timings))
        return {};
    const nlohmann::json timings = readJsonObject(folder.file(run_file::timings));
    const nlohmann::json memory = timings.value("memory", nlohmann::json::object());
    std::vector<PhaseMemoryRecord> phases;
    for (const Phase phase :
         {Phase::Load, Phase::Compile, Phase::Conditioning, Phase::Denoise, Phase::Decode}) {
        const std::string name(nameOf(phase));
        if (!memory.contains(name))
            continue;
        const nlohmann::json& bytes = memory.at(name);
        phases.push_back({.phase = name,
                          .planned = bytes.value("planned_bytes", std::uint64_t{0}),
                          .held = bytes.value("peak_bytes", std::uint64_t{0}),
                          .mappedFiles = bytes.value("mapped_file_bytes", std::uint64_t{0})});
    }
    return phases;
}

std::vector<TracedSpan> readTrace(const RunFolder& folder) {
    if (!folder.has(run_file::trace))
        return {};
    const fs::path path = folder.file(run_file::trace);
    try {
        return parseChromeTrace(readFile(path));
    } catch (const Error& failure) {
        throw Error(failure.kind(), failure.message(), path.string(), failure.hint());
    }
}

}  // namespace

RunRecord readRunRecord(const fs::path& path) {
    const RunFolder folder = RunFolder::open(path);
    const Project project = folder.project();
    RunRecord record{.name = fs::weakly_canonical(path).filename().string(),
                     .attention = project.attention,
                     .width = project.width,
                     .height = project.height,
                     .frames = project.numFrames,
                     .steps = folder.steps(),
                     .timings = folder.timings(),
                     .trace = readTrace(folder),
                     .deviceTimes = folder.deviceTimes(),
                     .memory = readMemory(folder),
                     .resumedFrom = folder.state().resumedFrom};
    const FlashBlockSizes blocks = resolveFlashBlocks(attentionSettings(project).blocks);
    record.blockQ = blocks.blockQ;
    record.blockKv = blocks.blockKv;
    const nlohmann::json environment = environmentIn(folder);
    readEnvironment(environment, project, record);
    record.settings = runSettingsOf(project, environment);
    return record;
}

std::optional<RunRecord> readTileSearch(const fs::path& tableOrFolder) {
    std::error_code failure;
    const bool isFolder = fs::is_directory(tableOrFolder, failure);
    const fs::path table = isFolder ? tableOrFolder / tileTableName : tableOrFolder;
    if (table.extension() != ".csv" || !fs::is_regular_file(table, failure))
        return std::nullopt;
    const fs::path& titled = isFolder ? tableOrFolder : table;
    RunRecord search;
    search.name = readableStem(fs::weakly_canonical(titled));
    search.tiles = parseTileTable(readFile(table), table.string());
    search.pasted = true;
    return search;
}

std::vector<RunRecord> readRunRecords(const fs::path& folderOrText) {
    std::error_code failure;
    if (!fs::is_regular_file(folderOrText, failure))
        return {readRunRecord(folderOrText)};
    constexpr std::uintmax_t mostBytes = std::uintmax_t{16} << 20;
    if (fs::file_size(folderOrText, failure) > mostBytes)
        throw Error(ErrorKind::Input, sentence("the file is too large for a timing summary"),
                    folderOrText.string(), sentence("Cut the block out of it"));
    return pastedRuns(readFile(folderOrText), readableStem(folderOrText));
}

}  // namespace meshreel
