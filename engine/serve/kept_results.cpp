// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/kept_results.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/queue/queued_run.h"
#include "engine/queue/run_list.h"
#include "engine/runs/run_folder.h"

namespace meshreel {
namespace {

/// A result that may be deleted.
struct KeptResult {
    std::string id;
    std::filesystem::path folder;
    std::int64_t ended = 0;
    std::uint64_t bytes = 0;
};

bool isOwnRun(const std::filesystem::path& folder, const std::filesystem::path& runs) {
    std::error_code failure;
    const bool isInside = std::filesystem::equivalent(folder.parent_path(), runs, failure) && !failure;
    const auto kind = std::filesystem::symlink_status(folder, failure).type();
    return isInside && kind == std::filesystem::file_type::directory && RunFolder::isRun(folder) &&
           !RunLock::isHeld(folder);
}

std::uint64_t bytesIn(const std::filesystem::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code failure;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder, failure);
         !failure && entry != std::filesystem::recursive_directory_iterator(); entry.increment(failure))
        if (std::error_code ignored; entry->is_regular_file(ignored) && !entry->is_symlink(ignored))
            bytes += entry->file_size(ignored);
    return bytes;
}

/// The latest first.
std::vector<KeptResult> keptResults(const RunList& list, const std::filesystem::path& runs) {
    std::vector<KeptResult> results;
    for (const QueuedRun& run : list.runs()) {
        const bool hasEnded =
            run.state != QueuedRun::State::Waiting && run.state != QueuedRun::State::Running;
        if (run.isOfClient && hasEnded && isOwnRun(run.folder, runs))
            results.push_back({.id = run.id, .folder = run.folder, .ended = run.ended, .bytes = 0});
    }
    std::ranges::stable_sort(results, std::ranges::greater(), &KeptResult::ended);
    return results;
}

}  // namespace

KeepLimit readKeepLimit(const std::string& text) {
    constexpr std::int64_t secondsOfDay = 86400;
    constexpr std::uint64_t bytesOfGigabyte = 1'000'000'000;
    constexpr std::uint64_t most = 100'000;
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (failure == std::errc() && number > 0 && number <= most) {
        if (unit == "d")
            return {.seconds = static_cast<std::int64_t>(number) * secondsOfDay};
        if (unit == "GB")
            return {.bytes = number * bytesOfGigabyte};
    }
    throw Error(ErrorKind::Project, sentence("\"{}\" is neither days nor gigabytes", text), "--keep",
                sentence("Write it as 7d or 50GB"));
}

std::vector<std::string> forgetResults(SharedQueue& queue, const KeepLimit& limit,
                                       const std::filesystem::path& runs, std::int64_t now) {
    std::vector<KeptResult> forgotten;
    std::uint64_t bytes = 0;
    for (KeptResult& result : keptResults(queue.read(), runs)) {
        bytes += limit.bytes ? bytesIn(result.folder) : 0;
        const bool isOld = limit.seconds && now - result.ended > *limit.seconds;
        if (isOld || (limit.bytes && bytes > *limit.bytes))
            forgotten.push_back(std::move(result));
    }
    std::vector<std::string> ids;
    for (const KeptResult& result : forgotten)
        ids.push_back(result.id);
    if (ids.empty())
        return ids;
    // What is retried meanwhile stays.
    queue.change([&](RunList& changed) {
        std::erase_if(ids, [&changed](const std::string& id) {
            const QueuedRun* const run = changed.find(id);
            return run == nullptr || run->state == QueuedRun::State::Waiting ||
                   run->state == QueuedRun::State::Running;
        });
        changed.remove(ids);
    });
    for (const KeptResult& result : forgotten)
        if (std::ranges::find(ids, result.id) != ids.end()) {
            std::error_code ignored;
            std::filesystem::remove_all(result.folder, ignored);
        }
    return ids;
}

}  // namespace meshreel
