// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/paths.h"

#include <cstdlib>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

fs::path homeFolder() {
    const char* home = std::getenv("HOME");
    return home == nullptr ? fs::path() : fs::path(home).lexically_normal();
}

fs::path userFolder(const char* variable, const char* underHome) {
    const char* base = std::getenv(variable);
    // The XDG specification: a relative path is to be ignored.
    if (base != nullptr && fs::path(base).is_absolute())
        return fs::path(base) / "meshreel";
    return homeFolder() / underHome / "meshreel";
}

}  // namespace

std::string withTilde(const fs::path& path) {
    const fs::path home = homeFolder();
    if (home.empty() || home == "/")
        return path.string();
    const std::string relative = path.lexically_normal().lexically_relative(home).string();
    if (relative.empty() || relative.starts_with(".."))
        return path.string();
    return relative == "." ? "~" : "~/" + relative;
}

fs::path expandTilde(const std::string& path) {
    if (path == "~")
        return homeFolder();
    if (path.starts_with("~/"))
        return homeFolder() / path.substr(2);
    return path;
}

std::string readableStem(const fs::path& file) {
    return wellFormedUtf8(file.stem().string());
}

fs::path userDataFolder() {
    return userFolder("XDG_DATA_HOME", ".local/share");
}

fs::path userCacheFolder() {
    return userFolder("XDG_CACHE_HOME", ".cache");
}

fs::path executableFolder() {
    std::error_code failure;
    const fs::path self = fs::read_symlink("/proc/self/exe", failure);
    return failure ? fs::path() : self.parent_path();
}

fs::path resourceFolder() {
    std::vector<fs::path> places;
    if (const char* chosen = std::getenv("MESHREEL_RESOURCES"); chosen != nullptr && *chosen != '\0')
        places.emplace_back(chosen);
    if (const fs::path bin = executableFolder(); !bin.empty()) {
        places.push_back(bin / "../share/meshreel");
        // A build tree: build/<preset>/{bin,tests}/program.
        places.push_back(bin / "../../../resources");
    }
    std::string looked;
    for (const fs::path& place : places) {
        std::error_code ignored;
        if (fs::is_directory(place / "models", ignored))
            return fs::weakly_canonical(place);
        looked += (looked.empty() ? "" : ", ") + place.lexically_normal().string();
    }
    throw Error(ErrorKind::Internal, "the resources folder was not found (looked in " + looked + ")", {},
                "Install Meshreel again, or set MESHREEL_RESOURCES");
}

bool isThere(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

bool isFile(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

bool isFolder(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

}  // namespace meshreel
