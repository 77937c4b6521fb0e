// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/chosen_gpu.h"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "engine/base/sentence.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/gpu/peer_check.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {
namespace {

/// Real cards, the best first: with memory of their own before others, then the one with the most.
auto rankOf(const GpuFacts& gpu) {
    return std::tuple(gpu.kind == GpuKind::Discrete, gpu.memoryTotal);
}

}  // namespace

std::vector<ChosenGpu> numberedGpus(const std::vector<GpuDriver>& drivers) {
    std::vector<ChosenGpu> all;
    for (const GpuDriver& driver : drivers)
        for (const GpuFacts& facts : driver.gpus)
            all.push_back(
                {.number = static_cast<int>(all.size()), .manifest = driver.manifest, .facts = facts});
    return all;
}

std::vector<ChosenGpu> realGpus(const std::vector<GpuDriver>& drivers) {
    std::vector<ChosenGpu> real = numberedGpus(drivers);
    std::erase_if(real, [](const ChosenGpu& gpu) {
        return !gpu.facts.missing.empty() || gpu.facts.kind == GpuKind::Software;
    });
    std::ranges::stable_sort(real, std::greater<>(), [](const ChosenGpu& gpu) { return rankOf(gpu.facts); });
    return real;
}

namespace {

std::vector<std::shared_ptr<GpuWork>> openAll(std::span<const ChosenGpu> chosen, std::size_t blockBytes,
                                              GpuExchange exchange) {
    std::vector<std::shared_ptr<GpuWork>> opened;
    for (const ChosenGpu& gpu : chosen)
        opened.push_back(std::make_shared<GpuWork>(
            std::make_shared<const Gpu>(std::make_shared<const VulkanLibrary>(std::array{gpu.manifest}),
                                        gpu.facts.id, exchange),
            GpuTuning(usualTuningFile(), gpu.facts.id), blockBytes));
    return opened;
}

/// Why these do not exchange in the way they were opened for; empty when they do.
Sentence whyNoExchange(std::span<const std::shared_ptr<GpuWork>> opened, GpuExchange exchange) {
    for (const std::shared_ptr<GpuWork>& work : opened)
        if (work->gpu().exchange() != exchange)
            return sentence("{}: {}", work->name(), work->gpu().whyStaged());
    return exchange == GpuExchange::Peers ? whyPeersDoNotCopy(opened) : Sentence();
}

}  // namespace

std::vector<std::shared_ptr<GpuWork>> openGpus(std::span<const ChosenGpu> chosen, std::size_t blockBytes,
                                               GpuExchange exchange) {
    Sentence why;
    for (;;) {
        {
            const std::vector<std::shared_ptr<GpuWork>> opened = openAll(chosen, blockBytes, exchange);
            const Sentence failure = whyNoExchange(opened, exchange);
            if (failure.empty()) {
                for (const std::shared_ptr<GpuWork>& work : opened)
                    work->setWhyExchangeFell(why);
                return opened;
            }
            if (why.empty())
                why = failure;
        }
        const bool sharesHost =
            exchange == GpuExchange::Peers &&
            std::ranges::all_of(chosen, [](const ChosenGpu& gpu) { return gpu.facts.importsHost; });
        exchange = sharesHost ? GpuExchange::SharedHost : GpuExchange::Staged;
    }
}

}  // namespace meshreel
