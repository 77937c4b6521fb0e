// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_votes.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/held_file.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/system.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

/// `version` of the file. A later version may mean something else by the same keys.
constexpr int votesVersion = 1;
constexpr const char* lockName = ".votes.lock";
constexpr std::chrono::seconds lockPatience{10};

constexpr std::array<std::pair<Better, std::string_view>, 3> betterNames{
    {{Better::Left, "left"}, {Better::Right, "right"}, {Better::Neither, "neither"}}};

std::string_view betterName(Better better) {
    return betterNames.at(static_cast<std::size_t>(better)).second;
}

[[noreturn]] void throwUnreadableVotes(const fs::path& file, const Sentence& reason) {
    throw Error(ErrorKind::Input, sentence("The votes cannot be read: {}", reason), withTilde(file),
                sentence("Mend the file, or delete it to start anew"));
}

/// The object in the file; an empty one if there is none.
nlohmann::json keptVotes(const fs::path& file) {
    std::error_code missing;
    if (!fs::exists(fs::symlink_status(file, missing)))
        return nlohmann::json::object();
    const std::string text =
        HeldFile(file, Links::Refuse).readWith([](const fs::path& same) { return readFile(same); });
    nlohmann::json json = parseJsonObject(text, withTilde(file));
    const auto version = json.find("version");
    if (version == json.end() || !version->is_number_integer())
        throwUnreadableVotes(file, sentence("it has no version"));
    if (version->get<int>() > votesVersion)
        throwUnreadableVotes(file, sentence("a later version of Meshreel wrote it"));
    if (const auto votes = json.find("votes"); votes != json.end() && !votes->is_array())
        throwUnreadableVotes(file, sentence("\"votes\" is no list"));
    return json;
}

Vote voteFrom(const nlohmann::json& json, const fs::path& file) {
    const auto path = [&](const char* side) {
        return (file.parent_path() / fs::path(json.at(side).get<std::string>())).lexically_normal();
    };
    try {
        const auto name = json.at("better").get<std::string>();
        const auto* const better =
            std::ranges::find(betterNames, name, &std::pair<Better, std::string_view>::second);
        if (better == betterNames.end())
            throwUnreadableVotes(file, sentence("no side is called \"{}\"", name));
        return {.id = json.at("id").get<std::string>(),
                .time = json.value("time", std::string()),
                .left = path("left"),
                .right = path("right"),
                .better = better->first};
    } catch (const nlohmann::json::exception& failure) {
        throwUnreadableVotes(file, failure.what());
    }
}

nlohmann::json jsonOf(const Vote& vote, const fs::path& folder) {
    return {{"id", vote.id},
            {"time", vote.time},
            {"left", vote.left.lexically_relative(folder).string()},
            {"right", vote.right.lexically_relative(folder).string()},
            {"better", betterName(vote.better)}};
}

fs::path folderOf(const Vote& vote) {
    return std::min(vote.left, vote.right).parent_path();
}

std::string newVoteId() {
    std::random_device source;
    return fmt::format("{:08x}{:08x}", source(), source());
}

/// Reads the votes of a folder, lets `change` change them, and writes them, while no other program does.
void changeVotes(const fs::path& folder, const std::function<void(nlohmann::json& votes)>& change) {
    const fs::path file = folder / votesFileName;
    const std::optional<FileLock> lock =
        FileLock::take(openPlainFile(folder / lockName, O_RDWR | O_CREAT), lockPatience);
    if (!lock)
        throw Error(ErrorKind::Input, sentence("Another program is writing votes, and does not end"),
                    withTilde(file), sentence("Vote again when it is done"));
    nlohmann::json json = keptVotes(file);
    json["version"] = votesVersion;
    nlohmann::json& votes = json["votes"];
    if (votes.is_null())
        votes = nlohmann::json::array();
    for (const nlohmann::json& vote : votes)
        static_cast<void>(voteFrom(vote, file));  // a damaged one stays as it is
    change(votes);
    writeFileAtomically(file, json.dump(2) + "\n");
}

}  // namespace

fs::path votedPath(const fs::path& run) {
    std::error_code failure;
    const fs::path plain = fs::weakly_canonical(fs::absolute(run).lexically_normal(), failure);
    const fs::path& path = failure ? run : plain;
    return path.has_filename() ? path : path.parent_path();
}

std::vector<Vote> readVotes(const fs::path& folderOfRuns) {
    const fs::path file = folderOfRuns / votesFileName;
    const nlohmann::json json = keptVotes(file);
    std::vector<Vote> votes;
    if (const auto list = json.find("votes"); list != json.end())
        for (const nlohmann::json& vote : *list)
            votes.push_back(voteFrom(vote, file));
    return votes;
}

std::vector<Vote> readVotesAbout(std::span<const fs::path> runs) {
    std::set<fs::path> known;
    std::set<fs::path> folders;
    for (const fs::path& run : runs) {
        known.insert(votedPath(run));
        folders.insert(votedPath(run).parent_path());
    }
    std::vector<Vote> votes;
    std::set<std::string> ids;
    for (const fs::path& folder : folders)
        for (Vote& vote : readVotes(folder))
            if (known.contains(vote.left) && known.contains(vote.right) && ids.insert(vote.id).second)
                votes.push_back(std::move(vote));
    return votes;
}

Vote addVote(const fs::path& left, const fs::path& right, Better better) {
    const Vote vote{.id = newVoteId(),
                    .time = localTimeNow("%Y-%m-%dT%H:%M:%S%z"),
                    .left = votedPath(left),
                    .right = votedPath(right),
                    .better = better};
    const fs::path folder = folderOf(vote);
    changeVotes(folder, [&](nlohmann::json& votes) { votes.push_back(jsonOf(vote, folder)); });
    return vote;
}

void takeBackVote(const Vote& vote) {
    changeVotes(folderOf(vote), [&vote](nlohmann::json& votes) {
        const auto found = std::find_if(votes.begin(), votes.end(), [&vote](const nlohmann::json& other) {
            return other.at("id").get<std::string>() == vote.id;
        });
        if (found != votes.end())
            votes.erase(found);
    });
}

}  // namespace meshreel
