// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <list>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "runner.h"
#include "tests/support/instrumented.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::Process;
using testing::ProcessResult;
using testing::stepRows;

constexpr std::size_t steps = 24;
constexpr std::size_t stepsBeforeSignal = 3;

/// A file that nobody else can open: who tries waits, longer than any test, and hears of no stop.
class OpenWeights {
  public:
    explicit OpenWeights(const fs::path& file) : m_descriptor(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {
        std::signal(SIGIO, SIG_IGN);  // that somebody tries
        m_held = ::fcntl(m_descriptor, F_SETLEASE, F_WRLCK) == 0;
    }
    ~OpenWeights() { ::close(m_descriptor); }
    OpenWeights(const OpenWeights&) = delete;
    OpenWeights& operator=(const OpenWeights&) = delete;

    [[nodiscard]] bool held() const { return m_held; }
    [[nodiscard]] bool somebodyWaits() const { return ::fcntl(m_descriptor, F_GETLEASE) != F_WRLCK; }

  private:
    int m_descriptor;
    bool m_held = false;
};

class Resume : public testing::RunnerTest {
  protected:
    Resume() : m_project(project(testing::trainedRun("a green ring moving left on a white background"))) {}

    /// Sends the signal once a few steps are on disk.
    [[nodiscard]] ProcessResult interruptedRun(const fs::path& run, int signal) const {
        Process process(commandLine({"run", m_project, "--out", run.string()}), options());
        EXPECT_TRUE(waitUntil(process, [&] { return stepRows(run) >= stepsBeforeSignal; }))
            << process.wait().err;
        process.send(signal);
        return process.wait();
    }

    void expectContinuedAsIfNeverStopped(const fs::path& run) const {
        ASSERT_LT(stepRows(run), steps) << "the run ended before the signal";
        EXPECT_FALSE(fs::exists(run / "latents.safetensors"));
        const ProcessResult resumed = meshreel({"run", "--resume", run.string()});
        ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
        EXPECT_EQ(testing::statusOf(run), "done");
        EXPECT_EQ(stepRows(run), steps);

        const fs::path whole = file("whole");
        const ProcessResult uninterrupted = meshreel({"run", m_project, "--out", whole.string()});
        ASSERT_EQ(uninterrupted.exitCode, 0) << uninterrupted.err;
        EXPECT_EQ(readFile(run / "latents.safetensors"), readFile(whole / "latents.safetensors"));
        EXPECT_EQ(readFile(run / "video.mp4"), readFile(whole / "video.mp4"));
    }

