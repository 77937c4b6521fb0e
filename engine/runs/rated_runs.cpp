// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/rated_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/sentence.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "engine/runs/run_sources.h"
#include "engine/weights/cache/fingerprint.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

constexpr std::string_view repetitionKey = "seed";
constexpr std::string_view taskKey = "task";  ///< which the inputs tell, too
/// What a video shows beside the inputs.
constexpr std::array<std::string_view, 5> sceneKeys{"prompt", "batch_prompts", "batch_seeds", "continue_at",
                                                    "continue_frames"};

bool isOfScene(std::string_view key) {
    return std::ranges::find(sceneKeys, key) != sceneKeys.end();
}

/// The files of the run, as far as it recorded them in a form that can be read.
std::optional<RunSources> recordedFiles(const RunFolder& folder) {
    try {
        return folder.has(run_file::sources) ? std::optional(readSources(folder)) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;  // names do
    }
}

/// The inputs by what they hold, where the run recorded it, else by their names.
std::string describeInputs(const RunFolder& folder, const Project& project) {
    std::string inputs;
    if (const std::optional<RunSources> recorded = recordedFiles(folder)) {
        for (const SourceFile& file : recorded->files)
            if (findInputKey(file.part.substr(0, file.part.find(' '))) != nullptr)
                inputs += fmt::format("\n{} {}", file.part, nlohmann::json(file.fingerprint).dump());
    } else {
        for (const InputKey& key : inputKeys())
            if (key.kind != InputKind::Sound)
                for (const std::string& file : inputFiles(project, key))
                    inputs += fmt::format("\n{} {}", key.name, fs::path(file).filename().string());
    }
    for (const InputKey& key : inputKeys())
        if (const std::string beside = textBesideFiles(project, key); !beside.empty())
            inputs += fmt::format("\n{} {}", key.name, beside);
    return inputs;
}

}  // namespace

bool isRatedKey(const ProjectKey& key) {
    return !isOfScene(key.name) && key.name != repetitionKey && key.name != taskKey &&
           findInputKey(key.name) == nullptr && !isFreeSetting(key.name);
}

JudgedRun readJudgedRun(const fs::path& folder) {
    const RunFolder run = RunFolder::open(folder);
    JudgedRun judged{
        .folder = folder, .project = run.project(), .scene = {}, .hasVideo = run.video().has_value()};
    for (const std::string_view key : sceneKeys)
        judged.scene += valueText(judged.project, *findProjectKey(key)) + '\n';
    judged.scene += describeInputs(run, judged.project);
    return judged;
}

std::string nameOf(const RatedSetting& setting) {
    std::string name;
    for (const auto& [key, value] : setting)
        name += fmt::format("{}{} {}", name.empty() ? "" : ", ", key->name, value.empty() ? "none" : value);
    return name;
}

RatedRuns::RatedRuns(std::vector<JudgedRun> runs) : m_runs(std::move(runs)) {
    std::vector<Project> projects;
    std::ranges::transform(m_runs, std::back_inserter(projects), &JudgedRun::project);
    std::vector<const ProjectKey*> keys =
        projects.empty() ? std::vector<const ProjectKey*>() : differingKeys(projects);
    std::erase_if(keys, [](const ProjectKey* key) { return !isRatedKey(*key); });
    for (std::size_t run = 0; run < m_runs.size(); ++run) {
        RatedSetting setting;
        for (const ProjectKey* key : keys)
            setting.emplace_back(key, valueText(m_runs[run].project, *key));
        const auto known = std::ranges::find(m_settings, setting);
        m_settingOf.push_back(static_cast<std::size_t>(known - m_settings.begin()));
        if (known == m_settings.end())
            m_settings.push_back(std::move(setting));
        m_places.emplace(votedPath(m_runs[run].folder), run);
    }
}

std::optional<std::size_t> RatedRuns::find(const fs::path& folder) const {
    const auto found = m_places.find(votedPath(folder));
    return found == m_places.end() ? std::nullopt : std::optional(found->second);
}

PairRanking RatedRuns::rank(std::span<const Vote> votes) const {
    std::vector<PairOutcome> outcomes;
    for (const Vote& vote : votes) {
        const auto left = m_places.find(vote.left);
        const auto right = m_places.find(vote.right);
        if (left == m_places.end() || right == m_places.end())
            continue;
        const std::size_t first = m_settingOf[left->second];
        const std::size_t second = m_settingOf[right->second];
        constexpr double half = 0.5;
        if (first != second)
            outcomes.push_back({first, second,
                                vote.better == Better::Left    ? 1
                                : vote.better == Better::Right ? 0
                                                               : half});
    }
    return {m_settings.size(), outcomes};
}

namespace {

std::vector<JudgedRun> withVideos(std::vector<JudgedRun> runs) {
    std::erase_if(runs, [](const JudgedRun& run) { return !run.hasVideo; });
    return runs;
}

std::vector<fs::path> foldersOf(std::span<const JudgedRun> runs) {
    std::vector<fs::path> folders;
    std::ranges::transform(runs, std::back_inserter(folders), &JudgedRun::folder);
    return folders;
}

std::pair<std::size_t, std::size_t> ordered(const RunPair& pair) {
    return std::minmax({pair.left, pair.right});
}

}  // namespace

