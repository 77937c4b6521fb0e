// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <optional>

#include "ui/controller/run_news.h"

namespace meshreel {

/// How far a stage of a run is.
struct LiveStage {
    enum class State {
        Ahead,
        Going,
        Done,
        PassedOver,  ///< the run had nothing to do there
        Stopped,     ///< the run ended in it
    };
    Phase phase = Phase::Load;
    State state = State::Ahead;
    double seconds = 0;               ///< of one that is done
    bool wasInCache = false;          ///< what it makes was kept from an earlier run
    std::optional<double> part = {};  ///< that is done of one that is going, in [0, 1], where it is known
};

/// The stages of a run, as its news tell them.
class RunStages {
  public:
    RunStages();

    void add(const StageNews& news);
    void setProgress(const RunProgress& progress);
    /// The run ended, well or not.
    void end();

    [[nodiscard]] const std::array<LiveStage, 6>& stages() const { return m_stages; }

    /// "Load", "Steps", …: a word or two.
    [[nodiscard]] static QString title(Phase phase);
    /// What stands below the title. `elapsed`: seconds that the stage at hand has taken so far.
    [[nodiscard]] QString value(const LiveStage& stage, double elapsed) const;
    /// A sentence for each stage, and one for the time that is left.
    [[nodiscard]] QStringList sentences() const;

  private:
    [[nodiscard]] QString sentence(const LiveStage& stage) const;

    std::array<LiveStage, 6> m_stages;
    RunProgress m_progress;
};

}  // namespace meshreel
