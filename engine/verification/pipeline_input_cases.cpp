// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/pipeline_input_cases.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/estimates/video_shape.h"
#include "engine/pipelines/input_media.h"
#include "engine/pipelines/visual_conditioning.h"
#include "engine/project/input_files.h"
#include "engine/project/track_file.h"
#include "engine/sampling/guidance.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/verification/golden_comparison.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace {

constexpr const char* pictureEnd = ".picture";
constexpr std::array<std::string_view, 5> phantomInputs{"latents", "subjects", "pos_it", "pos_i", "neg"};

void verifyPhantom(const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(), [](const std::string& name) {
        return !name.ends_with(pictureEnd) && std::ranges::find(phantomInputs, name) == phantomInputs.end();
    });
    const SafetensorsFile& golden = comparison.golden();
    const GoldenTolerance tolerance = files.outputTolerance();
    for (const std::string& name : golden.names()) {
        if (!name.ends_with(pictureEnd))
            continue;
        const std::string output = name.substr(0, name.size() - std::string(pictureEnd).size()) + ".pixels";
        const Shape size = golden.get(output).shape();  // [3, H, W]
        comparison.compare(output, subjectPixels(golden.get(name), size[1], size[2]).reshaped(size),
                           tolerance);
    }
    // Upstream's latents have frames for the subjects, too, which each step puts them into.
    const Tensor subjects = golden.get("subjects");
    const Tensor all = golden.get("latents");
    const std::int64_t frames = all.extent(frameAxis) - subjects.extent(frameAxis);
    const Tensor latents = sliced(all, frameAxis, 0, frames);
    VisualConditioning visual;
    visual.groups = {{.latents = subjects, .firstFrame = frames}};
    const auto sequence = [&](bool blank) {
        return joined({modelLatents(visual, latents),
                       modelGroups(visual, latents.extent(0), blank ? 0 : 1).front().latents},
                      frameAxis);
    };
    comparison.compare("model_input", sequence(false), exactly);
    comparison.compare("model_input_neg", sequence(true), exactly);
    comparison.compare("x0", finishedLatents(visual, 0, latents), exactly);
    comparison.compare("noise_pred",
                       guide(golden.get("pos_it"), golden.get("pos_i"), golden.get("neg"),
                             files.description().at("guide_scale_text").get<double>(),
                             files.description().at("guide_scale_img").get<double>()),
                       tolerance);
}

constexpr const char* latentsEnd = ".latents";

void verifyAti(const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(files.tensors(),
                                  [](const std::string& name) { return !name.ends_with(latentsEnd); });
    const SafetensorsFile& golden = comparison.golden();
    const std::vector<PointTrack> tracks = readTracks(files.place("tracks.json"));
    for (const auto& [name, size] : files.description().at("videos").items()) {
        const VideoGeometry geometry{.frames = size.at("frames").get<std::int64_t>(),
                                     .height = size.at("height").get<std::int64_t>(),
                                     .width = size.at("width").get<std::int64_t>()};
        const Tensor sampled = sampledTracks(tracks, geometry);
        comparison.compare(name + ".tracks", sampled, files.outputTolerance());
        if (golden.find(name + latentsEnd) != nullptr)
            comparison.compare(name + ".y",
                               alongTracks(golden.get(name + latentsEnd), sampled, geometry.temporalFactor),
                               files.outputTolerance());
    }
}

/// A case's tracks as framedTracks() makes them.
Tensor movesOf(const SafetensorsFile& golden, const std::string& variant) {
    const Tensor points = golden.get(variant + ".in.tracks").toF32();
    const std::string sightName = variant + ".in.visible";
    const bool hidesSome = golden.find(sightName) != nullptr;
    const Tensor sight = hidesSome ? golden.get(sightName).toF32() : Tensor();
    Tensor tracks = Tensor::empty(points.shape().with(2, 3));
    const auto from = points.data<float>();
    const auto to = tracks.data<float>();
    for (std::size_t point = 0; point < to.size() / 3; ++point) {
        to[3 * point] = from[2 * point];
        to[3 * point + 1] = from[2 * point + 1];
        to[3 * point + 2] = hidesSome ? sight.data<float>()[point] : 1.0F;
    }
    return tracks;
}

}  // namespace

void verifyMoves(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    comparison = GoldenComparison(
        files.tensors(), [](const std::string& name) { return name.find(".in.") == std::string::npos; });
    const SafetensorsFile& golden = comparison.golden();
    for (const auto& [variant, params] : files.description().at("params").items()) {
        const Tensor of = golden.get(variant + ".in.latents");
        const Tensor latents = of.reshaped({1, of.extent(0), of.extent(1), of.extent(2), of.extent(3)});
        const VideoGeometry geometry{.height = params.at("height").get<std::int64_t>(),
                                     .width = params.at("width").get<std::int64_t>()};
        const Tensor tracks = movesOf(golden, variant);
        comparison.compare(variant + ".positions", trackPlaces(latents, tracks, geometry), exactly);
        comparison.compare(variant + ".out",
                           copiedAlongTracks(latents, tracks, geometry).reshaped(of.shape()), exactly);
    }
}

void verifyPipelineInputs(const Execution& /*execution*/, const GoldenFiles& files,
                          GoldenComparison& comparison) {
    if (files.className() == "WanATI")
        return verifyAti(files, comparison);
    if (files.className() != "Phantom_Wan_S2V")
        refuseCase(files,
                   sentence("The case is of the class {}, which Meshreel cannot run yet", files.className()));
    verifyPhantom(files, comparison);
}

}  // namespace meshreel
