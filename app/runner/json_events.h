// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "app/runner/progress_display.h"

namespace meshreel {

/// Every event as one JSON object on a line of stdout, flushed; "event" names it.
class JsonEvents final : public ProgressDisplay {
  public:
    void planned(const RunPlan& plan) override;
    void folderReady(const std::filesystem::path& folder) override;
    void phaseStarted(Phase phase) override;
    void phaseFinished(Phase phase, double seconds) override;
    void progressed(const Progress& progress) override;
    void stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) override;
    void videoWritten(const WrittenVideo& video) override;
    void message(MessageLevel level, const std::string& text) override;
    void finished(const RunOutcome& outcome) override;
    void failed(const std::exception& failure) override;

  private:
    static void emit(std::string_view event, const nlohmann::ordered_json& fields);
};

}  // namespace meshreel
