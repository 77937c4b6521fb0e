// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_lister.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "engine/runs/run_folder.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

constexpr std::int64_t nanosecondsPerSecond = 1'000'000'000;
/// Within it a file system may give two writes one time.
constexpr std::int64_t coarsestTime = 2 * nanosecondsPerSecond;

std::int64_t nanoseconds(const timespec& time) {
    return time.tv_sec * nanosecondsPerSecond + time.tv_nsec;
}

std::int64_t nanosecondsNow() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return nanoseconds(now);
}

}  // namespace

RunLister::Mark RunLister::markOf(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return {};
    return {.time = nanoseconds(status.st_mtim), .size = status.st_size};
}

RunLister::Marks RunLister::marksOf(const fs::path& run) {
    // What is replaced whole changes the folder's own time. Steps are appended; the others people may edit.
    return {markOf(run),
            markOf(run / run_file::status),
            markOf(run / run_file::steps),
            markOf(run / run_file::project),
            markOf(run / run_file::timings),
            markOf(run / "notes.json")};
}

std::optional<std::vector<RunSummary>> RunLister::listIfChanged(const fs::path& folder) {
    bool changed = !m_listed || folder != m_folder;
    if (folder != m_folder)
        m_known.clear();
    m_folder = folder;
    m_listed = true;
    std::unordered_map<std::string, Known> found;
    std::error_code unreadable;
    for (fs::directory_iterator entry(folder, unreadable); entry != fs::directory_iterator();
         entry.increment(unreadable)) {
        const fs::path& path = entry->path();
        const Marks marks = marksOf(path);  // before the files: what is written behind them is seen next time
        const auto known = m_known.find(path.string());
        if (known != m_known.end() && known->second.certain && known->second.marks == marks) {
            found.insert(m_known.extract(known));
            continue;
        }
        if (!RunFolder::isRun(path))
            continue;
        const std::int64_t newest = std::ranges::max_element(marks, {}, &Mark::time)->time;
        Known now{.marks = marks, .certain = false, .run = summarizeRun(path)};
        now.certain = now.run.state.status != RunStatus::Running && newest + coarsestTime < nanosecondsNow();
        changed = changed || known == m_known.end() || known->second.run != now.run;
        m_known.erase(path.string());
        found.emplace(path.string(), std::move(now));
    }
    changed = changed || !m_known.empty();  // those that are gone
    m_known = std::move(found);
    if (!changed)
        return std::nullopt;
    std::vector<RunSummary> runs;
    runs.reserve(m_known.size());
    for (const auto& [path, known] : m_known)
        runs.push_back(known.run);
    std::ranges::sort(runs, isNewerRun);
    return runs;
}

}  // namespace meshreel
