// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/paths.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>
#include <unicode/utypes.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/strings.h"

namespace fs = std::filesystem;

namespace meshreel {

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

bool isPlainAscii(char32_t point) {
    return (point >= U'0' && point <= U'9') || (point >= U'a' && point <= U'z') ||
           (point >= U'A' && point <= U'Z') || point == U'-' || point == U'_' || point == U'.';
}

struct CodePoints {
    char32_t first;
    char32_t last;
};

/// Characters beyond ASCII that are not part of a word, or hide in a name: C1 controls and the hard space,
/// spaces and zero-width marks, separators of lines and marks of direction, the wide space, private and
/// unpaired ones, the byte-order mark, the replacement of bytes that could not be read. The two joiners
/// U+200C and U+200D, which Persian and emoji need, stay.
constexpr std::array notInNames{CodePoints{0x80, 0xA0},     CodePoints{0x1680, 0x1680},
                                CodePoints{0x2000, 0x200B}, CodePoints{0x200E, 0x200F},
                                CodePoints{0x2028, 0x202F}, CodePoints{0x205F, 0x206F},
                                CodePoints{0x3000, 0x3000}, CodePoints{0xD800, 0xF8FF},
                                CodePoints{0xFEFF, 0xFEFF}, CodePoints{0xFFF9, 0xFFFF}};

bool mayStandInName(char32_t point) {
    return point < 0x80 ? isPlainAscii(point) : std::ranges::none_of(notInNames, [point](CodePoints range) {
        return point >= range.first && point <= range.last;
    });
}

/// Where a text can be cut at `most` bytes or before without tearing what a person reads as one character: a
/// letter with its accents, a family of emoji.
std::size_t lastCut(const std::string& utf8, std::size_t most) {
    UErrorCode status = U_ZERO_ERROR;
    UText text = UTEXT_INITIALIZER;
    utext_openUTF8(&text, utf8.data(), static_cast<std::int64_t>(utf8.size()), &status);
    UBreakIterator* const characters = ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status);
    ubrk_setUText(characters, &text, &status);
    std::size_t cut = 0;
    if (U_SUCCESS(status))
        for (std::int32_t end = ubrk_next(characters);
             end != UBRK_DONE && static_cast<std::size_t>(end) <= most; end = ubrk_next(characters))
            cut = static_cast<std::size_t>(end);
    ubrk_close(characters);
    utext_close(&text);
    return U_SUCCESS(status) ? cut : characterBegin(utf8, most);
}

}  // namespace

std::string fileNameFrom(std::string_view text, std::size_t longest) {
    std::string name;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t begin = position;
        const std::optional<char32_t> point = nextCodePoint(text, position);
        const std::string_view written =
            point && mayStandInName(*point) ? text.substr(begin, position - begin) : std::string_view("-");
        name += written;
        if (name.size() > longest) {
            name.resize(lastCut(name, longest));
            break;
        }
    }
    const std::size_t begin = name.find_first_not_of('.');  // hidden, or a way up
    return begin == std::string::npos ? std::string() : name.substr(begin);
}

fs::path freePath(const fs::path& base, std::string_view extension) {
    const auto named = [&](const std::string& number) {
        fs::path path = base;
        return path += number + std::string(extension);
    };
    const auto isTaken = [](const fs::path& path) {
        std::error_code unknown;
        return fs::exists(fs::symlink_status(path, unknown));
    };
    fs::path path = named("");
    for (int copy = 2; isTaken(path); ++copy)
        path = named('-' + std::to_string(copy));
    return path;
}

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

fs::path userConfigFolder() {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const fs::path folder = config != nullptr && *config == '/' ? fs::path(config) : expandTilde("~/.config");
    return folder / "meshreel";
}

namespace {

fs::path settingFile(std::string_view name) {
    return userConfigFolder() / name;
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
