// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_list.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/record_json.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Drivers that are manifests alone, and programs of the shell that answer for them.
class GpuListTest : public ::testing::Test {
  protected:
    GpuListTest() {
        fs::create_directories(m_folder / "icd");
        set("VK_DRIVER_FILES", nullptr);
        set("VK_ICD_FILENAMES", nullptr);
    }
    ~GpuListTest() override {
        for (const auto& [name, value] : m_before)
            if (value)
                ::setenv(name.c_str(), value->c_str(), 1);
            else
                ::unsetenv(name.c_str());
    }
    GpuListTest(const GpuListTest&) = delete;
    GpuListTest& operator=(const GpuListTest&) = delete;

    /// For the test alone.
    void set(const std::string& name, const char* value) {
        const char* before = std::getenv(name.c_str());
        m_before.try_emplace(name, before == nullptr ? std::nullopt : std::optional<std::string>(before));
        if (value == nullptr)
            ::unsetenv(name.c_str());
        else
            ::setenv(name.c_str(), value, 1);
    }

    fs::path driver(const std::string& name) {
        const fs::path manifest = m_folder / "icd" / (name + ".json");
        std::ofstream(manifest) << R"({"ICD": {"library_path": "lib)" << name << R"(.so"}})";
        set("VK_DRIVER_FILES", (m_folder / "icd").c_str());
        return manifest;
    }

    /// What `script`, whose $0 is the manifest, answers.
    [[nodiscard]] DriverQuestion question(const std::string& script) const {
        return {.program = {"/bin/sh", "-c", script}, .memory = m_folder / "memory.json"};
    }

    static std::string goodAnswer() {
        GpuFacts facts{
            .id = "1", .name = "a card", .kind = GpuKind::Discrete, .driver = "d", .vulkan = "1.3.0"};
        facts.memoryTotal = 8e9;
        RecordJson json{{"why", ""}};
        JsonValue<std::vector<GpuFacts>>::put(json, "gpus", {facts});
        return "echo '" + json.dump() + "'";
    }

    testing::TemporaryFolder m_folder;

  private:
    std::map<std::string, std::optional<std::string>> m_before;
};

TEST_F(GpuListTest, AnAnswerComesBackWhole) {
    const fs::path manifest = driver("good");
    const auto drivers = askDrivers(question(goodAnswer()));
    ASSERT_EQ(drivers.size(), 1U);
    EXPECT_EQ(drivers.front().manifest, manifest);
    EXPECT_EQ(drivers.front().state, DriverState::Answered);
    const auto gpus = listGpus(drivers);
    ASSERT_EQ(gpus.size(), 1U);
    EXPECT_EQ(gpus.front().name, "a card");
    EXPECT_EQ(gpus.front().kind, GpuKind::Discrete);
    EXPECT_EQ(gpus.front().memoryTotal, 8e9);
    EXPECT_FALSE(gpus.front().memoryFree);
    EXPECT_TRUE(whyNoGpu(drivers).empty());
    EXPECT_FALSE(fs::exists(m_folder / "memory.json"));
}

TEST_F(GpuListTest, ADriverThatCrashesIsNamedRememberedAndSkippedUntilItChanges) {
    driver("bad");
    driver("good");
    const std::string script = "case $0 in *bad*) kill -SEGV $$;; esac; " + goodAnswer();
    const auto first = askDrivers(question(script));
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].state, DriverState::Failed);
    EXPECT_THAT(first[0].why.text(), HasSubstr("signal 11"));
    EXPECT_EQ(first[1].state, DriverState::Answered);
    EXPECT_EQ(listGpus(first).size(), 1U);

    const std::string note = "echo $0 >> " + (m_folder / "asked").string() + "; " + goodAnswer();
    const auto second = askDrivers(question(note));
    EXPECT_EQ(second[0].state, DriverState::Skipped);
    EXPECT_THAT(second[0].why.text(), HasSubstr("signal 11"));
    EXPECT_THAT(readFile(m_folder / "asked"), ::testing::Not(HasSubstr("bad")));

    DriverQuestion again = question(goodAnswer());
    again.again = true;
    EXPECT_EQ(askDrivers(again)[0].state, DriverState::Answered);
    EXPECT_EQ(askDrivers(question(goodAnswer()))[0].state, DriverState::Answered) << "forgotten";

    static_cast<void>(askDrivers(question(script)));
    std::ofstream(m_folder / "icd/bad.json") << R"({"ICD": {"library_path": "libnewer.so"}})";
    EXPECT_EQ(askDrivers(question(goodAnswer()))[0].state, DriverState::Answered) << "changed";
}

