// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/run_names.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view lastRun = "last";

/// N of "last~N", 0 of "last"; nothing for other words.
std::optional<std::size_t> runsBack(std::string_view word) {
    if (word == lastRun)
        return 0;
    if (!word.starts_with(lastRun) || word.size() < lastRun.size() + 2 || word[lastRun.size()] != '~')
        return {};
    const std::string_view digits = word.substr(lastRun.size() + 1);
    std::size_t back = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), back);
    const bool isNumber = failure == std::errc() && end == digits.data() + digits.size();
    return isNumber ? std::optional(back) : std::nullopt;
}

/// Folders of runs begin with their date and time, by which they are sorted here: the latest first.
std::vector<fs::path> runsByDate() {
    std::vector<fs::path> runs;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(runsFolder(), failure))
        if (RunFolder::isRun(entry.path()))
            runs.push_back(entry.path());
    std::ranges::sort(runs, std::ranges::greater(), [](const fs::path& run) { return run.filename(); });
    return runs;
}

/// "demo" of "20261126-072554-demo".
std::string_view nameBehindDate(std::string_view folder) {
    constexpr std::size_t dateLength = std::string_view("YYYYmmdd-HHMMSS-").size();
    return folder.size() > dateLength ? folder.substr(dateLength) : std::string_view();
}

}  // namespace

std::string runFolderNamed(const std::string& given) {
    std::error_code failure;
    if (given.empty() || fs::exists(expandTilde(given), failure) || fs::path(given).has_parent_path())
        return given;
    const std::optional<std::size_t> back = runsBack(given);
    const std::vector<fs::path> runs = runsByDate();
    if (back) {
        if (*back < runs.size())
            return runs[*back].string();
        throw Error(ErrorKind::Input,
                    runs.empty() ? sentence("there is no run in {}", runsFolder().string())
                                 : sentence("there are not so many runs in {} (there: {})",
                                            runsFolder().string(), runs.size()),
                    given, sentence("Give the path of a run folder, or set MESHREEL_RUNS"));
    }
    std::vector<fs::path> named;
    for (const fs::path& run : runs) {
        const std::string folder = run.filename().string();
        if (folder == given)
            return run.string();
        if (nameBehindDate(folder) == given)
            named.push_back(run);
    }
    if (named.empty())
        return given;
    if (named.size() == 1)
        return named.front().string();
    throw Error(ErrorKind::Input, sentence("{} runs have this name", named.size()), given,
                sentence("Give the whole name, for example {}", named.front().filename().string()));
}

CLI::Option* takeRunNames(CLI::Option* option) {
    return option->transform([](const std::string& given) { return runFolderNamed(given); }, "");
}

}  // namespace meshreel
