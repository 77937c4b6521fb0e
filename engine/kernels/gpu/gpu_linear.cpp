// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "linear_scalar.spv.h"
#include "linear_tiles.variants.h"

namespace meshreel {
namespace {

/// As linear_epilogue.glsl has them.
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

constexpr std::uint32_t fourAtOnce = 64;

std::uint32_t word32(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

/// A shader with what it takes to record it.
struct LinearProgram {
    const GpuProgram& program;
    std::int64_t rows;       // of a group
    std::int64_t outs;       // of a group
    double workScale = 1.0;  // see TakenKernel
};

void recordLinear(GpuStream& stream, const LinearProgram& by, const GpuLinear& layer, const GpuMatrix& x,
                  const GpuMatrix& y, const GpuEpilogue& epilogue) {
    const std::int64_t outs = y.layout.width;
    const double workOfRow = 2.0 * real(outs) * real(x.layout.width) * by.workScale;
    // Whole blocks, of which no dispatch has more than a submission should.
    const std::int64_t blocks = (y.layout.rows + by.rows - 1) / by.rows;
    const std::int64_t portion =
        rowsOfDispatch(blocks, workOfRow * real(by.rows), stream.portion()) * by.rows;
    const std::size_t four = 4 * sizeOf(y.type);
    const bool aligned = y.address % four == 0 && y.layout.stride % 4 == 0;
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
                     (epilogue.gate != 0 ? withGate : 0U) | (epilogue.addToOutput ? addToY : 0U) |
                     (aligned ? fourAtOnce : 0U)};
        stream.dispatch(
            by.program, constantBytes(constants),
            {.x = word32((outs + by.outs - 1) / by.outs), .y = word32((rows + by.rows - 1) / by.rows)},
            workOfRow * real(rows));
    }
}

// ---- Checks ----

/// The largest error of `record` on small values, in units of `allowed`. Rows and outputs are a whole block
/// and a part of one, in each direction.
double linearError(
    GpuStream& stream, std::int64_t rows, std::int64_t outs, std::int64_t ins, DType type, double allowed,
    const std::function<void(const GpuLinear&, const GpuMatrix& x, const GpuMatrix& y)>& record) {
    const CheckedValues x(stream.gpu(), rows, ins, 1, type);
    const CheckedValues weight(stream.gpu(), outs, ins, 2, type);
    const CheckedValues bias(stream.gpu(), 1, outs, 3);
    const CheckedValues y(stream.gpu(), rows, outs, 4);
    record({.weight = weight.matrix(), .bias = bias.address()}, x.matrix(), y.matrix());
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
    return y.difference(expected, allowed);
}

// ---- Without matrix units ----

constexpr std::int64_t scalarBlock = 64;  // rows and outputs of a group

double checkScalar(GpuPipelines& pipelines, GpuStream& stream);

const GpuShader linearShader{.name = "linear_scalar",
                             .words = linear_scalar_spirv,
                             .constants = sizeof(LinearConstants),
                             .check = checkScalar};

LinearProgram scalarProgram(GpuPipelines& pipelines) {
    return {.program = pipelines.program(linearShader), .rows = scalarBlock, .outs = scalarBlock};
}

double checkScalar(GpuPipelines& pipelines, GpuStream& stream) {
    return linearError(stream, scalarBlock + 2, scalarBlock + 3, 19, DType::F32, 1e-5,
                       [&](const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
                           recordLinear(stream, scalarProgram(pipelines), layer, x, y, {});
                       });
}

// ---- On matrix units ----

/// A variant with the block of a group.
struct LinearTiles {
    MatrixVariant variant;
    std::int64_t rows = 0;
    std::int64_t outs = 0;
    std::int64_t inputs = 0;  // of a step
    bool gathers = false;     // rows of any width and begin, and f32 weights
};

/// See linear_tiles in engine/kernels/CMakeLists.txt for the numbers.
LinearTiles linearTiles(const MatrixExtents& extents, std::uint32_t subgroup,
                        const std::array<std::uint32_t, 3>& block, std::uint32_t rowParts,
                        std::uint32_t outParts, std::uint32_t stages, std::uint32_t gathered,
                        std::array<std::span<const std::uint32_t>, 3> words) {
    const auto [rows, outs, inputs] = block;
    constexpr std::uint32_t wordBytes = 16;
    return {.variant = {.extents = extents,
                        .subgroup = subgroup,
                        .threads = rowParts * outParts * subgroup,
                        .sharedBytes = stages * (rows + outs) * (inputs / 8 + 1) * wordBytes,
                        .block = fmt::format("{}x{}x{}.{}x{}x{}.{}x{}.{}", extents.m, extents.n, extents.k,
                                             rows, outs, inputs, rowParts, outParts, stages),
                        .words = words},
            .rows = rows,
            .outs = outs,
            .inputs = inputs,
            .gathers = gathered == 1};
}

#define MESHREEL_LINEAR_TILES(m, n, k, subgroup, rows, outs, inputs, rowParts, outParts, stages, gathered, \
                              nv, khr, khrNarrow)                                                          \
    linearTiles({m, n, k}, subgroup, {rows, outs, inputs}, rowParts, outParts, stages, gathered,           \
                {nv, khr, khrNarrow}),

