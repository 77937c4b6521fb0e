// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/run_display.h"
#include "engine/verification/equivalence_matrix.h"

namespace meshreel {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view threads = "threads";

struct CheckArguments {
    std::vector<int> devices{matrixDevices().begin(), matrixDevices().end()};
    std::string transport = std::string(threads);
    bool json = false;
    int workers = 0;  // 0: the CPUs shared out
    double perturbation = 0;
};

std::unique_ptr<DeviceMesh> threadMesh(int devices, int workers) {
    return std::make_unique<DeviceMesh>(
        DeviceMeshOptions{.layout = MeshLayout({.context = devices}), .workersPerDevice = workers});
}

MatrixReport checkThreads(const CheckArguments& arguments, const StopToken& stop) {
    const MatrixOptions options{
        .makeMesh = [&](int devices) { return threadMesh(devices, arguments.workers); },
        .perturbation = arguments.perturbation};
    MatrixReport report;
    for (const int devices : arguments.devices)
        report.append(runMatrix(matrixCases(devices), threads, options, stop));
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

ordered_json reportJson(const MatrixReport& report) {
    ordered_json json{{"passed", report.passed()},
                      {"seconds", report.seconds},
                      {"failures", report.failures},
                      {"rows", ordered_json::array()}};
    for (const MatrixRow& row : report.rows)
        json["rows"].push_back(rowJson(row));
    return json;
}

int check(const CheckArguments& arguments) {
    const Interrupt interrupt;
    const MatrixReport report = checkThreads(arguments, interrupt.token());
    fmt::print("{}", arguments.json ? reportJson(report).dump() + "\n" : formatReport(report));
    std::fflush(stdout);
    return report.passed() ? 0 : exitCode(ErrorKind::Mismatch);
}

}  // namespace

Action declareCheck(CLI::App& app) {
    const auto arguments = std::make_shared<CheckArguments>();
    app.add_option("--devices", arguments->devices, "Device counts, of 1, 2, 3, 4, 6 and 8")
        ->type_name("N,N")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<int>(matrixDevices().begin(), matrixDevices().end())));
    app.add_option("--transport", arguments->transport, "How the devices exchange data")
        ->check(CLI::IsMember({"threads"}));
    app.add_flag("--json", arguments->json, "Print one JSON object in place of the table");
    app.add_option("--workers", arguments->workers, "Threads of each device")
        ->type_name("W")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option("--perturb", arguments->perturbation,
                   "Add X to one output of every case: the check must then fail")
        ->type_name("X");
    return [arguments] { return check(*arguments); };
}

}  // namespace meshreel
