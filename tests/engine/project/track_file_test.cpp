// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/track_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/project/input_files.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::expectFaults;
using testing::Fault;
using testing::Refusal;

template <typename T>
std::string bytesOfNumbers(const std::vector<T>& numbers) {
    std::string bytes(numbers.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

/// A .npy file, as numpy.save writes it.
std::string npyFile(std::string_view type, std::string_view shape, const std::string& data,
                    std::string_view order = "False", char version = 1) {
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
    header.resize((header.size() + 1 + 63) / 64 * 64, ' ');
    header.back() = '\n';
    std::string file("\x93NUMPY", 6);
    file += version;
    file += '\0';
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    for (std::size_t index = 0; index < lengthBytes; ++index)
        file += static_cast<char>((header.size() >> (8 * index)) & 0xff);
    return file + header + data;
}

class TrackFiles : public ::testing::Test {
  protected:
    fs::path written(const char* name, const std::string& bytes) {
        writeFileAtomically(m_folder / name, bytes);
        return m_folder / name;
    }

    Refusal refusalOfArray(const std::string& bytes) {
        const fs::path file = written("refused.npy", bytes);
        return testing::refusalOf(ErrorKind::Input, [&file] { static_cast<void>(readTracks(file)); });
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(TrackFiles, AnArrayHasThePlacesOfAllTracksOneAfterTheOther) {
    const std::string data = bytesOfNumbers<float>({1, 2.5F, 10, 20, 3, 4, 30, 40, 5, 6, 50, 60});
    const std::vector<PointTrack> expected{{{1, 2.5F}, {3, 4}, {5, 6}}, {{10, 20}, {30, 40}, {50, 60}}};
    EXPECT_EQ(readTracks(written("a.npy", npyFile("<f4", "(3, 2, 2)", data))), expected);
    EXPECT_EQ(readTracks(written("b.npy", npyFile("<f4", "(1, 3, 2, 2)", data))), expected)
        << "a batch of one, as trackers give it";
    EXPECT_EQ(readTracks(written("c.npy", npyFile("<f4", "(3, 2, 2)", data, "False", 2))), expected);
    const std::string wide = bytesOfNumbers<double>({1, 2.5, 10, 20, 3, 4, 30, 40, 5, 6, 50, 60});
    EXPECT_EQ(readTracks(written("d.npy", npyFile("<f8", "(3, 2, 2)", wide))), expected);
    const std::string whole = bytesOfNumbers<std::int64_t>({7, -8});
    EXPECT_EQ(readTracks(written("e.txt", npyFile("<i8", "(1, 1, 2)", whole))),
              (std::vector<PointTrack>{{{7, -8}}}))
        << "whatever it is called";
}

TEST_F(TrackFiles, WhatIsOutOfSightIsMarked) {
    std::vector<PointTrack> tracks{{{1, 2}, {3, 4}, {5, 6}}, {{10, 20}, {30, 40}}};
    const std::string data = bytesOfNumbers<std::uint8_t>({1, 0, 0, 1, 1, 1});
    hideUnseen(tracks, written("seen.npy", npyFile("|b1", "(3, 2)", data)));
    const auto seen = [&](std::size_t track) {
        std::vector<int> all;
        for (const TrackPoint& point : tracks[track])
            all.push_back(point.seen ? 1 : 0);
        return all;
    };
    EXPECT_THAT(seen(0), ElementsAre(1, 0, 1));
    EXPECT_THAT(seen(1), ElementsAre(0, 1));
    hideUnseen(tracks,
               written("batch.npy", npyFile("<f4", "(1, 3, 2)", bytesOfNumbers<float>({1, 1, 1, 1, 1, 1}))));
    EXPECT_THAT(seen(0), ElementsAre(1, 1, 1));
}

TEST_F(TrackFiles, ArraysThatAreNoTracksAreRefused) {
    const std::string twelve = bytesOfNumbers<float>(std::vector<float>(12, 1));
    expectFaults({{"NumPy", refusalOfArray("\x93NUMPY")},
                  {"NumPy", refusalOfArray(npyFile("<f4", "(3, 2, 2)", twelve.substr(1)))},
                  {"NumPy", refusalOfArray(npyFile("<f4", "(9000000000, 9000000000, 2)", twelve))},
                  {"NumPy", refusalOfArray(npyFile("<f4", "()", ""))},
                  {"type", refusalOfArray(npyFile(">f4", "(3, 2, 2)", twelve))},
                  {"type", refusalOfArray(npyFile("|O", "(3, 2, 2)", twelve))},
                  {"Fortran", refusalOfArray(npyFile("<f4", "(3, 2, 2)", twelve, "True"))},
                  {"shape", refusalOfArray(npyFile("<f4", "12", twelve))},
                  {"[points, tracks, 2]", refusalOfArray(npyFile("<f4", "(3, 4)", twelve))},
                  {"[points, tracks, 2]", refusalOfArray(npyFile("<f4", "(2, 2, 3)", twelve))},
                  {"[points, tracks, 2]", refusalOfArray(npyFile("<f4", "(0, 2, 2)", ""))},
                  {"beyond", refusalOfArray(npyFile("<f4", "(1, 1, 2)", bytesOfNumbers<float>({1e30F, 1})))},
                  {"tracks", refusalOfArray(npyFile("|u1", "(1, 5000, 2)", std::string(10'000, '\1')))}});
}

TEST_F(TrackFiles, SightOfOtherTracksIsRefusedAtItsKey) {
    Project project;
    project.tracks = written("tracks.json", R"([[{"x": 1, "y": 2}, {"x": 3, "y": 4}]])").string();
    project.trackVisibility =
        written("seen.npy", npyFile("|b1", "(2, 1)", bytesOfNumbers<std::uint8_t>({1, 0}))).string();
    EXPECT_THAT(inspectInputs(project).problems, ::testing::IsEmpty());
    EXPECT_FALSE(readProjectTracks(project.tracks, project.trackVisibility).front()[1].seen);
    EXPECT_TRUE(readProjectTracks(project.tracks, {}).front()[1].seen);
    for (const std::string& bytes :
         {npyFile("|b1", "(3, 1)", bytesOfNumbers<std::uint8_t>({1, 0, 1})),
          npyFile("|b1", "(2, 2)", bytesOfNumbers<std::uint8_t>({1, 0, 1, 1})),
          npyFile("|b1", "(2,)", bytesOfNumbers<std::uint8_t>({1, 0})), std::string("[[1, 0]]")}) {
        project.trackVisibility = written("other.npy", bytes).string();
        const std::vector<Problem> problems = inspectInputs(project).problems;
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_EQ(problems.front().key, "track_visibility");
        EXPECT_THAT(problems.front(), Fault("input-unusable"));
    }
}

}  // namespace
}  // namespace meshreel