RatingSession::RatingSession(std::vector<JudgedRun> runs, std::uint64_t seed)
    : m_rated(std::make_shared<const RatedRuns>(withVideos(runs))),
      m_leftOut(runs.size() - m_rated->runs().size()),
      m_lots(seed) {
    if (m_rated->runs().size() < 2)
        throw Error(ErrorKind::Project, sentence("Rating compares the videos of two runs or more"), {},
                    sentence("Choose further finished runs"));
    if (m_rated->settings().size() < 2)
        throw Error(ErrorKind::Project,
                    sentence("These runs differ in no setting that changes their pictures, except the seed"),
                    {}, sentence("Choose runs of other settings, such as steps, scheduler or model"));
    if (m_rated->settings().size() > mostRatedSettings)
        throw Error(ErrorKind::Project,
                    sentence("These runs have {} settings, and {} can be rated at once",
                             m_rated->settings().size(), mostRatedSettings),
                    {}, sentence("Choose fewer runs"));
    m_votes = readVotesAbout(foldersOf(m_rated->runs()));
    collectPairs();
    for (const Vote& vote : m_votes) {
        const auto left = m_rated->find(vote.left);
        const auto right = m_rated->find(vote.right);
        if (left && right)
            ++m_seen[ordered({*left, *right})];
    }
}

void RatingSession::collectPairs() {
    const std::vector<JudgedRun>& runs = m_rated->runs();
    std::vector<PairKey> ofAnyScene;
    for (std::size_t first = 0; first < runs.size(); ++first)
        for (std::size_t second = first + 1; second < runs.size(); ++second) {
            if (m_rated->settingOf(first) == m_rated->settingOf(second))
                continue;
            ofAnyScene.emplace_back(first, second);
            if (runs[first].scene == runs[second].scene)
                m_pairs.emplace_back(first, second);
        }
    if (m_pairs.empty())
        m_pairs = std::move(ofAnyScene);
}

std::size_t RatingSession::unseen() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(m_pairs, [this](const PairKey& pair) { return !m_seen.contains(pair); }));
}

bool RatingSession::haveSameSeed(const PairKey& pair) const {
    const ProjectKey& seed = *findProjectKey(repetitionKey);
    return valueText(m_rated->runs()[pair.first].project, seed) ==
           valueText(m_rated->runs()[pair.second].project, seed);
}

std::optional<RunPair> RatingSession::draw(const PairRanking& ranked) {
    if (m_pairs.empty())
        return std::nullopt;
    using Rank = std::tuple<int, double, bool>;  // the smaller, the sooner
    std::optional<Rank> first;
    std::vector<PairKey> equals;
    for (const PairKey& pair : m_pairs) {
        const auto seen = m_seen.find(pair);
        const Rank rank(seen == m_seen.end() ? 0 : seen->second,
                        -ranked.uncertainty(m_rated->settingOf(pair.first), m_rated->settingOf(pair.second)),
                        !haveSameSeed(pair));
        if (!first || rank < *first) {
            first = rank;
            equals.clear();
        }
        if (rank == *first)
            equals.push_back(pair);
    }
    const PairKey drawn = equals[std::uniform_int_distribution<std::size_t>(0, equals.size() - 1)(m_lots)];
    const bool swapped = std::bernoulli_distribution()(m_lots);
    return swapped ? RunPair{drawn.second, drawn.first} : RunPair{drawn.first, drawn.second};
}

void RatingSession::see(const RunPair& pair) {
    ++m_seen[ordered(pair)];
}

void RatingSession::putBack(const RunPair& pair) {
    const auto found = m_seen.find(ordered(pair));
    if (found != m_seen.end() && --found->second == 0)
        m_seen.erase(found);
}

void RatingSession::vote(const RunPair& pair, Better better) {
    const std::vector<JudgedRun>& runs = m_rated->runs();
    m_votes.push_back(addVote(runs[pair.left].folder, runs[pair.right].folder, better));
    m_given.push_back({pair, m_votes.back()});
}

std::optional<RunPair> RatingSession::takeBack() {
    if (m_given.empty())
        return std::nullopt;
    takeBackVote(m_given.back().vote);
    const GivenVote given = m_given.back();
    m_given.pop_back();
    std::erase(m_votes, given.vote);
    putBack(given.pair);
    return given.pair;
}

void RatingSession::leaveOut(std::size_t run) {
    std::erase_if(m_pairs, [run](const PairKey& pair) { return pair.first == run || pair.second == run; });
}

std::vector<RunRating> rateRuns(const RatedRuns& rated, std::span<const Vote> votes) {
    std::vector<RunRating> ratings(rated.runs().size());
    if (rated.settings().size() < 2 || rated.settings().size() > mostRatedSettings)
        return ratings;
    const PairRanking ranking = rated.rank(votes);
    for (std::size_t run = 0; run < ratings.size(); ++run) {
        const std::size_t setting = rated.settingOf(run);
        ratings[run] = {.setting = nameOf(rated.settings()[setting]), .ranked = ranking.items()[setting]};
    }
    return ratings;
}

void addRatings(std::vector<RunRecord>& runs) {
    std::vector<JudgedRun> judged;
    std::vector<std::size_t> places;
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (!runs[run].folder.empty()) {
            judged.push_back(readJudgedRun(runs[run].folder));
            places.push_back(run);
        }
    const std::vector<Vote> votes = readVotesAbout(foldersOf(judged));
    const std::vector<RunRating> ratings = rateRuns(RatedRuns(std::move(judged)), votes);
    for (std::size_t run = 0; run < places.size(); ++run)
        runs[places[run]].rating = ratings[run];
}

}  // namespace meshreel
