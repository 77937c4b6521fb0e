// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/media/image_resize.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// transformers' CLIPImageProcessor, from its preprocessor_config.json; what the file leaves out is that of
/// CLIP. It makes what ClipVisionEncoder takes.
struct ImageProcessor {
    bool resizes = true;                          ///< do_resize
    std::optional<std::int64_t> shortestEdge;     ///< size.shortest_edge: keeps the form of the image
    std::int64_t height = 224;                    ///< size.height without shortest_edge
    std::int64_t width = 224;                     ///< size.width without shortest_edge
    Resampling resampling = Resampling::Bicubic;  ///< resample, as Pillow numbers filters
    bool crops = true;                            ///< do_center_crop
    std::int64_t cropHeight = 224;                ///< crop_size.height
    std::int64_t cropWidth = 224;                 ///< crop_size.width
    bool rescales = true;                         ///< do_rescale
    double factor = 1.0 / 255.0;                  ///< rescale_factor
    bool normalises = true;                       ///< do_normalize
    std::array<float, 3> mean{0.48145466F, 0.4578275F, 0.40821073F};        ///< image_mean
    std::array<float, 3> deviation{0.26862954F, 0.26130258F, 0.27577711F};  ///< image_std

    /// Returns the processor of an encoder of images of `side` pixels.
    static ImageProcessor forSide(std::int64_t side);

    /// Throws Error{Input} at `where` naming the key that is out of range or not supported.
    static ImageProcessor fromJson(const nlohmann::json& json, const std::string& where);

    /// u8 [height, width, 3] in the size before the crop.
    [[nodiscard]] Tensor resized(const Tensor& image) const;

    /// u8 [height, width, 3] to f32 [1, 3, cropHeight, cropWidth].
    [[nodiscard]] Tensor toPixels(const Tensor& image) const;

    /// Returns the image as Wan's own code makes it, which keeps neither form nor border: torch's bicubic
    /// interpolation straight to cropHeight × cropWidth.
    [[nodiscard]] Tensor stretchedPixels(const Tensor& image) const;

  private:
    [[nodiscard]] float normalised(float value, std::size_t colour) const {
        return normalises ? (value - mean[colour]) / deviation[colour] : value;
    }
};

/// Images u8 [frames, height, width, 3] as the VAE takes them: f32 [3, frames, height, width] in [-1, 1], as
/// diffusers' VideoProcessor.preprocess makes them (2·(v/255) - 1).
Tensor videoPixels(const Tensor& frames);

}  // namespace meshreel
