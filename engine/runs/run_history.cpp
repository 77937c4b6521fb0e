// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/runs/run_folder.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

std::string environmentVariable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string folderTimestamp() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &local);
    return {text.data(), length};
}

bool isPlainCharacter(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
}

std::string plainName(std::string name) {
    std::ranges::replace_if(
        name, [](char c) { return !isPlainCharacter(c); }, '-');
    return name.empty() ? "untitled" : name;
}

}  // namespace

fs::path runsFolder() {
    if (const std::string folder = environmentVariable("MESHREEL_RUNS"); !folder.empty())
        return folder;
    // The XDG base directory specification: only an absolute path counts.
    if (const fs::path data = environmentVariable("XDG_DATA_HOME"); data.is_absolute())
        return data / "meshreel" / "runs";
    const std::string home = environmentVariable("HOME");
    if (home.empty())
        throw Error(ErrorKind::Input, "there is no home folder to keep runs in", "$HOME",
                    "Set MESHREEL_RUNS to a folder, or give --out");
    return fs::path(home) / ".local" / "share" / "meshreel" / "runs";
}

fs::path newRunFolder(const std::string& name) {
    const fs::path base = runsFolder() / (folderTimestamp() + "-" + plainName(name));
    fs::path folder = base;
    for (int copy = 2; fs::exists(folder); ++copy)
        folder = fs::path(fmt::format("{}-{}", base.string(), copy));
    return folder;
}

RunSummary summarizeRun(const fs::path& folderPath) {
    RunSummary summary;
    summary.folder = folderPath;
    summary.name = folderPath.filename().string();
    try {
        const RunFolder folder = RunFolder::open(folderPath);
        summary.state = folder.state();
        summary.video = folder.video();
        if (folder.has(run_file::preview))
            summary.preview = folder.file(run_file::preview);
        const Project project = folder.project();
        summary.name = project.name;
        summary.prompt = project.prompt;
        summary.steps = static_cast<int>(project.numInferenceSteps);
        summary.stepsDone = static_cast<int>(folder.steps().size());
        if (const auto timings = folder.timings())
            summary.inferenceSeconds = timings->inference;
    } catch (const Error& failure) {
        summary.problem = failure.what();
    }
    return summary;
}

std::vector<RunSummary> listRuns(const fs::path& folder) {
    std::vector<RunSummary> runs;
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable))
        if (RunFolder::isRun(entry.path()))
            runs.push_back(summarizeRun(entry.path()));
    std::ranges::sort(runs, [](const RunSummary& a, const RunSummary& b) {
        return a.state.started != b.state.started ? a.state.started > b.state.started : a.folder > b.folder;
    });
    return runs;
}

}  // namespace meshreel
