// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/size_cases.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/estimates/video_shape.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {
namespace {

using nlohmann::json;

struct SizeRule {
    std::string_view key;  // in a table's row, [height, width]
    std::function<FrameSize(const FrameSize& image, std::int64_t maxArea)> size;
};

const SizeRule sizeRules[] = {
    {"wan_i2v_hw",
     [](const FrameSize& image, std::int64_t area) {
         constexpr std::int64_t latentPixels = 8;
         constexpr std::int64_t patchLatents = 2;
         return wanImageVideoSize(image, area, latentPixels, patchLatents);
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
        for (const SizeRule& rule : sizeRules)
            if (row.contains(rule.key))
                comparison.add(compareSize(rule, row));
}

}  // namespace meshreel
