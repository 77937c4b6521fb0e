// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/colours.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/worker_pool.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

Tensor coloursOfBytes(const Execution& execution, const Tensor& bytes) {
    Tensor colours = Tensor::empty(bytes.shape());
    const std::span<const std::uint8_t> from = bytes.data<std::uint8_t>();
    const std::span<float> to = colours.data<float>();
    execution.workers.parallelFor(bytes.elements(), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            to[i] = static_cast<float>(from[i]) / 255.0F;
    });
    return colours;
}

Tensor bytesOfColours(const Execution& execution, const Tensor& colours) {
    Tensor bytes = Tensor::empty(colours.shape(), DType::U8);
    const std::span<const float> from = colours.data<float>();
    const std::span<std::uint8_t> to = bytes.data<std::uint8_t>();
    execution.workers.parallelFor(colours.elements(), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const float clipped = from[i] > 0.0F ? (from[i] < 1.0F ? from[i] : 1.0F) : 0.0F;
            to[i] = static_cast<std::uint8_t>(clipped * 255.0F + 0.5F);
        }
    });
    return bytes;
}

}  // namespace meshreel
