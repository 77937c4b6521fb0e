// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <limits>
#include <optional>
#include <regex>

#include "engine/sampling/random/torch_generator.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

constexpr std::string_view secondCallMark = ".second_call";
constexpr std::int64_t randintEnd = std::numeric_limits<std::int32_t>::max();

/// One torch call, by the first part of a tensor's name.
struct RandomCall {
    std::string_view name;
    Tensor (*draw)(TorchGenerator& generator, const Shape& shape);
};

constexpr std::array<RandomCall, 7> calls{{
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
    static const std::regex form(R"(([a-z0-9_]+)\.s(-?)(\d{1,19})\..*)");
    std::smatch match;
    if (!std::regex_match(name, match, form))
        return std::nullopt;
    const auto call = std::ranges::find(calls, match[1].str(), &RandomCall::name);
    if (call == calls.end())
        return std::nullopt;
    const std::uint64_t magnitude = std::stoull(match[3]);
    return RandomName{&*call, match[2].length() == 0 ? magnitude : 0 - magnitude};
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
