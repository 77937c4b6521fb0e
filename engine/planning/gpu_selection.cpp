// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/gpu_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {
namespace {

std::vector<std::string> usableValues(const std::vector<ChosenGpu>& all) {
    std::vector<std::string> values;
    for (const ChosenGpu& gpu : all)
        if (gpu.facts.missing.empty())
            values.push_back(fmt::to_string(gpu.number));
    values.emplace_back(GpuChoice::noneName);
    return values;
}

/// The one of this number. Throws as chooseGpus() does.
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

std::vector<ChosenGpu> chooseGpus(const GpuChoice& choice, const std::vector<GpuDriver>& drivers) {
    if (choice.automatic) {
        std::vector<ChosenGpu> real = realGpus(drivers);
        real.resize(std::min<std::size_t>(real.size(), 1));
        return real;
    }
    const std::vector<ChosenGpu> all = numberedGpus(drivers);
    std::vector<ChosenGpu> chosen;
    for (const int number : choice.numbers)
        chosen.push_back(requireNumber(number, all, drivers));
    return chosen;
}

}  // namespace meshreel
