// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/runs/run_history.h"

namespace meshreel {

/// Lists the runs of a folder again and again, for who watches it: reads only those of which a file has
/// changed, which its times and sizes tell, and those that go on, because who dies leaves no trace. Not for
/// two threads at a time.
class RunLister {
  public:
    /// As listRuns(); nothing when it would be what was returned last. The first list of another folder is
    /// always returned.
    std::optional<std::vector<RunSummary>> listIfChanged(const std::filesystem::path& folder);

  private:
    /// Of a file: when it was written (nanoseconds) and its size; of a folder, when a name in it changed.
    struct Mark {
        std::int64_t time = 0;
        std::int64_t size = -1;  ///< -1: it is not there

        friend bool operator==(const Mark&, const Mark&) = default;
    };
    /// Of the folder, then of the files that are written in place or by people.
    using Marks = std::array<Mark, 6>;
    struct Known {
        Marks marks;
        bool certain = false;  ///< nothing can have been written behind the marks at the same time
        RunSummary run;
    };

    static Mark markOf(const std::filesystem::path& path);
    static Marks marksOf(const std::filesystem::path& run);

    std::filesystem::path m_folder;
    std::unordered_map<std::string, Known> m_known;  ///< by the run's path
    bool m_listed = false;
};

}  // namespace meshreel
