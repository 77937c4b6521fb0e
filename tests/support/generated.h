// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/pipelines/generation.h"

namespace meshreel::testing {

/// A sink that keeps every snapshot and every message.
class GenerationRecorder {
  public:
    GenerationRecorder() = default;
    GenerationRecorder(const GenerationRecorder&) = delete;  // a sink made of it would fill a copy
    GenerationRecorder& operator=(const GenerationRecorder&) = delete;

    void operator()(const RunEvent& event) {
        handle(
            event, [this](const RunCheckpoint& checkpoint) { keep(checkpoint.snapshot); },
            [this](const RunMessage& message) { messages.push_back(message.text); });
    }

    std::vector<SamplerSnapshot> snapshots;
    std::vector<std::string> messages;

  private:
    void keep(const SamplerSnapshot& snapshot) {
        SamplerSnapshot copy{.stepsDone = snapshot.stepsDone, .latents = snapshot.latents.clone()};
        for (const auto& [name, tensor] : snapshot.history)
            copy.history.emplace_back(name, tensor.clone());
        for (const auto& [name, tensor] : snapshot.cache)
            copy.cache.emplace_back(name, tensor.clone());
        if (snapshot.finished)
            copy.finished = snapshot.finished->clone();
        snapshots.push_back(std::move(copy));
    }
};

inline std::vector<float> rowValues(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

/// One worker for each device.
inline GenerationResult generateOn(const Project& project, int devices, GenerationRecorder& recorder,
                                   const GenerationStart& start = {},
                                   std::optional<std::uint64_t> memory = {}) {
    PlanOptions options;
    options.devices = devices;
    options.workers = 1;
    options.memoryBytes = memory;
    const PlanPtr plan = makePlan(project, options);
    DeviceMesh mesh(meshOptions(*plan));
    return generate({mesh, {}}, *plan, start, std::ref(recorder));
}

}  // namespace meshreel::testing