const std::vector<LinearTiles>& linearTable() {
    static const std::vector<LinearTiles> table{MESHREEL_LINEAR_TILES_VARIANTS(MESHREEL_LINEAR_TILES)};
    return table;
}

/// Those that are compared with each other; the gathering ones stand in for them.
const std::vector<MatrixVariant>& linearVariants() {
    static const std::vector<MatrixVariant> variants = [] {
        std::vector<MatrixVariant> all;
        for (std::size_t place = 0; place < linearTable().size(); ++place)
            if (!linearTable()[place].gathers) {
                all.push_back(linearTable()[place].variant);
                all.back().place = place;
            }
        return all;
    }();
    return variants;
}

double checkTiles(GpuPipelines& pipelines, GpuStream& stream, const LinearTiles& tiles, MatrixForm form);

LinearProgram tilesProgram(GpuPipelines& pipelines, const LinearTiles& tiles, MatrixForm form) {
    const MatrixExtents& extents = tiles.variant.extents;
    const GpuShader shader{
        .name = fmt::format("linear_tiles {} {}{}", enumName(form), tiles.variant.block,
                            tiles.gathers ? " gathered" : ""),
        .words = tiles.variant.wordsOf(form),
        .constants = sizeof(LinearConstants),
        .check = [&tiles, form](GpuPipelines& by,
                                GpuStream& stream) { return checkTiles(by, stream, tiles, form); },
        .specialised = {extents.m, extents.k, extents.k, extents.n, extents.m, extents.n},
        .subgroup = tiles.variant.subgroup};
    return {.program = pipelines.program(shader), .rows = tiles.rows, .outs = tiles.outs};
}

/// bf16 factors are exact in f16 too: these are below 1.
double checkTiles(GpuPipelines& pipelines, GpuStream& stream, const LinearTiles& tiles, MatrixForm form) {
    const std::int64_t ins = tiles.gathers ? 2 * tiles.inputs + 3 : 3 * tiles.inputs;
    return linearError(stream, tiles.rows + 2, tiles.outs + 3, ins, DType::BF16, 1e-4,
                       [&](const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
                           recordLinear(stream, tilesProgram(pipelines, tiles, form), layer, x, y, {});
                       });
}

constexpr std::int64_t wordNumbers = 8;  // bf16 numbers of what the shader reads at once

bool isWordAligned(const GpuMatrix& matrix) {
    return matrix.isNarrow() && matrix.layout.stride % wordNumbers == 0 &&
           matrix.address % (static_cast<std::size_t>(wordNumbers) * sizeOf(DType::BF16)) == 0;
}

LinearProgram linearBy(GpuPipelines& pipelines, const GpuCandidate& candidate, const GpuLinear& layer,
                       const GpuMatrix& x) {
    if (candidate.variant == nullptr)
        return scalarProgram(pipelines);
    const LinearTiles& tiles = linearTable().at(candidate.variant->place);
    if (isWordAligned(x) && isWordAligned(layer.weight) && x.layout.width % tiles.inputs == 0)
        return tilesProgram(pipelines, tiles, candidate.form);
    const auto gathering = std::ranges::find_if(linearTable(), [&](const LinearTiles& other) {
        return other.gathers && other.variant.extents == tiles.variant.extents;
    });
    return gathering == linearTable().end() ? scalarProgram(pipelines)
                                            : tilesProgram(pipelines, *gathering, candidate.form);
}

