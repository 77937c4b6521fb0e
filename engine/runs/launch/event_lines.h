// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/runs/run_session.h"

namespace meshreel {

/// Tells a run as JSON objects, one a line (without the newline); "event" names each. What `meshreel run
/// --json-events` prints, and what the ranks of a mesh tell the program that launched them.
class EventLines final : public RunObserver {
  public:
    using Sink = std::function<void(const std::string& line)>;

    enum class Previews { No, Yes };

    explicit EventLines(Sink sink, Previews previews = Previews::No)
        : m_sink(std::move(sink)), m_previews(previews) {}

    void planned(const RunPlan& plan) override;
    void folderReady(const std::filesystem::path& folder) override;
    void phaseStarted(Phase phase) override;
    void phaseFinished(Phase phase, double seconds) override;
    void foundInCache(Phase phase) override;
    void progressed(const Progress& progress) override;
    void stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) override;
    void devicesWorked(const StepDeviceTimes& times) override;
    [[nodiscard]] bool wantsPreviews() const override { return m_previews == Previews::Yes; }
    void preview(int step, const Tensor& frames) override;
    void framesDecoded(const DecodedFrames& decoded) override;
    void videoWritten(const WrittenVideo& video) override;
    void message(MessageLevel level, const Sentence& text) override;
    void finished(const RunOutcome& outcome);
    void failed(const std::exception& failure);

  private:
    void emit(std::string_view event, const nlohmann::ordered_json& fields) const;

    Sink m_sink;
    Previews m_previews;
};

/// How a run told by event lines ended.
struct ToldEnd {
    std::optional<RunOutcome> outcome;  ///< of "finished"; its steps are empty
    Sentence why;                       ///< of "failed"
    int exitCode = 0;                   ///< of "failed"
};

/// Calls `observer` as the program that wrote the line called its own, except for planned(), latents and
/// the whole video, which lines do not carry. Returns the end when the line tells it; a line that is no
/// event (an old or foreign one) is ignored.
std::optional<ToldEnd> deliverEventLine(std::string_view line, RunObserver& observer);

}  // namespace meshreel
