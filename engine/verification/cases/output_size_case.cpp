// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/planning/output_size.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr std::int64_t latentPixels21 = 8;
constexpr std::int64_t patchLatents = 2;

struct SizeRule {
    std::string_view key;  // of a table's row, [height, width]
    std::function<FrameSize(const FrameSize& image, std::int64_t maxArea)> size;
};

const SizeRule rules[] = {
    {"wan_i2v_hw",
     [](const FrameSize& image, std::int64_t area) {
         return wanImageVideoSize(image, area, latentPixels21, patchLatents);
     }},
    {"wan22_ti2v_hw",
     [](const FrameSize& image, std::int64_t area) { return bestOutputSize(image, area, 32); }},
    {"diffusers_mod16_hw",
     [](const FrameSize& image, std::int64_t area) { return diffusersImageVideoSize(image, area, 16); }},
    {"diffusers_mod32_hw",
     [](const FrameSize& image, std::int64_t area) { return diffusersImageVideoSize(image, area, 32); }},
};

GoldenRow compareSize(const SizeRule& rule, const json& row) {
    const FrameSize image{row.at("h").get<std::int64_t>(), row.at("w").get<std::int64_t>()};
    const auto maxArea = row.at("max_area").get<std::int64_t>();
    const FrameSize expected{row.at(rule.key).at(0).get<std::int64_t>(),
                             row.at(rule.key).at(1).get<std::int64_t>()};
    GoldenRow result{.output = fmt::format("{} of {}x{}, {}", rule.key, image.height, image.width, maxArea)};
    try {
        const FrameSize found = rule.size(image, maxArea);
        result.passed = found == expected;
        if (!result.passed)
            result.note = fmt::format("{}x{} in place of {}x{}", found.height, found.width, expected.height,
                                      expected.width);
    } catch (const Error& error) {
        result.note = error.what();
    }
    return result;
}

}  // namespace

void verifyOutputSize(const Execution& /*execution*/, const GoldenFiles& files,
                      GoldenComparison& comparison) {
    for (const json& row : json::parse(readFile(files.place("table.json"))))
        for (const SizeRule& rule : rules)
            if (row.contains(rule.key))
                comparison.add(compareSize(rule, row));
}

}  // namespace meshreel
