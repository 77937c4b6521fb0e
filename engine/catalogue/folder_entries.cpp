// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/folder_entries.h"

#include <algorithm>
#include <system_error>

namespace fs = std::filesystem;

namespace meshreel {

std::vector<fs::path> sortedEntries(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure))
        entries.push_back(entry->path());
    std::ranges::sort(entries);
    return entries;
}

}  // namespace meshreel
