// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/sister_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/paths.h"

namespace meshreel {

void becomeSisterProgram(const std::string& name, const std::string& whatItIs,
                         std::vector<std::string> arguments) {
    const std::string program = (executableFolder() / name).string();
    const std::string hint = fmt::format(
        "Build Meshreel with its Studio (cmake option MESHREEL_STUDIO, packages qt6-base-dev and "
        "qt6-charts-dev) and leave {} beside meshreel",
        name);
    if (!std::filesystem::exists(program))
        throw Error(ErrorKind::Input, whatItIs + " is not installed", program, hint);
    arguments.insert(arguments.begin(), program);
    std::vector<char*> words;
    std::ranges::transform(arguments, std::back_inserter(words),
                           [](std::string& word) { return word.data(); });
    words.push_back(nullptr);
    execv(words.front(), words.data());
    throw Error(ErrorKind::Input, fmt::format("{} does not start: {}", whatItIs, std::strerror(errno)),
                program, hint);
}

}  // namespace meshreel
