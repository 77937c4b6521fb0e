// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/files.h"
#include "tests/support/locations.h"

namespace meshreel::testing {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds waitLimit{60};
constexpr std::chrono::milliseconds pollInterval{2};

}  // namespace

ProjectKeys smallRun() {
    return {{"prompt", "a red ball moving right on a black background"},
            {"pretrained_model_name_or_path", "tiny-wan-t2v"},
            {"height", "32"},
            {"width", "32"},
            {"num_frames", "5"},
            {"num_inference_steps", "4"},
            {"guidance_scale", "3"},
            {"flow_shift", "3"},
            {"seed", "7"}};
}

ProjectKeys trainedRun(const std::string& prompt) {
    ProjectKeys keys = smallRun();
    keys["prompt"] = prompt;
    keys["height"] = keys["width"] = "64";
    keys["num_frames"] = "17";
    keys["num_inference_steps"] = "24";
    return keys;
}

std::string projectText(const ProjectKeys& keys) {
    std::string text = "version: 3\n";
    for (const auto& [key, value] : keys)
        text.append(key).append(": ").append(value).append("\n");
    return text;
}

RunnerTest::RunnerTest() {
    const fs::path home = file("home");
    fs::create_directory(home);
    m_options.environment = {{"HOME", home.string()},
                             {"XDG_DATA_HOME", (home / "data").string()},
                             {"XDG_CACHE_HOME", (home / "cache").string()},
                             {"XDG_STATE_HOME", (home / "state").string()},
                             {"MESHREEL_RUNS", (home / "runs").string()},
                             // By itself, a run would take a GPU of the machine that tests.
                             {"VK_DRIVER_FILES", "/dev/null"}};
    m_options.workingFolder = home;
}

std::string RunnerTest::project(const ProjectKeys& keys, const std::string& name) const {
    writeFileAtomically(file(name), projectText(keys));
    return file(name).string();
}

std::vector<std::string> RunnerTest::commandLine(const std::vector<std::string>& arguments) {
    std::vector<std::string> line{(testing::programFolder() / "meshreel").string()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    return line;
}

ProcessResult RunnerTest::meshreel(const std::vector<std::string>& arguments, const ProcessOptions& options) {
    ProcessResult result = Process(commandLine(arguments), options).wait();
    EXPECT_FALSE(result.timedOut);
    EXPECT_EQ(result.signal, 0) << result.err;
    return result;
}

std::vector<std::string> RunnerTest::faultsIn(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const nlohmann::json told = nlohmann::json::parse(meshreel(arguments).out);
    std::vector<std::string> ids;
    for (const nlohmann::json& problem : (told.is_array() ? told.at(0) : told).at("problems"))
        ids.push_back(problem.at("id"));
    return ids;
}

bool waitUntil(Process& process, const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + waitLimit;
    while (!condition()) {
        if (!process.running() || std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(pollInterval);
    }
    return true;
}

std::size_t stepRows(const fs::path& run) {
    if (!fs::exists(run / "steps.csv"))
        return 0;
    const std::string text = readFile(run / "steps.csv");
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    return lines == 0 ? 0 : lines - 1;  // the file may be there before its title
}

std::string statusOf(const fs::path& run) {
    return nlohmann::json::parse(readFile(run / "status.json")).at("status").get<std::string>();
}

}  // namespace meshreel::testing
