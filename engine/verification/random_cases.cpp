// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/random_cases.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "engine/sampling/noise.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/golden_comparison.h"

namespace meshreel {
namespace {

constexpr std::string_view secondCallMark = ".second_call";
constexpr std::int64_t randintEnd = std::numeric_limits<std::int32_t>::max();

/// One torch call, by the first part of a tensor's name.
struct RandomCall {
    std::string_view name;
    Tensor (*draw)(TorchGenerator& generator, const Shape& shape);
};

constexpr std::array<RandomCall, 7> randomCalls{{
    {"randn", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape); }},
    {"randn_f64", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape, DType::F64); }},
    {"randn_bf16", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape, DType::BF16); }},
    {"randn_f16", [](TorchGenerator& g, const Shape& shape) { return g.normal(shape, DType::F16); }},
    {"rand", [](TorchGenerator& g, const Shape& shape) { return g.uniform(shape); }},
    {"rand_f64", [](TorchGenerator& g, const Shape& shape) { return g.uniform(shape, DType::F64); }},
    {"randint32", [](TorchGenerator& g, const Shape& shape) { return g.randint(0, randintEnd, shape); }},
}};

struct RandomName {
    const RandomCall* call = nullptr;
    std::uint64_t seed = 0;
};

/// "CALL.sSEED.…"; torch maps a negative seed to its two's complement.
std::optional<RandomName> parseName(const std::string& name) {
    static const RegularExpression form(R"(([a-z0-9_]+)\.s(-?)(\d{1,19})\..*)");
    const auto found = form.match(name);
    if (!found)
        return std::nullopt;
    const RegularExpression::Groups& groups = *found;
    const auto call = std::ranges::find(randomCalls, groups[1], &RandomCall::name);
    if (call == randomCalls.end())
        return std::nullopt;
    const std::uint64_t magnitude = std::stoull(groups[3]);
    return RandomName{&*call, groups[2].empty() ? magnitude : 0 - magnitude};
}

}  // namespace

void verifyTorchRandom(const Execution& /*execution*/, const GoldenFiles& files,
                       GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), [](const std::string&) { return true; });
    const GoldenTolerance tolerance = files.outputTolerance();
    const auto shapeOf = [&](const std::string& name) { return comparison.golden().find(name)->shape; };
    for (const std::string& output : comparison.outputs()) {
        const std::optional<RandomName> parsed = parseName(output);
        if (!parsed)
            continue;  // reported as not produced
        TorchGenerator generator(parsed->seed);
        if (output.ends_with(secondCallMark)) {
            const std::string first = output.substr(0, output.size() - secondCallMark.size());
            if (!comparison.wants(first))
                continue;
            parsed->call->draw(generator, shapeOf(first));
        }
        comparison.compare(output, parsed->call->draw(generator, shapeOf(output)), tolerance);
    }
}

}  // namespace meshreel
