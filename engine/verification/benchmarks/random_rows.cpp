// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/benchmarks/random_rows.h"

#include <algorithm>
#include <cmath>

#include "engine/models/families/random_weights.h"

namespace meshreel {
namespace {

constexpr std::int64_t pieceElements = std::int64_t{1} << 20;

}  // namespace

Tensor randomRows(const Execution& execution, const Shape& shape, DType type, float deviation,
                  std::uint64_t seed) {
    Tensor result = Tensor::empty(shape, type);
    const RandomWeights random(seed);
    std::vector<float> piece;
    // The generator takes the deviation from the elements of one output.
    const float rescale = deviation * std::sqrt(static_cast<float>(shape.elements()));
    for (std::int64_t first = 0; first < shape.elements(); first += pieceElements) {
        piece.resize(static_cast<std::size_t>(std::min(pieceElements, shape.elements() - first)));
        random.fill(execution.workers, "rows", {1, shape.elements()}, first, piece);
        for (float& value : piece)
            value *= rescale;
        if (type == DType::F32)
            std::ranges::copy(piece, result.data<float>().begin() + first);
        else
            std::ranges::transform(piece, result.data<BFloat16>().begin() + first, toBFloat16);
    }
    return result;
}

}  // namespace meshreel
