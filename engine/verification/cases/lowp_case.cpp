// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/base/float8.h"
#include "engine/base/number_types.h"
#include "engine/verification/golden_kinds.h"

namespace meshreel {
namespace {

constexpr std::string_view scaledMark = "scaled.";
constexpr std::string_view f32Mark = "_f32";
constexpr std::int64_t bytes = 256;

template <typename Float8>
Tensor tableOf() {
    Tensor table = Tensor::empty({bytes});
    for (std::size_t bits = 0; bits < bytes; ++bits)
        table.data<float>()[bits] = toFloat(Float8{static_cast<std::uint8_t>(bits)});
    return table;
}

/// The bits of every value in the narrower type, sign-extended.
template <typename Narrow>
Tensor bitsOf(const Tensor& values, Narrow (*narrow)(float)) {
    Tensor bits = Tensor::empty(values.shape(), DType::I32);
    std::ranges::transform(values.data<float>(), bits.data<std::int32_t>().begin(), [narrow](float value) {
        return std::int32_t{static_cast<std::int16_t>(narrow(value).bits)};
    });
    return bits;
}

}  // namespace

void verifyLowp(const Execution& /*execution*/, const GoldenFiles& files, GoldenComparison& comparison) {
    constexpr std::string_view input = "x_f32";
    comparison = GoldenComparison(files.tensors(), [&](const std::string& name) { return name != input; });
    comparison.compare("f8_e4m3fn_to_f32", tableOf<Float8E4M3>(), exactly);
    comparison.compare("f8_e5m2_to_f32", tableOf<Float8E5M2>(), exactly);
    if (comparison.golden().has(input)) {
        const Tensor values = comparison.golden().get(input);
        comparison.compare("x_bf16_bits", bitsOf(values, toBFloat16), exactly);
        comparison.compare("x_f16_bits", bitsOf(values, toHalf), exactly);
    }
    const Checkpoint weights = files.weights();
    for (const std::string& output : comparison.outputs())
        if (output.starts_with(scaledMark) && output.ends_with(f32Mark)) {
            const std::string tensor =
                output.substr(scaledMark.size(), output.size() - scaledMark.size() - f32Mark.size());
            // The case calls the weight of its one layer by its last part.
            comparison.compare(output, weights.get(weights.has(tensor) ? tensor : "layer." + tensor),
                               exactly);
        }
}

}  // namespace meshreel
