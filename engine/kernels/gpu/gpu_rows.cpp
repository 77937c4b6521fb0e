// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "elementwise.spv.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/tensor/tensor.h"
#include "finite.spv.h"
#include "head_norm.spv.h"
#include "layer_norm.spv.h"

namespace meshreel {
namespace {

/// Read by layer_norm.comp.
struct LayerNormConstants {
    GpuAddress x, gamma, beta, y;
    std::uint32_t width, xStride, yStride;
    float epsilon;
    std::uint32_t flags;
    std::uint32_t unused = 0;
};

/// Read by head_norm.comp.
struct HeadNormConstants {
    GpuAddress x, gamma, cosines, sines;
    std::uint32_t width, stride, headDim, tokens, firstRow;
    float epsilon;
    std::uint32_t flags;
    std::uint32_t unused = 0;
};

/// Read by elementwise.comp.
struct ElementwiseConstants {
    GpuAddress into, values, gate;
    std::uint32_t width, intoStride, valuesStride;
    std::uint32_t operation;
    std::uint32_t flags;
    float factor = 0.0F;
};

/// Read by finite.comp.
struct FiniteConstants {
    GpuAddress x, found;
    std::uint32_t width, stride;
};

enum class ElementwiseOperation : std::uint32_t {
    Add,
    Multiply,
    AddGated,
    SubtractFrom,
    AddAndRectify,
    Rectify,
    BoundTo3,
    Centre,
    GeluTanh,
    GeluErf,
    GeluQuick,
    LeakyRectify,
    AddAndLeakyRectify,
    LeakyRectifyByColumn,
    ScaleAndAdd,
    Copy,
    UnpackInt8
};

constexpr std::int64_t elementwiseThreads = 128;
constexpr double checkEpsilon = 1e-6;
constexpr double checkError = 1e-5;
constexpr float checkSlope = 0.25F;
constexpr float checkFactor = -0.5F;

std::uint32_t word(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

/// Calls `record` with each part [first, first + count) of the rows that one dispatch takes.
template <typename Record>
void recordRows(const GpuStream& stream, const GpuMatrix& matrix, double workOfElement, Record record) {
    const double workOfRow = workOfElement * real(matrix.layout.width);
    const std::int64_t portion = rowsOfDispatch(matrix.layout.rows, workOfRow, stream.portion());
    for (std::int64_t first = 0; first < matrix.layout.rows; first += portion) {
        const std::int64_t count = std::min(portion, matrix.layout.rows - first);
        record(first, count, workOfRow * real(count));
    }
}

std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

double checkLayerNorm(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const PreparedRows by{.layerNorm = &pipelines.program(shader)};
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t width = 200;
    const CheckedValues x(stream.gpu(), rows, width, 1);
    const CheckedValues gamma(stream.gpu(), 1, width, 2);
    const CheckedValues beta(stream.gpu(), 1, width, 3);
    const CheckedValues y(stream.gpu(), rows, width, 4);
    const CheckedValues scaled(stream.gpu(), rows, width, 5);
    layerNorm(stream, by, x.matrix(), checkEpsilon, {gamma.address(), beta.address()}, y.matrix());
    rmsNorm(stream, by, x.matrix(), checkEpsilon, gamma.address(), scaled.matrix());
    stream.finish();
    const std::vector<float> values = x.read();
    const std::vector<float> scales = gamma.read();
    const std::vector<float> shifts = beta.read();
    const auto normed = [&](std::int64_t row, std::int64_t column, bool centred) {
        double sum = 0.0;
        double squares = 0.0;
        for (std::int64_t i = 0; i < width; ++i) {
            const auto value = static_cast<double>(values[at(row * width + i)]);
            sum += value;
            squares += value * value;
        }
        const double mean = centred ? sum / real(width) : 0.0;
        const double variance = squares / real(width) - mean * mean;
        return (static_cast<double>(values[at(row * width + column)]) - mean) /
               std::sqrt(variance + checkEpsilon) * static_cast<double>(scales[at(column)]);
    };
    const double difference = y.difference(
        [&](std::int64_t row, std::int64_t column) {
            return normed(row, column, true) + static_cast<double>(shifts[at(column)]);
        },
        checkError);
    const double rmsDifference = scaled.difference(
        [&](std::int64_t row, std::int64_t column) { return normed(row, column, false); }, checkError);
    return difference <= 1.0 ? rmsDifference : difference;
}

double checkHeadNorm(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const PreparedRows by{.headNorm = &pipelines.program(shader)};
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t tokens = 3;
    constexpr std::int64_t headDim = 6;
    constexpr std::int64_t width = 4 * headDim;
    const CheckedValues x(stream.gpu(), rows, width, 1);
    const CheckedValues gamma(stream.gpu(), 1, width, 2);
    const CheckedValues cosines(stream.gpu(), tokens, headDim / 2, 3);
    const CheckedValues sines(stream.gpu(), tokens, headDim / 2, 4);
    const std::vector<float> values = x.read();
    normaliseHeads(stream, by, x.matrix(),
                   {.headDim = headDim,
                    .gamma = gamma.address(),
                    .epsilon = checkEpsilon,
                    .cosines = cosines.address(),
                    .sines = sines.address(),
                    .tokens = tokens});
    stream.finish();
    const std::vector<float> scales = gamma.read();
    const std::vector<float> cosine = cosines.read();
    const std::vector<float> sine = sines.read();
    const auto scaled = [&](std::int64_t row, std::int64_t column) {
        double squares = 0.0;
        for (std::int64_t i = 0; i < width; ++i)
            squares += std::pow(static_cast<double>(values[at(row * width + i)]), 2);
        return static_cast<double>(values[at(row * width + column)]) /
               std::sqrt(squares / real(width) + checkEpsilon) * static_cast<double>(scales[at(column)]);
    };
    const auto expected = [&](std::int64_t row, std::int64_t column) {
        const std::int64_t angle = row % tokens * (headDim / 2) + column % headDim / 2;
        const auto c = static_cast<double>(cosine[at(angle)]);
        const auto s = static_cast<double>(sine[at(angle)]);
        return column % 2 == 0 ? scaled(row, column) * c - scaled(row, column + 1) * s
                               : scaled(row, column - 1) * s + scaled(row, column) * c;
    };
    return x.difference(expected, checkError);
}

/// Rows of int8 numbers of both signs, two words each.
double checkUnpacking(GpuStream& stream, const PreparedRows& by) {
    constexpr std::int64_t rows = 3;
    constexpr std::array<std::int8_t, 8> bytes{1, -2, 3, -127, 0, 127, -1, 64};
    constexpr std::int64_t wordsOfRow = 2;
    const CheckedValues words(stream.gpu(), rows, wordsOfRow, 1);
    const CheckedValues scales(stream.gpu(), 1, rows, 2);
    const CheckedValues into(stream.gpu(), rows, std::ssize(bytes), 3);
    std::vector<float> written(at(rows * wordsOfRow));
    for (std::size_t index = 0; index < written.size(); ++index) {
        std::uint32_t four = 0;
        for (std::size_t byte = 0; byte < 4; ++byte)
            four |= std::uint32_t{static_cast<std::uint8_t>(bytes.at(index % 2 * 4 + byte))} << (8 * byte);
        written[index] = std::bit_cast<float>(four);
    }
    words.write(written);
    unpackInt8Rows(stream, by, into.matrix(), words.matrix().address, scales.address());
    stream.finish();
    const std::vector<float> factors = scales.read();
    return into.difference(
        [&](std::int64_t row, std::int64_t column) {
            return static_cast<double>(bytes.at(at(column))) * static_cast<double>(factors[at(row)]);
        },
        checkError);
}

/// Checks all operations in one comparison: first those of two matrices, then those of one.
double checkElementwise(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const PreparedRows by{.elementwise = &pipelines.program(shader)};
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t width = 130;
    const CheckedValues into(stream.gpu(), rows, width, 1);
    const CheckedValues values(stream.gpu(), rows, width, 2);
    const CheckedValues gate(stream.gpu(), 1, width, 3);
    const CheckedValues changed(stream.gpu(), rows, width, 4);
    const CheckedValues leaked(stream.gpu(), rows, width, 5);
    const std::vector<float> before = into.read();
    addGated(stream, by, into.matrix(), values.matrix(), gate.address());
    multiplyRows(stream, by, into.matrix(), values.matrix());
    addRows(stream, by, into.matrix(), values.matrix());
    subtractFrom(stream, by, into.matrix(), values.matrix());
    boundTo3(stream, by, changed.matrix(), into.matrix());
    rectify(stream, by, changed.matrix());
    centre(stream, by, changed.matrix());
    addAndRectify(stream, by, changed.matrix(), values.matrix());
    for (const GeluForm form : {GeluForm::Tanh, GeluForm::Erf, GeluForm::Quick})
        applyGelu(stream, by, changed.matrix(), form);
    copyRows(stream, by, leaked.matrix(), values.matrix());
    leakyRectify(stream, by, leaked.matrix(), checkSlope);
    scaleAndAdd(stream, by, leaked.matrix(), values.matrix(), checkFactor);
    leakyRectify(stream, by, leaked.matrix(), gate.address());
    addAndLeakyRectify(stream, by, leaked.matrix(), values.matrix(), checkSlope);
    stream.finish();
    const std::vector<float> others = values.read();
    const std::vector<float> gates = gate.read();
    const auto expected = [&](std::int64_t row, std::int64_t column) {
        const auto other = static_cast<double>(others[at(row * width + column)]);
        const double gated = static_cast<double>(before[at(row * width + column)]) +
                             other * static_cast<double>(gates[at(column)]);
        return other - (gated * other + other);
    };
    const auto expectedOfChanged = [&](std::int64_t row, std::int64_t column) {
        const double bounded = std::max(3.0 * std::tanh(expected(row, column) / 3.0), 0.0);
        double value =
            std::max(2.0 * bounded - 1.0 + static_cast<double>(others[at(row * width + column)]), 0.0);
        const double inner = std::sqrt(2.0 / std::numbers::pi) * (value + 0.044715 * value * value * value);
        value *= 0.5 * (1.0 + std::tanh(inner));
        value *= 0.5 * (1.0 + std::erf(value / std::numbers::sqrt2));
        return value / (1.0 + std::exp(-1.702 * value));
    };
    const auto leaky = [](double value, double slope) { return value < 0.0 ? slope * value : value; };
    const auto expectedOfLeaked = [&](std::int64_t row, std::int64_t column) {
        const auto value = static_cast<double>(others[at(row * width + column)]);
        const double slope = static_cast<double>(checkSlope);
        double result = leaky(value, slope) * static_cast<double>(checkFactor) + value;
        result = leaky(result, static_cast<double>(gates[at(column)]));
        return leaky(result + value, slope);
    };
    double difference = into.difference(expected, checkError);
    if (difference <= 1.0)
        difference = changed.difference(expectedOfChanged, checkError);
    if (difference <= 1.0)
        difference = leaked.difference(expectedOfLeaked, checkError);
    return difference <= 1.0 ? checkUnpacking(stream, by) : difference;
}

/// One of three rows holds an infinity, which the others must not show.
double checkFinite(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const PreparedRows by{.finite = &pipelines.program(shader)};
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t width = 130;
    const CheckedValues x(stream.gpu(), rows, width, 1);
    const CheckedValues found(stream.gpu(), 1, rows, 2);
    std::vector<float> values = x.read();
    values[at(2 * width - 1)] = std::numeric_limits<float>::infinity();
    x.write(values);
    found.write(std::vector<float>(at(rows), 0.0F));
    for (std::int64_t row = 0; row < rows; ++row)
        findNonFinite(stream, by, x.matrix().slice(row, 1), found.matrix().columns(row, 1).address);
    stream.finish();
    const std::vector<float> words = found.read();
    const auto isMarked = [&](std::int64_t row) { return std::bit_cast<std::uint32_t>(words[at(row)]) != 0; };
    const bool right = !isMarked(0) && isMarked(1) && !isMarked(2);
    return right ? 0.0 : std::numeric_limits<double>::infinity();
}

const GpuShader layerNormShader{.name = "layer_norm",
                                .words = layer_norm_spirv,
                                .constants = sizeof(LayerNormConstants),
                                .check = checkLayerNorm};
const GpuShader headNormShader{.name = "head_norm",
                               .words = head_norm_spirv,
                               .constants = sizeof(HeadNormConstants),
                               .check = checkHeadNorm};
const GpuShader elementwiseShader{.name = "elementwise",
                                  .words = elementwise_spirv,
                                  .constants = sizeof(ElementwiseConstants),
                                  .check = checkElementwise};

const GpuShader finiteShader{
    .name = "finite", .words = finite_spirv, .constants = sizeof(FiniteConstants), .check = checkFinite};

void requireOneSize(const GpuMatrix& one, const GpuMatrix& other) {
    requireGpuMatrix(one);
    requireGpuMatrix(other);
    if (one.layout.rows != other.layout.rows || one.layout.width != other.layout.width)
        throw Error(ErrorKind::Internal, "rows on a GPU have two sizes");
}

/// Numbers side by side as rows that fill groups, and one shorter row for the rest, perhaps of no numbers;
/// others as they are, with no rest.
std::array<GpuMatrix, 2> inLongRows(const GpuMatrix& matrix) {
    constexpr std::int64_t longRow = 8192;
    const std::int64_t numbers = matrix.layout.rows * matrix.layout.width;
    if (matrix.layout.stride != matrix.layout.width || numbers < longRow)
        return {matrix, GpuMatrix{.type = matrix.type}};
    const auto part = [&](std::int64_t first, std::int64_t rows, std::int64_t width) {
        return GpuMatrix{.address = matrix.columns(first, 1).address,
                         .type = matrix.type,
                         .layout = {.rows = rows, .width = width, .stride = width}};
    };
    const std::int64_t rest = numbers % longRow;
    return {part(0, numbers / longRow, longRow), part(numbers - rest, rest > 0 ? 1 : 0, rest)};
}

void combineRows(GpuStream& stream, const PreparedRows& by, ElementwiseOperation operation,
                 const GpuMatrix& into, const GpuMatrix& values, GpuAddress gate, float factor) {
    const GpuProgram& program = *by.elementwise;
    recordRows(stream, into, 2.0, [&](std::int64_t first, std::int64_t count, double work) {
        const ElementwiseConstants constants{
            .into = into.slice(first, count).address,
            .values = values.slice(first, count).address,
            .gate = gate,
            .width = word(into.layout.width),
            .intoStride = word(into.layout.stride),
            .valuesStride = word(values.layout.stride),
            .operation = static_cast<std::uint32_t>(operation),
            .flags = (into.isNarrow() ? 1U : 0U) | (values.isNarrow() ? 2U : 0U),
            .factor = factor};
        stream.dispatch(
            program, constantBytes(constants),
            {.x = word((into.layout.width + elementwiseThreads - 1) / elementwiseThreads), .y = word(count)},
            work);
    });
}

void combine(GpuStream& stream, const PreparedRows& by, ElementwiseOperation operation, const GpuMatrix& into,
             const GpuMatrix& values, GpuAddress gate, float factor = 0.0F) {
    requireOneSize(into, values);
    if (gate != 0 || into.layout.stride != values.layout.stride)
        return combineRows(stream, by, operation, into, values, gate, factor);
    const std::array<GpuMatrix, 2> intoRows = inLongRows(into);
    const std::array<GpuMatrix, 2> valueRows = inLongRows(values);
    for (std::size_t part = 0; part < intoRows.size(); ++part)
        combineRows(stream, by, operation, intoRows.at(part), valueRows.at(part), 0, factor);
}

// Flags of LayerNormConstants.
constexpr std::uint32_t withGamma = 2;
constexpr std::uint32_t withBeta = 4;
constexpr std::uint32_t ofRms = 8;

void recordNorm(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, double epsilon,
                const GpuAffine& affine, const GpuMatrix& y, std::uint32_t kind) {
    requireOneSize(x, y);
    if (x.isNarrow())
        throw Error(ErrorKind::Internal, "a norm on a GPU takes f32 rows");
    const std::uint32_t flags = kind | (y.isNarrow() ? 1U : 0U);
    const GpuProgram& program = *by.layerNorm;
    recordRows(stream, x, 8.0, [&](std::int64_t first, std::int64_t count, double work) {
        const LayerNormConstants constants{.x = x.slice(first, count).address,
                                           .gamma = affine.gamma,
                                           .beta = affine.beta,
                                           .y = y.slice(first, count).address,
                                           .width = word(x.layout.width),
                                           .xStride = word(x.layout.stride),
                                           .yStride = word(y.layout.stride),
                                           .epsilon = static_cast<float>(epsilon),
                                           .flags = flags};
        stream.dispatch(program, constantBytes(constants), {.x = word(count)}, work);
    });
}

}  // namespace

PreparedRows prepareRows(GpuPipelines& pipelines) {
    return {.layerNorm = &pipelines.program(layerNormShader),
            .headNorm = &pipelines.program(headNormShader),
            .elementwise = &pipelines.program(elementwiseShader),
            .finite = &pipelines.program(finiteShader)};
}

void layerNorm(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, double epsilon,
               const GpuAffine& affine, const GpuMatrix& y) {
    if ((affine.gamma == 0) != (affine.beta == 0))
        throw Error(ErrorKind::Internal, "a layer norm on a GPU takes gamma with beta");
    recordNorm(stream, by, x, epsilon, affine, y, affine.gamma != 0 ? withGamma | withBeta : 0U);
}

void rmsNorm(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, double epsilon, GpuAddress gamma,
             const GpuMatrix& y) {
    if (gamma == 0)
        throw Error(ErrorKind::Internal, "an RMS norm on a GPU has no weights");
    recordNorm(stream, by, x, epsilon, {.gamma = gamma}, y, withGamma | ofRms);
}

void normaliseHeads(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, const GpuHeadNorm& norm) {
    requireGpuMatrix(x);
    const bool rotated = norm.cosines != 0;
    if (x.layout.rows == 0)
        return;  // a device of the mesh without tokens
    if (norm.headDim <= 0 || norm.headDim % 2 != 0 || x.layout.width % norm.headDim != 0 ||
        rotated != (norm.sines != 0) || (rotated && norm.tokens <= 0))
        throw Error(ErrorKind::Internal, "a head norm on a GPU does not fit its rows");
    const GpuProgram& program = *by.headNorm;
    recordRows(stream, x, 8.0, [&](std::int64_t first, std::int64_t count, double work) {
        const HeadNormConstants constants{
            .x = x.slice(first, count).address,
            .gamma = norm.gamma,
            .cosines = norm.cosines,
            .sines = norm.sines,
            .width = word(x.layout.width),
            .stride = word(x.layout.stride),
            .headDim = word(norm.headDim),
            .tokens = word(norm.tokens),
            .firstRow = word(first),
            .epsilon = static_cast<float>(norm.epsilon),
            .flags = (x.isNarrow() ? 1U : 0U) | (norm.gamma != 0 ? 2U : 0U) | (rotated ? 4U : 0U)};
        stream.dispatch(program, constantBytes(constants), {.x = word(count)}, work);
    });
}

void addRows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values) {
    combine(stream, by, ElementwiseOperation::Add, into, values, 0);
}

void subtractFrom(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values) {
    combine(stream, by, ElementwiseOperation::SubtractFrom, into, values, 0);
}

void findNonFinite(GpuStream& stream, const PreparedRows& by, const GpuMatrix& x, GpuAddress found) {
    requireGpuMatrix(x);
    if (x.isNarrow() || found == 0)
        throw Error(ErrorKind::Internal, "NaN and infinity are looked for on a GPU in f32 rows");
    const GpuProgram& program = *by.finite;
    for (const GpuMatrix& part : inLongRows(x))
        recordRows(stream, part, 1.0, [&](std::int64_t first, std::int64_t count, double work) {
            const FiniteConstants constants{.x = part.slice(first, count).address,
                                            .found = found,
                                            .width = word(part.layout.width),
                                            .stride = word(part.layout.stride)};
            stream.dispatch(program, constantBytes(constants), {.x = word(count)}, work);
        });
}

void addAndRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into,
                   const GpuMatrix& values) {
    combine(stream, by, ElementwiseOperation::AddAndRectify, into, values, 0);
}

void rectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into) {
    combine(stream, by, ElementwiseOperation::Rectify, into, into, 0);
}

void boundTo3(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values) {
    combine(stream, by, ElementwiseOperation::BoundTo3, into, values, 0);
}

void centre(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into) {
    combine(stream, by, ElementwiseOperation::Centre, into, into, 0);
}

void leakyRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, float slope) {
    combine(stream, by, ElementwiseOperation::LeakyRectify, into, into, 0, slope);
}

void addAndLeakyRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into,
                        const GpuMatrix& values, float slope) {
    combine(stream, by, ElementwiseOperation::AddAndLeakyRectify, into, values, 0, slope);
}

void leakyRectify(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, GpuAddress slopes) {
    if (slopes == 0)
        throw Error(ErrorKind::Internal, "a PReLU on a GPU has no slopes");
    combine(stream, by, ElementwiseOperation::LeakyRectifyByColumn, into, into, slopes);
}

void scaleAndAdd(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values,
                 float factor) {
    combine(stream, by, ElementwiseOperation::ScaleAndAdd, into, values, 0, factor);
}

void copyRows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values) {
    combine(stream, by, ElementwiseOperation::Copy, into, values, 0);
}

void applyGelu(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, GeluForm form) {
    constexpr std::array operations{ElementwiseOperation::GeluTanh, ElementwiseOperation::GeluErf,
                                    ElementwiseOperation::GeluQuick};
    combine(stream, by, operations.at(static_cast<std::size_t>(form)), into, into, 0);
}

