// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/chart_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

namespace {

constexpr RunParts stepsOnly{.steps = true, .trace = false, .deviceTimes = false, .memory = false};

constexpr std::array kinds{
    ChartKindRow{ChartKind::Steps, "steps", "Seconds of every step, a line a run", stepsOnly},
    ChartKindRow{ChartKind::Stages, "stages",
                 "Seconds of load, compile, conditioning, denoising and decoding", stepsOnly},
    ChartKindRow{ChartKind::Scaling, "scaling",
                 "Speed against the number of devices, a line an attention mode", stepsOnly},
    ChartKindRow{ChartKind::Tiles, "tiles",
                 "Time against block_q and block_kv: of runs, or of the table of a tile search", stepsOnly},
    ChartKindRow{ChartKind::Lanes, "lanes",
                 "What each device did while one run denoised: computing, exchange, waiting",
                 RunParts{.memory = false}, true},
    ChartKindRow{ChartKind::Memory, "memory", "What each phase held in memory at most, beside its plan",
                 RunParts{.steps = false, .trace = false, .deviceTimes = false}},
    ChartKindRow{ChartKind::Quality, "quality",
                 "How often each setting is preferred, by votes, against its seconds of inference",
                 RunParts{.steps = false, .trace = false, .deviceTimes = false, .memory = false},
                 /*oneRun=*/false, /*ofVotes=*/true},
};

}  // namespace

std::span<const ChartKindRow> chartKinds() {
    return kinds;
}

const ChartKindRow& chartKindRow(ChartKind kind) {
    return kinds.at(static_cast<std::size_t>(kind));
}

ChartKind findChartKind(std::string_view name) {
    const auto* const found = std::ranges::find(kinds, name, &ChartKindRow::name);
    if (found != kinds.end())
        return found->kind;
    std::vector<std::string_view> names;
    std::ranges::transform(kinds, std::back_inserter(names), &ChartKindRow::name);
    throw Error(ErrorKind::Project, sentence("There is no chart of the kind \"{}\"", name), "--kind",
                sentence("Use one of {}", fmt::to_string(fmt::join(names, ", "))));
}

}  // namespace meshreel
