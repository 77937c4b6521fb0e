// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/rank_launch.h"
#include "app/runner/run_display.h"
#include "engine/base/child_output.h"
#include "engine/base/child_process.h"
#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/open_devices.h"
#include "engine/launch/mpirun_line.h"
#include "engine/launch/rank_launcher.h"
#include "engine/launch/rank_process.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/project/gpu_choice.h"
#include "engine/tensor/compute_device.h"
#include "engine/verification/equivalence_matrix.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {
namespace {

/// The narrower levels that this CPU offers, which a whole check visits too: a library keeps to the level
/// that it was first used at, so that each takes a process. None in a process that was limited itself.
std::vector<IsaLevel> narrowerLevels() {
    const char* limited = std::getenv(isaVariable);
    if (limited != nullptr && *limited != '\0')
        return {};
    std::vector<IsaLevel> levels = offeredIsaLevels();
    levels.erase(levels.begin());
    return levels;
}

/// Runs this program with `arguments` and `--isa` and returns what it wrote to stdout; its stderr goes to
/// this process's. A stop ends it. Throws Error{Cancelled} then.
std::string outputAtLevel(IsaLevel level, const std::vector<std::string>& arguments, const StopToken& stop) {
    std::vector<std::string> line{(executableFolder() / "meshreel").string()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    line.push_back(fmt::format("--isa={}", nameOf(level)));
    ChildProcess child(line);
    ChildText out;
    ChildText err;
    std::array<pollfd, 2> streams{pollfd{.fd = child.out(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = child.err(), .events = POLLIN, .revents = 0}};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
        throwIfStopped(stop);
        constexpr int pollMilliseconds = 100;
        ::poll(streams.data(), streams.size(), pollMilliseconds);
        for (std::size_t index = 0; index < streams.size(); ++index)
            if (streams[index].revents != 0 && !(index == 0 ? out : err).read(streams[index].fd))
                streams[index].fd = -1;  // poll leaves it out
    }
    while (!child.poll())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    say(stderr, "{}", err.text());
    return out.text();
}

using nlohmann::ordered_json;

constexpr std::string_view threads = "threads";
constexpr std::string_view mpi = "mpi";
constexpr std::string_view allTransports = "all";

struct CheckArguments {
    std::vector<int> devices{matrixDevices().begin(), matrixDevices().end()};
    std::string transport = std::string(underMpirun() ? mpi : allTransports);
    bool json = false;
    bool covering = false;
    int workers = 0;  // 0: the CPUs divided
    double perturbation = 0;
};

/// One device each, but for one device count whose ranks have several: there, both transports mix.
int ranksFor(int devices) {
    constexpr int mixed = 6;
    constexpr int devicesOfARank = 2;
    return devices == mixed ? devices / devicesOfARank : devices;
}

MatrixReport checkThreads(const CheckArguments& arguments, const StopToken& stop) {
    const MatrixOptions options{
        .makeMesh =
            [&](int devices) {
                return std::make_unique<DeviceMesh>(DeviceMeshOptions{
                    .layout = MeshLayout({.context = devices}), .workersPerDevice = arguments.workers});
            },
        .perturbation = arguments.perturbation};
    MatrixReport report;
    for (const int devices : arguments.devices) {
        const std::vector<MatrixCase> cases = matrixCases(devices);
        report.append(runMatrix(arguments.covering ? coveringCases(cases) : cases, threads, options, stop));
    }
    return report;
}

ordered_json rowJson(const MatrixRow& row) {
    return {{"mode", row.mode},
            {"devices", row.devices},
            {"transport", row.transport},
            {"cases", row.cases},
            {"refused", row.refused},
            {"failed", row.failed},
            {"max_abs_error_f32", row.worstF32},
            {"max_abs_error_bf16", row.worstBf16},
            {"max_abs_error_bf16_sink", row.worstSharpenedBf16}};
}

MatrixRow rowFrom(const ordered_json& json) {
    return {.mode = json.at("mode"),
            .devices = json.at("devices"),
            .transport = json.at("transport"),
            .cases = json.at("cases"),
            .refused = json.at("refused"),
            .failed = json.at("failed"),
            .worstF32 = json.at("max_abs_error_f32"),
            .worstBf16 = json.at("max_abs_error_bf16"),
            .worstSharpenedBf16 = json.at("max_abs_error_bf16_sink")};
}

ordered_json toJson(const MatrixReport& report) {
    ordered_json json{{"isa", isaName()},
                      {"passed", report.passed()},
                      {"seconds", report.seconds},
                      {"failures", report.failures},
                      {"rows", ordered_json::array()}};
    for (const MatrixRow& row : report.rows)
        json["rows"].push_back(rowJson(row));
    return json;
}

MatrixReport reportFrom(const ordered_json& json) {
    MatrixReport report{.failures = json.at("failures"), .seconds = json.at("seconds")};
    for (const ordered_json& row : json.at("rows"))
        report.rows.push_back(rowFrom(row));
    return report;
}

int print(const MatrixReport& report, bool json) {
    say("{}", json ? toJson(report).dump() + "\n" : formatReport(report));
    std::fflush(stdout);
    return report.passed() ? 0 : exitCode(ErrorKind::Mismatch);
}

/// The share of this launch: one device count, on a mesh that cannot be made twice.
int checkAsRank(const CheckArguments& arguments) {
    return runAsStoppableRank(RankLoad::Unlimited, [&](MpiSession& session, const StopToken& stop) {
        if (arguments.devices.size() != 1)
            throw Error(ErrorKind::Project, "One mpirun checks one device count", "devices",
                        "Give one to --devices, or leave mpirun to meshreel check");
        bool made = false;
        const MatrixOptions options{
            .makeMesh =
                [&](int devices) {
                    if (std::exchange(made, true))
                        throw Error(ErrorKind::Device, "the ranks gave up before");
                    return std::make_unique<DeviceMesh>(rankMesh(session, devices, arguments.workers));
                },
            .perturbation = arguments.perturbation};
        const std::vector<MatrixCase> cases = coveringCases(matrixCases(arguments.devices.front()));
        const MatrixReport report = runMatrix(cases, mpi, options, stop);
        const int code = session.rank() == 0 ? print(report, arguments.json) : 0;
        return startedByLauncher() ? 0 : code;  // the launching program reads the report
    });
}

std::vector<std::string> rankArguments(const CheckArguments& arguments, int devices) {
    std::vector<std::string> line{"check", "--json", "--transport=mpi", fmt::format("--devices={}", devices),
                                  fmt::format("--perturb={}", arguments.perturbation)};
    if (arguments.workers > 0)
        line.push_back(fmt::format("--workers={}", arguments.workers));
    return line;
}

/// One launch; ranks that fail are a failure of the check.
MatrixReport checkLaunch(const CheckArguments& arguments, int devices, const StopToken& stop) {
    try {
        return reportFrom(ordered_json::parse(
            launchLocally(ranksFor(devices), RankLoad::Unlimited, rankArguments(arguments, devices), stop)));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Device)
            throw;
        return {.failures = {fmt::format("{} devices as MPI ranks: {}", devices, error.what())}};
    }
}

MatrixReport checkMpi(const CheckArguments& arguments, const StopToken& stop) {
    MatrixReport report;
    for (const int devices : arguments.devices) {
        const auto start = std::chrono::steady_clock::now();
        MatrixReport launched = checkLaunch(arguments, devices, stop);
        launched.seconds = secondsSince(start);
        report.append(launched);
    }
    return report;
}

/// The share of a narrower instruction set, in a process of its own.
ordered_json checkLevel(const CheckArguments& arguments, IsaLevel level, const StopToken& stop) {
    std::vector<std::string> line{"check", "--json", "--covering", "--transport=threads",
                                  fmt::format("--perturb={}", arguments.perturbation)};
    std::string counts;
    for (const int devices : arguments.devices)
        counts += fmt::format("{}{}", counts.empty() ? "" : ",", devices);
    line.push_back("--devices=" + counts);
    if (arguments.workers > 0)
        line.push_back(fmt::format("--workers={}", arguments.workers));
    const std::string out = outputAtLevel(level, line, stop);
    if (ordered_json json = ordered_json::parse(out, nullptr, false); !json.is_discarded())
        return json;
    ordered_json failed =
        toJson({.failures = {fmt::format("the check limited to {} wrote no report", nameOf(level))}});
    failed["isa"] = nameOf(level);
    return failed;
}

int printLevels(const CheckArguments& arguments, const MatrixReport& report,
                const std::vector<ordered_json>& narrower) {
    bool passed = report.passed();
    for (const ordered_json& level : narrower)
        passed = passed && level.at("passed").get<bool>();
    if (arguments.json) {
        ordered_json json = toJson(report);
        json["passed"] = passed;
        json["narrower"] = narrower;
        say("{}\n", json.dump());
    } else {
        say("Instruction set {}\n{}", isaName(), formatReport(report));
        for (const ordered_json& level : narrower)
            say("\nInstruction set {}, fewer cases\n{}", level.at("isa").get<std::string>(),
                formatReport(reportFrom(level)));
    }
    std::fflush(stdout);
    return passed ? 0 : exitCode(ErrorKind::Mismatch);
}

int check(const CheckArguments& arguments) {
    if (underMpirun() && arguments.transport != threads)
        return checkAsRank(arguments);
    const Interrupt interrupt;
    MatrixReport report;
    if (arguments.transport != mpi)
        report.append(checkThreads(arguments, interrupt.token()));
    if (arguments.transport != threads)
        report.append(checkMpi(arguments, interrupt.token()));
    std::vector<ordered_json> narrower;
    if (arguments.transport == allTransports)
        for (const IsaLevel level : narrowerLevels())
            narrower.push_back(checkLevel(arguments, level, interrupt.token()));
    return printLevels(arguments, report, narrower);
}

}  // namespace

