// SPDX-License-Identifier: GPL-3.0-or-later
// Every kind of bad input: its exit code, one sentence on stderr with the fix, and nothing lost.
#include <sched.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <sstream>

#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/weights/formats/safetensors.h"
#include "runner.h"
#include "tests/support/instrumented.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using testing::Process;
using testing::ProcessOptions;
using testing::ProcessResult;
using testing::ProjectKeys;
using testing::smallRun;

/// Lines that say why; warnings and the fixes of `validate` do not count.
std::vector<std::string> sentences(const std::string& err) {
    std::vector<std::string> lines;
    std::istringstream in(err);
    for (std::string line; std::getline(in, line);)
        if (!line.empty() && line.find("warning") == std::string::npos && !line.starts_with("    fix: "))
            lines.push_back(line);
    return lines;
}

class ExitCodes : public testing::RunnerTest {
  protected:
    /// The command fails with `code` and one sentence, or one for each error of a project; they hold every
    /// fragment.
    static void expectRefusal(const ProcessResult& result, Code code,
                              const std::vector<std::string>& fragments) {
        EXPECT_EQ(result.exitCode, code) << result.err;
        const std::vector<std::string> lines = sentences(result.err);
        EXPECT_TRUE(
            lines.size() == 1 ||
            (!lines.empty() &&
             std::ranges::all_of(lines, [](const auto& line) { return line.starts_with("error: "); })))
            << result.err;
        for (const std::string& fragment : fragments)
            EXPECT_THAT(result.err, HasSubstr(fragment));
        EXPECT_THAT(result.err, ::testing::Not(HasSubstr("terminate called")));
    }

    /// `run` of a project file with this text is refused: before anything is made for what is wrong in the
    /// project, and at the latest by a run that is marked as failed for what is wrong in the checkpoint.
    void expectTextRefused(const std::string& yaml, Code code,
                           const std::vector<std::string>& fragments) const {
        SCOPED_TRACE(yaml.substr(0, 200));
        const testing::TemporaryFolder out;
        const fs::path run = out / "run";
        writeFileAtomically(file("bad.yaml"), yaml);
        expectRefusal(meshreel({"run", file("bad.yaml").string(), "--out", run.string()}), code, fragments);
        if (code == BadInput && fs::exists(run))
            EXPECT_EQ(testing::statusOf(run), "failed");
        else
            EXPECT_FALSE(fs::exists(run));
    }

    void expectKeyRefused(const std::string& key, const std::string& value, Code code,
                          const std::vector<std::string>& fragments) const {
        ProjectKeys keys = smallRun();
        keys[key] = value;
        expectTextRefused(testing::projectText(keys), code, fragments);
    }

    /// One that this process may use.
    static std::string firstCpu() {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        int cpu = 0;
        while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &set))
            ++cpu;
        return std::to_string(cpu);
    }

    /// A copy of the embedded model to damage.
    [[nodiscard]] fs::path modelCopy(const std::string& name) const {
        fs::copy(testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v", file(name),
                 fs::copy_options::recursive);
        return file(name);
    }

    void expectModelRefused(const fs::path& model, const std::vector<std::string>& fragments) const {
        expectKeyRefused("pretrained_model_name_or_path", model.string(), BadInput, fragments);
    }
};

fs::path transformerFor(const fs::path& model) {
    return model / "transformer" / "diffusion_pytorch_model.safetensors";
}

void changeConfig(const fs::path& file, const std::string& key, const nlohmann::json& value) {
    nlohmann::json config = readJsonObject(file);
    config[key] = value;
    writeFileAtomically(file, config.dump());
}

TEST_F(ExitCodes, ArgumentErrors) {
    const std::string good = project(smallRun());
    expectRefusal(meshreel({}), BadProject, {"--help"});
    expectRefusal(meshreel({"frobnicate"}), BadProject, {"--help"});
    expectRefusal(meshreel({"run"}), BadProject, {"project"});
    expectRefusal(meshreel({"run", good, "--no-such-option"}), BadProject, {"--no-such-option"});
    expectRefusal(meshreel({"run", good, "--workers", "0"}), BadProject, {"workers"});
    expectRefusal(meshreel({"run", good, "--workers", "many"}), BadProject, {"workers"});
    expectRefusal(meshreel({"run", good, "--resume", "x"}), BadProject, {"--resume"});
    expectRefusal(meshreel({"run", good, "--out"}), BadProject, {"--out"});
    expectRefusal(meshreel({"run", good, "--set", "seed"}), BadProject, {"seed"});
    expectRefusal(meshreel({"verify"}), BadProject, {"CASE"});
    expectRefusal(meshreel({"inspect"}), BadProject, {"PATH"});
}

