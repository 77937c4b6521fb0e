// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "attention_merge.spv.h"
#include "attention_registers.variants.h"
#include "attention_scalar.spv.h"
#include "attention_tiles.variants.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/attention_constants.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/gpu/shader_check.h"
#include "engine/kernels/ptx/hopper_attention.h"
#include "engine/kernels/ptx/ptx_attention.h"
#include "engine/kernels/ptx/warp_roles.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

/// Read by attention_merge.comp.
struct MergeConstants {
    GpuAddress output, maximum, sum, partOutput, partMaximum, partSum, y;
    std::uint32_t queries, heads, headDim, yStride;
    std::uint32_t firstRow;
    std::uint32_t flags;
    GpuAddress bias;
    std::uint32_t firstToken, tokensPerFrame;
};
static_assert(sizeof(MergeConstants) <= 128);

constexpr std::uint32_t finishes = 2;  // flags of MergeConstants
constexpr std::uint32_t addsBiasAlone = 4;
constexpr std::uint32_t biasedPart = 8;

std::uint32_t count32(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

/// How attention is recorded over a part of the keys: by one shader or another.
using AttentionRecord = std::function<void(const GpuAttentionInputs&, const GpuAttentionPartial&)>;

/// Small values for the check of a shader.
struct AttentionSample {
    std::int64_t headDim = 8;
    std::int64_t queries = 18;
    std::int64_t keys = 37;
    DType type = DType::F32;
    double allowed = 1e-5;
    bool biased = false;
};

double checkAttention(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

const GpuShader attentionShader{.name = "attention_scalar",
                                .words = attention_scalar_spirv,
                                .constants = sizeof(AttentionConstants),
                                .check = checkAttention};
const GpuShader mergeShader{.name = "attention_merge",
                            .words = attention_merge_spirv,
                            .constants = sizeof(MergeConstants),
                            .check = checkAttention};

/// Two heads over two parts of the keys, merged, each with a bias of its own for every frame: the attention's
/// shader and the merging one in one comparison.
double attentionError(GpuPipelines& pipelines, GpuStream& stream, const AttentionSample& sample,
                      const AttentionRecord& record) {
    constexpr std::int64_t heads = 2;
    const std::int64_t headDim = sample.headDim;
    const std::int64_t queries = sample.queries;
    const std::int64_t keys = sample.keys;
    const std::int64_t half = keys / 2;
    const std::int64_t width = heads * headDim;
    const double scale = 1.0 / std::sqrt(real(headDim));
    const CheckedValues q(stream.gpu(), queries, width, 1, sample.type);
    const CheckedValues k(stream.gpu(), keys, width, 2, sample.type);
    const CheckedValues v(stream.gpu(), keys, width, 3, sample.type);
    const CheckedValues y(stream.gpu(), queries, width, 4);
    const CheckedValues outputs(stream.gpu(), 2 * heads * queries, headDim, 5);
    const CheckedValues statistics(stream.gpu(), 4, heads * queries, 6);
    const std::int64_t distances = queries + keys - 1;
    const CheckedValues bias(stream.gpu(), heads, distances, 7);
    constexpr std::int64_t tokensPerFrame = 5;
    constexpr std::int64_t firstToken = 3;
    const std::int64_t frames = (firstToken + queries - 1) / tokensPerFrame + 1;
    const CheckedValues ofFrames(stream.gpu(), 2, frames, 8);
    const auto frameBias = [&](std::int64_t part) {
        return GpuFrameBias{.ofFrames = ofFrames.matrix().slice(part, 1).address,
                            .firstToken = firstToken,
                            .tokensPerFrame = tokensPerFrame};
    };
    const auto partialAt = [&](std::int64_t index) {
        return GpuAttentionPartial{.heads = heads,
                                   .queries = queries,
                                   .headDim = headDim,
                                   .output = outputs.matrix().slice(index * heads * queries, 1).address,
                                   .maximum = statistics.matrix().slice(2 * index, 1).address,
                                   .sum = statistics.matrix().slice(2 * index + 1, 1).address};
    };
    const auto attendTo = [&](std::int64_t first, std::int64_t count, std::int64_t index) {
        record({.heads = heads,
                .headDim = headDim,
                .q = q.matrix(),
                .k = k.matrix().slice(first, count),
                .v = v.matrix().slice(first, count),
                .scale = scale,
                .bias = sample.biased ? bias.matrix().columns(first, 1).address : 0,
                .biasStride = distances},
               partialAt(index));
    };
    attendTo(0, half, 0);
    attendTo(half, keys - half, 1);
    const PreparedAttention merging{.merging = &pipelines.program(mergeShader)};
    addFrameBias(stream, merging, partialAt(0), frameBias(0));
    mergePartials(stream, merging, partialAt(0), partialAt(1), frameBias(1));
    finalizePartial(stream, merging, partialAt(0), y.matrix());
    stream.finish();
    const std::vector<float> query = q.read();
    const std::vector<float> key = k.read();
    const std::vector<float> value = v.read();
    const std::vector<float> added = bias.read();
    const std::vector<float> addedToFrames = ofFrames.read();
    const auto at = [&](const std::vector<float>& values, std::int64_t row, std::int64_t column) {
        return static_cast<double>(values[static_cast<std::size_t>(row * width + column)]);
    };
    // The weights of a row and head serve all columns of the head.
    std::vector<double> weights(static_cast<std::size_t>(keys));
    const auto expected = [&](std::int64_t row, std::int64_t column) {
        const std::int64_t first = column / headDim * headDim;
        double sum = 0.0;
        double weighted = 0.0;
        for (std::int64_t other = 0; other < keys; ++other) {
            double& weight = weights[static_cast<std::size_t>(other)];
            if (column == first) {
                double score = 0.0;
                for (std::int64_t i = first; i < first + headDim; ++i)
                    score += at(query, row, i) * at(key, other, i);
                score *= scale;
                if (sample.biased)
                    score += static_cast<double>(added[static_cast<std::size_t>(first / headDim * distances +
                                                                                other - row + queries - 1)]);
                const std::int64_t frame = (firstToken + row) / tokensPerFrame;
                const auto place = static_cast<std::size_t>((other < half ? 0 : frames) + frame);
                weight = std::exp(score) * std::exp2(static_cast<double>(addedToFrames[place]));
            }
            sum += weight;
            weighted += weight * at(value, other, column);
        }
        return weighted / sum;
    };
    return y.difference(expected, sample.allowed);
}

void requireFit(bool fits) {
    if (!fits)
        throw Error(ErrorKind::Internal, "an attention on a GPU does not fit its rows");
}

void requireHead(std::int64_t headDim) {
    requireFit(headDim > 0 && headDim <= GpuAttentionInputs::widestHead &&
               headDim % GpuAttentionInputs::headStep == 0);
}

void requireFit(const GpuAttentionInputs& problem) {
    for (const GpuMatrix* matrix : {&problem.q, &problem.k, &problem.v}) {
        requireGpuMatrix(*matrix);
        requireFit(matrix->layout.width == problem.heads * problem.headDim);
    }
    requireHead(problem.headDim);
    requireFit(problem.k.layout.rows == problem.v.layout.rows && problem.lastKeyCount >= 1);
    requireFit(problem.bias == 0 || problem.biasStride >= problem.q.layout.rows + problem.k.layout.rows - 1);
    requireFit(problem.firstQuery >= 0 && problem.queryCount() >= 0 &&
               problem.firstQuery + problem.queryCount() <= problem.q.layout.rows);
}

/// Where an attention goes: into a partial, or finished into rows.
struct AttentionTarget {
    GpuAddress output = 0;
    GpuAddress maximum = 0;
    GpuAddress sum = 0;
    std::int64_t yStride = 0;
    std::uint32_t flags = 0;
};

void recordAttention(GpuStream& stream, const AttentionProgram& by, const GpuAttentionInputs& problem,
                     const AttentionTarget& target) {
    const std::int64_t keys = problem.k.layout.rows;
    const std::int64_t queries = problem.q.layout.rows;
    const std::int64_t blocks = (problem.queryCount() + by.queries - 1) / by.queries;
    const double workOfBlock = 4.0 * real(by.queries) * real(keys) * real(problem.headDim) * by.workScale;
    // First as many heads as a portion has room for, then as many blocks of queries.
    const std::int64_t heads = rowsOfDispatch(problem.heads, workOfBlock, stream.portion());
    const std::int64_t portion = rowsOfDispatch(blocks, workOfBlock * real(heads), stream.portion());
    for (std::int64_t head = 0; head < problem.heads; head += heads)
        for (std::int64_t block = 0; block < blocks; block += portion) {
            const std::int64_t headCount = std::min(heads, problem.heads - head);
            const std::int64_t blockCount = std::min(portion, blocks - block);
            const AttentionConstants constants{
                .q = problem.q.address,
                .k = problem.k.address,
                .v = problem.v.address,
                .keyMask = problem.keyMask,
                .output = target.output,
                .maximum = target.maximum,
                .sum = target.sum,
                .firstQuery = count32(problem.firstQuery + block * by.queries),
                .queries = count32(queries),
                .keys = count32(keys),
                .headDim = count32(problem.headDim),
                .firstHead = count32(head),
                .qStride = count32(problem.q.layout.stride),
                .kStride = count32(problem.k.layout.stride),
                .vStride = count32(problem.v.layout.stride),
                .scale = static_cast<float>(problem.scale * std::numbers::log2e),
                .flags = (problem.q.isNarrow() ? AttentionFlag::narrowQueries : 0U) |
                         (problem.k.isNarrow() ? AttentionFlag::narrowKeys : 0U) |
                         (problem.v.isNarrow() ? AttentionFlag::narrowValues : 0U) |
                         (problem.keyMask != 0 ? AttentionFlag::maskedKeys : 0U) |
                         (problem.bias != 0 ? AttentionFlag::biasedScores : 0U) | target.flags,
                .yStride = count32(target.yStride),
                .lastKey = static_cast<float>(std::log2(real(problem.lastKeyCount))),
                .bias = problem.bias,
                .biasStride = count32(problem.biasStride)};
            stream.dispatch(*by.program, constantBytes(constants),
                            {.x = count32(blockCount), .y = count32(headCount)},
                            workOfBlock * real(blockCount) * real(headCount));
        }
}

AttentionTarget partialTarget(const GpuAttentionPartial& partial) {
    return {.output = partial.output, .maximum = partial.maximum, .sum = partial.sum};
}

AttentionTarget rowsTarget(const GpuMatrix& y) {
    return {.output = y.address,
            .yStride = y.layout.stride,
            .flags = AttentionFlag::finishesRows | (y.isNarrow() ? AttentionFlag::narrowRows : 0U)};
}

// ---- Without matrix units ----

constexpr std::int64_t scalarQueries = 16;  // in a group

AttentionProgram scalarAttention(GpuPipelines& pipelines) {
    return {.program = &pipelines.program(attentionShader), .queries = scalarQueries};
}

double checkAttention(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& /*shader*/) {
    return attentionError(pipelines, stream, {.biased = true},
                          [&](const GpuAttentionInputs& problem, const GpuAttentionPartial& partial) {
                              recordAttention(stream, scalarAttention(pipelines), problem,
                                              partialTarget(partial));
                          });
}

// ---- On matrix units ----

/// A variant for heads of up to `head` numbers; a kernel of PTX for those of exactly as many.
struct AttentionTiles {
    MatrixVariant variant;
    std::int64_t head;
    std::int64_t queries;  // in a group
    std::int64_t keys;     // in a step
    VariantShaders shaders;
    std::vector<AttentionTiles> narrower = {};  // kernels of PTX for other heads, with as many queries
};

double checkAttentionTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader);

/// A row of attention_tiles.table.
struct AttentionTilesRow {
    std::uint32_t tileM, tileN, tileK, subgroup, head, subgroups, rowTiles, keys, queriesShared;
    VariantWords words;
};

/// A row of attention_registers.table.
struct AttentionRegistersRow {
    std::uint32_t tileM, tileN, tileK, subgroup, head, subgroups, rowTiles, keys, stages;
    VariantWords words;
};

// See attention_tiles.comp for the memory.
AttentionTiles attentionTiles(const AttentionTilesRow& row) {
    constexpr std::uint32_t wordBytes = 16;
    const std::uint32_t queries = row.subgroups * row.rowTiles * row.tileM;
    const std::uint32_t pitch = row.head / 8 + 1;
    const MatrixVariant variant{
        .extents = {.m = row.tileM, .n = row.tileN, .k = row.tileK},
        .subgroup = row.subgroup,
        .threads = row.subgroups * row.subgroup,
        .sharedBytes = (2 * row.keys * pitch + queries * (row.keys / 4 + 1) +
                        (row.queriesShared == 1 ? queries * pitch : 0)) *
                       wordBytes,
        .block = fmt::format("{}x{}x{}.{}.{}x{}.{}{}", row.tileM, row.tileN, row.tileK, row.head,
                             row.subgroups, row.rowTiles, row.keys, row.queriesShared == 1 ? "s" : ""),
        .words = row.words};
    return {.variant = variant,
            .head = row.head,
            .queries = queries,
            .keys = row.keys,
            .shaders = {"attention_tiles", variant, sizeof(AttentionConstants), checkAttentionTiles}};
}

// See attention_registers.comp for the memory.
AttentionTiles attentionRegisters(const AttentionRegistersRow& row) {
    constexpr std::uint32_t wordBytes = 16;
    constexpr std::uint32_t ownWords = 144;  // for a subgroup
    const MatrixVariant variant{
        .extents = {.m = row.tileM, .n = row.tileN, .k = row.tileK},
        .subgroup = row.subgroup,
        .threads = row.subgroups * row.subgroup,
        .sharedBytes =
            std::max(row.stages * 2 * row.keys * (row.head / 8 + 1), row.subgroups * ownWords) * wordBytes,
        .block = fmt::format("{}x{}x{}.{}.{}x{}.{}.{}", row.tileM, row.tileN, row.tileK, row.head,
                             row.subgroups, row.rowTiles, row.keys, row.stages),
        .words = row.words};
    return {.variant = variant,
            .head = row.head,
            .queries = row.subgroups * row.rowTiles * row.tileM,
            .keys = row.keys,
            .shaders = {"attention_registers", variant, sizeof(AttentionConstants), checkAttentionTiles}};
}

AttentionTiles ptxAttentionTiles(const PtxAttentionSize& size) {
    constexpr std::uint32_t queriesOfWarp = 16;
    // Its shared memory is what every card gives a block of PTX, whatever Vulkan's limit is.
    const MatrixVariant variant{
        .extents = {.m = queriesOfWarp, .n = 8, .k = 16},
        .threads = size.queries / queriesOfWarp * 32,
        .block = fmt::format("16x8x16.{}.{}x1.{}", size.head, size.queries / queriesOfWarp, ptxAttentionKeys),
        .ptx = {.form = MatrixForm::PtxBf16, .write = [size] { return ptxAttention(size); }}};
    return {.variant = variant,
            .head = size.head,
            .queries = size.queries,
            .keys = ptxAttentionKeys,
            .shaders = {"attention", variant, sizeof(AttentionConstants), checkAttentionTiles,
                        attentionAddresses}};
}

AttentionTiles hopperAttentionTiles(const HopperAttentionSize& size) {
    const MatrixVariant variant{
        .extents = {.m = 64, .n = 8, .k = 16},
        .threads = threadsOfRoles,
        .block = fmt::format("64x8x16.{}.{}x1.{}", size.head, readingGroups, size.keys),
        .ptx = {.form = MatrixForm::PtxBf16, .write = [size] { return hopperAttention(size); }}};
    return {.variant = variant,
            .head = size.head,
            .queries = hopperAttentionQueries,
            .keys = size.keys,
            .shaders = {"attention", variant, sizeof(AttentionConstants), checkAttentionTiles,
                        attentionAddresses}};
}

/// Kernels of PTX for all widths of heads.
std::vector<AttentionTiles> allPtxTiles() {
    std::vector<AttentionTiles> all;
    for (const PtxAttentionSize& size : ptxAttentionSizes)
        all.push_back(ptxAttentionTiles(size));
    for (const HopperAttentionSize& size : hopperAttentionSizes)
        all.push_back(hopperAttentionTiles(size));
    return all;
}

constexpr std::int64_t narrowHead = 64;

/// The variants for heads of up to so many numbers.
class AttentionTable {
  public:
    AttentionTable(GpuKernel kernel, std::int64_t head) : m_kernel(kernel), m_head(head) {
        for (const auto& row : std::to_array<AttentionTilesRow>({MESHREEL_ATTENTION_TILES_VARIANTS}))
            if (row.head == head)
                m_rows.push_back(attentionTiles(row));
        for (const auto& row : std::to_array<AttentionRegistersRow>({MESHREEL_ATTENTION_REGISTERS_VARIANTS}))
            if (row.head == head)
                m_rows.push_back(attentionRegisters(row));
        m_shaderRows = m_rows.size();
        for (AttentionTiles& tiles : allPtxTiles())
            if (tiles.head == head)
                m_rows.push_back(std::move(tiles));
        for (std::size_t row = m_shaderRows; row < m_rows.size(); ++row)
            for (AttentionTiles& tiles : allPtxTiles())
                if (isNarrowerThan(tiles, m_rows[row])) {
                    m_rows[row].variant.ptx.besides.push_back(tiles.variant.ptx.write);
                    m_rows[row].narrower.push_back(std::move(tiles));
                }
        m_variants = selectVariants(m_rows, [](const AttentionTiles&) { return true; });
        m_revision = computeRevision(m_variants, {attention_scalar_spirv});
    }

    /// Whether it attends as the other one, with narrower heads of the same table.
    static bool isNarrowerThan(const AttentionTiles& tiles, const AttentionTiles& other) {
        return tiles.variant.extents == other.variant.extents && tiles.queries == other.queries &&
               tiles.keys == other.keys && tiles.head < other.head &&
               (tiles.head <= narrowHead) == (other.head <= narrowHead);
    }

    [[nodiscard]] GpuKernel kernel() const { return m_kernel; }
    [[nodiscard]] std::int64_t head() const { return m_head; }
    [[nodiscard]] const std::vector<MatrixVariant>& variants() const { return m_variants; }
    /// Returns those that are no kernels of PTX: the first ones.
    [[nodiscard]] std::span<const MatrixVariant> shaderVariants() const {
        return std::span(m_variants).first(m_shaderRows);
    }
    [[nodiscard]] const std::vector<AttentionTiles>& rows() const { return m_rows; }
    [[nodiscard]] const std::string& revision() const { return m_revision; }

  private:
    GpuKernel m_kernel;
    std::int64_t m_head;
    std::vector<AttentionTiles> m_rows;
    std::size_t m_shaderRows = 0;
    std::vector<MatrixVariant> m_variants;
    std::string m_revision;
};

const AttentionTable& attentionTable(std::int64_t headDim) {
    static const AttentionTable narrow(GpuKernel::NarrowAttention, narrowHead);
    static const AttentionTable wide(GpuKernel::WideAttention, GpuAttentionInputs::widestHead);
    return headDim <= narrowHead ? narrow : wide;
}

const AttentionTable& tableOf(GpuKernel kernel) {
    return attentionTable(kernel == GpuKernel::NarrowAttention ? narrowHead : GpuAttentionInputs::widestHead);
}

AttentionProgram tilesAttention(GpuPipelines& pipelines, const AttentionTiles& tiles,
                                const GpuShader& shader) {
    return {.program = &pipelines.program(shader), .queries = tiles.queries};
}

const AttentionTiles& tilesOf(const GpuShader& shader) {
    for (const std::int64_t head : {narrowHead, GpuAttentionInputs::widestHead})
        for (const AttentionTiles& tiles : attentionTable(head).rows()) {
            if (tiles.shaders.has(shader))
                return tiles;
            for (const AttentionTiles& narrower : tiles.narrower)
                if (narrower.shaders.has(shader))
                    return narrower;
        }
    throw Error(ErrorKind::Internal, "a shader of attention is in no table");
}

double checkAttentionTiles(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const AttentionTiles& tiles = tilesOf(shader);
    // Weights are rounded to 8 bits at least; the values are below 1.
    const AttentionSample sample{.headDim = tiles.head,
                                 .queries = tiles.queries + 3,
                                 .keys = 4 * tiles.keys + 5,
                                 .type = DType::BF16,
                                 .allowed = 1.0 / 256.0};
    return attentionError(pipelines, stream, sample,
                          [&](const GpuAttentionInputs& problem, const GpuAttentionPartial& partial) {
                              recordAttention(stream, tilesAttention(pipelines, tiles, shader), problem,
                                              partialTarget(partial));
                          });
}

AttentionProgram attentionBy(GpuPipelines& pipelines, const AttentionTiles& tiles, const BoundVariant& by) {
    AttentionProgram program = tilesAttention(pipelines, tiles, tiles.shaders.in(by.form));
    program.workScale = by.workScale;
    return program;
}

AttentionProgram attentionBy(GpuPipelines& pipelines, const AttentionTable& table, const BoundVariant& by,
                             std::int64_t headDim) {
    if (by.form == MatrixForm::Scalar)
        return scalarAttention(pipelines);
    const AttentionTiles& tiles = table.rows()[by.row];
    const auto own = std::ranges::find(tiles.narrower, headDim, &AttentionTiles::head);
    return attentionBy(pipelines, own == tiles.narrower.end() ? tiles : *own, by);
}

/// The kernels of PTX of a variant, one for each width of heads.
std::vector<PtxAttentionProgram> ptxPrograms(GpuPipelines& pipelines, const AttentionTable& table,
                                             const BoundVariant& by) {
    std::vector<PtxAttentionProgram> programs;
    if (!isOfPtx(by.form))
        return programs;
    const AttentionTiles& widest = table.rows()[by.row];
    programs.push_back({.headDim = widest.head, .program = attentionBy(pipelines, widest, by)});
    for (const AttentionTiles& tiles : widest.narrower)
        programs.push_back({.headDim = tiles.head, .program = attentionBy(pipelines, tiles, by)});
    return programs;
}

/// Whatever the memory holds is attended to.
TrialProblem attentionProblem(GpuPipelines& pipelines, const AttentionTable& table,
                              const AttentionSize& size) {
    const std::int64_t width = size.heads * size.headDim;
    const auto rows = [&](std::int64_t count) {
        auto buffer = std::make_shared<GpuBuffer>(
            pipelines.gpu(), static_cast<std::size_t>(count * width) * byteSize(DType::BF16),
            GpuPlace::Device);
        return std::pair(buffer, GpuMatrix{.address = buffer->address(),
                                           .type = DType::BF16,
                                           .layout = {.rows = count, .width = width, .stride = width}});
    };
    const auto q = rows(size.queries);
    const auto k = rows(size.keys);
    const auto v = rows(size.keys);
    const auto y = rows(size.queries);
    constexpr double operationsOfScore = 4;  // for each number of a head
    return {.flops = operationsOfScore * real(size.queries) * real(size.keys) * real(width),
            .record = [&pipelines, &table, size, q, k, v, y](const BoundVariant& by, GpuStream& stream) {
                recordAttention(stream, attentionBy(pipelines, table, by, size.headDim),
                                {.heads = size.heads,
                                 .headDim = size.headDim,
                                 .q = q.second,
                                 .k = k.second,
                                 .v = v.second,
                                 .scale = 1.0 / std::sqrt(real(size.headDim))},
                                rowsTarget(y.second));
            }};
}

/// Attentions of rising size.
constexpr std::array attentionTrials{AttentionSize{.heads = 1, .queries = 256, .keys = 256},
                                     AttentionSize{.heads = 2, .queries = 1024, .keys = 1024},
                                     AttentionSize{.heads = 12, .queries = 4096, .keys = 4096}};

/// Uses heads as wide as the table's shaders support.
KernelTrial trialOf(GpuPipelines& pipelines, const AttentionTable& table) {
    return {.kernel = table.kernel(),
            .variants = table.variants(),
            .revision = table.revision(),
            .build =
                [&pipelines, &table](const BoundVariant& by) {
                    static_cast<void>(attentionBy(pipelines, table, by, table.head()));
                    static_cast<void>(ptxPrograms(pipelines, table, by));
                },
            .sizes = attentionTrials.size(),
            .prepare =
                [&pipelines, &table](std::size_t index) {
                    AttentionSize size = attentionTrials.at(index);
                    size.headDim = table.head();
                    return attentionProblem(pipelines, table, size);
                }};
}

constexpr std::int64_t headWord = 8;  // bf16 numbers of what the shader reads at once

/// Rows and heads begin at multiples of them.
bool canUseTiles(const GpuAttentionInputs& problem) {
    return problem.headDim % headWord == 0 && problem.bias == 0 &&
           std::ranges::all_of(std::array{problem.q, problem.k, problem.v}, [](const GpuMatrix& matrix) {
               return matrix.isNarrow() && matrix.layout.stride % headWord == 0 &&
                      matrix.address % (static_cast<std::size_t>(headWord) * byteSize(matrix.type)) == 0;
           });
}

/// Whether kernels of PTX write there: two numbers at once.
bool takesPairs(const AttentionTarget& target) {
    const bool isNarrow = (target.flags & AttentionFlag::narrowRows) != 0;
    return target.output % (2 * byteSize(isNarrow ? DType::BF16 : DType::F32)) == 0 &&
           target.yStride % 2 == 0;
}

const AttentionProgram& programFor(const PreparedAttention& attention, const GpuAttentionInputs& problem,
                                   const AttentionTarget& target) {
    if (!canUseTiles(problem))
        return attention.scalar;
    if (attention.ofWords.program == nullptr)
        throw Error(ErrorKind::Internal, "an attention on a GPU was not prepared for heads of bf16");
    const auto ptx = std::ranges::find(attention.ofPtx, problem.headDim, &PtxAttentionProgram::headDim);
    const bool takesPtx = ptx != attention.ofPtx.end() && problem.scale > 0 && takesPairs(target);
    return takesPtx ? ptx->program : attention.ofWords;
}

/// Every row of all heads, a row of groups each.
void recordMerge(GpuStream& stream, const GpuProgram& program, MergeConstants constants,
                 const GpuAttentionPartial& into) {
    const std::int64_t rows = into.heads * into.queries;
    const double workOfRow = 4.0 * real(into.headDim);
    const std::int64_t portion = rowsOfDispatch(rows, workOfRow, stream.portion());
    for (std::int64_t first = 0; first < rows; first += portion) {
        const std::int64_t count = std::min(portion, rows - first);
        constants.firstRow = count32(first);
        stream.dispatch(program, constantBytes(constants), {.x = 1, .y = count32(count)},
                        workOfRow * real(count));
    }
}

MergeConstants mergeConstants(const GpuAttentionPartial& into, const GpuAttentionPartial& part) {
    return {.output = into.output,
            .maximum = into.maximum,
            .sum = into.sum,
            .partOutput = part.output,
            .partMaximum = part.maximum,
            .partSum = part.sum,
            .y = 0,
            .queries = count32(into.queries),
            .heads = count32(into.heads),
            .headDim = count32(into.headDim),
            .yStride = 0,
            .firstRow = 0,
            .flags = 0,
            .bias = 0,
            .firstToken = 0,
            .tokensPerFrame = 1};
}

void setBias(MergeConstants& constants, const GpuFrameBias& bias) {
    if (bias.ofFrames == 0)
        return;
    constants.flags |= biasedPart;
    constants.bias = bias.ofFrames;
    constants.firstToken = count32(bias.firstToken);
    constants.tokensPerFrame = count32(bias.tokensPerFrame);
}

}  // namespace

