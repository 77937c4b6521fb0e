// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/standard_streams.h"
#include "engine/base/strings.h"

namespace meshreel {

/// What a chosen sub-command does; returns the exit code. Failures are thrown as Error.
using Action = std::function<int()>;

/// One sub-command: `declare` adds its options to `app` and returns the action that reads them.
struct Command {
    std::string_view group;  ///< the purpose it serves, as --help groups them
    std::string_view name;
    std::string_view help;
    Action (*declare)(CLI::App& app);
};

/// Returns every sub-command, in the order that --help shows them.
std::span<const Command> commands();

Action declareRun(CLI::App& app);
Action declareFilm(CLI::App& app);
Action declareFinish(CLI::App& app);
Action declareServe(CLI::App& app);
Action declareQueue(CLI::App& app);
Action declareValidate(CLI::App& app);
Action declareImport(CLI::App& app);
Action declarePlan(CLI::App& app);
Action declareForesee(CLI::App& app);
Action declareVerify(CLI::App& app);
Action declareInspect(CLI::App& app);
Action declareModels(CLI::App& app);
Action declareGet(CLI::App& app);
Action declareConvert(CLI::App& app);
Action declareDecode(CLI::App& app);
Action declareCompare(CLI::App& app);
Action declareChart(CLI::App& app);
Action declareReport(CLI::App& app);
Action declareModes(CLI::App& app);
Action declareAttention(CLI::App& app);
Action declareCheck(CLI::App& app);
Action declareBench(CLI::App& app);
Action declareRates(CLI::App& app);
Action declareTune(CLI::App& app);
Action declareCalibrate(CLI::App& app);
Action declareSweep(CLI::App& app);
Action declareEvaluate(CLI::App& app);
Action declareMakeCheckpoint(CLI::App& app);
Action declareCache(CLI::App& app);
Action declareIsa(CLI::App& app);
Action declareDevices(CLI::App& app);
Action declareKeys(CLI::App& app);
Action declareCompletion(CLI::App& app);
Action declareManual(CLI::App& app);

/// Which options declareCommands() declares. Declaring every command's options takes a tenth of the program's
/// own start.
enum class DeclaredOptions : std::uint8_t {
    OfChosen,  ///< those of the sub-command that the parsed words name, once it is known
    OfAll
};

/// Returns the whole command line: every sub-command declared on `app`. Exactly one is required. Returns
/// their actions in the order of commands(); without its options a sub-command has none.
std::shared_ptr<const std::vector<Action>> declareCommands(CLI::App& app, DeclaredOptions options);

/// Declares `--isa` for every sub-command. The returned function applies it, or what a starting process left
/// in the environment, and is to be called before the chosen action. Throws as limitIsa() does.
std::function<void()> declareIsaOption(CLI::App& app);

// Commands that are carried out by a program beside this one.

/// A program beside this one, which links Qt.
struct SisterProgram {
    std::string name;
    std::string whatItIs;  ///< "The program that draws charts"
};

/// Throws Error{Input} saying what it is when it is not installed.
void requireSisterProgram(const SisterProgram& sister);

/// Becomes the program, which reads `input`; from then on the program writes the sentences and sets the exit
/// code. Throws Error{Input} when it is not installed or does not start.
[[noreturn]] void becomeSisterProgram(const SisterProgram& sister, std::vector<std::string> arguments,
                                      std::string_view input = {});

/// Throws Error{Input} naming the packages when meshreel-render, which can draw, is not beside this program.
void requireRenderer();

/// Becomes meshreel-render, which reads `input`; from then on meshreel-render writes the sentences and sets
/// the exit code. Throws Error{Input} when it is not there or does not start.
[[noreturn]] void becomeRenderer(std::vector<std::string> arguments, std::string_view input = {});

/// Prints all output of the runner: prompts, names and messages may be a stranger's, and a terminal obeys the
/// controls in them (visibleText()). On stdout, throws std::system_error when nothing can be written.
template <typename... Parts>
void say(std::FILE* stream, fmt::format_string<const Parts&...> pattern, const Parts&... parts) {
    const std::string text = visibleText(fmt::format(pattern, parts...));
    if (stream == stderr)
        writeRemark(text);
    else
        fmt::print(stream, "{}", text);
}

template <typename... Parts>
void say(fmt::format_string<const Parts&...> pattern, const Parts&... parts) {
    say(stdout, pattern, parts...);
}

/// Removes the place from lines about a value that the user has just typed: they know where it is.
std::string withoutTypedPlace(std::string text);

/// Prints the warnings on stderr, one line each.
void sayWarnings(const std::vector<Problem>& warnings);

}  // namespace meshreel
