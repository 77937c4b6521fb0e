// SPDX-License-Identifier: GPL-3.0-or-later
// Disks that lack calls of local ones: everything works on them all the same, or is refused for its true
// reason.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/base/files.h"
#include "runner.h"
#include "tests/support/http_server.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::HttpRequest;
using testing::HttpServer;
using ::testing::IsSupersetOf;
using ::testing::Not;
using testing::Process;
using testing::ProcessOptions;
using testing::ProcessResult;
using testing::ProjectKeys;

/// A file system, as the preloaded library weak_file_system.cpp makes one.
struct WeakDisk {
    const char* name;
    const char* refused;
};

class WeakDisks : public testing::RunnerTest {
  protected:
    /// All files of the test lie on such a disk.
    [[nodiscard]] ProcessOptions on(const std::string& refused) const {
        ProcessOptions there = options();
        const char* checks = std::getenv("ASAN_OPTIONS");
        there.environment["ASAN_OPTIONS"] =
            (checks == nullptr ? std::string() : std::string(checks) + ":") + "verify_asan_link_order=0";
        there.environment["LD_PRELOAD"] =
            (testing::programFolder().parent_path() / "tests" / "libweak_file_system.so").string();
        there.environment["WEAK_FILE_SYSTEM"] = refused;
        there.environment["WEAK_FILE_SYSTEM_UNDER"] = file("").string();
        there.environment["WEAK_FILE_SYSTEM_LOG"] = file("refused.log").string();
        return there;
    }

    /// The embedded SentencePiece model with an unknown field behind it, which readers pass over.
    static std::string tokenizerOfSize(std::size_t bytes) {
        std::string content = readFile(testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v" /
                                       "tokenizer" / "spiece.model");
        const std::string field =
            "\xC2\x0C";  // number 200, bytes behind their length, which takes four bytes
        const std::size_t rest = bytes - content.size() - field.size() - 4;
        content += field;
        for (const unsigned shift : {0U, 7U, 14U, 21U})
            content += static_cast<char>((rest >> shift & 0x7FU) | (shift < 21 ? 0x80U : 0U));
        return content + std::string(rest, '\0');
    }

    /// The program's resources, with a table that knows the tokenizer's size only.
    [[nodiscard]] std::string resourcesWithoutHashes() const {
        fs::create_directories(file("resources") / "downloads");
        for (const fs::directory_entry& entry : fs::directory_iterator(testing::sourceFolder() / "resources"))
            if (entry.path().filename() != "downloads")
                fs::create_symlink(entry.path(), file("resources") / entry.path().filename());
        const std::string name = "downloads/offers.json";
        auto table = nlohmann::json::parse(readFile(testing::sourceFolder() / "resources" / name));
        for (auto& offer : table.at("offers"))
            if (offer.at("id") == "umt5-tokenizer")
                offer["files"] = {{{"path", "spiece.model"},
                                   {"place", "tokenizer/spiece.model"},
                                   {"about_bytes", 4'550'000},
                                   {"sha256", nullptr}}};
        writeFileAtomically(file("resources") / name, table.dump());
        return file("resources").string();
    }

    /// The calls that were refused since it was asked last.
    [[nodiscard]] std::set<std::string> refused() const {
        std::set<std::string> calls;
        std::istringstream lines(readFile(file("refused.log")));
        for (std::string line; std::getline(lines, line);)
            calls.insert(line);
        fs::remove(file("refused.log"));
        return calls;
    }

    /// The small project with numbered frames: a folder of them is put into its place as a whole.
    [[nodiscard]] std::string frames() const {
        ProjectKeys keys = testing::smallRun();
        keys["video_format"] = "png";
        keys["pretrained_model_name_or_path"] = "tiny-wan-i2v";
        keys["image"] = (testing::sourceFolder() / "configs" / "first-frame.png").string();
        return project(keys, "frames.yaml");
    }