void attend(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionInputs& problem,
            const GpuAttentionPartial& partial) {
    requireFit(problem);
    requireFit(partial.heads == problem.heads && partial.headDim == problem.headDim &&
               partial.queries == problem.q.layout.rows);
    const AttentionTarget target = partialTarget(partial);
    recordAttention(stream, programFor(attention, problem, target), problem, target);
}

void attend(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionInputs& problem,
            const GpuMatrix& y) {
    requireFit(problem);
    requireGpuMatrix(y);
    requireFit(problem.queryCount() == problem.q.layout.rows);
    requireFit(y.layout.rows == problem.q.layout.rows && y.layout.width == problem.heads * problem.headDim);
    const AttentionTarget target = rowsTarget(y);
    recordAttention(stream, programFor(attention, problem, target), problem, target);
}

void mergePartials(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionPartial& into,
                   const GpuAttentionPartial& part, const GpuFrameBias& bias) {
    requireFit(into.heads == part.heads && into.queries == part.queries && into.headDim == part.headDim &&
               into.headDim <= GpuAttentionInputs::widestHead);
    MergeConstants constants = mergeConstants(into, part);
    setBias(constants, bias);
    recordMerge(stream, *attention.merging, constants, into);
}

void addFrameBias(GpuStream& stream, const PreparedAttention& attention, const GpuAttentionPartial& partial,
                  const GpuFrameBias& bias) {
    requireFit(bias.ofFrames != 0);
    MergeConstants constants = mergeConstants(partial, partial);
    setBias(constants, bias);
    constants.flags |= addsBiasAlone;
    recordMerge(stream, *attention.merging, constants, partial);
}

