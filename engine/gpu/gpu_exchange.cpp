// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_exchange.h"

#include <algorithm>
#include <string>

#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_facts.h"

namespace meshreel {
namespace {

/// The device's half of GpuFacts::id.
std::string deviceId(const GpuFacts& gpu) {
    return gpu.id.substr(0, gpu.id.find('-'));
}

bool reaches(const ChosenGpu& one, const ChosenGpu& other) {
    return std::ranges::find(one.facts.peers, deviceId(other.facts)) != one.facts.peers.end();
}

}  // namespace

GpuExchangeCosts costsOf(GpuExchange exchange) {
    switch (exchange) {
        case GpuExchange::Staged:
            return {.copies = 2, .hostCopies = 1};
        case GpuExchange::SharedHost:
            return {.copies = 2, .hostCopies = 0};
        case GpuExchange::Peers:
            return {.copies = 1, .hostCopies = 0};
    }
    return {.copies = 2, .hostCopies = 1};
}

Sentence tellExchange(GpuExchange exchange) {
    switch (exchange) {
        case GpuExchange::Staged:
            return sentence("what GPUs exchange goes through a buffer of each and the host's memory");
        case GpuExchange::SharedHost:
            return sentence(
                "keys go from GPU to GPU through memory of the host that all of them copy from and to");
        case GpuExchange::Peers:
            return sentence("keys go from GPU to GPU by NVIDIA's driver");
    }
    return {};
}

GpuExchange exchangeBetween(std::span<const ChosenGpu> gpus) {
    if (gpus.size() < 2)
        return GpuExchange::Staged;
    const bool peers = std::ranges::all_of(gpus, [&](const ChosenGpu& one) {
        return std::ranges::all_of(gpus, [&](const ChosenGpu& other) { return reaches(one, other); });
    });
    if (peers)
        return GpuExchange::Peers;
    const bool shared = std::ranges::all_of(gpus, [](const ChosenGpu& gpu) { return gpu.facts.importsHost; });
    return shared ? GpuExchange::SharedHost : GpuExchange::Staged;
}

}  // namespace meshreel
