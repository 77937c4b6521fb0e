// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/hardware_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/foresight/accelerator_case.h"
#include "engine/project/project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

TEST(HardwareProfiles, EveryOneIsCitedAndNamesAProgramThatIsKnown) {
    const std::vector<Hardware> profiles = hardwareProfiles();
    std::vector<std::string> names;
    for (const Hardware& profile : profiles) {
        names.push_back(profile->id);
        EXPECT_FALSE(profile->sources.empty()) << profile->id;
        EXPECT_FALSE(profile->device.empty()) << profile->id;
        EXPECT_FALSE(profile->numbering.empty()) << profile->id;
        EXPECT_NO_THROW(requireProgram(profile->defaultProgram)) << profile->id;
        EXPECT_GE(profile->links.size(), 2U) << profile->id;
        EXPECT_LE(profile->warp, profile->bf16) << profile->id;
    }
    EXPECT_THAT(names, ::testing::IsSupersetOf({"tpu-v5p", "tpu-v6e", "tpu-v7x", "a100", "h100", "h200",
                                                "b200", "gb200", "h20", "rtx-4090", "rtx-5090"}));
}

TEST(HardwareProfiles, PublishedNamesFindTheMostSpecificOne) {
    const std::vector<Hardware> profiles = hardwareProfiles();
    const auto named = [&](const char* text) {
        const Hardware found = hardwareNamedIn(text, profiles);
        return found ? found->id : std::string();
    };
    EXPECT_EQ(named("GB200 NVL72"), "gb200");
    EXPECT_EQ(named("B200"), "b200");
    EXPECT_EQ(named("H200"), "h200");
    EXPECT_EQ(named("H20"), "h20");
    EXPECT_EQ(named("A100/A800"), "a100");
    EXPECT_EQ(named("TPU v7x-8 (4 chips x 2 cores)"), "tpu-v7x");
    EXPECT_EQ(named("Ascend A3"), "");
}

TEST(HardwareProfiles, AProfileOfOnesOwnIsTakenByItsPath) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "mine.yaml";
    writeFileAtomically(file, readFile(hardwareFolder() / "h100.yaml") + "efficiencies_of: h100\n");
    const Hardware mine = requireHardware(file.string());
    EXPECT_EQ(mine->id, "mine");
    EXPECT_EQ(mine->efficienciesOf, "h100");
    EXPECT_EQ(mine->bf16, 989e12);
    EXPECT_EQ(requireHardware("h100")->efficienciesOf, "h100");
}

TEST(HardwareProfiles, TextsThatEndAtANumberSignAreWarnedOf) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "mine.yaml";
    std::string text = readFile(hardwareFolder() / "h100.yaml");
    text.insert(0, "# mine\n");
    text.insert(text.find('\n', text.find("\ntitle:") + 1), " #3");
    writeFileAtomically(file, text);
    const Hardware mine = readHardwareProfile(file);
    ASSERT_EQ(mine->warnings.size(), 1U);
    EXPECT_EQ(mine->warnings.front().key, "title");
    EXPECT_THAT(mine->warnings.front().where(), HasSubstr("mine.yaml:"));
    EXPECT_TRUE(readHardwareProfile(hardwareFolder() / "h100.yaml")->warnings.empty());
}

TEST(HardwareProfiles, UnknownNamesListTheProfiles) {
    try {
        requireHardware("abacus");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr("abacus"), HasSubstr("tpu-v7x")));
    }
}

/// A file made to harm or to mislead, and words of its refusal.
struct BadProfile {
    const char* name;
    std::string text;
    std::string refusal;
};

std::string h100With(const std::string& from, const std::string& to) {
    std::string text = readFile(hardwareFolder() / "h100.yaml");
    text.replace(text.find(from), from.size(), to);
    return text;
}

TEST(HardwareProfiles, BadFilesAreRefusedWithTheLineAndWhatToDo) {
    const std::vector<BadProfile> bad{
        {"list", "- 1\n", "A hardware profile is a map of keys"},
        {"empty", "version: 1\n", "The profile has no bf16_tflops"},
        {"negative", h100With("bf16_tflops: 989", "bf16_tflops: -989"), "must be a number above 0"},
        {"infinite", h100With("bf16_tflops: 989", "bf16_tflops: 1e300"), "must be a number above 0"},
        {"word", h100With("memory_gib: 80", "memory_gib: plenty"), "must be a number above 0"},
        {"key", h100With("memory_gib: 80", "memory_gib: 80\nmemroy: 80"),
         "No key of a hardware profile is called memroy"},
        {"kind", h100With("kind: gpu", "kind: toaster"), "Write tpu, gpu or consumer_gpu"},
        {"topology", h100With("topology: switch", "topology: knot"), "There is no topology called knot"},
        {"order", h100With("devices: 8,", "devices: 2000000,"), "List links from near to far"},
        {"anchor", "version: &a 1\n", ""},
        {"binary", std::string("\0\x01\xff", 3), ""},
    };
    const testing::TemporaryFolder folder;
    for (const BadProfile& each : bad) {
        const auto file = folder / "bad.yaml";
        writeFileAtomically(file, each.text);
        try {
            readHardwareProfile(file);
            ADD_FAILURE() << each.name << " is accepted";
        } catch (const ProjectError& error) {
            std::string all;
            for (const Problem& problem : error.problems())
                all += problem.text() + "\n";
            EXPECT_THAT(all, ::testing::AllOf(HasSubstr("bad.yaml:"), HasSubstr(each.refusal))) << each.name;
        }
    }
}

TEST(AcceleratorPrograms, FrameworksOfPublishedTablesAreRecognised) {
    EXPECT_EQ(programPublishedAs("MaxDiffusion").name, "maxdiffusion");
    EXPECT_EQ(programPublishedAs("Wan (own repo)").name, "wan");
    EXPECT_EQ(programPublishedAs("Wan (patched)").name, "wan-patched");
    EXPECT_EQ(programPublishedAs("SGLang diffusion, SDPA").name, "sglang");
    EXPECT_EQ(programPublishedAs("LightX2V 2").name, "lightx2v");
    EXPECT_EQ(programPublishedAs("somebody's").name, "other");
}

TEST(AcceleratorPrograms, KernelsFollowTheHardware) {
    const auto kernel = [](const char* hardware, const char* program, AttentionKernel of) {
        return kernelFor(*requireHardware(hardware), requireProgram(program), of).name;
    };
    EXPECT_EQ(kernel("tpu-v7x", "maxdiffusion", AttentionKernel::CustomFixedM), "fixed-m");
    EXPECT_EQ(kernel("tpu-v6e", "maxdiffusion", AttentionKernel::Flash), "splash");
    EXPECT_EQ(kernel("h100", "sglang", AttentionKernel::Flash), "fa3");
    EXPECT_EQ(kernel("b200", "sglang", AttentionKernel::Flash), "fa4");
    EXPECT_EQ(kernel("a100", "sglang", AttentionKernel::Flash), "fa2");
    EXPECT_EQ(kernel("h100", "diffusers", AttentionKernel::Flash), "fa2");
}

}  // namespace
}  // namespace meshreel
