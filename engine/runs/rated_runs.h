// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/project/project.h"
#include "engine/runs/records/pair_ranking.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_votes.h"

namespace meshreel {

struct ProjectKey;

/// A run whose video may be judged.
struct JudgedRun {
    std::filesystem::path folder;
    Project project;
    /// What a video is to show: prompt and inputs, these by their content where the run recorded it. Videos
    /// of one scene can be compared.
    std::string scene;
    bool hasVideo = false;
};

/// Reads what a run was to show. Throws Error{Input} as RunFolder does.
JudgedRun readJudgedRun(const std::filesystem::path& folder);

/// Returns whether another value of the key is another setting of the same scene: neither prompt, input nor
/// seed, and none that changes no frame.
bool isRatedKey(const ProjectKey& key);

/// Keys with their values, in the order of the keys: what makes a run differ from those that it is compared
/// with.
using RatedSetting = std::vector<std::pair<const ProjectKey*, std::string>>;

/// "num_inference_steps 20, scheduler unipc", as project files spell it.
std::string nameOf(const RatedSetting& setting);

/// More settings are refused: their ranking would take long, and nobody votes often enough.
inline constexpr std::size_t mostRatedSettings = 64;

/// Runs that are compared with one another, sorted by what makes them differ.
class RatedRuns {
  public:
    RatedRuns() = default;
    /// Runs with the same values of all keys that differ among them (isRatedKey()) have one setting.
    explicit RatedRuns(std::vector<JudgedRun> runs);

    [[nodiscard]] const std::vector<JudgedRun>& runs() const { return m_runs; }
    [[nodiscard]] const std::vector<RatedSetting>& settings() const { return m_settings; }
    [[nodiscard]] std::size_t settingOf(std::size_t run) const { return m_settingOf[run]; }
    /// Returns the place of the run in this folder; nothing where it is none of these.
    [[nodiscard]] std::optional<std::size_t> find(const std::filesystem::path& folder) const;

    /// Returns the ranking of the settings. Votes about other runs, and those that compare a setting with
    /// itself, do not count.
    [[nodiscard]] PairRanking rank(std::span<const Vote> votes) const;

  private:
    std::vector<JudgedRun> m_runs;
    std::vector<RatedSetting> m_settings;
    std::vector<std::size_t> m_settingOf;
    std::map<std::filesystem::path, std::size_t> m_places;  ///< by votedPath()
};

/// Two runs that are shown beside each other, by their places.
struct RunPair {
    std::size_t left = 0;
    std::size_t right = 0;

    friend bool operator==(const RunPair&, const RunPair&) = default;
};

/// Somebody compares runs in pairs, without knowing which they are.
class RatingSession {
  public:
    /// Reads the votes about them. Runs without a video are left out. Pairs are of one scene, unless no two
    /// settings have one in common: then whoever chose the runs wants them compared. Throws Error{Project}
    /// when all runs have one setting, or more than mostRatedSettings; what readVotes() throws.
    RatingSession(std::vector<JudgedRun> runs, std::uint64_t seed);

    [[nodiscard]] const RatedRuns& rated() const { return *m_rated; }
    /// Returns the same for another thread, which ranks() by it meanwhile.
    [[nodiscard]] std::shared_ptr<const RatedRuns> sharedRated() const { return m_rated; }
    /// Returns how many of the runs have no video.
    [[nodiscard]] std::size_t leftOut() const { return m_leftOut; }
    [[nodiscard]] const std::vector<Vote>& votes() const { return m_votes; }
    [[nodiscard]] PairRanking ranking() const { return m_rated->rank(m_votes); }
    /// Returns how many pairs there are, and how many of them nobody has judged or passed over yet.
    [[nodiscard]] std::size_t pairs() const { return m_pairs.size(); }
    [[nodiscard]] std::size_t unseen() const;

    /// Returns the pair to be shown next, sides drawn by lot: of those that were seen least the one whose
    /// outcome is least certain (PairRanking::uncertainty()); among equals one with the same seed, else by
    /// lot. Nothing when no pair is left.
    [[nodiscard]] std::optional<RunPair> draw() { return draw(ranking()); }
    /// The same by a ranking() that was made before.
    [[nodiscard]] std::optional<RunPair> draw(const PairRanking& ranked);
    /// A pair is shown; or it was, and will be once more without having been judged.
    void see(const RunPair& pair);
    void putBack(const RunPair& pair);
    /// Keeps what was said of a pair.
    void vote(const RunPair& pair, Better better);
    /// Takes back the last vote of this session, and returns its pair as it was shown, to be shown again;
    /// nothing without one.
    std::optional<RunPair> takeBack();
    [[nodiscard]] bool canTakeBack() const { return !m_given.empty(); }
    /// The video of the run cannot be shown: no pair of it is drawn any more.
    void leaveOut(std::size_t run);

  private:
    /// The smaller place first.
    using PairKey = std::pair<std::size_t, std::size_t>;

    struct GivenVote {
        RunPair pair;
        Vote vote;
    };

    void collectPairs();
    [[nodiscard]] bool haveSameSeed(const PairKey& pair) const;

    std::shared_ptr<const RatedRuns> m_rated;
    std::size_t m_leftOut = 0;
    std::vector<Vote> m_votes;
    std::vector<PairKey> m_pairs;
    std::map<PairKey, int> m_seen;
    std::vector<GivenVote> m_given;
    std::mt19937_64 m_lots;
};

/// Gives each of these runs its setting and what votes say of it; none where all have one setting or there
/// are more than mostRatedSettings. In the order of the runs.
std::vector<RunRating> rateRuns(const RatedRuns& rated, std::span<const Vote> votes);

/// Reads runs and votes, and sets RunRecord::rating of those that are in a folder. Throws what
/// readJudgedRun() and readVotes() throw; nothing is set then.
void addRatings(std::vector<RunRecord>& runs);

}  // namespace meshreel
