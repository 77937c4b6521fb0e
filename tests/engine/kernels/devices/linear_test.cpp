// SPDX-License-Identifier: GPL-3.0-or-later
// Linear layers on every device in every arithmetic, against the definition in double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bounded_value.h"
#include "tested_device.h"
#include "tests/support/activation_reference.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using testing::Bounded;
using testing::BoundedSum;

/// A layer and the part of wider rows that it reads and writes.
struct LayerCase {
    std::int64_t rows;
    std::int64_t ins;
    std::int64_t outs;
    std::int64_t first = 0;  ///< column of x and y
    std::int64_t more = 0;   ///< columns behind them
    bool biased = true;
    LinearActivation activation = LinearActivation::None;
    bool gated = false;
    bool adds = false;
};

// Beyond tiles of 16, 32 and 64 rows and outputs, and steps of 32 and 64 inputs, and within one.
constexpr std::array layerCases{
    LayerCase{.rows = 70, .ins = 77, .outs = 100},
    LayerCase{.rows = 1, .ins = 1, .outs = 1, .biased = false},
    LayerCase{.rows = 3, .ins = 300, .outs = 34, .activation = LinearActivation::Silu},
    LayerCase{.rows = 33, .ins = 64, .outs = 96, .activation = LinearActivation::GeluErf},
    LayerCase{.rows = 17, .ins = 70, .outs = 37, .first = 3, .more = 2, .gated = true},
    LayerCase{.rows = 19, .ins = 8, .outs = 130, .first = 16, .more = 1, .adds = true},
    LayerCase{.rows = 66,
              .ins = 64,
              .outs = 40,
              .first = 8,
              .activation = LinearActivation::GeluTanh,
              .gated = true,
              .adds = true},
};

Bounded activatedIn(LinearActivation activation, const Bounded& x) {
    if (activation == LinearActivation::None)
        return x;
    return testing::activated([&](double value) { return testing::activatedInDouble(activation, value); }, x);
}

double valueAt(const Tensor& f32, std::int64_t row, std::int64_t column) {
    return static_cast<double>(
        f32.data<float>()[static_cast<std::size_t>(row * f32.extent(f32.shape().rank() - 1) + column)]);
}

class LinearOnDevices : public testing::DeviceTest {
  protected:
    /// Numbers that both the arithmetic and `type` hold as they are: of int8, whole ones with a 127 in column
    /// `first` of each row.
    [[nodiscard]] Tensor exactly(const Shape& shape, std::int64_t first, DType type,
                                 std::uint32_t seed) const {
        if (arithmetic() != Arithmetic::Int8) {
            const Tensor values = testing::randomTensor(shape, seed);
            const bool narrow = arithmetic() == Arithmetic::BF16 || type == DType::BF16;
            return narrow ? testing::toBf16(values).to(type) : values;
        }
        std::mt19937 random(seed);
        Tensor whole = Tensor::empty(shape);
        std::size_t index = 0;
        for (float& value : whole.data<float>()) {
            const bool largest = static_cast<std::int64_t>(index++) % shape[1] == first;
            value = largest ? 127.0F : static_cast<float>(static_cast<int>(random() % 253) - 126);
        }
        return whole.to(type);
    }

    /// Of every row and output, before the bias: [rows, outs].
    [[nodiscard]] std::vector<Bounded> productsOf(const LayerCase& of, const Tensor& x,
                                                  const Tensor& weight) const {
        const Tensor xValues = x.toF32();
        const Tensor weightValues = weight.toF32();
        std::vector<Bounded> all;
        for (std::int64_t row = 0; row < of.rows; ++row)
            for (std::int64_t out = 0; out < of.outs; ++out) {
                BoundedSum products;
                products.add(xValues.data<float>().data() + row * x.extent(1) + of.first,
                             weightValues.data<float>().data() + out * of.ins, of.ins);
                all.push_back(arithmetic() == Arithmetic::Int8 ? products.exactTotal() : products.total());
            }
        return all;
    }

    void expectLayers(const LayerCase& of, DType input) {
        const Tensor x = exactly({of.rows, of.first + of.ins + of.more}, of.first, input, 1);
        // Matrix units of a GPU round the weight to the type of the rows, where that is bf16.
        const Tensor weight = exactly({of.outs, of.ins}, 0, input, 2).to(rowType());
        const std::vector<Bounded> products = productsOf(of, x, weight);
        for (const DType output : {DType::F32, DType::BF16}) {
            SCOPED_TRACE(fmt::format("{} rows, {} to {}, {} to {}", of.rows, of.ins, of.outs, nameOf(input),
                                     nameOf(output)));
            expectLayer(of, x, weight, products, output);
        }
    }

    void expectLayer(const LayerCase& of, const Tensor& x, const Tensor& weight,
                     const std::vector<Bounded>& products, DType output) {
        const Tensor bias = testing::randomTensor({of.outs}, 3);
        const Tensor gate = testing::randomTensor({of.outs}, 4);
        const Tensor before =
            testing::randomTensor({of.rows, of.first + of.outs + of.more}, 5).to(output).clone();
        const Tensor rows = there(x);
        Tensor y = there(before);
        pack(weight, of.biased ? &bias : nullptr)
            .apply(execution(), MatrixView(rows).columns(of.first, of.ins),
                   MatrixSpan(y).columns(of.first, of.outs),
                   {.activation = of.activation,
                    .gate = of.gated ? gate.data<float>() : std::span<const float>(),
                    .addToOutput = of.adds});
        const Tensor found = y.host().toF32();
        const Tensor old = before.toF32();
        for (std::int64_t row = 0; row < of.rows; ++row)
            for (std::int64_t column = 0; column < y.extent(1); ++column) {
                const std::int64_t out = column - of.first;
                if (out < 0 || out >= of.outs) {
                    ASSERT_EQ(valueAt(found, row, column), valueAt(old, row, column)) << "beside the output";
                    continue;
                }
                Bounded value = products[static_cast<std::size_t>(row * of.outs + out)];
                if (of.biased)
                    value = testing::sum(value, {valueAt(bias, 0, out)});
                value = activatedIn(of.activation, value);
                if (of.gated)
                    value = testing::product(value, valueAt(gate, 0, out));
                if (of.adds)
                    value = testing::sum(value, {valueAt(old, row, column)});
                value = testing::stored(value, output);
                ASSERT_TRUE(value.admits(valueAt(found, row, column)))
                    << valueAt(found, row, column) << " is not " << value << " at " << row << ", " << out;
            }
    }
};

TEST_P(LinearOnDevices, AreTheirDefinition) {
    for (const LayerCase& of : layerCases)
        for (const DType input : {DType::F32, DType::BF16})
            expectLayers(of, input);
}

INSTANTIATE_TEST_SUITE_P(Every, LinearOnDevices,
                         ::testing::ValuesIn(testing::onEveryDevice({Arithmetic::F32, Arithmetic::BF16,
                                                                     Arithmetic::Int8})),
                         [](const auto& of) { return testing::nameOf(of.param); });

}  // namespace
}  // namespace meshreel
