// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/run_display.h"
#include "engine/base/paths.h"
#include "engine/verification/golden_case.h"

namespace meshreel {
namespace {

/// Exit code of one case; a case that cannot be checked is told on stderr and does not hide the others.
int verify(const Execution& execution, const std::string& folder) {
    try {
        const GoldenReport report = verifyCase(execution, expandTilde(folder));
        fmt::print("{}", formatReport(report));
        std::fflush(stdout);
        if (report.passed())
            return 0;
        fmt::print(stderr, "meshreel: {}: differs from the golden case by more than its tolerance\n", folder);
        return exitCode(ErrorKind::Mismatch);
    } catch (const Error& failure) {
        if (failure.kind() == ErrorKind::Cancelled)
            throw;
        fmt::print(stderr, "meshreel: {}\n", failure.what());
        return exitCode(failure.kind());
    }
}

}  // namespace

Action declareVerify(CLI::App& app) {
    struct Arguments {
        std::vector<std::string> cases;
        int workers = availableCpus();
    };
    const auto arguments = std::make_shared<Arguments>();
    app.add_option("CASE", arguments->cases, "Folders of golden cases (case.json)")
        ->required()
        ->type_name("DIR");
    app.add_option("--workers", arguments->workers, "Threads")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    return [arguments] {
        const Interrupt interrupt;
        WorkerPool workers({.workers = arguments->workers});
        const Execution execution{workers, interrupt.token()};
        int worst = 0;
        for (const std::string& folder : arguments->cases)
            if (const int code = verify(execution, folder); worst == 0)
                worst = code;
        return worst;
    };
}

}  // namespace meshreel
