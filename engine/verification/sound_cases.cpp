// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/sound_cases.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "engine/kernels/linear/arithmetic.h"
#include "engine/models/encoders/wav2vec2.h"
#include "engine/models/encoders/wav2vec2_config.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

/// config.json, with what preprocessor_config.json says of the sound.
Wav2Vec2Config soundEncoderConfig(const GoldenFiles& files) {
    constexpr const char* processor = "preprocessor_config.json";
    nlohmann::json config = files.json("config.json");
    if (files.has(processor))
        config["do_normalize"] = files.json(processor).at("do_normalize");
    return Wav2Vec2Config::fromJson(config, files.place("config.json"));
}

}  // namespace

void verifyWav2Vec2(const Execution& execution, const GoldenFiles& files, GoldenComparison& comparison) {
    files.requireClass("Wav2Vec2ForCTC");
    comparison = GoldenComparison(files.tensors(), isModelOutput);
    const GoldenTolerance tolerance = files.outputTolerance();
    const Wav2Vec2Encoder encoder(soundEncoderConfig(files), files.weights(), Arithmetic::F32,
                                  execution.memory());
    for (const std::string& variant : goldenVariants(comparison.golden())) {
        requireKnownInputs(files, comparison.golden(), variant, {"waveform"});
        const Tensor waveform = comparison.golden().get(variantName(variant, "in.waveform")).toF32();
        const Probe whole = comparison.probe(variant, tolerance);
        const Probe probe = [&](std::string_view name, const Tensor& value) {
            if (name != "conv0_frames")
                return whole(name, value);
            // A case has the first frames of it, channel by channel.
            const std::string output = variantName(variant, "conv0");
            if (comparison.wants(output))
                comparison.compare(output,
                                   transposed(value.slice(0, comparison.golden().find(output)->shape[1])),
                                   tolerance);
        };
        const Tensor states = encoder.encode(execution, std::as_const(waveform).data<float>(), probe);
        comparison.compare(variantName(variant, "hidden_states"), states, tolerance);
    }
}

}  // namespace meshreel
