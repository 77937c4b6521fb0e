// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/paths.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace meshreel {
namespace {

class Paths : public ::testing::Test {
  protected:
    void SetUp() override { ::setenv("HOME", "/home/ann", 1); }
};

TEST_F(Paths, HomeBecomesATilde) {
    EXPECT_EQ(withTilde("/home/ann/films/a.yaml"), "~/films/a.yaml");
    EXPECT_EQ(withTilde("/home/ann"), "~");
    EXPECT_EQ(withTilde("/home/anna/a"), "/home/anna/a");
    EXPECT_EQ(withTilde("relative/a"), "relative/a");
}

TEST_F(Paths, TildeExpandsBack) {
    EXPECT_EQ(expandTilde("~/films/a.yaml"), "/home/ann/films/a.yaml");
    EXPECT_EQ(expandTilde("~"), "/home/ann");
    EXPECT_EQ(expandTilde("/x/~/y"), "/x/~/y");
}

TEST_F(Paths, ResourcesOfABuildTreeAreTheSourceTrees) {
    ::unsetenv("MESHREEL_RESOURCES");
    EXPECT_TRUE(std::filesystem::exists(resourceFolder() / "models/tiny-wan-t2v/model_index.json"));
}

}  // namespace
}  // namespace meshreel