void unpackInt8Rows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, GpuAddress values,
                    GpuAddress scales) {
    requireGpuMatrix(into);
    if (values == 0 || scales == 0 || into.layout.width % 4 != 0)
        throw Error(ErrorKind::Internal, "rows of int8 on a GPU do not fit what they are unpacked into");
    const GpuProgram& program = *by.elementwise;
    const auto widthOfBytes = static_cast<std::size_t>(into.layout.width);
    recordRows(stream, into, 2.0, [&](std::int64_t first, std::int64_t count, double work) {
        const ElementwiseConstants constants{
            .into = into.slice(first, count).address,
            .values = values + at(first) * widthOfBytes,
            .gate = scales + at(first) * sizeof(float),
            .width = word(into.layout.width),
            .intoStride = word(into.layout.stride),
            .valuesStride = word(into.layout.width),
            .operation = static_cast<std::uint32_t>(ElementwiseOperation::UnpackInt8),
            .flags = into.isNarrow() ? 1U : 0U};
        stream.dispatch(
            program, constantBytes(constants),
            {.x = word((into.layout.width + elementwiseThreads - 1) / elementwiseThreads), .y = word(count)},
            work);
    });
}

void multiplyRows(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values) {
    combine(stream, by, ElementwiseOperation::Multiply, into, values, 0);
}

