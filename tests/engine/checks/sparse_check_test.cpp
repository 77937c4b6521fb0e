// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/sparse_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "engine/models/families/model_family.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ModelFacts sparseFacts(std::string_view family) {
    ModelFacts facts;
    facts.family = &*std::ranges::find(modelFamilies(), family, &ModelFamily::name);
    return facts;
}

TEST(SparseCheck, KeysOfADrivingVideoLieInNoBlocks) {
    Project project = testing::smallProject();
    project.image = "cat.png";
    project.video = "dance.mp4";
    EXPECT_THAT(sparseAttentionProblems(project, sparseFacts("wan2.2-animate2")), IsEmpty());
    project.sparseAttention = "sol";
    EXPECT_THAT(sparseAttentionProblems(project, sparseFacts("wan2.2-animate2")),
                ElementsAre(AllOf(testing::Fault("sparse-attention-not-for-task"),
                                  testing::Names("animate2", "sol"), testing::Offers("none"))));
    EXPECT_THAT(sparseAttentionProblems(project, sparseFacts("wan2.1-t2v")), IsEmpty());
}

TEST(SparseCheck, TokensBesideTheVideoAreAttendedToByAll) {
    Project project = testing::smallProject();
    project.sparseAttention = "sol";
    project.image = "face.png";
    project.audio = "speech.wav";
    EXPECT_THAT(sparseAttentionProblems(project, sparseFacts("wan2.2-s2v")), IsEmpty());
}

}  // namespace
}  // namespace meshreel