void finalizePartial(GpuStream& stream, const PreparedAttention& attention,
                     const GpuAttentionPartial& partial, const GpuMatrix& y) {
    requireGpuMatrix(y);
    requireFit(y.layout.rows == partial.queries && y.layout.width == partial.heads * partial.headDim &&
               partial.headDim <= GpuAttentionInputs::widestHead);
    MergeConstants constants = mergeConstants(partial, partial);
    constants.y = y.address;
    constants.yStride = count32(y.layout.stride);
    constants.flags = finishes | (y.isNarrow() ? 1U : 0U);
    recordMerge(stream, *attention.merging, constants, partial);
}

PreparedAttention prepareAttention(GpuPipelines& pipelines, const std::optional<BoundKernel>& narrow,
                                   GpuKernel kernel) {
    PreparedAttention attention{.scalar = scalarAttention(pipelines),
                                .merging = &pipelines.program(mergeShader)};
    if (narrow) {
        attention.ofWords = attentionBy(pipelines, tableOf(kernel), narrow->standIn, tableOf(kernel).head());
        attention.ofPtx = ptxPrograms(pipelines, tableOf(kernel), narrow->fastest);
    }
    return attention;
}

KernelTrial attentionTrial(GpuPipelines& pipelines, GpuKernel kernel) {
    return trialOf(pipelines, tableOf(kernel));
}

GpuKernel attentionKernel(std::int64_t headDim) {
    return attentionTable(headDim).kernel();
}

GpuKernelSearch searchAttention(GpuWork& gpu, const AttentionSize& size) {
    requireHead(size.headDim);
    const AttentionTable& table = attentionTable(size.headDim);
    GpuPipelines& pipelines = gpu.pipelines();
    KernelTrial trial = trialOf(pipelines, table);
    if (size.headDim % headWord != 0)
        trial.variants = {};
    else if (std::ranges::find(ptxAttentionSizes, size.headDim, &PtxAttentionSize::head) ==
             ptxAttentionSizes.end())
        trial.variants = table.shaderVariants();
    return {gpu, std::move(trial), attentionProblem(pipelines, table, size)};
}

std::vector<std::string> attentionBlocks() {
    std::vector<std::string> blocks;
    for (const std::int64_t head : {narrowHead, GpuAttentionInputs::widestHead})
        for (const MatrixVariant& variant : attentionTable(head).variants())
            blocks.push_back(variant.block);
    return blocks;
}

}  // namespace meshreel