void addGated(GpuStream& stream, const PreparedRows& by, const GpuMatrix& into, const GpuMatrix& values,
              GpuAddress gate) {
    if (gate == 0)
        throw Error(ErrorKind::Internal, "a gated sum on a GPU has no gate");
    combine(stream, by, ElementwiseOperation::AddGated, into, values, gate);
}

void layerNorm(const OnVulkan& on, const MatrixView& x, double epsilon, const NormWeights& weights,
               const MatrixSpan& y) {
    const GpuAffine affine{.gamma = gpuMatrix(weights.gamma).address,
                           .beta = gpuMatrix(weights.beta).address};
    layerNorm(on.stream(), rowsOf(on.pipelines()), gpuMatrix(x), epsilon, affine, gpuMatrix(y));
}

void layerNorm(const OnVulkan& on, const MatrixView& x, double epsilon, std::span<const float> scale,
               std::span<const float> shift, const MatrixSpan& y) {
    const GpuAffine affine{.gamma = gpuVector(on.gpu, scale), .beta = gpuVector(on.gpu, shift)};
    layerNorm(on.stream(), rowsOf(on.pipelines()), gpuMatrix(x), epsilon, affine, gpuMatrix(y));
}

void rmsNorm(const OnVulkan& on, const MatrixView& x, double epsilon, const MatrixView& gamma,
             const MatrixSpan& y) {
    rmsNorm(on.stream(), rowsOf(on.pipelines()), gpuMatrix(x), epsilon, gpuMatrix(gamma).address,
            gpuMatrix(y));
}

