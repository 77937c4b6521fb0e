// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/control_cases.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/estimates/video_shape.h"
#include "engine/models/wan/wan_config.h"
#include "engine/pipelines/control_conditioning.h"
#include "engine/pipelines/given_frames.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

bool isControlOutput(const std::string& name) {
    return name.find(".in.") == std::string::npos;
}

Tensor asOneVideo(const Tensor& latents) {
    return latents.reshaped({1, latents.extent(0), latents.extent(1), latents.extent(2), latents.extent(3)});
}

Tensor withoutVideos(const Tensor& latents) {
    return latents.reshaped({latents.extent(1), latents.extent(2), latents.extent(3), latents.extent(4)});
}

/// The latents of a case in the order in which the videos are encoded.
class StoredEncoder {
  public:
    void add(const Tensor& latents) { m_latents.push_back(asOneVideo(latents)); }
    [[nodiscard]] EncodeVideo function() {
        return [this](const Tensor&) { return m_latents.at(m_next++); };
    }

  private:
    std::vector<Tensor> m_latents;
    std::size_t m_next = 0;
};

}  // namespace

void verifyControlCondition(const Execution& /*execution*/, const GoldenFiles& files,
                            GoldenComparison& comparison) {
    files.requireClass("WanFunControlPipeline");
    comparison = GoldenComparison(files.tensors(), isControlOutput);
    const SafetensorsFile& golden = comparison.golden();
    for (const auto& [variant, params] : files.description().at("params").items()) {
        const auto frames = params.at("frames").get<std::int64_t>();
        const auto given = params.at("given").get<std::int64_t>();
        const Tensor control = golden.get(variant + ".in.control");
        const VideoGeometry geometry{.frames = frames,
                                     .height = control.extent(2) * 8,
                                     .width = control.extent(3) * 8,
                                     .spatialFactor = 8,
                                     .temporalFactor = 4};
        const auto pixels = [&](std::int64_t count) {
            return Tensor::zeros({1, 3, count, geometry.height, geometry.width});
        };
        VisualInputs inputs;
        StoredEncoder encoder;
        inputs.video = pixels(frames);
        encoder.add(control);
        if (given > 0) {
            inputs.image = pixels(given);
            encoder.add(golden.get(variant + ".in.start"));
        }
        if (const std::string name = variant + ".in.reference"; golden.has(name)) {
            inputs.references = {pixels(1)};
            encoder.add(golden.get(name));
        }
        const Shape ofReference{1, control.extent(0), 1, control.extent(2), control.extent(3)};
        const std::array<GroupShape, 1> groups{{{.name = "reference",
                                                 .latents = ofReference,
                                                 .firstFrame = -1,
                                                 .embedding = PatchEmbedding::Reference}}};
        const VisualConditioning visual = conditionOnControl(
            inputs, geometry, encoder.function(), {.marks = params.at("marks").get<bool>()}, groups);
        comparison.compare(variant + ".y", withoutVideos(visual.channels.value()), exactly);
        comparison.compare(variant + ".reference", withoutVideos(visual.groups.front().latents), exactly);
    }
}

}  // namespace meshreel
