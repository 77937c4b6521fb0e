// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/standard_streams.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/launch/mpirun_helpers.h"

namespace {

int runChosen(const CLI::App& app, const std::vector<meshreel::Action>& actions) {
    const auto commands = meshreel::commands();
    for (std::size_t index = 0; index < commands.size(); ++index)
        if (app.got_subcommand(std::string(commands[index].name)))
            return actions[index]();
    throw meshreel::Error(meshreel::ErrorKind::Internal, "no command was chosen");
}

/// CLI11 only says that a sub-command is missing.
void refuseUnknownCommand(int argc, char** argv) {
    const std::string_view given = argc > 1 ? argv[1] : "";
    std::vector<std::string_view> names;
    for (const meshreel::Command& command : meshreel::commands())
        names.push_back(command.name);
    if (given.empty() || given.front() == '-' || std::ranges::find(names, given) != names.end())
        return;
    const std::string_view nearest = meshreel::nearestName(given, names);
    throw meshreel::Error(
        meshreel::ErrorKind::Project, "there is no command \"" + std::string(given) + "\"", {},
        nearest.empty() ? "See meshreel --help"
                        : "Did you mean \"" + std::string(nearest) + "\"? See meshreel --help");
}

/// One sentence on stderr, which may be closed; the exit code of its kind.
int fail(meshreel::ErrorKind kind, const std::string& sentence) {
    const std::string line =
        meshreel::visibleText(fmt::format("meshreel: {}\n", meshreel::withoutTypedPlace(sentence)));
    meshreel::writeRemark(line);
    return meshreel::exitCode(kind);
}

/// A reader that went away, as in `meshreel keys | head`, has read enough.
int failToPrint(const std::error_code& reason) {
    if (reason == std::errc::broken_pipe)
        return EXIT_SUCCESS;
    const char* const cure = reason == std::errc::bad_file_descriptor
                                 ? ". It is closed: let the program have one, such as >/dev/null"
                                 : ". Free disk space, or write elsewhere";
    return fail(meshreel::ErrorKind::Resources,
                "standard output cannot be written: " + reason.message() + cure);
}

/// Why output was lost whose error nobody kept: asks the system again, with the end of a line.
int lostOutputReason() {
    return ::write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
}

/// What a command printed may still lie in buffers, and a disk may be full. Once, when it is done.
int finishOutput(int code) {
    errno = 0;
    const bool written = std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (written || code != EXIT_SUCCESS)
        return code;
    return failToPrint({errno != 0 ? errno : lostOutputReason(), std::generic_category()});
}

/// What streams of C refuse with, rather than threads or files.
bool concernsOutput(const std::error_code& reason) {
    return reason == std::errc::broken_pipe || reason == std::errc::no_space_on_device ||
           reason == std::errc::file_too_large || reason == std::errc::io_error ||
           reason == std::errc::bad_file_descriptor ||
           reason == std::error_code(EDQUOT, std::generic_category());
}

}  // namespace

// What is thrown outside the try block or by a handler (no memory for its sentence) has to end the program.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
    using meshreel::ErrorKind;
    if (const auto code = meshreel::runMpirunHelper(argc, argv))
        return *code;
    meshreel::fillStandardStreams();
    // A file over its limit and a reader that went away are errors to report, not reasons to lose the run.
    for (const int signal : {SIGXFSZ, SIGPIPE})
        std::signal(signal, SIG_IGN);
    CLI::App app;
    app.name("meshreel");
    try {
        meshreel::requireStack();
        const auto actions = meshreel::declareCommands(app, meshreel::DeclaredOptions::OfChosen);
        const auto applyIsa = meshreel::declareIsaOption(app);
        refuseUnknownCommand(argc, argv);
        app.parse(argc, argv);
        applyIsa();
        return finishOutput(runChosen(app, *actions));
    } catch (const CLI::Success& help) {
        return finishOutput(app.exit(help));
    } catch (const CLI::ParseError& failure) {
        return fail(ErrorKind::Project, std::string(failure.what()) + ". See meshreel --help.");
    } catch (const meshreel::ProjectRefused& refused) {
        return meshreel::exitCode(refused.kind());
    } catch (const meshreel::Error& failure) {
        return fail(failure.kind(), failure.what());
    } catch (const std::filesystem::filesystem_error& failure) {
        return fail(ErrorKind::Input, failure.path1().string() + ": " + failure.code().message() +
                                          ". Check the path and its permissions.");
    } catch (const std::system_error& failure) {
        if (failure.code() == std::errc::io_error)  // also what stands for a reason that nobody kept
            return failToPrint({lostOutputReason(), std::generic_category()});
        if (concernsOutput(failure.code()))
            return failToPrint(failure.code());
        return fail(ErrorKind::Internal, failure.what());
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::Resources, meshreel::outOfMemory().what());
    } catch (const std::exception& failure) {
        return fail(ErrorKind::Internal, failure.what());
    }
}
