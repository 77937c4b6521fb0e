// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
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
    if (GpuChoice::parse(text))
        return {};
    return {{.id = "gpus-malformed",
             .key = key,
             .message = sentence("gpus is \"{}\"", std::string(text)),
             .fixes = setKey(
                 sentence("Use none, auto, or the number of a GPU: 0 is the first that meshreel "
                          "devices lists"),
                 key, {std::string(GpuChoice::noneName), std::string(GpuChoice::automaticName), "0"})}};
}

namespace {

/// The one of this number. Throws as chooseGpus().
const ChosenGpu& requireNumber(int number, const std::vector<ChosenGpu>& all,
                               const std::vector<GpuDriver>& drivers) {
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

}  // namespace

std::vector<ChosenGpu> realGpus(const std::vector<GpuDriver>& drivers) {
    std::vector<ChosenGpu> real = numbered(drivers);
    std::erase_if(real, [](const ChosenGpu& gpu) {
        return !gpu.facts.missing.empty() || gpu.facts.kind == GpuKind::Software;
    });
    std::ranges::stable_sort(real, std::greater<>(), [](const ChosenGpu& gpu) { return rankOf(gpu.facts); });
    return real;
}

std::vector<ChosenGpu> chooseGpus(const GpuChoice& choice, const std::vector<GpuDriver>& drivers) {
    if (choice.automatic) {
        std::vector<ChosenGpu> real = realGpus(drivers);
        real.resize(std::min<std::size_t>(real.size(), 1));
        return real;
    }
    const std::vector<ChosenGpu> all = numbered(drivers);
    std::vector<ChosenGpu> chosen;
    for (const int number : choice.numbers)
        chosen.push_back(requireNumber(number, all, drivers));
    return chosen;
}

std::vector<std::shared_ptr<GpuWork>> openGpus(std::span<const ChosenGpu> chosen, std::size_t blockBytes) {
    std::vector<std::shared_ptr<GpuWork>> opened;
    for (const ChosenGpu& gpu : chosen)
        opened.push_back(std::make_shared<GpuWork>(
            std::make_shared<const Gpu>(std::make_shared<const VulkanLibrary>(std::array{gpu.manifest}),
                                        gpu.facts.id),
            GpuTuning(usualTuningFile(), gpu.facts.id), blockBytes));
    return opened;
}

}  // namespace meshreel
