// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/foresight/efficiencies.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/foresight/published_times.h"

namespace meshreel {

/// A published time that counted little in the fit, because others contradict it.
struct DoubtedTime {
    PublishedTime row;
    double fitted = 0;  ///< seconds that the others make likely
};

/// All that foreseeing takes besides a case.
struct Foresight {
    std::vector<Hardware> profiles;
    Efficiencies efficiencies;
    std::vector<DoubtedTime> doubted;
};

/// Reads the profiles and the published times and fits the efficiencies to the rows of use `fit` and `stage`.
/// The times that `own` brings with it count more than published ones. Throws as the files are read.
Foresight readForesight(const Hardware& own = {});

/// A published time beside what the model says.
struct CheckedTime {
    PublishedTime row;
    std::optional<ForeseenTime> foreseen;
    Sentence whyNot;            ///< where nothing is foreseen
    std::string hardware = {};  ///< names of profile and program, empty when not known
    std::string program = {};
    bool sourceLeftOut = false;  ///< the fit saw nothing of the row's source; such rows are judged, if any is

    /// foreseen / measured - 1; 0 when nothing is foreseen.
    [[nodiscard]] double error() const { return foreseen ? foreseen->seconds / row.seconds - 1 : 0; }
    [[nodiscard]] bool covered() const {
        return foreseen && foreseen->low <= row.seconds && row.seconds <= foreseen->high;
    }
};

std::vector<CheckedTime> checkTimes(const std::vector<PublishedTime>& rows, const Foresight& foresight);

/// Foresees each row with efficiencies that are fitted without all published times of its source: what the
/// model says of a source that it does not know. Rows of use `no` are foreseen likewise, and not judged.
/// Throws as readForesight().
std::vector<CheckedTime> checkTimesWithoutSource(const std::vector<PublishedTime>& rows);

/// {"rows": [{"id", "predicted", "measured", "low", "high", "covered", "why_not", …}], "summary": {…}}.
nlohmann::ordered_json checkJson(std::span<const CheckedTime> times, const Foresight& foresight);

/// Returns a line a row, and the summary.
std::string describeCheck(std::span<const CheckedTime> times, const Foresight& foresight);

/// Returns the table of errors by hardware, program and metric in docs/foresight.md; of times without their
/// source also by source.
std::string checkMarkdown(std::span<const CheckedTime> times, const Foresight& foresight);

}  // namespace meshreel
