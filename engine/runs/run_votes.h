// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace meshreel {

/// Which of two videos side by side was better.
enum class Better : std::uint8_t { Left, Right, Neither };

/// What somebody said of the videos of two runs, seen without their settings.
struct Vote {
    std::string id;              ///< unlike that of any other
    std::string time;            ///< local with offset, "2026-11-21T08:45:00+0100"
    std::filesystem::path left;  ///< folders of runs, absolute and without links in the way to them
    std::filesystem::path right;
    Better better = Better::Neither;

    friend bool operator==(const Vote&, const Vote&) = default;
};

/// What the file of votes is called, in a folder of runs.
inline constexpr const char* votesFileName = "votes.json";

/// Returns the path by which votes name the folder of a run.
std::filesystem::path votedPath(const std::filesystem::path& run);

/// Returns the votes that a folder of runs holds; none without such a file. Throws Error{Input} for a damaged
/// file, and for one of a later version.
std::vector<Vote> readVotes(const std::filesystem::path& folderOfRuns);

/// Returns the votes about two of these runs, each once, from the folders that hold the runs. Throws what
/// readVotes() throws.
std::vector<Vote> readVotesAbout(std::span<const std::filesystem::path> runs);

/// Adds a vote to the file in the folder that holds the run which comes first by its path. Others that write
/// there at the same time lose nothing: each waits for the other. Keys that other programs put into the file
/// stay. Throws what readVotes() throws, and writes nothing then; Error{Input} when another program does not
/// stop writing; what writeFileAtomically() throws.
Vote addVote(const std::filesystem::path& left, const std::filesystem::path& right, Better better);

/// Takes a vote out of its file again; nothing where it is gone already. Throws what addVote() throws.
void takeBackVote(const Vote& vote);

}  // namespace meshreel