void normaliseHeads(const OnVulkan& on, const MatrixSpan& x, const HeadNorm& norm,
                    std::span<const float> squares) {
    if (!squares.empty() || (norm.scales() && norm.fullWidth != x.width()))
        throw Error(ErrorKind::Internal, "a norm on a GPU takes whole rows");
    GpuHeadNorm there{.headDim = norm.headDim,
                      .gamma = norm.scales() ? gpuMatrix(norm.gamma).address : 0,
                      .epsilon = norm.epsilon};
    if (norm.rotary != nullptr) {
        const MatrixView cosines(norm.rotary->cos);
        const MatrixView sines(norm.rotary->sin);
        static_cast<void>(operandDevice(on.execution, {x, cosines, sines}));
        there.cosines = gpuMatrix(cosines).address;
        there.sines = gpuMatrix(sines).address;
        there.tokens = cosines.rows();
    }
    normaliseHeads(on.stream(), rowsOf(on.pipelines()), gpuMatrix(x), there);
}

void activate(const OnVulkan& on, Activation& activation, const MatrixSpan& values) {
    constexpr std::array<std::pair<Activation*, GeluForm>, 3> forms{
        {{&geluTanh, GeluForm::Tanh}, {&geluErf, GeluForm::Erf}, {&geluQuick, GeluForm::Quick}}};
    const auto* const form = std::ranges::find(forms, &activation, &std::pair<Activation*, GeluForm>::first);
    if (form == forms.end())
        throw Error(ErrorKind::Internal, "a GPU has no kernel for this activation alone");
    applyGelu(on.stream(), rowsOf(on.pipelines()), gpuMatrix(values), form->second);
}

