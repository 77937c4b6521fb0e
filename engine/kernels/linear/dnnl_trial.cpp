// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/dnnl_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/dnnl_library.h"
#include "engine/kernels/linear/dnnl_linear.h"
#include "engine/kernels/linear/host_linear.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

// Neither a multiple of a tile; the rows are those of two primitives, a whole one and a filled one.
constexpr std::int64_t trialRows = 19;
constexpr std::int64_t trialInputs = 70;
constexpr std::int64_t trialOutputs = 37;

/// Matrices of integers and the layer's outputs, which f32 holds exactly.
struct LayerTrial {
    Tensor x = Tensor::empty({trialRows, trialInputs}, DType::F32);
    Tensor weight = Tensor::empty({trialOutputs, trialInputs}, DType::F32);
    Tensor bias = Tensor::empty({trialOutputs}, DType::F32);
    std::vector<float> expected;

    /// `largest`: of the factors. It begins each row, so that int8's scale of the row is largest / 127.
    explicit LayerTrial(int largest) {
        const auto fill = [](std::span<float> values, std::int64_t factor, int most) {
            for (std::size_t index = 0; index < values.size(); ++index)
                values[index] =
                    static_cast<float>(static_cast<std::int64_t>(index) * factor % (2 * most + 1) - most);
        };
        constexpr std::int64_t ofInputs = 7919;  // primes, so that no row is like another
        constexpr std::int64_t ofWeights = 104729;
        fill(x.data<float>(), ofInputs, largest);
        fill(weight.data<float>(), ofWeights, largest);
        fill(bias.data<float>(), 1, largest);
        for (std::int64_t row = 0; row < trialRows; ++row)
            *rowOf(x, row) = static_cast<float>(largest);
        for (std::int64_t output = 0; output < trialOutputs; ++output)
            *rowOf(weight, output) = static_cast<float>(-largest);
        for (std::int64_t row = 0; row < trialRows; ++row)
            for (std::int64_t output = 0; output < trialOutputs; ++output)
                expected.push_back(std::inner_product(rowOf(x, row), rowOf(x, row) + trialInputs,
                                                      rowOf(weight, output),
                                                      bias.data<float>()[static_cast<std::size_t>(output)]));
    }

    static float* rowOf(Tensor& matrix, std::int64_t row) {
        return matrix.data<float>().data() + row * trialInputs;
    }
};

std::string whyWrong(const LayerTrial& trial, const HostLinear& layer, std::string_view name) {
    std::vector<float> made(trial.expected.size(), -1.0F);
    layer.applyPart(MatrixView(trial.x), MatrixSpan(std::span(made), trialOutputs), {},
                    {.first = 0, .end = trialOutputs});
    const auto wrong = std::inner_product(made.begin(), made.end(), trial.expected.begin(), std::size_t{0},
                                          std::plus<>(), std::not_equal_to<>());
    return wrong == 0
               ? std::string()
               : fmt::format("it computes {} layers wrong ({} of {} values)", name, wrong, made.size());
}

std::string tryBf16() {
    constexpr int largest = 127;  // numbers of 8 bits, as many as bf16 has
    const LayerTrial trial(largest);
    Tensor weight = Tensor::empty(trial.weight.shape(), DType::BF16);
    convert(trial.weight.data<float>(), weight.data<BFloat16>());
    if (std::string why = whyWrong(trial, *makeDnnlLinear(weight, trial.bias), "bf16"); !why.empty())
        return why;
    return whyWrong(trial, *makeDnnlStreamedLinear(weight, trial.bias), "streamed bf16");
}

std::string tryInt8() {
    constexpr int largest = 127;  // so that scales are 1
    const LayerTrial trial(largest);
    return whyWrong(trial, *makeDnnlInt8Linear(roundToInt8(trial.weight), trial.bias), "int8");
}

}  // namespace

std::string whyDnnlIsWrong(Arithmetic arithmetic) {
    try {
        return arithmetic == Arithmetic::Int8 ? tryInt8() : tryBf16();
    } catch (const dnnl::error& failure) {
        return fmt::format("it fails ({})", failure.what());
    }
}

}  // namespace meshreel
