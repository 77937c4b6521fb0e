// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_record_reader.h"

#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

void readEnvironment(const RunFolder& folder, RunRecord& record) {
    if (!folder.has(run_file::environment))
        return;
    const nlohmann::json environment = readJsonObject(folder.file(run_file::environment));
    record.devices = environment.value("devices", 1);
    record.workersPerDevice = environment.value("workers_per_device", 1);
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
                     .trace = readTrace(folder)};
    readEnvironment(folder, record);
    return record;
}

std::vector<RunRecord> readRunRecords(const fs::path& folderOrText) {
    std::error_code failure;
    if (!fs::is_regular_file(folderOrText, failure))
        return {readRunRecord(folderOrText)};
    constexpr std::uintmax_t mostBytes = std::uintmax_t{16} << 20;
    if (fs::file_size(folderOrText, failure) > mostBytes)
        throw Error(ErrorKind::Input, "the file is too large for a timing summary", folderOrText.string(),
                    "Cut the block out of it");
    return pastedRuns(readFile(folderOrText), folderOrText.stem().string());
}

}  // namespace meshreel