void addRows(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values) {
    addRows(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values));
}

void subtractFrom(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values) {
    subtractFrom(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values));
}

void multiplyRows(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values) {
    multiplyRows(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values));
}

void addGated(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values,
              std::span<const float> gate) {
    addGated(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values),
             gpuVector(on.gpu, gate));
}

void rectify(const OnVulkan& on, const MatrixSpan& into) {
    rectify(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into));
}

void addAndRectify(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values) {
    addAndRectify(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values));
}

void boundTo3(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values) {
    boundTo3(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values));
}

void centre(const OnVulkan& on, const MatrixSpan& into) {
    centre(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into));
}

void leakyRectify(const OnVulkan& on, const MatrixSpan& into, float slope) {
    leakyRectify(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), slope);
}

void addAndLeakyRectify(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values, float slope) {
    addAndLeakyRectify(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values), slope);
}

void leakyRectify(const OnVulkan& on, const MatrixSpan& into, std::span<const float> slopes) {
    leakyRectify(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuVector(on.gpu, slopes));
}

void scaleAndAdd(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values, float factor) {
    scaleAndAdd(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values), factor);
}

void copyRows(const OnVulkan& on, const MatrixSpan& into, const MatrixView& values) {
    copyRows(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), gpuMatrix(values));
}

void unpackInt8Rows(const OnVulkan& on, const Int8Rows& packed, const MatrixSpan& into) {
    if (into.rows() == 0)
        return;
    const auto addressOf = [](const Tensor& tensor) {
        return reinterpret_cast<GpuAddress>(tensor.address());
    };
    unpackInt8Rows(on.stream(), rowsOf(on.pipelines()), gpuMatrix(into), addressOf(packed.values),
                   addressOf(packed.scales));
}

}  // namespace meshreel
