// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_failure.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "engine/base/error.h"

namespace meshreel {
namespace {

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
    EXPECT_EQ(failure.reason.text(), "the VAE does not fit.");
    ASSERT_EQ(failure.reason.parts().size(), 1U);
    EXPECT_EQ(failure.reason.parts()[0].pattern(), "{} does not fit");
    EXPECT_EQ(described(std::make_exception_ptr(std::runtime_error("out of luck"))).reason.text(),
              "out of luck");
}

TEST(MeshFailure, TheOthersAreToldWhoFailedAsFarAsItIsKnown) {
    const Sentence why = sentence("the ranks gave up");
    EXPECT_EQ(thrownFor({.device = 3, .rank = 1, .host = "beta", .reason = why}).text(),
              "device 3 of rank 1 on beta failed: the ranks gave up");
    EXPECT_EQ(thrownFor({.device = -1, .rank = 1, .host = "beta", .reason = why}).text(),
              "rank 1 on beta failed: the ranks gave up");
    EXPECT_EQ(thrownFor({.device = 3, .host = {}, .reason = why}).text(),
              "device 3 failed: the ranks gave up");
    EXPECT_EQ(thrownFor({.host = {}, .reason = why}).text(), "the ranks gave up");
    EXPECT_EQ(thrownFor({.host = {}, .reason = why}).pattern(), "the ranks gave up");
}

}  // namespace
}  // namespace meshreel
