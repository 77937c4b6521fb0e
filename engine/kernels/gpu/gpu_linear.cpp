// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/shader_check.h"
#include "linear_scalar.spv.h"

namespace meshreel {
namespace {

/// As linear_scalar.comp reads them.
struct LinearConstants {
    GpuAddress x, weight, bias, gate, y;
    std::uint32_t rows, outs, ins, xStride, weightStride, yStride;
    std::uint32_t activation;
    std::uint32_t flags;
};

constexpr std::uint32_t narrowX = 1;
constexpr std::uint32_t narrowWeight = 2;
constexpr std::uint32_t narrowY = 4;
constexpr std::uint32_t withBias = 8;
constexpr std::uint32_t withGate = 16;
constexpr std::uint32_t addToY = 32;

constexpr std::int64_t linearTile = 64;  // rows and outputs of a group

double checkLinear(GpuPipelines& pipelines, GpuStream& stream) {
    constexpr std::int64_t rows = 66;  // a whole tile and a part, in each direction
    constexpr std::int64_t outs = 67;
    constexpr std::int64_t ins = 19;
    const CheckedValues x(stream.gpu(), rows, ins, 1);
    const CheckedValues weight(stream.gpu(), outs, ins, 2);
    const CheckedValues bias(stream.gpu(), 1, outs, 3);
    const CheckedValues y(stream.gpu(), rows, outs, 4);
    applyLinear(pipelines, stream, {.weight = weight.matrix(), .bias = bias.address()}, x.matrix(),
                y.matrix());
    stream.finish();
    const std::vector<float> factors = x.read();
    const std::vector<float> weights = weight.read();
    const std::vector<float> biases = bias.read();
    const auto expected = [&](std::int64_t row, std::int64_t out) {
        auto sum = static_cast<double>(biases[static_cast<std::size_t>(out)]);
        for (std::int64_t k = 0; k < ins; ++k)
            sum += static_cast<double>(factors[static_cast<std::size_t>(row * ins + k)]) *
                   static_cast<double>(weights[static_cast<std::size_t>(out * ins + k)]);
        return sum;
    };
    return y.difference(expected, 1e-5);
}

const GpuShader linearShader{.name = "linear_scalar",
                             .words = linear_scalar_spirv,
                             .constants = sizeof(LinearConstants),
                             .check = checkLinear};

void requireFit(const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
    for (const GpuMatrix* matrix : {&layer.weight, &x, &y})
        requireGpuMatrix(*matrix);
    if (x.layout.rows != y.layout.rows || x.layout.width != layer.weight.layout.width ||
        y.layout.width != layer.weight.layout.rows)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU does not fit its rows");
}

std::uint32_t word32(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

void applyLinear(GpuPipelines& pipelines, GpuStream& stream, const GpuLinear& layer, const GpuMatrix& x,
                 const GpuMatrix& y, const GpuEpilogue& epilogue) {
    requireFit(layer, x, y);
    const GpuProgram& program = pipelines.program(linearShader);
    const std::int64_t outs = y.layout.width;
    const double workOfRow = 2.0 * real(outs) * real(x.layout.width);
    // Whole tiles, of which no dispatch has more than a submission should.
    const std::int64_t tiles = (y.layout.rows + linearTile - 1) / linearTile;
    const std::int64_t portion =
        rowsOfDispatch(tiles, workOfRow * real(linearTile), stream.portion()) * linearTile;
    for (std::int64_t first = 0; first < y.layout.rows; first += portion) {
        const std::int64_t rows = std::min(portion, y.layout.rows - first);
        const LinearConstants constants{
            .x = x.slice(first, rows).address,
            .weight = layer.weight.address,
            .bias = layer.bias,
            .gate = epilogue.gate,
            .y = y.slice(first, rows).address,
            .rows = word32(rows),
            .outs = word32(outs),
            .ins = word32(x.layout.width),
            .xStride = word32(x.layout.stride),
            .weightStride = word32(layer.weight.layout.stride),
            .yStride = word32(y.layout.stride),
            .activation = static_cast<std::uint32_t>(epilogue.activation),
            .flags = (x.isNarrow() ? narrowX : 0U) | (layer.weight.isNarrow() ? narrowWeight : 0U) |
                     (y.isNarrow() ? narrowY : 0U) | (layer.bias != 0 ? withBias : 0U) |
                     (epilogue.gate != 0 ? withGate : 0U) | (epilogue.addToOutput ? addToY : 0U)};
        stream.dispatch(program, constantBytes(constants),
                        {.x = word32((outs + linearTile - 1) / linearTile),
                         .y = word32((rows + linearTile - 1) / linearTile)},
                        workOfRow * real(rows));
    }
}

}  // namespace meshreel
