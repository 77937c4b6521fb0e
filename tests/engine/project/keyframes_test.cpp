// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keyframes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/project/clip_place.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_reader.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using testing::Fault;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ClipPlace, IsTheNearestFrame) {
    EXPECT_EQ((ClipPlace{.value = 12}.frameOf(81, 16)), 12);
    EXPECT_EQ((ClipPlace{.unit = PlaceUnit::Seconds, .value = 1.52}.frameOf(81, 16)), 24);
    EXPECT_EQ((ClipPlace{.unit = PlaceUnit::Percent, .value = 0}.frameOf(81, 16)), 0);
    EXPECT_EQ((ClipPlace{.unit = PlaceUnit::Percent, .value = 50}.frameOf(81, 16)), 40);
    EXPECT_EQ((ClipPlace{.unit = PlaceUnit::Percent, .value = 100}.frameOf(81, 16)), 80);
    EXPECT_EQ((ClipPlace{.unit = PlaceUnit::Percent, .value = 100}.frameOf(1, 16)), 0);
    EXPECT_EQ((ClipPlace{.unit = PlaceUnit::Seconds, .value = 9}.frameOf(81, 16)), 144) << "beyond the end";
}

LoadedProject readKeyframesOf(const std::string& lines) {
    return readProject("version: 3\nprompt: a ball\n" + lines, "p.yaml");
}

TEST(Keyframes, AreReadInEverySpelling) {
    const LoadedProject listed = readKeyframesOf(
        "keyframes:\n  - frame: 0\n    image: a.png\n  - {seconds: 0.5, image: \"b, c.png\"}\n"
        "  - {percent: 100, image: d.png}\n");
    ASSERT_THAT(listed.problems, IsEmpty());
    EXPECT_THAT(listed.project.keyframes, ElementsAre(Keyframe{{PlaceUnit::Frame, 0}, "a.png"},
                                                      Keyframe{{PlaceUnit::Seconds, 0.5}, "b, c.png"},
                                                      Keyframe{{PlaceUnit::Percent, 100}, "d.png"}));
    EXPECT_THAT(readKeyframesOf("keyframes: {frame: 4, image: a.png}\n").project.keyframes, SizeIs(1));
    EXPECT_THAT(readKeyframesOf("keyframes: []\n").project.keyframes, IsEmpty());
    EXPECT_EQ(
        keyframesText(listed.project.keyframes),
        "[{frame: 0, image: a.png}, {seconds: 0.5, image: \"b, c.png\"}, {percent: 100.0, image: d.png}]");
    Project typed;
    setFromText(typed, *findProjectKey("keyframes"), keyframesText(listed.project.keyframes));
    EXPECT_EQ(typed.keyframes, listed.project.keyframes);
}

TEST(Keyframes, WhatIsWrongHasItsLine) {
    const auto faultOf = [](const std::string& entry) {
        const std::vector<Problem> problems =
            readKeyframesOf("keyframes:\n  - {frame: 0, image: a.png}\n" + entry).problems;
        EXPECT_THAT(problems, SizeIs(1)) << entry;
        return problems.empty() ? Problem() : problems.front();
    };
    for (const char* entry : {"  - {frame: 4}\n", "  - {image: b.png}\n", "  - b.png\n",
                              "  - {frame: 4, percent: 50, image: b.png}\n",
                              "  - {frame: 1.5, image: b.png}\n", "  - {frame: -1, image: b.png}\n",
                              "  - {percent: 101, image: b.png}\n", "  - {frame: first, image: b.png}\n",
                              "  - {at: 4, image: b.png}\n", "  - {frame: 4, image: [b.png]}\n"}) {
        const Problem problem = faultOf(entry);
        EXPECT_THAT(problem, Fault("keyframes-malformed")) << entry;
        EXPECT_EQ(problem.key, "keyframes") << entry;
        EXPECT_EQ(problem.place.line, 5) << entry;
        EXPECT_FALSE(problem.fixes.empty()) << entry;
    }
}

/// A clip of nine frames with pictures at these places.
Project withKeyframes(const std::vector<ClipPlace>& places) {
    Project project = testing::smallProject();
    project.numFrames = 9;
    for (const ClipPlace& place : places)
        project.keyframes.push_back({.place = place, .image = "a.png"});
    return project;
}

TEST(Keyframes, LieInTheClip) {
    EXPECT_THAT(keyframeProblems(withKeyframes({{.value = 0}, {.value = 8}})), IsEmpty());
    const Project late = withKeyframes({{.value = 0}, {.unit = PlaceUnit::Seconds, .value = 1}});
    const std::vector<Problem> problems = keyframeProblems(late);
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_THAT(problems.front(), Fault("keyframe-outside-clip"));
    ASSERT_THAT(problems.front().fixes, SizeIs(2));
    for (const Fix& fix : problems.front().fixes) {
        Project mended = late;
        for (const KeyChange& change : fix.changes)
            setFromText(mended, *findProjectKey(change.key), change.value);
        EXPECT_THAT(keyframeProblems(mended), IsEmpty()) << fix.changes.front().value;
    }
}

TEST(Keyframes, StandAtFramesOfTheirOwn) {
    const Project two = withKeyframes({{.value = 4}, {.unit = PlaceUnit::Percent, .value = 50}});
    ASSERT_THAT(keyframeProblems(two), SizeIs(1));
    const Problem problem = keyframeProblems(two).front();
    EXPECT_THAT(problem, Fault("keyframes-coincide"));
    Project mended = two;
    setFromText(mended, *findProjectKey("keyframes"), problem.fixes.front().changes.front().value);
    EXPECT_THAT(mended.keyframes, SizeIs(1));

    Project ends = withKeyframes({{.value = 0}, {.value = 8}});
    ends.image = "first.png";
    EXPECT_THAT(keyframeProblems(ends), SizeIs(1));
    ends.lastImage = "last.png";
    EXPECT_THAT(keyframeProblems(ends), SizeIs(2));
    EXPECT_TRUE(hasErrors(validate(ends)));
}

}  // namespace
}  // namespace meshreel