/// Layers of rising size for the trial: whatever the memory holds is multiplied.
struct LinearTrial {
    std::int64_t rows;
    std::int64_t outs;
    std::int64_t ins;
};
constexpr std::array linearTrials{LinearTrial{256, 256, 256}, LinearTrial{1024, 1024, 1024},
                                  LinearTrial{4096, 3072, 3072}};

TrialProblem prepareLinear(GpuPipelines& pipelines, std::size_t size) {
    const LinearTrial& trial = linearTrials.at(size);
    const auto matrix = [&](std::int64_t rows, std::int64_t width) {
        auto buffer = std::make_shared<GpuBuffer>(
            pipelines.gpu(), static_cast<std::size_t>(rows * width) * sizeOf(DType::BF16), GpuPlace::Device);
        return std::pair(buffer, GpuMatrix{.address = buffer->address(),
                                           .type = DType::BF16,
                                           .layout = {.rows = rows, .width = width, .stride = width}});
    };
    const auto x = matrix(trial.rows, trial.ins);
    const auto weight = matrix(trial.outs, trial.ins);
    const auto y = matrix(trial.rows, trial.outs);
    return {.flops = 2.0 * real(trial.rows) * real(trial.outs) * real(trial.ins),
            .record = [&pipelines, x, weight, y](const GpuCandidate& candidate, GpuStream& stream) {
                const GpuLinear layer{.weight = weight.second};
                recordLinear(stream, linearBy(pipelines, candidate, layer, x.second), layer, x.second,
                             y.second, {});
            }};
}

const std::string& linearRevision() {
    static const std::string revision = revisionOf(linearVariants());
    return revision;
}

TakenKernel takeLinear(GpuPipelines& pipelines) {
    return takeFastest(
        pipelines, {.kernel = linearKernelName,
                    .variants = linearVariants(),
                    .revision = linearRevision(),
                    .build =
                        [&](const GpuCandidate& candidate) {
                            if (candidate.variant == nullptr)
                                static_cast<void>(scalarProgram(pipelines));
                            else
                                static_cast<void>(tilesProgram(
                                    pipelines, linearTable().at(candidate.variant->place), candidate.form));
                        },
                    .sizes = linearTrials.size(),
                    .prepare = [&](std::size_t size) { return prepareLinear(pipelines, size); }});
}

void requireFit(const GpuLinear& layer, const GpuMatrix& x, const GpuMatrix& y) {
    for (const GpuMatrix* matrix : {&layer.weight, &x, &y})
        requireGpuMatrix(*matrix);
    if (x.layout.rows != y.layout.rows || x.layout.width != layer.weight.layout.width ||
        y.layout.width != layer.weight.layout.rows)
        throw Error(ErrorKind::Internal, "a linear layer on a GPU does not fit its rows");
}

}  // namespace

void applyLinear(GpuPipelines& pipelines, GpuStream& stream, const GpuLinear& layer, const GpuMatrix& x,
                 const GpuMatrix& y, const GpuEpilogue& epilogue) {
    requireFit(layer, x, y);
    if (!x.isNarrow()) {
        recordLinear(stream, scalarProgram(pipelines), layer, x, y, epilogue);
        return;
    }
    const TakenKernel taken = takeLinear(pipelines);
    LinearProgram program = linearBy(pipelines, taken.candidate, layer, x);
    program.workScale = taken.workScale;
    recordLinear(stream, program, layer, x, y, epilogue);
}

std::optional<MatrixForm> linearFormOn(GpuPipelines& pipelines) {
    const MeasuredKernel* known = pipelines.tuning().find(linearKernelName, linearRevision());
    const MeasuredVariant* fastest = known == nullptr ? nullptr : known->fastest();
    return fastest == nullptr ? std::nullopt : enumNamed<MatrixForm>(fastest->form);
}

std::vector<std::string> linearBlocks() {
    std::vector<std::string> blocks;
    for (const MatrixVariant& variant : linearVariants())
        blocks.push_back(variant.block);
    return blocks;
}

}  // namespace meshreel
