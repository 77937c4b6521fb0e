// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <exception>

#include "app/runner/command.h"
#include "engine/base/error.h"

namespace {

int runChosen(const CLI::App& app, const std::vector<meshreel::Action>& actions) {
    const auto commands = meshreel::commands();
    for (std::size_t index = 0; index < commands.size(); ++index)
        if (app.got_subcommand(std::string(commands[index].name)))
            return actions[index]();
    throw meshreel::Error(meshreel::ErrorKind::Internal, "no command was chosen");
}

/// One sentence on stderr; the exit code of its kind.
int fail(meshreel::ErrorKind kind, std::string_view sentence) {
    fmt::print(stderr, "meshreel: {}\n", sentence);
    return meshreel::exitCode(kind);
}

}  // namespace

int main(int argc, char** argv) {
    using meshreel::ErrorKind;
    CLI::App app;
    app.name("meshreel");
    try {
        const std::vector<meshreel::Action> actions = meshreel::declareCommands(app);
        app.parse(argc, argv);
        return runChosen(app, actions);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& failure) {
        return fail(ErrorKind::Project, std::string(failure.what()) + ". See meshreel --help.");
    } catch (const meshreel::Error& failure) {
        return fail(failure.kind(), failure.what());
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::Resources,
                    "There is not enough memory. Close other programs or ask for a smaller video.");
    } catch (const std::exception& failure) {
        return fail(ErrorKind::Internal, failure.what());
    }
}