TEST_F(ExitCodes, UnreadableProject) {
    expectRefusal(meshreel({"run", file("missing.yaml").string()}), BadProject, {"missing.yaml"});
    expectRefusal(meshreel({"plan", file("missing.yaml").string()}), BadProject, {"missing.yaml"});
    expectRefusal(meshreel({"validate", file("missing.yaml").string()}), BadProject, {"missing.yaml"});
    expectRefusal(meshreel({"run", options().workingFolder.string()}), BadProject, {"not a file"});
}

TEST_F(ExitCodes, ValuesOutOfRangeNameTheNearest) {
    expectKeyRefused("height", "60", BadProject, {"height", "60", "64"});
    expectKeyRefused("width", "65", BadProject, {"width", "65", "64"});
    expectKeyRefused("num_frames", "16", BadProject, {"num_frames", "16", "17"});
    expectKeyRefused("num_inference_steps", "0", BadProject, {"num_inference_steps", "1"});
    expectKeyRefused("prompt", "\"  \"", BadProject, {"prompt", "empty"});
    expectKeyRefused("attention", "flsh", BadProject, {"attention", "flash"});
    expectKeyRefused("attention", "ring", BadProject, {"attention", "ring"});
    expectKeyRefused("scheduler", "ddim", BadProject, {"scheduler"});
    expectKeyRefused("seed", "0x10", BadProject, {"seed"});
    expectKeyRefused("seed", "-2", BadProject, {"seed", "-1"});
    expectKeyRefused("guidance_scale", ".nan", BadProject, {"guidance_scale"});
}

TEST_F(ExitCodes, ProjectTextThatIsNotOurs) {
    const std::string good = testing::projectText(smallRun());
    expectTextRefused(good + "hieght: 64\n", BadProject, {"bad.yaml:", "hieght", "height"});
    expectTextRefused(good + "seed: 1\n", BadProject, {"bad.yaml:", "seed"});
    expectTextRefused("version: 1\nprompt: \"a\\0b\"\n", BadProject, {"bad.yaml:2", "U+0000"});
    expectTextRefused("version: 1\nprompt: \"a \\ud83d\"\n", BadProject, {"bad.yaml:2", "\\ud83d"});
    expectTextRefused("version: 4\nprompt: a ball\n", BadProject, {"version"});
    expectTextRefused("version: 1\nprompt: &a ball\nnegative_prompt: *a\n", BadProject, {"bad.yaml:2"});
    expectTextRefused("version: 1\nprompt: !!str ball\n", BadProject, {"bad.yaml:2"});
    expectTextRefused("version: 1\nprompt: [a\n", BadProject, {"bad.yaml"});
    expectTextRefused(std::string("version: 1\nprompt: \xff\xfe\n"), BadProject, {"bad.yaml"});
}

TEST_F(ExitCodes, YamlBombsEndAtOnce) {
    std::string aliases = "version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 40; ++i) {
        const std::string last = "*a" + std::to_string(i - 1);
        aliases += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
        for (int repeat = 0; repeat < 8; ++repeat)
            aliases.append(", ").append(last);
        aliases += "]\n";
    }
    expectTextRefused(aliases, BadProject, {"bad.yaml:2"});
    expectTextRefused("version: 1\nprompt: " + std::string(100000, '[') + "\n", BadProject, {"bad.yaml"});
    expectTextRefused("version: 1\nprompt: " + std::string(64U << 20U, 'x') + "\n", BadProject, {"bad.yaml"});
}

TEST_F(ExitCodes, ManyProblemsAreAllTold) {
    ProjectKeys keys = smallRun();
    keys["height"] = "60";
    keys["num_frames"] = "16";
    for (const char* command : {"validate", "plan", "run"}) {
        const ProcessResult result = meshreel({command, project(keys)});
        EXPECT_EQ(result.exitCode, BadProject) << command;
        EXPECT_EQ(sentences(result.err).size(), 2U) << result.err;
        EXPECT_THAT(result.err, HasSubstr("height"));
        EXPECT_THAT(result.err, HasSubstr("num_frames"));
    }
}

