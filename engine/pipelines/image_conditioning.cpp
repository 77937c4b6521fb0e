// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/image_conditioning.h"

#include "engine/tensor/joined.h"
#include "engine/timing/trace.h"

namespace meshreel {

Tensor clipPixels(const ImageProcessor& processor, const std::vector<Tensor>& pictures) {
    std::vector<Tensor> pixels;
    for (const Tensor& picture : pictures)
        pixels.push_back(processor.pixelsOf(picture));
    return joined(pixels, 0);
}

Tensor imageTokensOf(const Execution& execution, const ClipVisionEncoder& encoder,
                     const ImageProcessor& processor, const std::vector<Tensor>& pictures) {
    const auto span = traceSpan(execution.trace, "Encode-Image");
    return encoder.encode(execution, clipPixels(processor, pictures));
}

}  // namespace meshreel
