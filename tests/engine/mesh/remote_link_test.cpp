// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_failure.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "engine/base/error.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

MeshFailure described(const std::exception_ptr& failure) {
    return describeFailure(3, failure);
}

Sentence thrownFor(const MeshFailure& failure) {
    try {
        throwForOthers(failure);
    } catch (const Error& error) {
        return error.message();
    }
}

TEST(MeshFailure, KeepsWhatAnErrorIsMadeOf) {
    const Error error(ErrorKind::Resources, sentence("{} does not fit", "the VAE"));
    const MeshFailure failure = described(std::make_exception_ptr(error));
    ASSERT_EQ(failure.reason.parts().size(), 1U);
    EXPECT_EQ(failure.reason.parts()[0], error.message());
    EXPECT_EQ(failure.reason.parts()[0].pattern(), error.message().pattern());
    EXPECT_EQ(described(std::make_exception_ptr(std::runtime_error("out of luck"))).reason.text(),
              "out of luck");
}

TEST(MeshFailure, TheOthersAreToldWhoFailedAsFarAsItIsKnown) {
    const Sentence why = sentence("the ranks gave up");
    const auto told = [&why](const MeshFailure& failure) {
        const Sentence sentence = thrownFor(failure);
        EXPECT_EQ(sentence.parts().back(), why);
        return testing::valuesOf(sentence);
    };
    EXPECT_THAT(told({.device = 3, .rank = 1, .host = "beta", .reason = why}), ElementsAre("3", "1", "beta"));
    EXPECT_THAT(told({.device = -1, .rank = 1, .host = "beta", .reason = why}), ElementsAre("1", "beta"));
    EXPECT_THAT(told({.device = 3, .host = {}, .reason = why}), ElementsAre("3"));
    EXPECT_EQ(thrownFor({.host = {}, .reason = why}), why);
    EXPECT_EQ(thrownFor({.host = {}, .reason = why}).pattern(), why.pattern());
}

}  // namespace
}  // namespace meshreel