TEST_F(ExitCodes, MaxDiffusionKeysAreOneWarning) {
    ProjectKeys keys = smallRun();
    keys["jax_cache_dir"] = "/tmp/jax";
    keys["learning_rate"] = "1.e-5";
    keys["enable_profiler"] = "False";
    keys["num_inference_steps"] = "1";
    const ProcessResult result = meshreel({"run", project(keys), "--out", file("run").string()});
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("jax_cache_dir"));
    EXPECT_THAT(result.err, HasSubstr("learning_rate"));
}

TEST_F(ExitCodes, MissingOrDamagedCheckpoint) {
    expectModelRefused(file("nowhere"), {"nowhere"});
    expectKeyRefused("pretrained_model_name_or_path", "tiny-wan-t2w", BadInput,
                     {"tiny-wan-t2w", "tiny-wan-t2v"});

    const fs::path gone = modelCopy("gone");
    fs::remove(transformerFor(gone));
    expectModelRefused(gone, {"transformer"});

    const fs::path cut = modelCopy("cut");
    fs::resize_file(transformerFor(cut), fs::file_size(transformerFor(cut)) / 2);
    expectModelRefused(cut, {"diffusion_pytorch_model.safetensors"});

    const fs::path lying = modelCopy("lying");
    std::string bytes = readFile(transformerFor(lying));
    const std::size_t offsets = bytes.find("\"data_offsets\":[");
    ASSERT_NE(offsets, std::string::npos);
    bytes[offsets + std::string_view("\"data_offsets\":[").size()] = '9';
    writeFileAtomically(transformerFor(lying), bytes);
    expectModelRefused(lying, {"diffusion_pytorch_model.safetensors"});

    const fs::path pointer = modelCopy("pointer");
    writeFileAtomically(transformerFor(pointer),
                        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    expectModelRefused(pointer, {"diffusion_pytorch_model.safetensors"});

    const fs::path broken = modelCopy("broken");
    writeFileAtomically(broken / "transformer" / "config.json", "{\"num_layers\": ");
    expectModelRefused(broken, {"config.json"});
}

TEST_F(ExitCodes, CheckpointOfOtherShapes) {
    const fs::path narrow = modelCopy("narrow");
    changeConfig(narrow / "transformer" / "config.json", "ffn_dim", 512);
    expectModelRefused(narrow, {"512", "768"});

    const fs::path channels = modelCopy("channels");
    changeConfig(channels / "vae" / "config.json", "z_dim", 48);
    expectModelRefused(channels, {"48", "16"});
}

TEST_F(ExitCodes, TheFirstNonFiniteValueStopsTheRunAndIsNamed) {
    const fs::path poisoned = modelCopy("poisoned");
    std::vector<NamedTensor> tensors;
    {
        const SafetensorsFile weights = SafetensorsFile::open(transformerFor(poisoned));
        for (const std::string& name : weights.names())
            tensors.emplace_back(name, weights.get(name).clone());
    }
    const auto bias = std::ranges::find(tensors, "blocks.3.attn1.to_out.0.bias", &NamedTensor::first);
    ASSERT_NE(bias, tensors.end());
    bias->second = bias->second.toF32().clone();
    bias->second.data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    writeSafetensors(transformerFor(poisoned), tensors);

    ProjectKeys keys = smallRun();
    keys["pretrained_model_name_or_path"] = poisoned.string();
    const fs::path run = file("run");
    const ProcessResult result = meshreel({"run", project(keys), "--out", run.string()});
    expectRefusal(result, Defect, {"step 1", "block 3"});
    EXPECT_EQ(testing::statusOf(run), "failed");
    EXPECT_THAT(readFile(run / "status.json"), HasSubstr("block 3"));
    EXPECT_FALSE(fs::exists(run / "latents.safetensors"));
}

TEST_F(ExitCodes, RunFolderThatCannotBeUsed) {
    const std::string good = project(smallRun());
    fs::create_directory(file("full"));
    writeFileAtomically(file("full") / "keep.txt", "mine");
    expectRefusal(meshreel({"run", good, "--out", file("full").string()}), BadInput, {"full"});
    EXPECT_EQ(readFile(file("full") / "keep.txt"), "mine");

    expectRefusal(meshreel({"run", good, "--out", (file("full") / "keep.txt" / "run").string()}), BadInput,
                  {"keep.txt"});
    expectRefusal(meshreel({"run", good, "--out", file(std::string(300, 'x')).string()}), BadInput, {"xxx"});
    expectRefusal(meshreel({"run", "--resume", file("nowhere").string()}), BadInput, {"nowhere"});
    expectRefusal(meshreel({"run", "--resume", file("full").string()}), BadInput, {"full"});
    expectRefusal(meshreel({"inspect", file("nowhere").string()}), BadInput, {"nowhere"});
    expectRefusal(meshreel({"inspect", (file("full") / "keep.txt").string()}), BadInput, {"keep.txt"});
}

TEST_F(ExitCodes, UnwritableFolder) {
    ProcessOptions bound = options();
    bound.ordinaryPermissions = true;
    fs::create_directory(file("locked"));
    ::chmod(file("locked").c_str(), 0555);
    expectRefusal(meshreel({"run", project(smallRun()), "--out", (file("locked") / "run").string()}, bound),
                  BadInput, {"locked", "Permission denied"});
    const fs::path secret = modelCopy("secret");
    ::chmod(transformerFor(secret).c_str(), 0);
    ProjectKeys keys = smallRun();
    keys["pretrained_model_name_or_path"] = secret.string();
    expectRefusal(meshreel({"run", project(keys), "--out", file("run").string()}, bound), BadInput,
                  {"diffusion_pytorch_model.safetensors"});
    ::chmod(file("project.yaml").c_str(), 0);
    expectRefusal(meshreel({"run", file("project.yaml").string()}, bound), BadProject, {"project.yaml"});
}

TEST_F(ExitCodes, NotEnoughMemoryIsSaidBeforeWorkStarts) {
    ProjectKeys keys = smallRun();
    keys["height"] = keys["width"] = "4096";
    keys["num_frames"] = "4001";
    expectTextRefused(testing::projectText(keys), NoResources, {"GiB"});
}

TEST_F(ExitCodes, LittleAddressSpaceEndsWithItsNumbers) {
    if (testing::isInstrumented)
        GTEST_SKIP() << testing::needsItsOwnMemory;
    constexpr std::uint64_t mebibyte = 1 << 20;
    for (const std::uint64_t mebibytes : {360, 440}) {
        SCOPED_TRACE(mebibytes);
        ProcessOptions little = options();
        little.addressSpace = mebibytes * mebibyte;
        const std::string run = file("run" + std::to_string(mebibytes)).string();
        const ProcessResult result =
            Process(commandLine({"run", project(smallRun()), "--no-cache", "--out", run}), little).wait(30s);
        EXPECT_FALSE(result.timedOut);
        if (result.exitCode != Done)
            expectRefusal(result, NoResources, {"ulimit -v", "MiB"});
    }
}

TEST_F(ExitCodes, MoreThanAMachineCarriesIsRefusedUnlessTheUserInsists) {
    ProjectKeys keys = smallRun();
    keys["attention"] = "ring";
    keys["devices"] = "65";
    const std::vector<std::string> onOneCpu{"/usr/bin/env", "taskset", "-c", firstCpu()};
    const auto onOne = [&](std::vector<std::string> words) {
        std::vector<std::string> line = onOneCpu;
        std::ranges::copy(commandLine(words), std::back_inserter(line));
        return Process(line, options()).wait();
    };
    const std::string tooMany = project(keys);
    const std::vector<std::string> sentence{"65 devices", "1 CPU", "--oversubscribe"};
    for (const char* command : {"run", "plan"})
        expectRefusal(onOne({command, tooMany}), BadProject, sentence);
    expectRefusal(onOne({"validate", tooMany}), BadProject,
                  {"project.yaml:", "65 devices", "    fix: --set devices=64\n"});
    EXPECT_EQ(onOne({"validate", tooMany, "--oversubscribe"}).exitCode, Done);
    EXPECT_EQ(onOne({"plan", tooMany, "--oversubscribe"}).exitCode, Done);
    const std::vector<std::string> attention{"attention", "--mode", "flash",      "--heads", "1",
                                             "--seq",     "65",     "--head-dim", "8",       "--devices"};
    const auto attentionOn = [&](const char* devices, std::vector<std::string> more) {
        std::vector<std::string> words = attention;
        words.emplace_back(devices);
        std::ranges::copy(more, std::back_inserter(words));
        return onOne(words);
    };
    expectRefusal(attentionOn("65", {}), BadProject, sentence);
    EXPECT_EQ(attentionOn("65", {"--oversubscribe"}).exitCode, Done);
    expectRefusal(attentionOn("5", {"--transport", "mpi"}), BadProject, {"5 ranks", "--oversubscribe"});
}

TEST_F(ExitCodes, HostsThatNobodyCanCarryAreRefusedBeforeAnythingStarts) {
    const std::string good = project(smallRun());
    const auto hosts = [&](const std::string& text) {
        writeFileAtomically(file("hosts"), text);
        return meshreel({"run", good, "--hosts", file("hosts").string(), "--out", file("run").string()});
    };
    expectRefusal(hosts("localhost slots=4096\n"), BadProject, {"hosts:1", "4096 ranks", "--oversubscribe"});
    expectRefusal(hosts(std::string(100'000, 'a') + "\n"), BadProject, {"hosts:1", "253"});
    std::string many;
    for (int host = 0; host < 10'000; ++host)
        many += "node" + std::to_string(host) + ".invalid\n";
    expectRefusal(hosts(many), BadProject, {"hosts:1025", "1025 ranks"});
    EXPECT_FALSE(fs::exists(file("run")));
}

TEST_F(ExitCodes, AMissingFolderForTemporaryFilesIsSaidWithTheFix) {
    writeFileAtomically(file("hosts"), "localhost slots=2\n");
    ProcessOptions nowhere = options();
    nowhere.environment["TMPDIR"] = file("nowhere").string();
    ProjectKeys keys = smallRun();
    keys["attention"] = "ring";
    expectRefusal(meshreel({"run", project(keys), "--hosts", file("hosts").string()}, nowhere), BadInput,
                  {"nowhere", "TMPDIR"});
}

TEST_F(ExitCodes, AFullDiskKeepsWhatWasWritten) {
    ProcessOptions fullDisk = options();
    fullDisk.largestFile = 7000;  // less than the 8 KiB of these latents, more than the text files
    ProjectKeys keys = smallRun();
    keys["height"] = keys["width"] = "64";
    expectRefusal(meshreel({"run", project(keys), "--out", file("run").string()}, fullDisk), NoResources,
                  {"run", std::strerror(EFBIG)});
    EXPECT_TRUE(fs::exists(file("run") / "project.yaml"));
    EXPECT_FALSE(fs::exists(file("run") / "checkpoint.safetensors"));
    for (const fs::directory_entry& entry : fs::directory_iterator(file("run")))
        EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << "left over: " << entry.path();

    const ProcessResult resumed = meshreel({"run", "--resume", file("run").string()});
    EXPECT_EQ(resumed.exitCode, Done) << resumed.err;
    EXPECT_EQ(testing::statusOf(file("run")), "done");
}

TEST_F(ExitCodes, AFullStandardOutputDoesNotStopTheRun) {
    ProcessOptions deaf = options();
    deaf.outputToFullDevice = true;
    const ProcessResult result = meshreel({"run", project(smallRun()), "--out", file("run").string()}, deaf);
    EXPECT_EQ(testing::statusOf(file("run")), "done") << result.err;
    EXPECT_EQ(result.exitCode, NoResources);
}

TEST_F(ExitCodes, MissingStandardStreamsAreNotTakenByFilesOfTheRun) {
    ASSERT_EQ(meshreel({"run", project(smallRun()), "--out", file("usual").string()}).exitCode, Done);
    for (const std::vector<int>& missing : {std::vector{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
        SCOPED_TRACE(::testing::PrintToString(missing));
        fs::remove_all(file("run"));
        ProcessOptions without = options();
        without.closedStreams = missing;
        const ProcessResult result =
            meshreel({"run", project(smallRun()), "--out", file("run").string()}, without);
        const bool isTold = std::ranges::count(missing, 1) == 0;
        EXPECT_EQ(result.exitCode, isTold ? Done : NoResources) << result.err;
        EXPECT_EQ(testing::statusOf(file("run")), "done");
        for (const char* name : {"latents.safetensors", "latents.checksum", "video.mp4", "project.yaml"})
            EXPECT_TRUE(readFile(file("run") / name) == readFile(file("usual") / name)) << name;
        for (const char* name : {"log.txt", "steps.csv", ".lock"})
            EXPECT_EQ(readFile(file("run") / name).find("Run folder:"), std::string::npos) << name;
    }
}

TEST_F(ExitCodes, AWarningThatNobodyCanReadDoesNotStopTheRun) {
    ProjectKeys keys = smallRun();
    keys["guidance_scale"] = "1.0";
    keys["negative_prompt"] = "blurry";  // which nothing reads then
    const std::string warned = project(keys);
    ASSERT_THAT(meshreel({"validate", warned}).err, HasSubstr("warning"));
    ProcessOptions without = options();
    without.closedStreams = {2};
    const ProcessResult result = meshreel({"run", warned, "--out", file("run").string()}, without);
    EXPECT_EQ(result.exitCode, Done);
    EXPECT_EQ(testing::statusOf(file("run")), "done");
}

TEST_F(ExitCodes, AReaderThatGoesAwayDoesNotFailTheRun) {
    std::string command;
    for (const std::string& word : commandLine({"run", project(smallRun()), "--out", file("run").string()}))
        command += "'" + word + "' ";
    const ProcessResult result =
        Process({"/bin/bash", "-c", command + "| head -1; exit ${PIPESTATUS[0]}"}, options()).wait();
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_EQ(testing::statusOf(file("run")), "done");
}

TEST_F(ExitCodes, EveryCommandSaysThatItsOutputWasNotWritten) {
    ProcessOptions full = options();
    full.outputToFullDevice = true;
    const std::string good = project(smallRun());
    for (const std::vector<std::string>& words : {std::vector<std::string>{"keys"},
                                                  {"modes"},
                                                  {"isa"},
                                                  {"devices"},
                                                  {"models"},
                                                  {"--help"},
                                                  {"--version"},
                                                  {"run", "--help"},
                                                  {"validate", good},
                                                  {"plan", good},
                                                  {"completion", "bash"},
                                                  {"manual"}}) {
        SCOPED_TRACE(words.front());
        expectRefusal(meshreel(words, full), NoResources, {std::strerror(ENOSPC)});
    }
}

TEST_F(ExitCodes, WhatTheWriterWouldRefuseIsSaidBeforeAnythingIsComputed) {
    ProjectKeys keys = smallRun();
    keys["video_format"] = "gif";
    keys["fps"] = "60";
    const std::string gif = project(keys);
    for (const char* command : {"validate", "plan", "run"})
        expectRefusal(meshreel({command, gif}), BadProject, {"GIF", "60"});
    EXPECT_THAT(faultsIn({"validate", gif}), ::testing::Contains("video-rate-beyond-format"));
}

TEST_F(ExitCodes, LatentsBecomeAVideoOfAnotherFormat) {
    const std::string run = file("run").string();
    ASSERT_EQ(meshreel({"run", project(smallRun()), "--out", run}).exitCode, Done);
    const ProcessResult decoded = meshreel({"decode", run, "--set", "video_format=webm", "--set", "fps=24"});
    EXPECT_EQ(decoded.exitCode, Done) << decoded.err;
    EXPECT_TRUE(fs::exists(file("run") / "video.webm"));
    expectRefusal(meshreel({"decode", run, "--set", "seed=2"}), BadProject, {"seed", "video_format"});
    expectRefusal(meshreel({"decode", run, "--set", "video_format=gif", "--set", "fps=60"}), BadProject,
                  {"GIF", "60"});
    expectRefusal(meshreel({"run", "--resume", run, "--set", "seed=2"}), BadProject, {"seed"});
}

TEST_F(ExitCodes, OneUnreadableRunLeavesTheOthersToCompare) {
    const std::string run = file("run").string();
    ASSERT_EQ(meshreel({"run", project(smallRun()), "--out", run}).exitCode, Done);
    fs::copy(run, file("cut"), fs::copy_options::recursive);
    writeFileAtomically(file("cut") / "timings.json", "{");
    writeFileAtomically(file("run") / "trace.json", "{");  // no table is made of it
    const ProcessResult compared =
        meshreel({"compare", file("cut").string(), run, file("missing").string(), "--csv"});
    EXPECT_EQ(compared.exitCode, BadInput);
    EXPECT_EQ(std::ranges::count(compared.out, '\n'), 2) << compared.out;
    EXPECT_EQ(sentences(compared.err).size(), 2U) << compared.err;
    expectRefusal(meshreel({"compare", file("missing").string()}), BadInput, {"missing"});
}

TEST_F(ExitCodes, RunFoldersKeepTheLettersOfTheirName) {
    ProjectKeys keys = smallRun();
    keys["num_inference_steps"] = "1";
    keys["num_frames"] = "1";
    for (const auto& [name, part] : {std::pair<std::string, std::string>{"红球 向右", "红球-向右"},
                                     {std::string(300, 'x'), std::string(110, 'x')}}) {
        keys["run_name"] = "\"" + name + "\"";
        const ProcessResult result = meshreel({"run", project(keys)});
        EXPECT_EQ(result.exitCode, Done) << result.err;
        EXPECT_THAT(result.out, HasSubstr(part));
    }
}

}  // namespace
}  // namespace meshreel
