// SPDX-License-Identifier: GPL-3.0-or-later
// Runs spread over MPI ranks: the user's mpirun, and ranks that meshreel launches itself.
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "engine/base/files.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/media/video_reader.h"
#include "engine/runs/records/device_times.h"
#include "engine/timing/trace.h"
#include "family_test.h"
#include "tests/support/locations.h"
#include "tests/support/network_hosts.h"
#include "tests/support/random_adapter.h"
#include "tests/support/strangers.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NetworkHosts;
using testing::Process;
using testing::ProcessOptions;
using testing::ProcessResult;
using testing::ProjectKeys;
using testing::statusOf;

ProjectKeys ringRun() {
    ProjectKeys keys = testing::smallRun();
    keys["attention"] = "ring";
    keys["ici_context_parallelism"] = "2";
    return keys;
}

/// Bit for bit, unless this CPU's products depend on how rows are shared out (OpenBLAS's for AVX2): then but
/// for roundings.
::testing::AssertionResult sameLatents(const fs::path& run, const fs::path& other) {
    if (readFile(run / "latents.safetensors") == readFile(other / "latents.safetensors"))
        return ::testing::AssertionSuccess();
    if (rowsOfProductsAreIndependent())
        return ::testing::AssertionFailure() << "the latents differ in some bits";
    constexpr float allowed = 1e-4F;
    const Tensor a = Checkpoint::open(run / "latents.safetensors").get("latents");
    const Tensor b = Checkpoint::open(other / "latents.safetensors").get("latents");
    float largest = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i)
        largest = std::max(largest, std::abs(a.data<float>()[static_cast<std::size_t>(i)] -
                                             b.data<float>()[static_cast<std::size_t>(i)]));
    return a.shape() == b.shape() && largest <= allowed
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "the latents differ by up to " << largest;
}

ProjectKeys longRun() {
    ProjectKeys keys = ringRun();
    keys["num_inference_steps"] = "1000";
    return keys;
}

std::vector<pid_t> childProcesses(pid_t parent) {
    const std::string id = std::to_string(parent);
    std::vector<pid_t> children;
    for (const fs::directory_entry& task : fs::directory_iterator("/proc/" + id + "/task")) {
        std::ifstream list(task.path() / "children");
        for (pid_t child = 0; list >> child;)
            children.push_back(child);
    }
    return children;
}

/// The mpirun that a launching process started, among its children; 0 without one.
pid_t mpirunOf(pid_t launcher) {
    for (const pid_t child : childProcesses(launcher)) {
        std::ifstream file("/proc/" + std::to_string(child) + "/comm");
        std::string name;
        std::getline(file, name);
        if (name.starts_with("mpirun") || name.starts_with("prterun"))
            return child;
    }
    return 0;
}

class Ranks : public testing::FamilyTest {
  protected:
    Ranks() : m_options(options()) {
        m_options.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
        m_options.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
        writeFileAtomically(file("hosts"), "localhost slots=2\n");
    }

    [[nodiscard]] std::string hosts() const { return file("hosts").string(); }
    [[nodiscard]] std::string run(const std::string& name) const { return file(name).string(); }
    [[nodiscard]] const ProcessOptions& rankOptions() const { return m_options; }
    void setTemporaryFolder(const fs::path& folder) { m_options.environment["TMPDIR"] = folder.string(); }