    /// Of files by their names.
    static std::map<std::string, std::string> contentsOf(const fs::path& folder) {
        std::map<std::string, std::string> contents;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder))
            contents[entry.path().filename()] = readFile(entry.path());
        return contents;
    }
};

class EachWeakDisk : public WeakDisks, public ::testing::WithParamInterface<WeakDisk> {
  protected:
    [[nodiscard]] ProcessOptions there() const { return on(GetParam().refused); }
};

TEST_P(EachWeakDisk, ARunItsVideoAndItsFramesAreWritten) {
    const std::string yaml = frames();
    ASSERT_EQ(meshreel({"run", yaml, "--trust", "--out", file("usual").string()}).exitCode, Done);
    const ProcessResult made = meshreel({"run", yaml, "--out", file("run").string()}, there());
    ASSERT_EQ(made.exitCode, Done) << made.err;
    const auto usual = contentsOf(file("usual") / "video");
    EXPECT_GE(usual.size(), 5U);
    EXPECT_EQ(contentsOf(file("run") / "video").size(), usual.size());
    EXPECT_EQ(contentsOf(file("run") / "inputs"), contentsOf(file("usual") / "inputs"));
    EXPECT_EQ(readFile(file("run") / "latents.safetensors"), readFile(file("usual") / "latents.safetensors"));

    EXPECT_THAT(refused(), ::testing::Contains("flock"));

    const ProcessResult again = meshreel({"decode", file("run").string()}, there());
    ASSERT_EQ(again.exitCode, Done) << again.err;
    EXPECT_THAT(refused(), IsSupersetOf({"renameat2", "flock"}));
    EXPECT_EQ(readFile(file("run") / "video" / "frame_00003.png"),
              readFile(file("usual") / "video" / "frame_00003.png"));
    for (const fs::directory_entry& entry : fs::directory_iterator(file("run")))
        EXPECT_THAT(entry.path().string(), Not(HasSubstr(".part"))) << "left over";
}

TEST_P(EachWeakDisk, OnlyOneProgramWorksOnARunAndAKilledOneGoesOn) {
    ProjectKeys keys = testing::smallRun();
    keys["num_inference_steps"] = "12";
    Process working(commandLine({"run", project(keys), "--out", file("run").string()}), there());
    ASSERT_TRUE(waitUntil(working, [&] { return testing::stepRows(file("run")) >= 2; }));
    working.send(SIGSTOP);
    const ProcessResult second = meshreel({"run", "--resume", file("run").string()}, there());
    EXPECT_EQ(second.exitCode, BadInput);
    EXPECT_THAT(second.err, HasSubstr(file("run").string()));
    EXPECT_THAT(meshreel({"inspect", file("run").string()}, there()).out, HasSubstr("status: running"));
    working.send(SIGKILL);
    working.wait();
    EXPECT_THAT(meshreel({"inspect", file("run").string()}, there()).out, HasSubstr("status: crashed"));
    const ProcessResult resumed = meshreel({"run", "--resume", file("run").string()}, there());
    EXPECT_EQ(resumed.exitCode, Done) << resumed.err;
    EXPECT_EQ(testing::statusOf(file("run")), "done");
}

TEST_P(EachWeakDisk, WeightsAreConvertedAndKeptPacked) {
    const fs::path model = testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v";
    const fs::path converted = file("converted.safetensors");
    const ProcessResult result =
        meshreel({"convert", (model / "vae").string(), converted.string(), "--dtype", "f16"}, there());
    ASSERT_EQ(result.exitCode, Done) << result.err;
    EXPECT_EQ(meshreel({"inspect", converted.string()}, there()).exitCode, Done);
    ASSERT_EQ(
        meshreel({"run", project(testing::smallRun()), "--out", file("first").string()}, there()).exitCode,
        Done);
    EXPECT_GT(contentsOf(file("home") / "cache" / "meshreel" / "prompts").size(), 1U)
        << "beside the lock, the prompt for the next run";
    ASSERT_EQ(
        meshreel({"run", project(testing::smallRun()), "--out", file("second").string()}, there()).exitCode,
        Done);
    EXPECT_EQ(readFile(file("first") / "latents.safetensors"),
              readFile(file("second") / "latents.safetensors"));
}

