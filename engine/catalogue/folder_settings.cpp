// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/folder_settings.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

fs::path settingFile(std::string_view name) {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const fs::path folder = config != nullptr && *config == '/' ? fs::path(config) : expandTilde("~/.config");
    return folder / "meshreel" / name;
}

}  // namespace

std::optional<fs::path> keptFolder(std::string_view name) {
    try {
        const std::string set = readFile(settingFile(name));
        if (const std::string line = set.substr(0, set.find('\n')); !line.empty())
            return expandTilde(line);
    } catch (const Error&) {
        // nothing is set
    }
    return std::nullopt;
}

void keepFolder(std::string_view name, const fs::path& folder) {
    const fs::path file = settingFile(name);
    std::error_code ignored;
    if (folder.empty()) {
        fs::remove(file, ignored);
        return;
    }
    if (!fs::is_directory(folder, ignored))
        throw Error(ErrorKind::Input, sentence("there is no such folder"), withTilde(folder),
                    sentence("Make it, or choose another one"));
    fs::create_directories(file.parent_path(), ignored);
    writeFileAtomically(file, withTilde(fs::absolute(folder).lexically_normal()) + "\n");
}

}  // namespace meshreel