TEST_F(GpuListTest, ASoftwareDriverIsRememberedWhereOnlyRealGpusMatter) {
    driver("one");
    RecordJson json{{"why", ""}};
    JsonValue<std::vector<GpuFacts>>::put(
        json, "gpus",
        {GpuFacts{.name = "soft", .kind = GpuKind::Software, .memoryTotal = 1e18, .memoryFree = 1}});
    const std::string noted = "echo x >> " + (m_folder / "asked").string() + "; echo '" + json.dump() + "'";
    DriverQuestion automatic = question(noted);
    automatic.remembersSoftware = true;
    for (int time = 0; time < 2; ++time)
        EXPECT_EQ(listGpus(askDrivers(automatic)).at(0).name, "soft");
    EXPECT_EQ(readFile(m_folder / "asked"), "x\n") << "asked once";
    EXPECT_GT(listGpus(askDrivers(automatic)).at(0).memoryFree, 1e6) << "the host's, as it is now";
    static_cast<void>(askDrivers(question(noted)));
    EXPECT_EQ(readFile(m_folder / "asked"), "x\nx\n") << "a list asks all";
    driver("two");
    static_cast<void>(askDrivers(automatic));
    EXPECT_EQ(readFile(m_folder / "asked"), "x\nx\nx\n") << "the new one alone";
    // A real card's free memory changes.
    automatic.program.back() = "echo x >> " + (m_folder / "real").string() + "; " + goodAnswer();
    std::ofstream(m_folder / "icd/two.json") << R"({"ICD": {"library_path": "libnewer.so"}})";
    for (int time = 0; time < 2; ++time)
        EXPECT_EQ(listGpus(askDrivers(automatic)).size(), 2U);
    EXPECT_EQ(readFile(m_folder / "real"), "x\nx\n");
}

TEST_F(GpuListTest, ADriverThatAnswersWithAnErrorIsAskedAgain) {
    driver("one");
    DriverQuestion automatic =
        question("echo x >> " + (m_folder / "asked").string() +
                 R"(; echo '{"why": "the device is lost", "gpus": [], "uncertain": true}')");
    automatic.remembersSoftware = true;
    for (int time = 0; time < 2; ++time)
        EXPECT_EQ(askDrivers(automatic).at(0).state, DriverState::Answered);
    EXPECT_EQ(readFile(m_folder / "asked"), "x\nx\n");
}

TEST_F(GpuListTest, SilenceAndNonsenseAreFailures) {
    driver("one");
    DriverQuestion silent = question("sleep 60");
    silent.patience = std::chrono::seconds(1);
    const auto mute = askDrivers(silent);
    EXPECT_EQ(mute.front().state, DriverState::Failed);
    fs::remove(m_folder / "memory.json");
    const auto nonsense = askDrivers(question("echo nonsense; exit 9"));
    EXPECT_EQ(nonsense.front().state, DriverState::Failed);
    EXPECT_THAT(nonsense.front().why, testing::Names("9"));
    EXPECT_NE(testing::patternOf(nonsense.front().why), testing::patternOf(mute.front().why));
    EXPECT_FALSE(whyNoGpu(nonsense).empty());
    EXPECT_NE(whyNoGpu(nonsense), whyNoGpu({}));
}

TEST_F(GpuListTest, ATalkativeDriverDoesNotHang) {
    driver("one");
    const auto drivers = askDrivers(question("head -c 300000 /dev/zero >&2; " + goodAnswer()));
    EXPECT_EQ(drivers.front().state, DriverState::Answered);
}

TEST_F(GpuListTest, ADamagedMemoryAsksAgain) {
    driver("one");
    std::ofstream(m_folder / "memory.json") << "{";
    EXPECT_EQ(askDrivers(question(goodAnswer())).front().state, DriverState::Answered);
}

TEST_F(GpuListTest, ManifestsAreFoundWhereTheLoaderLooks) {
    for (const char* root : {"config", "data", "system"}) {
        fs::create_directories(m_folder / root / "vulkan/icd.d");
        std::ofstream(m_folder / root / "vulkan/icd.d" / (std::string(root) + ".json")) << "{}";
        std::ofstream(m_folder / root / "vulkan/icd.d/readme.txt") << "";
    }
    set("XDG_CONFIG_HOME", (m_folder / "config").c_str());
    set("XDG_CONFIG_DIRS", (m_folder / "nowhere").c_str());
    set("XDG_DATA_HOME", (m_folder / "data").c_str());
    set("XDG_DATA_DIRS", ((m_folder / "system").string() + ":" + (m_folder / "data").string()).c_str());
    std::vector<std::string> names;
    for (const fs::path& manifest : driverManifests())
        if (manifest.string().starts_with((m_folder / "").string()))
            names.push_back(manifest.stem());
    EXPECT_THAT(names, ElementsAre("config", "data", "system"));
    set("VK_ICD_FILENAMES", (m_folder / "data/vulkan/icd.d/data.json").c_str());
    EXPECT_THAT(driverManifests(), ElementsAre(m_folder / "data/vulkan/icd.d/data.json"));
}

TEST_F(GpuListTest, WithoutADriverItSaysSo) {
    set("VK_DRIVER_FILES", (m_folder / "icd").c_str());
    const auto drivers = askDrivers(question(goodAnswer()));
    EXPECT_TRUE(drivers.empty());
    EXPECT_FALSE(whyNoGpu(drivers).empty());
}

TEST_F(GpuListTest, ADeviceThatLacksWhatIsNeededIsNoGpu) {
    GpuFacts facts;
    facts.missing = sentence("its driver is older than Vulkan 1.2");
    const Sentence why = whyNoGpu({GpuDriver{.manifest = "m", .gpus = {facts}}});
    EXPECT_FALSE(why.empty());
    EXPECT_NE(why, whyNoGpu({}));
    EXPECT_NE(why, whyNoGpu({GpuDriver{.manifest = "m"}}));
}

TEST_F(GpuListTest, AManifestOfNothingAnswersWhy) {
    // In a process of its own: Vulkan's loader reads the environment that answerOfDriver() sets.
    const fs::path manifest = driver("nothing");
    EXPECT_EXIT(
        {
            const RecordJson json = RecordJson::parse(answerOfDriver(manifest));
            std::exit(json.at("gpus").empty() && !json.at("why").get<std::string>().empty() ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace meshreel
