// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/gpu/gpu_tuning.h"

namespace meshreel {
namespace {

std::optional<int> readNumber(std::string_view text) {
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number)
                                                                                     : std::nullopt;
}

std::vector<ChosenGpu> numbered(const std::vector<GpuDriver>& drivers) {
    std::vector<ChosenGpu> all;
    for (const GpuDriver& driver : drivers)
        for (const GpuFacts& facts : driver.gpus)
            all.push_back(
                {.number = static_cast<int>(all.size()), .manifest = driver.manifest, .facts = facts});
    return all;
}

std::vector<std::string> usableValues(const std::vector<ChosenGpu>& all) {
    std::vector<std::string> values;
    for (const ChosenGpu& gpu : all)
        if (gpu.facts.missing.empty())
            values.push_back(fmt::to_string(gpu.number));
    values.emplace_back(GpuChoice::noneName);
    return values;
}

/// Real cards, the best first: with memory of their own before others, then the one with the most.
auto rankOf(const GpuFacts& gpu) {
    return std::tuple(gpu.kind == GpuKind::Discrete, gpu.memoryTotal);
}

}  // namespace

std::optional<GpuChoice> GpuChoice::parse(std::string_view text) {
    if (text == automaticName)
        return GpuChoice{.automatic = true};
    if (text == noneName)
        return GpuChoice{};
    GpuChoice choice;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::optional<int> number = readNumber(text.substr(0, comma));
        if (!number)
            return std::nullopt;
        choice.numbers.push_back(*number);
        if (comma == std::string_view::npos)
            return choice;
        text.remove_prefix(comma + 1);
    }
}

std::vector<Problem> gpuChoiceProblems(std::string_view text) {
    const std::string key(GpuChoice::key);
    const std::optional<GpuChoice> choice = GpuChoice::parse(text);
    if (!choice)
        return {{.id = "gpus-malformed",
                 .key = key,
                 .message = sentence("gpus is \"{}\"", std::string(text)),
                 .fixes = setKey(
                     sentence("Use none, auto, or the number of a GPU: 0 is the first that meshreel "
                              "devices lists"),
                     key, {std::string(GpuChoice::noneName), std::string(GpuChoice::automaticName), "0"})}};
    if (choice->numbers.size() > 1)
        return {
            {.id = "gpus-for-one-device",
             .key = key,
             .message = sentence("gpus names {} GPUs, and a run computes on one", choice->numbers.size()),
             .fixes = setKey(sentence("Name one of them"), key, {fmt::to_string(choice->numbers.front())})}};
    return {};
}

std::optional<ChosenGpu> chooseGpu(const GpuChoice& choice, const std::vector<GpuDriver>& drivers) {
    std::vector<ChosenGpu> all = numbered(drivers);
    if (choice.automatic) {
        std::erase_if(all, [](const ChosenGpu& gpu) {
            return !gpu.facts.missing.empty() || gpu.facts.kind == GpuKind::Software;
        });
        const auto best =
            std::ranges::max_element(all, {}, [](const ChosenGpu& gpu) { return rankOf(gpu.facts); });
        return best == all.end() ? std::nullopt : std::optional(*best);
    }
    if (choice.isNone())
        return std::nullopt;
    const int number = choice.numbers.front();
    const std::string key(GpuChoice::key);
    if (std::cmp_greater_equal(number, all.size())) {
        const Sentence none = whyNoGpu(drivers);
        throw Error(ErrorKind::Project,
                    Problem{.id = "gpu-not-here",
                            .key = key,
                            .message = none.empty() ? sentence("there is no GPU {} on this machine", number)
                                                    : sentence("there is no GPU {}: {}", number, none),
                            .fixes = setKey(sentence("meshreel devices lists those that there are"), key,
                                            usableValues(all))});
    }
    const ChosenGpu& gpu = all[static_cast<std::size_t>(number)];
    if (!gpu.facts.missing.empty())
        throw Error(
            ErrorKind::Project,
            Problem{.id = "gpu-not-here",
                    .key = key,
                    .message = sentence("the GPU {} ({}) cannot be used: {}", number, gpu.facts.name,
                                        gpu.facts.missing),
                    .fixes = setKey(sentence("Update its driver, or use the CPU"), key, usableValues(all))});
    return gpu;
}

std::shared_ptr<GpuWork> openGpu(const ChosenGpu& chosen) {
    return std::make_shared<GpuWork>(
        std::make_shared<const Gpu>(std::make_shared<const VulkanLibrary>(std::array{chosen.manifest}),
                                    chosen.facts.id),
        GpuTuning(usualTuningFile(), chosen.facts.id));
}

}  // namespace meshreel
