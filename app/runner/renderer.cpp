// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/renderer.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/paths.h"

namespace meshreel {
namespace {

constexpr const char* installHint =
    "Build Meshreel with its Studio (cmake option MESHREEL_STUDIO, packages qt6-base-dev and qt6-charts-dev) "
    "and leave meshreel-render beside meshreel; .csv and .json need it too";

std::string rendererBesideThis() {
    const std::filesystem::path renderer = executableFolder() / "meshreel-render";
    if (!std::filesystem::exists(renderer))
        throw Error(ErrorKind::Input, "The program that draws charts and reports is not installed",
                    renderer.string(), installHint);
    return renderer.string();
}

}  // namespace

void becomeRenderer(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), rendererBesideThis());
    std::vector<char*> words;
    std::ranges::transform(arguments, std::back_inserter(words),
                           [](std::string& word) { return word.data(); });
    words.push_back(nullptr);
    execv(words.front(), words.data());
    throw Error(
        ErrorKind::Input,
        fmt::format("The program that draws charts and reports does not start: {}", std::strerror(errno)),
        arguments.front(), installHint);
}

}  // namespace meshreel
