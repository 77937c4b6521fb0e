// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FrameFolders : public ::testing::Test {
  protected:
    void touch(const std::vector<std::string>& names) const {
        for (const std::string& name : names)
            std::ofstream(m_folder / name) << "x";
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const fs::path& file : FrameFolder::read(m_folder.path()).files)
            names.push_back(file.filename().string());
        return names;
    }

    [[nodiscard]] std::vector<Sentence> remarks() const { return FrameFolder::read(m_folder.path()).remarks; }

    [[nodiscard]] testing::Refusal refusal() const {
        return testing::refusalOf(ErrorKind::Input,
                                  [this] { static_cast<void>(FrameFolder::read(m_folder.path())); });
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(FrameFolders, NumbersCountWithAndWithoutZeros) {
    touch({"frame_1.png", "frame_2.png", "frame_03.png", "frame_4.png", "frame_5.png", "frame_6.png",
           "frame_7.png", "frame_8.png", "frame_9.png", "frame_10.png", "frame_00011.png"});
    EXPECT_THAT(names(), ElementsAre("frame_1.png", "frame_2.png", "frame_03.png", "frame_4.png",
                                     "frame_5.png", "frame_6.png", "frame_7.png", "frame_8.png",
                                     "frame_9.png", "frame_10.png", "frame_00011.png"));
    EXPECT_THAT(remarks(), IsEmpty());
}

TEST_F(FrameFolders, AnyNameAndPictureWillDo) {
    touch({"Shot 2 take-9.JPG", "shot 2 take-10.jpg", "Shot 2 take-11.jpeg"});
    EXPECT_THAT(names(), ElementsAre("Shot 2 take-9.JPG", "shot 2 take-10.jpg", "Shot 2 take-11.jpeg"));
    EXPECT_THAT(remarks(), IsEmpty());
}

TEST_F(FrameFolders, NumbersMayBeNegativeOrBeyond64Bits) {
    touch({"-0002.webp", "-1.webp", "0.webp", "1.webp"});
    EXPECT_THAT(names(), ElementsAre("-0002.webp", "-1.webp", "0.webp", "1.webp"));
    EXPECT_THAT(remarks(), IsEmpty());
    fs::remove_all(m_folder.path());
    fs::create_directory(m_folder.path());
    touch({"f18446744073709551616.png", "f18446744073709551615.png", "f99999999999999999999.png",
           "f100000000000000000000.png"});
    EXPECT_THAT(names(), ElementsAre("f18446744073709551615.png", "f18446744073709551616.png",
                                     "f99999999999999999999.png", "f100000000000000000000.png"));
    EXPECT_THAT(remarks(), ElementsAre(AllOf(HasSubstr("f18446744073709551616.png"),
                                             HasSubstr("f99999999999999999999.png"))));
    fs::remove_all(m_folder.path());
    fs::create_directory(m_folder.path());
    touch({"take-9.png", "take-10.png"});
    EXPECT_THAT(names(), ElementsAre("take-9.png", "take-10.png")) << "a dash behind a word is no sign";
}

TEST_F(FrameFolders, GapsAndStrangersAreNamed) {
    touch(
        {"frame_1.png", "frame_2.png", "frame_4.png", "notes.txt", "thumb_1.png", ".DS_Store", "Thumbs.db"});
    EXPECT_THAT(names(), ElementsAre("frame_1.png", "frame_2.png", "frame_4.png"));
    EXPECT_THAT(remarks(), ElementsAre(testing::Names("frame_2.png", "frame_4.png"),
                                       testing::Names("notes.txt, thumb_1.png")));
    touch({"frame_9.png"});
    EXPECT_THAT(remarks().front(), testing::Names("2", "frame_2.png", "frame_4.png"));
}

TEST_F(FrameFolders, WhatIsAmbiguousIsRefused) {
    EXPECT_THAT(refusal(), testing::Names("frame_00001.png"));
    touch({"cover.png"});
    const testing::Refusal none = refusal();
    EXPECT_THAT(none, testing::Names("frame_00001.png")) << "a picture without a number is no frame";
    touch({"a_1.png", "a_2.png", "b_1.png", "b_2.png"});
    const testing::Refusal several = refusal();
    EXPECT_THAT(several, testing::Names("2", "a_1.png, b_1.png"));
    touch({"frame_1.png", "frame_2.png"});
    EXPECT_THAT(names(), ElementsAre("frame_1.png", "frame_2.png"));
    EXPECT_THAT(remarks(), ElementsAre(testing::Names("a_1.png, a_2.png, b_1.png", "2")));
    touch({"frame_0002.png"});
    const testing::Refusal zeros = refusal();
    EXPECT_THAT(zeros, testing::Names("frame_0002.png", "frame_2.png"));
    fs::remove(m_folder / "frame_0002.png");
    touch({"frame_2.jpg"});
    const testing::Refusal formats = refusal();
    EXPECT_THAT(formats, testing::Names("frame_2.jpg", "frame_2.png"));
    testing::expectFaults(
        {{"no frames", none}, {"several series", several}, {"same number", zeros}, {"same number", formats}});
}

TEST_F(FrameFolders, SeveralNumbersThatChangeAreTold) {
    touch({"s1_f10.png", "s1_f9.png", "s2_f1.png"});
    EXPECT_THAT(names(), ElementsAre("s1_f9.png", "s1_f10.png", "s2_f1.png"));
    EXPECT_THAT(remarks(), ElementsAre(testing::Names("s1_f9.png", "s2_f1.png")));
}

}  // namespace
}  // namespace meshreel