    /// Two ranks that the user's mpirun starts.
    [[nodiscard]] ProcessResult underMpirun(const std::vector<std::string>& words) const {
        std::vector<std::string> line{MESHREEL_MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none"};
        for (const std::string& word : commandLine(words))
            line.push_back(word);
        return Process(line, m_options).wait();
    }

    [[nodiscard]] std::vector<std::uint8_t> frames(const std::string& name) const {
        const Tensor video = readVideo(file(name) / "video.mp4");
        const auto bytes = video.data<std::uint8_t>();
        return {bytes.begin(), bytes.end()};
    }

    /// Starts a long run on two ranks and waits until it is in the middle of it.
    [[nodiscard]] std::unique_ptr<Process> startLongRun() const {
        auto process = std::make_unique<Process>(
            commandLine({"run", project(longRun()), "--hosts", hosts(), "--out", run("run")}), m_options);
        EXPECT_TRUE(testing::waitUntil(*process, [&] { return testing::stepRows(run("run")) > 2; }))
            << process->errSoFar();
        return process;
    }

    /// The ranks of a launched run: children of the mpirun that is its child.
    static std::vector<pid_t> countRanks(const Process& process) {
        const pid_t mpirun = mpirunOf(process.id());
        return mpirun == 0 ? std::vector<pid_t>() : childProcesses(mpirun);
    }

    /// For every step a row for each device, the other rank's among them.
    static void expectTimesOfBothDevices(const fs::path& run) {
        const std::vector<StepDeviceTimes> steps = parseDeviceTimes(readFile(run / "devices.csv"));
        ASSERT_EQ(steps.size(), 4U) << run;
        for (const StepDeviceTimes& step : steps) {
            ASSERT_EQ(step.devices.size(), 2U) << run;
            for (const DeviceTime& device : step.devices) {
                EXPECT_GT(device.computing, 0) << run;
                EXPECT_GT(device.bytesReceived, 0) << run;
            }
        }
    }

    /// Open MPI's.
    static std::vector<fs::path> sharedMemoryOf(pid_t process) {
        std::vector<fs::path> files;
        std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
        for (std::string line; std::getline(maps, line);)
            if (const std::size_t path = line.find("/dev/shm/"); path != std::string::npos)
                files.emplace_back(line.substr(path, line.find(' ', path) - path));
        return files;
    }

    static void expectGone(const std::vector<pid_t>& processes) {
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        for (const pid_t each : processes) {
            while (::kill(each, 0) == 0 && std::chrono::steady_clock::now() < deadline)
                std::this_thread::sleep_for(50ms);
            EXPECT_NE(::kill(each, 0), 0);
        }
    }

  private:
    ProcessOptions m_options;
};

TEST_F(Ranks, GenerateWhatOneProcessGenerates) {
    const ProcessResult alone = meshreel({"run", project(ringRun()), "--out", run("alone")});
    ASSERT_EQ(alone.exitCode, 0) << alone.err;

    const ProcessResult ranks = underMpirun({"run", project(ringRun()), "--out", run("mpirun")});
    EXPECT_EQ(ranks.exitCode, 0) << ranks.err;
    EXPECT_TRUE(sameLatents(file("mpirun"), file("alone")));

    const ProcessResult launched = meshreel(
        {"run", project(ringRun()), "--hosts", hosts(), "--out", run("hosts-run"), "--broadcast-weights"},
        rankOptions());
    EXPECT_EQ(launched.exitCode, 0) << launched.err;
    EXPECT_EQ(statusOf(run("hosts-run")), "done");
    for (const char* name : {"mpirun", "hosts-run"})
        expectTimesOfBothDevices(file(name));
    EXPECT_TRUE(sameLatents(file("hosts-run"), file("alone")));

    const ProcessResult again =
        meshreel({"run", "--resume", run("hosts-run"), "--hosts", hosts()}, rankOptions());
    EXPECT_EQ(again.exitCode, 0) << again.err;
}

/// Spans of a trace by process id.
std::map<int, std::vector<nlohmann::json>> spansByProcess(const nlohmann::json& trace) {
    std::map<int, std::vector<nlohmann::json>> spans;
    for (const nlohmann::json& event : trace.at("traceEvents"))
        if (event.at("ph") == "X")
            spans[event.at("pid").get<int>()].push_back(event);
    return spans;
}

/// When the span of this name began in a row, microseconds.
double takeTokens(const std::vector<nlohmann::json>& spans, const std::string& name) {
    for (const nlohmann::json& span : spans)
        if (span.at("name") == name)
            return span.at("ts").get<double>();
    ADD_FAILURE() << "no span " << name;
    return 0;
}

TEST_F(Ranks, TheTraceHoldsAllRanksOnOneTimeLine) {
    const ProcessResult result =
        meshreel({"run", project(ringRun()), "--hosts", hosts(), "--out", run("run")}, rankOptions());
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const nlohmann::json trace = nlohmann::json::parse(readFile(file("run") / "trace.json"));
    const auto spans = spansByProcess(trace);
    ASSERT_EQ(spans.size(), 2U);
    for (const auto& [process, own] : spans) {
        const std::string title = "meshreel, rank " + std::to_string(process - 1) + " on ";
        EXPECT_TRUE(std::ranges::any_of(trace.at("traceEvents"), [&, id = process](const auto& event) {
            return event.at("name") == "process_name" && event.at("pid") == id &&
                   event.at("args").at("name").template get<std::string>().starts_with(title);
        })) << title;
        EXPECT_TRUE(std::ranges::any_of(own, [row = process - 1](const nlohmann::json& span) {
            return span.at("tid") == row;
        })) << "the row of the rank's device";
    }
    // A ring exchanges keys in every block: no rank begins a step before the other has begun the one before.
    for (const auto& [rank, other] : {std::pair{1, 2}, {2, 1}})
        EXPECT_GT(takeTokens(spans.at(rank), "step 2"), takeTokens(spans.at(other), "step 1"));
    EXPECT_FALSE(parseChromeTrace(trace.dump()).empty());
}

/// Rank 0 reads pictures and videos, and sends them round; every rank merges the adapter into its weights.
TEST_F(Ranks, MakeOfInputsAndAdaptersWhatOneProcessMakes) {
    for (const auto& [family, task] : {std::pair{"wan2.1-i2v", WanTask::ImageToVideo},
                                       {"wan2.1-flf2v", WanTask::FirstLastFrame},
                                       {"wan2.1-vace", WanTask::VaceEditing},
                                       {"wan2.2-i2v-a14b", WanTask::ImageToVideo},
                                       {"wan2.1-fun-control", WanTask::ControlToVideo},
                                       {"wan2.2-animate", WanTask::Replacement},
                                       {"wan2.2-animate2", WanTask::DrivenAnimation},
                                       {"wan2.2-s2v", WanTask::SpeechToVideo},
                                       {"wan2.2-ti2v", WanTask::ImageToVideo}}) {
        SCOPED_TRACE(family);
        ProjectKeys keys = projectOn(family, task);
        keys.merge(ringRun());
        keys["num_inference_steps"] = "2";
        testing::writeRandomAdapter(file("style.safetensors"),
                                    Checkpoint::open(file("model") / "transformer"));
        keys["lora"] = file("style.safetensors").string();
        const std::string text = project(keys, "project.yaml");
        for (const char* name : {"alone", "mpirun", "launched"})
            fs::remove_all(file(name));
        const ProcessResult alone = meshreel({"run", text, "--out", run("alone")});
        EXPECT_EQ(alone.exitCode, 0) << alone.err;
        const ProcessResult mpirun = underMpirun({"run", text, "--out", run("mpirun")});
        EXPECT_EQ(mpirun.exitCode, 0) << mpirun.err;
        EXPECT_TRUE(sameLatents(file("mpirun"), file("alone")));
        EXPECT_TRUE(frames("mpirun") == frames("alone") || !rowsOfProductsAreIndependent());
        if (task != WanTask::ImageToVideo)
            continue;
        const ProcessResult launched =
            meshreel({"run", text, "--hosts", hosts(), "--out", run("launched")}, rankOptions());
        EXPECT_EQ(launched.exitCode, 0) << launched.err;
        EXPECT_TRUE(sameLatents(file("launched"), file("alone")));
    }
}

TEST_F(Ranks, PreviewsReachWhoLaunchedThem) {
    const auto previews = [this](const std::vector<std::string>& more) {
        std::vector<std::string> line{"run",           project(ringRun()), "--out",
                                      run("previews"), "--json-events",    "--previews"};
        line.insert(line.end(), more.begin(), more.end());
        const ProcessResult result = meshreel(line, rankOptions());
        EXPECT_EQ(result.exitCode, 0) << result.err;
        fs::remove_all(run("previews"));
        std::istringstream lines(result.out);
        std::vector<std::string> found;
        for (std::string each; std::getline(lines, each);)
            if (each.find(R"("event":"preview")") != std::string::npos ||
                each.find(R"("event":"frames")") != std::string::npos)
                found.push_back(each);
        return found;
    };
    const std::vector<std::string> alone = previews({});
    EXPECT_EQ(alone.size(), 4U + 2U) << "one a step, one a chunk of the VAE";
    EXPECT_EQ(previews({"--hosts", hosts()}), alone);
}

TEST_F(Ranks, ErrorsOfTheProjectAreThoseOfOneProcess) {
    ProjectKeys keys = ringRun();
    keys["height"] = "33";
    const ProcessResult result = meshreel({"run", project(keys), "--hosts", hosts()}, rankOptions());
    EXPECT_EQ(result.exitCode, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("height"));
}

TEST_F(Ranks, AKilledRankFailsTheRunWhichGoesOnLater) {
    for (const std::size_t victim : {0U, 1U}) {
        SCOPED_TRACE(victim);
        fs::remove_all(run("run"));
        const auto process = startLongRun();
        const std::vector<pid_t> ranks = countRanks(*process);
        ASSERT_EQ(ranks.size(), 2U);
        ::kill(ranks[victim], SIGKILL);
        const ProcessResult result = process->wait(30s);
        EXPECT_FALSE(result.timedOut);
        EXPECT_EQ(result.exitCode, 5) << result.err;
        EXPECT_THAT(result.err, HasSubstr("rank " + std::to_string(victim) + " on host"));
        EXPECT_THAT(result.err, HasSubstr("--resume"));
        EXPECT_EQ(statusOf(run("run")), "failed");
        expectGone(ranks);
    }
}

TEST_F(Ranks, WhenMeshreelOrItsMpirunIsKilledNobodyAndNothingIsLeft) {
    fs::create_directory(file("temporary"));
    setTemporaryFolder(file("temporary"));
    for (const bool killsMpirun : {false, true}) {
        SCOPED_TRACE(killsMpirun);
        fs::remove_all(run("run"));
        const auto process = startLongRun();
        const pid_t mpirun = mpirunOf(process->id());
        ASSERT_NE(mpirun, 0);
        std::vector<pid_t> all = countRanks(*process);
        ASSERT_EQ(all.size(), 2U);
        all.push_back(mpirun);
        const std::vector<fs::path> segments = sharedMemoryOf(all.front());
        EXPECT_FALSE(segments.empty());
        EXPECT_FALSE(fs::is_empty(file("temporary")));
        ::kill(killsMpirun ? mpirun : process->id(), SIGKILL);
        const ProcessResult result = process->wait(30s);
        EXPECT_FALSE(result.timedOut);
        expectGone(all);
        const auto isClean = [&] {
            return fs::is_empty(file("temporary")) &&
                   std::ranges::none_of(segments, [](const fs::path& each) { return fs::exists(each); });
        };
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!isClean() && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(50ms);
        EXPECT_TRUE(isClean());
    }
}

TEST_F(Ranks, MoreThanFourACpuAreRefusedByThemselves) {
    const auto onOneCpu = [&](const std::vector<std::string>& more) {
        std::vector<std::string> line{"/usr/bin/env",    "taskset",   "-c",  "0", MESHREEL_MPIRUN, "-n", "5",
                                      "--oversubscribe", "--bind-to", "none"};
        std::vector<std::string> words{"run", project(ringRun()), "--out", run("run")};
        std::ranges::copy(more, std::back_inserter(words));
        std::ranges::copy(commandLine(words), std::back_inserter(line));
        return Process(line, rankOptions()).wait();
    };
    const ProcessResult refused = onOneCpu({});
    EXPECT_EQ(refused.exitCode, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("5 ranks on"));
    EXPECT_THAT(refused.err, HasSubstr("--oversubscribe"));
    EXPECT_FALSE(fs::exists(run("run")));
    const ProcessResult insisted = onOneCpu({"--oversubscribe"});
    EXPECT_THAT(insisted.err, HasSubstr("5 processes cannot share 2 devices evenly"));
}

TEST_F(Ranks, AnInterruptCancelsOnAllRanks) {
    for (const int signal : {SIGINT, SIGTERM}) {
        SCOPED_TRACE(signal);
        fs::remove_all(run("run"));
        const auto process = startLongRun();
        const std::vector<pid_t> ranks = countRanks(*process);
        process->send(signal);
        const ProcessResult result = process->wait(signal == SIGTERM ? 5s : 60s);
        EXPECT_FALSE(result.timedOut);
        // Where the CPUs are busy a SIGTERM's limit may come before the ranks' end.
        EXPECT_TRUE(result.exitCode == 130 || (signal == SIGTERM && result.signal == SIGTERM)) << result.err;
        EXPECT_EQ(statusOf(run("run")), "cancelled");
        expectGone(ranks);
    }
}

// A stopped rank hears nothing: mpirun has to be asked, and what does not end is killed.
TEST_F(Ranks, ATermEndsTheRunThatAStoppedRankHolds) {
    const auto process = startLongRun();
    const std::vector<pid_t> ranks = countRanks(*process);
    ASSERT_EQ(ranks.size(), 2U);
    ::kill(ranks[1], SIGSTOP);
    process->send(SIGTERM);
    const ProcessResult result = process->wait(5s);
    EXPECT_FALSE(result.timedOut);
    EXPECT_NE(result.exitCode, 0);
    EXPECT_EQ(statusOf(run("run")), "cancelled");
    expectGone(ranks);
}

TEST_F(Ranks, ARandomSeedIsTheSameOnAllRanks) {
    ProjectKeys keys = ringRun();
    keys["seed"] = "-1";
    const std::string text = project(keys, "random.yaml");
    ASSERT_EQ(underMpirun({"run", text, "--out", run("mpirun")}).exitCode, 0);
    ASSERT_EQ(meshreel({"run", text, "--hosts", hosts(), "--out", run("launched")}, rankOptions()).exitCode,
              0);
    for (const char* name : {"mpirun", "launched"}) {
        SCOPED_TRACE(name);
        const std::string again = std::string(name) + "-again";
        const std::string record = (file(name) / "project.yaml").string();
        const ProcessResult alone = meshreel({"run", record, "--out", run(again)});
        ASSERT_EQ(alone.exitCode, 0) << alone.err;
        EXPECT_TRUE(sameLatents(file(again), file(name)));
    }
}

TEST_F(Ranks, OtherWeightsOnAnotherHostAreRefused) {
    const fs::path original = testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v";
    ProjectKeys keys = ringRun();
    keys["pretrained_model_name_or_path"] = "model";
    std::vector<std::string> line{MESHREEL_MPIRUN, "--oversubscribe", "--bind-to", "none"};
    for (const std::string host : {"one", "two"}) {
        fs::create_directories(file(host));
        fs::copy(original, file(host) / "model", fs::copy_options::recursive);
        writeFileAtomically(file(host) / "p.yaml", testing::projectText(keys));
        if (host == "two")
            line.emplace_back(":");
        line.insert(line.end(), {"-n", "1", "-wdir", file(host).string()});
        for (const std::string& word : commandLine({"run", "p.yaml", "--workers", "1", "--out", run("run")}))
            line.push_back(word);
    }
    EXPECT_EQ(Process(line, rankOptions()).wait().exitCode, 0);
    const fs::path weights = file("two") / "model/transformer/diffusion_pytorch_model.safetensors";
    std::string bytes = readFile(weights);
    bytes[bytes.size() - 1000] = static_cast<char>(bytes[bytes.size() - 1000] ^ 1);
    writeFileAtomically(weights, bytes);
    fs::remove_all(file("run"));
    const ProcessResult result = Process(line, rankOptions()).wait();
    EXPECT_NE(result.exitCode, 0) << "mpirun ends with the code of the rank that it hears of first";
    EXPECT_THAT(result.err, HasSubstr("rank 1 on host"));
    EXPECT_THAT(result.err, HasSubstr("reads other weights than rank 0"));
}

TEST_F(Ranks, AnotherInstructionSetIsSaid) {
    const nlohmann::json offered = nlohmann::json::parse(meshreel({"isa", "--json"}).out).at("offered");
    if (std::find(offered.begin(), offered.end(), "avx512") == offered.end())
        GTEST_SKIP() << "this CPU offers no avx512 beside avx2";
    std::vector<std::string> line{MESHREEL_MPIRUN, "--oversubscribe", "--bind-to", "none"};
    for (const std::string isa : {"avx2", "avx512"}) {
        if (isa == "avx512")
            line.emplace_back(":");
        line.insert(line.end(), {"-n", "1"});
        for (const std::string& word :
             commandLine({"run", project(ringRun()), "--workers", "1", "--isa", isa, "--out", run("run")}))
            line.push_back(word);
    }
    const ProcessResult result = Process(line, rankOptions()).wait();
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(statusOf(run("run")), "done");
    for (const char* part : {"warning", "rank 1 on host", "avx512", "avx2", "differs slightly"})
        EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_THAT(readFile(file("run") / "log.txt"), HasSubstr("rank 1 on host"));
}

TEST_F(Ranks, AFailedLaunchNamesTheHostAndWhatTheRemoteShellSaid) {
    writeFileAtomically(file("hosts"), "gpu.site-a.invalid\ngpu.site-b.invalid\n");
    const std::string asked = file("asked").string();
    writeFileAtomically(file("shell"), "#!/bin/sh\nfor word; do case $word in gpu.*) echo $word >> " + asked +
                                           ";; esac; done\necho no route to this host >&2\nexit 255\n");
    fs::permissions(file("shell"), fs::perms::owner_all);
    ProcessOptions options = rankOptions();
    options.environment["MESHREEL_RSH"] = file("shell").string();
    const ProcessResult result =
        meshreel({"run", project(ringRun()), "--hosts", hosts(), "--out", run("run")}, options);
    EXPECT_EQ(result.exitCode, 5) << result.err;
    EXPECT_THAT(result.err, HasSubstr("gpu.site-a.invalid"));
    EXPECT_THAT(result.err, HasSubstr("no route to this host"));
    EXPECT_THAT(readFile(asked), HasSubstr("gpu.site-b.invalid"));
}

std::vector<std::string> rowsOf(const fs::path& sweep) {
    std::vector<std::string> rows;
    std::istringstream lines(readFile(sweep / "sweep.csv"));
    for (std::string line; std::getline(lines, line);)
        rows.push_back(line);
    return rows;
}

TEST_F(Ranks, ASweepTimesItsCellsOnHostsAndGoesOnAfterALostOne) {
    writeFileAtomically(file("small.yaml"),
                        "version: 1\nname: small\nrepeats: 2\n"
                        "base: {width: 32, height: 32, num_frames: 5, devices: 2}\n"
                        "strategies:\n"
                        "  - {name: ring, attention: tokamax_ring}\n"
                        "  - {name: ulysses, attention: ulysses}\n"
                        "  - {name: hybrid, attention: ulysses_ring, ulysses_shards: 3}\n");
    const auto sweep = [&](const ProcessOptions& with) {
        return meshreel({"sweep", file("small.yaml").string(), "--hosts", hosts(), "-o", run("out")}, with);
    };
    writeFileAtomically(file("shell"), "#!/bin/sh\necho no route to this host >&2\nexit 255\n");
    fs::permissions(file("shell"), fs::perms::owner_all);
    writeFileAtomically(file("hosts"), "gpu.site-a.invalid slots=2\n");
    ProcessOptions lost = rankOptions();
    lost.environment["MESHREEL_RSH"] = file("shell").string();
    std::vector<std::string> rows;
    const auto rowsWith = [&](std::string_view status) {
        return std::ranges::count_if(
            rows, [&](const std::string& row) { return row.find(status) != std::string::npos; });
    };
    const ProcessResult first = sweep(lost);
    EXPECT_EQ(first.exitCode, 0) << first.err;
    rows = rowsOf(file("out"));
    EXPECT_EQ(rowsWith(",failed,"), 2);
    EXPECT_THAT(rows, ::testing::Contains(HasSubstr("gpu.site-a.invalid")));

    writeFileAtomically(file("hosts"), "localhost slots=2\n");
    const ProcessResult second = sweep(rankOptions());
    EXPECT_EQ(second.exitCode, 0) << second.err;
    rows = rowsOf(file("out"));
    EXPECT_EQ(rowsWith(",failed,"), 0);
    EXPECT_EQ(rowsWith(",ok,"), 4);
    EXPECT_EQ(rowsWith(",refused,"), 1);
    EXPECT_EQ(sweep(rankOptions()).exitCode, 0);
    EXPECT_EQ(rowsOf(file("out")), rows) << "nothing is left to measure";

    const ProcessResult own = underMpirun({"sweep", file("small.yaml").string(), "--cell", "ring, batch 1"});
    EXPECT_EQ(own.exitCode, 0) << own.err;
    std::istringstream lines(own.out);
    int passes = 0;
    for (std::string line; std::getline(lines, line); ++passes)
        EXPECT_GT(nlohmann::json::parse(line).at("bytes_moved"), 0) << line;
    EXPECT_EQ(passes, 2);
}

// The host far has a disk of its own, without the program; nobody answers on the host dead.
TEST_F(Ranks, HostsAreComparedBeforeAnythingRunsAndGetTheProgram) {
    const std::string here = fs::path(commandLine({}).front()).parent_path().string();
    const std::string far = file("far").string();
    writeFileAtomically(file("shell"),
                        "#!/bin/sh\ncase $1 in dead*) echo no route >&2; exit 255;; esac\nshift\n"
                        "exec sh -c \"$(printf %s \"$*\" | sed 's#" +
                            here + "#" + far + "#g')\"\n");
    fs::permissions(file("shell"), fs::perms::owner_all);
    writeFileAtomically(file("hosts"), "localhost\nfar.invalid\ndead.invalid\n");
    ProcessOptions options = rankOptions();
    options.environment["MESHREEL_RSH"] = file("shell").string();
    ProjectKeys keys = testing::smallRun();
    keys["attention"] = "tokamax_ring";
    const auto check = [&](const char* how) {
        const ProcessResult result =
            meshreel({"run", project(keys), "--hosts", hosts(), how, "--out", run("run")}, options);
        EXPECT_EQ(result.exitCode, 5) << result.err;
        EXPECT_FALSE(fs::exists(run("run")));
        return result;
    };
    const ProcessResult missing = check("--check-hosts");
    EXPECT_THAT(missing.err, HasSubstr("far.invalid failed: the program is not there"));
    for (const char* column : {"free_gib", "clock_s", "localhost", "the program is not there", "no route"})
        EXPECT_THAT(missing.out, HasSubstr(column));
    const ProcessResult sent = check("--broadcast-program");
    EXPECT_THAT(sent.out, HasSubstr("program sent"));
    EXPECT_THAT(sent.err, HasSubstr("dead.invalid failed: no route"));
    EXPECT_EQ(fs::file_size(file("far") / "meshreel"), fs::file_size(fs::path(here) / "meshreel"));

    keys.erase("attention");
    const ProcessResult none = meshreel({"run", project(keys), "--check-hosts"}, options);
    EXPECT_EQ(none.exitCode, 2) << none.err;
    EXPECT_THAT(none.err, HasSubstr("--hosts"));
}

/// Ranks that meshreel, on the host alpha, launches there and on the host beta.
class RanksOnHosts : public Ranks {
  protected:
    void SetUp() override {
        if (!NetworkHosts::possible())
            GTEST_SKIP() << "this process may not make network namespaces (root and iproute2 are needed)";
        m_hosts.emplace();
        m_options = rankOptions();
        m_options.environment["MESHREEL_RSH"] = m_hosts->remoteShell();
        writeFileAtomically(file("hosts"),
                            NetworkHosts::alphaAddress + "\n" + NetworkHosts::betaAddress + "\n");
    }