    std::string m_project;
};

TEST_F(Resume, AfterInterruptIsBitIdenticalAndThenThereIsNothingToDo) {
    const fs::path run = file("run");
    const ProcessResult cancelled = interruptedRun(run, SIGINT);
    EXPECT_EQ(cancelled.exitCode, 130);
    EXPECT_THAT(cancelled.err, HasSubstr("meshreel run --resume " + run.string()));
    EXPECT_EQ(testing::statusOf(run), "cancelled");
    expectContinuedAsIfNeverStopped(run);

    const std::string before = readFile(run / "status.json");
    const ProcessResult again = meshreel({"run", "--resume", run.string()});
    EXPECT_EQ(again.exitCode, 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr(run.string()));
    EXPECT_EQ(readFile(run / "status.json"), before);
}

TEST_F(Resume, AfterKillIsBitIdentical) {
    const fs::path run = file("run");
    const ProcessResult killed = interruptedRun(run, SIGKILL);
    EXPECT_EQ(killed.signal, SIGKILL);
    EXPECT_EQ(testing::statusOf(run), "running") << "nobody could write another status";
    expectContinuedAsIfNeverStopped(run);
}

TEST_F(Resume, AHangUpEndsARunAsATermDoes) {
    const fs::path run = file("run");
    EXPECT_EQ(interruptedRun(run, SIGHUP).exitCode, 130);
    EXPECT_EQ(testing::statusOf(run), "cancelled");
    expectContinuedAsIfNeverStopped(run);
}

TEST_F(Resume, StagesAreSumsOverAllParts) {
    const fs::path run = file("run");
    ASSERT_EQ(interruptedRun(run, SIGKILL).signal, SIGKILL);
    ASSERT_EQ(meshreel({"run", "--resume", run.string()}).exitCode, 0);
    const nlohmann::json timings = readJsonObject(run / "timings.json");
    const nlohmann::json& parts = timings.at("parts");
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts, readJsonObject(run / "status.json").at("parts"));
    EXPECT_EQ(parts[0].at("from_step"), 0);
    EXPECT_GE(parts[1].at("from_step"), stepsBeforeSignal);
    const auto sum = [&](const char* stage) {
        return parts[0].at(stage).get<double>() + parts[1].at(stage).get<double>();
    };
    constexpr double clocks = 0.05;  // two clocks measure the last part
    for (const char* stage : {"load", "compile", "conditioning", "denoise"}) {
        SCOPED_TRACE(stage);
        EXPECT_GT(parts[0].at(stage), 0) << "the killed part kept it";
    }
    for (const auto& [whole, stage] :
         {std::pair{"load", "load"}, std::pair{"compile", "compile"},
          std::pair{"conditioning", "conditioning"}, std::pair{"vae_encode", "vae_encode"},
          std::pair{"denoise_total", "denoise"}, std::pair{"vae_decode", "decode"},
          std::pair{"host_formatting", "host_formatting"}, std::pair{"video_writing", "video_writing"}}) {
        SCOPED_TRACE(whole);
        EXPECT_NEAR(timings.at(whole).get<double>(), sum(stage), clocks);
    }
    EXPECT_THAT(readFile(run / "summary.txt"), HasSubstr("stages are sums over 2 parts"));
}

TEST_F(Resume, TheEncoderOfEveryPartCounts) {
    m_project = (testing::sourceFolder() / "configs" / "image-to-video.yaml").string();
    const fs::path run = file("run");
    ASSERT_EQ(interruptedRun(run, SIGINT).exitCode, 130);
    ASSERT_EQ(meshreel({"run", "--resume", run.string()}).exitCode, 0);
    const nlohmann::json timings = readJsonObject(run / "timings.json");
    const nlohmann::json& parts = timings.at("parts");
    ASSERT_EQ(parts.size(), 2U);
    double sum = 0;
    for (const nlohmann::json& part : parts) {
        EXPECT_GT(part.at("vae_encode"), 0);
        EXPECT_LT(part.at("vae_encode"), part.at("conditioning"));
        sum += part.at("vae_encode").get<double>();
    }
    EXPECT_DOUBLE_EQ(timings.at("vae_encode").get<double>(), sum);
}

TEST_F(Resume, AStoppedPartKeepsTheStageThatItDidNotFinish) {
    const fs::path run = file("run");
    ASSERT_EQ(interruptedRun(run, SIGINT).exitCode, 130);
    const nlohmann::json parts = readJsonObject(run / "status.json").at("parts");
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_GT(parts[0].at("denoise"), 0);
}

TEST_F(Resume, TablesThatAPowerCutDamagedDoNotKeepARunFromGoingOn) {
    const fs::path run = file("run");
    ASSERT_EQ(interruptedRun(run, SIGKILL).signal, SIGKILL);
    const std::string rows = readFile(run / "steps.csv");
    const std::string title = rows.substr(0, rows.find('\n') + 1);
    for (const std::string& left :
         {std::string(), title, rows + std::string(300, '\0'), std::string("gone")}) {
        SCOPED_TRACE(left.size());
        const fs::path copy = file("copy");
        fs::remove_all(copy);
        fs::copy(run, copy, fs::copy_options::recursive);
        for (const char* table : {"steps.csv", "devices.csv"})
            if (left == "gone")
                fs::remove(copy / table);
            else
                writeFileAtomically(copy / table, left);
        const ProcessResult resumed = meshreel({"run", "--resume", copy.string()});
        EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
        EXPECT_EQ(testing::statusOf(copy), "done");
    }
}

