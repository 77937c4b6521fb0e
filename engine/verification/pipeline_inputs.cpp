// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/pipeline_inputs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/pipelines/image_conditioning.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/video_axes.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 4> inputNames{"image", "last_image", "video", "mask"};
constexpr std::string_view referenceName = "reference";
constexpr GoldenTolerance pixelTolerance{1e-5, 0.0};

bool has(const SafetensorsFile& golden, std::string_view name) {
    return golden.find(std::string(name)) != nullptr;
}

bool isReference(const std::string& name) {
    const std::string_view text = name;
    return text.starts_with(referenceName) &&
           std::ranges::all_of(text.substr(referenceName.size()),
                               [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// u8 [T, H, W, 3] in another size.
Tensor fittedFrames(const Tensor& frames, const VideoGeometry& geometry) {
    Tensor fitted =
        Tensor::empty({frames.extent(0), geometry.height, geometry.width, frames.extent(3)}, DType::U8);
    auto out = fitted.data<std::uint8_t>().begin();
    for (std::int64_t frame = 0; frame < frames.extent(0); ++frame) {
        const Tensor picture =
            frames.slice(frame, frame + 1).reshaped({frames.extent(1), frames.extent(2), frames.extent(3)});
        const Tensor resized = fittedPicture(picture, geometry.height, geometry.width);
        out = std::ranges::copy(resized.data<std::uint8_t>(), out).out;
    }
    return fitted;
}

/// Takes the inputs out of the case and checks what becomes of them.
class InputPreparation {
  public:
    InputPreparation(const VideoGeometry& geometry, GoldenComparison& comparison)
        : m_geometry(geometry), m_comparison(comparison) {}

    [[nodiscard]] Tensor picture(const std::string& name, int index) {
        const Tensor pixels = pixelsOf(fitted(m_comparison.golden().get(name)));
        m_comparison.compare(fmt::format("image_pre{}", index),
                             pixels.reshaped({1, pixels.extent(1), pixels.extent(3), pixels.extent(4)}),
                             exactly);
        return pixels;
    }

    [[nodiscard]] Tensor video(const std::string& name) const {
        return videoOf(fittedFrames(m_comparison.golden().get(name), m_geometry));
    }

    [[nodiscard]] Tensor reference(const std::string& name, int index) {
        const Tensor pixels = referencePixels(m_comparison.golden().get(name), m_geometry.spatialFactor,
                                              m_geometry.height, m_geometry.width);
        m_comparison.compare(fmt::format("reference_pre{}", index),
                             pixels.reshaped({pixels.extent(1), pixels.extent(3), pixels.extent(4)}),
                             pixelTolerance);
        return pixels;
    }

  private:
    [[nodiscard]] Tensor fitted(const Tensor& picture) const {
        return fittedPicture(picture, m_geometry.height, m_geometry.width);
    }

    const VideoGeometry& m_geometry;
    GoldenComparison& m_comparison;
};

void addEdit(InputPreparation& preparation, const VideoGeometry& geometry, GoldenComparison& comparison,
             VisualInputs& inputs) {
    const SafetensorsFile& golden = comparison.golden();
    const EditFrames defaults = openEdit(geometry);
    inputs.video = has(golden, "video") ? preparation.video("video") : defaults.video;
    comparison.compare("video_pre", *inputs.video, exactly);
    inputs.mask = has(golden, "mask") ? asMask(preparation.video("mask")) : defaults.mask;
    std::vector<std::string> references;
    for (const std::string& name : golden.names())
        if (isReference(name))
            references.push_back(name);
    std::ranges::sort(references);
    for (std::size_t index = 0; index < references.size(); ++index)
        inputs.references.push_back(preparation.reference(references[index], static_cast<int>(index)));
}

}  // namespace

bool isPipelineInput(const std::string& name) {
    return std::ranges::find(inputNames, name) != inputNames.end() || isReference(name);
}

WanTask taskOf(const GoldenFiles& files, const SafetensorsFile& golden) {
    if (files.className() == "WanVACEPipeline")
        return WanTask::VaceEditing;
    if (has(golden, "last_image"))
        return WanTask::FirstLastFrame;
    if (has(golden, "image"))
        return WanTask::ImageToVideo;
    return has(golden, "video") ? WanTask::VideoToVideo : WanTask::TextToVideo;
}

VisualInputs pipelineInputs(const Execution& execution, const GoldenFiles& files,
                            const VideoGeometry& geometry, GoldenComparison& comparison) {
    VisualInputs inputs;
    InputPreparation preparation(geometry, comparison);
    const SafetensorsFile& golden = comparison.golden();
    switch (taskOf(files, golden)) {
        case WanTask::TextToVideo:
        case WanTask::Animation:  // no golden case is of these
        case WanTask::Replacement:
            return inputs;
        case WanTask::VideoToVideo:
            inputs.video = preparation.video("video");
            return inputs;
        case WanTask::VaceEditing:
            addEdit(preparation, geometry, comparison, inputs);
            return inputs;
        case WanTask::FirstLastFrame:
            inputs.lastImage = preparation.picture("last_image", 1);
            [[fallthrough]];
        case WanTask::ImageToVideo:
            inputs.image = preparation.picture("image", 0);
            break;
    }
    if (!files.has("image_encoder"))
        return inputs;
    std::vector<Tensor> pictures{golden.get("image")};
    if (inputs.lastImage)
        pictures.push_back(golden.get("last_image"));
    const ImageProcessor processor = ImageProcessor::fromJson(
        files.json("image_processor/preprocessor_config.json"), files.place("image_processor"));
    const ClipVisionEncoder encoder(
        ClipVisionConfig::fromJson(files.json("image_encoder/config.json"), files.place("image_encoder")),
        Checkpoint::open(files.folder() / "image_encoder"));
    comparison.compare("clip_pixel_values", clipPixels(processor, pictures), pixelTolerance);
    inputs.imageTokens = imageTokensOf(execution, encoder, processor, pictures);
    comparison.compare("image_embeds", *inputs.imageTokens, files.outputTolerance());
    return inputs;
}

EncodeVideo checkedEncoder(const Execution& execution, const WanVae& vae, GoldenComparison& comparison,
                           GoldenTolerance tolerance) {
    return [&execution, &vae, &comparison, tolerance, count = std::make_shared<int>(0)](const Tensor& video) {
        const Tensor mean = vae.encode(execution, video).mean;
        comparison.compare(fmt::format("vae_encode{}_mean", (*count)++), mean, tolerance);
        return vae.normalize(mean);
    };
}

void compareConditioning(const VisualConditioning& visual, std::int64_t latentChannels, const Shape& latents,
                         GoldenComparison& comparison, GoldenTolerance tolerance) {
    if (visual.channels)
        comparison.compare("condition", *visual.channels, tolerance);
    if (visual.firstFrame) {
        comparison.compare("condition", *visual.firstFrame, tolerance);
        Tensor mask = Tensor::empty({1, 1, latents[2], latents[3], latents[4]});
        std::ranges::fill(mask.data<float>(), 1.0F);
        std::ranges::fill(mask.data<float>().first(static_cast<std::size_t>(latents[3] * latents[4])), 0.0F);
        comparison.compare("first_frame_mask", mask, exactly);
    }
    if (!visual.control)
        return;
    comparison.compare("control_hidden_states", *visual.control, tolerance);
    comparison.compare("video_latents", sliced(*visual.control, channelAxis, 0, 2 * latentChannels),
                       tolerance);
    comparison.compare(
        "mask_latents",
        sliced(*visual.control, channelAxis, 2 * latentChannels, visual.control->extent(channelAxis)),
        exactly);
}

}  // namespace meshreel