    [[nodiscard]] const NetworkHosts& network() const { return *m_hosts; }

    /// `meshreel run ... --hosts` on alpha.
    [[nodiscard]] std::unique_ptr<Process> start(const std::vector<std::string>& words) const {
        std::string command;
        for (const std::string& word : commandLine(words))
            command += word + " ";
        return std::make_unique<Process>(m_hosts->onAlpha(command + "--hosts " + hosts()), m_options);
    }

  private:
    std::optional<NetworkHosts> m_hosts;
    ProcessOptions m_options;
};

TEST_F(RanksOnHosts, ACutCableFailsTheRunWhichGoesOnLater) {
    ProjectKeys keys = longRun();
    const std::string folder = run("run");
    const auto process = start({"run", project(keys), "--out", folder});
    ASSERT_TRUE(testing::waitUntil(*process, [&] { return testing::stepRows(folder) > 2; }))
        << process->errSoFar();
    network().cutCable();
    const ProcessResult result = process->wait(8s + 10s);  // to notice, and to end
    EXPECT_FALSE(result.timedOut) << result.err;
    EXPECT_THAT(network().leftAfter(2s), IsEmpty());
    EXPECT_EQ(result.exitCode, 5) << result.err;
    EXPECT_THAT(result.err, HasSubstr("rank 1 on host beta failed: it has not been heard of for 5 s"));
    EXPECT_THAT(result.err, HasSubstr("--resume"));
    EXPECT_EQ(statusOf(folder), "failed");

    const auto stepsBefore = testing::stepRows(folder);
    const auto resumed = std::make_unique<Process>(commandLine({"run", "--resume", folder}), rankOptions());
    EXPECT_TRUE(testing::waitUntil(*resumed, [&] { return testing::stepRows(folder) > stepsBefore; }))
        << resumed->errSoFar();
    resumed->send(SIGINT);
    EXPECT_EQ(resumed->wait(60s).exitCode, 130);
}

// While mpirun launches, ranks meet and steps run.
TEST_F(RanksOnHosts, StrangersNeitherEndNorHoldUpARun) {
    ProjectKeys keys = ringRun();
    keys["num_inference_steps"] = "20";
    ASSERT_EQ(meshreel({"run", project(keys), "--out", run("alone")}).exitCode, 0);

    const testing::Strangers onAlpha([this] { network().enterAlpha(); }, NetworkHosts::alphaAddress);
    const testing::Strangers onBeta([this] { network().enterBeta(); }, NetworkHosts::betaAddress);
    const ProcessResult result = start({"run", project(keys), "--out", run("run")})->wait(60s);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_TRUE(sameLatents(file("run"), file("alone")));
    for (const testing::Strangers* strangers : {&onAlpha, &onBeta}) {
        EXPECT_GE(strangers->listeners(), 3) << "mpirun or its daemon for others and for ranks, and a rank";
        EXPECT_GT(strangers->connections(), 300) << "the crowd of 300, and what each listener is told";
    }
}

TEST_F(RanksOnHosts, WeightsReachAHostThatHasNone) {
    const fs::path model = file("model");
    fs::copy(testing::sourceFolder() / "resources/models/tiny-wan-t2v", model, fs::copy_options::recursive);
    ProjectKeys keys = ringRun();
    keys["pretrained_model_name_or_path"] = model.string();
    ASSERT_EQ(meshreel({"run", project(keys), "--out", run("alone")}).exitCode, 0);

    network().hideOnBeta(model);
    const ProcessResult without = start({"run", project(keys), "--out", run("without")})->wait(60s);
    EXPECT_NE(without.exitCode, 0);
    EXPECT_THAT(without.err, HasSubstr("rank 1 on host beta"));

    const ProcessResult result =
        start({"run", project(keys), "--out", run("run"), "--broadcast-weights"})->wait(60s);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_TRUE(sameLatents(file("run"), file("alone")));
}

}  // namespace
}  // namespace meshreel
