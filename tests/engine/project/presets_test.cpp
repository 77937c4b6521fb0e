// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/files.h"
#include "engine/project/presets.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Project read(const std::string& keys, const std::vector<std::string>& overrides = {}) {
    return parseProject("version: 1\nprompt: a ball\n" + keys, "p", overrides).project;
}

TEST(SamplingPresets, SetLegalValuesOfKeysThatThereAre) {
    for (const SamplingPreset& preset : samplingPresets()) {
        EXPECT_TRUE(preset.help.ends_with('.')) << preset.name;
        for (const PresetValue& value : preset.values) {
            const ProjectKey* key = findProjectKey(value.key);
            ASSERT_NE(key, nullptr) << value.key;
            EXPECT_EQ(valueText(defaultsOfPreset(preset.name), *key), value.value);
        }
    }
    EXPECT_EQ(defaultsOfPreset(noPreset), Project());
}

TEST(SamplingPresets, FourStepsShiftGuidanceAndTimestepsComeTogether) {
    const Project project = read("preset: distill-4\n");
    EXPECT_EQ(project.numInferenceSteps, 4);
    EXPECT_EQ(project.guidanceScale, 1.0);
    EXPECT_EQ(project.flowShift, 5.0);
    EXPECT_EQ(project.scheduler, "lcm");
    EXPECT_EQ(project.timesteps, "1000, 750, 500, 250");
    EXPECT_EQ(project.nagScale, 11.0);
    EXPECT_FALSE(attentionGuidance(project).acts()) << "nothing is to be pushed away";
    EXPECT_TRUE(attentionGuidance(read("preset: distill-4\nnegative_prompt: red\n")).acts());
    EXPECT_THAT(presetKeys(project, false), IsEmpty());
}

TEST(SamplingPresets, WhatIsWrittenWinsWhereverItStands) {
    const Project before = read("flow_shift: 3\npreset: distill-4\n");
    EXPECT_EQ(before.flowShift, 3.0);
    EXPECT_EQ(before.guidanceScale, 1.0);
    EXPECT_THAT(presetKeys(before, false), ElementsAre("flow_shift"));
    EXPECT_EQ(read("flow_shift: 3\n", {"preset=distill-4"}), before);
    EXPECT_EQ(read("preset: distill-4\n", {"flow_shift=3"}), before);

    const LoadedProject loaded =
        parseProject("version: 1\nprompt: a\nflow_shift: 3\npreset: distill-4\n", "p");
    ASSERT_EQ(loaded.problems.size(), 1U);
    EXPECT_EQ(loaded.problems[0].place.line, 3);
    EXPECT_THAT(loaded.problems[0],
                AllOf(testing::Fault("preset-replaced"),
                      testing::Names("flow_shift", "3.0", "5.0", "distill-4"), testing::Offers("5.0")));
}

TEST(SamplingPresets, AreLeftWithAllTheyBrought) {
    Project project = read("seed: 7\nguidance_scale: 2\n");
    const Project plain = project;
    setFromText(project, *findProjectKey("preset"), "distill-4");
    EXPECT_EQ(project.numInferenceSteps, 4);
    EXPECT_EQ(project.guidanceScale, 2.0);
    setFromText(project, *findProjectKey("preset"), "distilled-model-4");
    EXPECT_EQ(project.numInferenceSteps, 4);
    setFromText(project, *findProjectKey("preset"), "none");
    EXPECT_EQ(project, plain);
}

TEST(SamplingPresets, AreSavedByTheirNameAndRecordedInFull) {
    const Project project = read("preset: distill-4\nguidance_scale: 3\n");
    // 3 is the plain default, and not what the preset says.
    EXPECT_THAT(saveProjectText(project),
                AllOf(HasSubstr("preset: distill-4\n"), HasSubstr("guidance_scale: 3.0\n"),
                      Not(HasSubstr("flow_shift"))));
    EXPECT_EQ(readProject(saveProjectText(project), "p").project, project);
    const std::string record = resolvedYaml(project);
    EXPECT_THAT(record, AllOf(HasSubstr("flow_shift: 5.0  # of preset distill-4\n"),
                              HasSubstr("timesteps: \"1000, 750, 500, 250\"  # of preset distill-4\n"),
                              HasSubstr("guidance_scale: 3.0\n")));
    EXPECT_EQ(readProject(record, "p").project, project);
}

TEST(SamplingPresets, UnknownOnesAreRefused) {
    EXPECT_THROW(read("preset: distil-4\n"), ProjectError);
    EXPECT_EQ(readProject("version: 1\npreset: distil-4\n", "p").project.flowShift, Project().flowShift);
}

TEST(SamplingPresets, WithAdaptersAreNotSentToOtherHosts) {
    EXPECT_THROW(read("preset: distill-4\nbroadcast_weights: true\n"), ProjectError);
    EXPECT_TRUE(read("preset: distilled-model-4\nbroadcast_weights: true\n").broadcastWeights);
}

using ::testing::Field;

TEST(PresetProjects, AreSortedByModelAndTellWhatTheyAre) {
    const ::meshreel::testing::TemporaryFolder folder;
    const auto write = [&](const char* name, const std::string& text) {
        writeFileAtomically(folder.path() / name, text);
    };
    write("b.yaml",
          "# SPDX-License-Identifier: GPL-3.0-or-later\n# Wan, on two\n# devices.\n#\n# More of "
          "it.\nversion: 1\n"
          "prompt: a\npretrained_model_name_or_path: Wan-AI/Wan2.1-T2V-14B-Diffusers\n");
    write("c.yaml",
          "version: 1\nprompt: a\npretrained_model_name_or_path: Wan-AI/Wan2.1-VACE-1.3B-diffusers\n");
    write("a.yaml", "version: 1\nprompt: a\npretrained_model_name_or_path: Wan-AI/Wan2.1-T2V-14B\n");
    write("broken.yaml", "prompt: [");
    write("notes.txt", "version: 1\nprompt: a\n");
    const auto preset = [&](const char* name, const char* model, const char* description) {
        return AllOf(Field(&PresetProject::file, folder.path() / name), Field(&PresetProject::model, model),
                     Field(&PresetProject::description, description));
    };
    std::vector<Sentence> unreadable;
    EXPECT_THAT(presetProjects(folder.path(), &unreadable),
                ElementsAre(preset("a.yaml", "Wan2.1-T2V-14B", ""),
                            preset("b.yaml", "Wan2.1-T2V-14B", "Wan, on two devices."),
                            preset("c.yaml", "Wan2.1-VACE-1.3B", "")));
    ASSERT_EQ(unreadable.size(), 1U);
    EXPECT_THAT(unreadable.front(), ::testing::HasSubstr("broken.yaml"));
    EXPECT_TRUE(presetProjects(folder.path() / "nowhere").empty());
}

TEST(PresetProjects, TheInstalledOnesAreAllThere) {
    const std::vector<PresetProject> presets = presetProjects(presetFolder());
    EXPECT_GE(presets.size(), 34U);
    for (const PresetProject& preset : presets)
        EXPECT_FALSE(preset.description.empty()) << preset.file;
}

}  // namespace

}  // namespace meshreel