Action declareCheck(CLI::App& app) {
    const auto arguments = std::make_shared<CheckArguments>();
    app.add_option("--devices", arguments->devices, "Device counts, of 1, 2, 3, 4, 6 and 8")
        ->type_name("N,N")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<int>(matrixDevices().begin(), matrixDevices().end())));
    app.add_option(
           "--transport", arguments->transport,
           "Threads of this process, a smaller share as MPI ranks, or all and the narrower instruction "
           "sets of this CPU too")
        ->check(CLI::IsMember({std::string(threads), std::string(mpi), std::string(allTransports)}));
    app.add_flag("--json", arguments->json, "Print one JSON object in place of the table");
    app.add_flag("--covering", arguments->covering,
                 "On threads: only cases that together hold every pair of choices");
    app.add_option("--workers", arguments->workers, "Threads of each device")
        ->type_name("W")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option("--perturb", arguments->perturbation,
                   "Add X to one output of every case: the check must then fail")
        ->type_name("X");
    return [arguments] { return check(*arguments); };
}

namespace {

/// Exit code of one case; a case that cannot be checked is reported on stderr and does not hide the others.
int verify(const Execution& execution, const std::string& folder) {
    try {
        const GoldenReport report = verifyCase(execution, expandTilde(folder));
        say("{}", formatReport(report));
        std::fflush(stdout);
        if (report.passed())
            return 0;
        say(stderr, "meshreel: {}: differs from the golden case by more than its tolerance\n", folder);
        return exitCode(ErrorKind::Mismatch);
    } catch (const Error& failure) {
        if (failure.kind() == ErrorKind::Cancelled)
            throw;
        say(stderr, "meshreel: {}\n", failure.what());
        return exitCode(failure.kind());
    }
}

}  // namespace

Action declareVerify(CLI::App& app) {
    struct Arguments {
        std::vector<std::string> cases;
        int workers = availableCpus();
        std::string gpus{GpuChoice::noneName};
    };
    const auto arguments = std::make_shared<Arguments>();
    app.add_option("CASE", arguments->cases, "Folders of golden cases (case.json)")
        ->required()
        ->type_name("DIR");
    app.add_option("--workers", arguments->workers, "Threads")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option("--gpus", arguments->gpus,
                   "Compute transformers and VAEs on a GPU: its number in meshreel devices, or auto")
        ->type_name("N");
    return [arguments] {
        const Interrupt interrupt;
        const std::optional<ChosenGpu> chosen = gpuNamed(arguments->gpus);
        const std::shared_ptr<ComputeDevice> gpu = chosen ? openDevice(*chosen) : nullptr;
        WorkerPool workers({.workers = arguments->workers});
        const Execution execution{workers, interrupt.token(), nullptr, gpu.get()};
        int worst = 0;
        for (const std::string& folder : arguments->cases)
            if (const int code = verify(execution, folder); worst == 0)
                worst = code;
        return worst;
    };
}

}  // namespace meshreel