TEST_P(EachWeakDisk, ADownloadGetsItsName) {
    const std::string content = tokenizerOfSize(4'550'000);
    const HttpServer server(
        [&](const HttpRequest& request) { return testing::answerWithFile(request, content, {}); });
    ProcessOptions online = there();
    online.environment["MESHREEL_MODELS"] = file("models").string();
    online.environment["HF_HUB_CACHE"] = online.environment["HF_HOME"] = file("hub").string();
    online.environment["HF_ENDPOINT"] = server.address();
    online.environment["MESHREEL_RESOURCES"] = resourcesWithoutHashes();
    const ProcessResult result = meshreel({"get", "umt5-tokenizer"}, online);
    EXPECT_THAT(refused(), ::testing::Contains("flock"));
    ASSERT_EQ(result.exitCode, Done) << result.err;
    EXPECT_TRUE(readFile(file("models") / "tokenizer" / "spiece.model") == content);
}

TEST_P(EachWeakDisk, AnAnswerIsRemembered) {
    const std::string yaml = frames();
    EXPECT_EQ(meshreel({"plan", yaml}, there()).exitCode, BadProject);
    EXPECT_EQ(meshreel({"plan", yaml, "--trust"}, there()).exitCode, Done);
    EXPECT_EQ(meshreel({"plan", yaml}, there()).exitCode, Done);
}

INSTANTIATE_TEST_SUITE_P(
    , EachWeakDisk,
    ::testing::Values(
        WeakDisk{"Nfs", "renameat2=EINVAL,flock=ENOLCK,lock=ENOLCK,fsync_folder=EINVAL"},
        WeakDisk{"Fuse",
                 "renameat2=ENOSYS,flock=ENOSYS,lock=ENOSYS,fsync_folder=ENOSYS,fsync=ENOSYS,"
                 "mmap=ENODEV,statvfs=ENOSYS"},
        WeakDisk{"Lustre",
                 "renameat2=EINVAL,flock=EINVAL,lock=ENOSYS,copy_file_range=EOPNOTSUPP,sendfile=EINVAL,"
                 "fallocate=EOPNOTSUPP"},
        WeakDisk{"ExFat",
                 "renameat2=EINVAL,flock=EOPNOTSUPP,link=EPERM,symlink=EPERM,chmod=EPERM,utimens=EPERM"},
        WeakDisk{"NineP",
                 "renameat2=EOPNOTSUPP,flock=EOPNOTSUPP,link=EOPNOTSUPP,symlink=EOPNOTSUPP,"
                 "fsync_folder=EBADF,fsync=EINVAL,mmap=EINVAL"}),
    [](const auto& test) { return test.param.name; });

TEST_F(WeakDisks, AFailureOfTheDiskItselfIsNoMissingCall) {
    for (const char* reason : {"fsync=EIO", "fsync=ESTALE", "fsync_folder=EIO"}) {
        SCOPED_TRACE(reason);
        fs::remove_all(file("run"));
        const ProcessResult result =
            meshreel({"run", project(testing::smallRun()), "--out", file("run").string()}, on(reason));
        EXPECT_EQ(result.exitCode, BadInput);
        const bool isStale = std::string_view(reason) == "fsync=ESTALE";
        EXPECT_THAT(result.err, HasSubstr(std::strerror(isStale ? ESTALE : EIO)));
    }
}

TEST_F(WeakDisks, OnlyALockThatIsHeldMeansSomebodyElse) {
    const ProcessResult result = meshreel(
        {"run", project(testing::smallRun()), "--out", file("run").string()}, on("flock=EWOULDBLOCK"));
    EXPECT_EQ(result.exitCode, BadInput);
    EXPECT_THAT(result.err, HasSubstr("another program is working on this run"));
}

}  // namespace
}  // namespace meshreel