TEST_F(Resume, ARunInUseIsLeftAlone) {
    const fs::path run = file("run");
    Process process(commandLine({"run", m_project, "--out", run.string()}), options());
    ASSERT_TRUE(waitUntil(process, [&] { return stepRows(run) >= 1; }));
    process.send(SIGSTOP);
    const ProcessResult other = meshreel({"run", "--resume", run.string()});
    process.send(SIGCONT);
    EXPECT_EQ(other.exitCode, 3);
    EXPECT_THAT(other.err, HasSubstr(run.string()));
    process.send(SIGINT);
    EXPECT_EQ(process.wait().exitCode, 130);
    expectContinuedAsIfNeverStopped(run);  // nobody works on it now
}

TEST_F(Resume, OtherWorkersNeedPermissionWhichIsRecorded) {
    const fs::path run = file("run");
    ASSERT_EQ(interruptedRun(run, SIGTERM).exitCode, 130);
    const bool ranOnOne = readJsonObject(run / "environment.json").value("workers_per_device", 0) == 1;
    const std::vector<std::string> elsewhere{"run", "--resume", run.string(), "--workers",
                                             ranOnOne ? "2" : "1"};
    const std::size_t rows = stepRows(run);
    const ProcessResult refused = meshreel(elsewhere);
    EXPECT_EQ(refused.exitCode, 3);
    EXPECT_THAT(refused.err, HasSubstr("--allow-different-machine"));
    EXPECT_EQ(stepRows(run), rows);

    std::vector<std::string> permitted = elsewhere;
    permitted.emplace_back("--allow-different-machine");
    const ProcessResult resumed = meshreel(permitted);
    EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
    EXPECT_THAT(readFile(run / "environment.json"), HasSubstr("resumes"));
}

// Commands that hang while they load a file, and so cannot look whether they should stop.
TEST_F(Resume, ATermEndsEveryCommandWithinFiveSecondsWhateverItWaitsFor) {
    if (testing::racesAreChecked)
        GTEST_SKIP() << "the thread sanitizer tells a thread that waits in open(2) of no signal";
    const fs::path original = testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v";
    const auto modelOf = [&](const std::string& command) {
        fs::copy(original, file(command), fs::copy_options::recursive);
        return file(command).string();
    };
    testing::ProjectKeys keys = testing::smallRun();
    keys["num_inference_steps"] = "1";
    keys["pretrained_model_name_or_path"] = modelOf("decode");
    ASSERT_EQ(meshreel({"run", project(keys, "decode.yaml"), "--out", file("made").string()}).exitCode, 0);
    keys["pretrained_model_name_or_path"] = modelOf("run");
    const std::string ran = project(keys, "run.yaml");

    const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
        {"run", {"run", ran, "--out", file("stopped").string()}},
        {"decode", {"decode", file("made").string()}},
        {"evaluate", {"evaluate", modelOf("evaluate"), "--out", file("figures").string()}}};
    std::list<OpenWeights> files;
    std::list<Process> processes;
    for (const auto& [name, line] : commands) {
        const char* part = name == "decode" ? "vae" : "transformer";
        const OpenWeights& held =
            files.emplace_back(file(name) / part / "diffusion_pytorch_model.safetensors");
        if (!held.held())
            GTEST_SKIP() << "this file system grants no leases";
        ASSERT_TRUE(waitUntil(processes.emplace_back(commandLine(line), options()),
                              [&held] { return held.somebodyWaits(); }))
            << name << ": " << processes.back().wait().err;
    }
    for (const Process& process : processes)
        process.send(SIGTERM);
    for (Process& process : processes) {
        const ProcessResult result = process.wait(std::chrono::seconds(5));
        EXPECT_FALSE(result.timedOut);
        EXPECT_EQ(result.signal, SIGTERM) << result.err;
    }
    EXPECT_FALSE(fs::exists(file("stopped") / "video.mp4"));
}

}  // namespace
}  // namespace meshreel
