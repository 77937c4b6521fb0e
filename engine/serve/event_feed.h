// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/events/run_event.h"

namespace meshreel {

/// What happened in the newest runs of this server, for any number of clients that follow them. For several
/// threads; nobody who follows holds up a run.
class EventFeed {
  public:
    /// Adds an event of a run: its line (eventLine()), without where the run's files lie on this machine.
    /// Events that stay in the process are left out; of progress only the newest counts.
    void add(const std::string& run, const RunEvent& event);

    struct News {
        std::vector<std::string> lines;
        std::uint64_t next = 0;  ///< what to ask for then
        bool hasEnded = false;   ///< nothing comes behind these
    };
    /// Returns the lines from number `from` on as soon as there are some, or the end of the run or feed; none
    /// after `patience`. A run of which nothing is known yet is waited for.
    News wait(const std::string& run, std::uint64_t from, std::chrono::milliseconds patience);

    /// Returns how far a run is, in [0, 1]; nothing when it is not known.
    [[nodiscard]] std::optional<double> progress(const std::string& run) const;

    /// Ends all waiting, now and later.
    void close();

  private:
    struct Line {
        std::uint64_t number = 0;
        std::string text;
        bool isProgress = false;
    };
    struct Story {
        std::deque<Line> lines;
        std::size_t bytes = 0;  ///< of the lines
        std::string folder;     ///< of the run, with a slash behind it, as lines spell it; empty: not known
        std::uint64_t next = 0;
        double fraction = 0;
        bool hasEnded = false;
    };

    /// Begins one for a run that has none; the oldest ends.
    Story& storyOf(const std::string& run);

    static constexpr std::size_t mostLines = 4000;       ///< of a run: 1,000 steps take 2,100
    static constexpr std::size_t mostBytes = 4UL << 20;  ///< of a run: the times of many devices are long
    static constexpr std::size_t mostRuns = 32;

    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    std::map<std::string, Story> m_stories;
    std::deque<std::string> m_order;  ///< of the stories, the oldest first
    bool m_isClosed = false;
};

}  // namespace meshreel
