// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_linear.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/gpu/linear_constants.h"
#include "engine/kernels/ptx/ptx_linear_outputs.h"
#include "engine/kernels/ptx/ptx_tile_order.h"
#include "engine/kernels/ptx/ptx_writer.h"
#include "engine/kernels/ptx/shared_tile.h"

namespace meshreel {
namespace {

constexpr std::size_t block = ptxLinearBlock;
constexpr std::size_t stepBytes = ptxLinearStepBytes;
constexpr std::size_t linearThreads = 128;
constexpr std::size_t stages = 3;
constexpr std::size_t warpSide = 64;  // rows and outputs of a warp

// mma.sync multiplies 16 rows by 8 outputs by 32 bytes.
constexpr std::size_t productRows = 16;
constexpr std::size_t productOuts = 8;
constexpr std::size_t productBytes = 32;
constexpr std::size_t rowTiles = warpSide / productRows;
constexpr std::size_t outTiles = warpSide / productOuts;
constexpr std::size_t products = stepBytes / productBytes;  // of a step
constexpr std::size_t sumsOfProduct = 4;                    // registers of a thread

std::span<const std::string> part(const std::vector<std::string>& registers, std::size_t first,
                                  std::size_t count) {
    return std::span(registers).subspan(first, count);
}

/// Writes the kernel, from the top of its text to the bottom.
class LinearText {
  public:
    explicit LinearText(PtxFactors factors)
        : m_isInt8(factors == PtxFactors::Int8),
          m_ptx(entry(), linearThreads, sizeof(LinearConstants)),
          m_tile(block, stepBytes, linearThreads),
          m_outputs(m_ptx, m_isInt8, warpSide) {}

    PtxKernel write() {
        findThread();
        orderBlocks();
        placeWarp();
        findFactors();
        clearSums();
        fillStages();
        multiplySteps();
        finishSums();
        return {.entry = entry(), .text = m_ptx.text(), .threads = linearThreads};
    }

  private:
    [[nodiscard]] std::string entry() const { return m_isInt8 ? "linear_int8" : "linear_bf16"; }
    [[nodiscard]] std::size_t stageBytes() const { return 2 * m_tile.bytes(); }

    void findThread() {
        m_tiles = m_ptx.addShared("tiles", stages * stageBytes());
        m_self = m_ptx.addThread();
        m_rows = m_ptx.load("u32", "rows", offsetof(LinearConstants, rows));
        m_outs = m_ptx.load("u32", "outs", offsetof(LinearConstants, outs));
    }

    /// Which rows and outputs this block computes.
    void orderBlocks() {
        const std::string across = m_ptx.add("u32", "across");
        const std::string down = m_ptx.add("u32", "down");
        const std::string number = m_ptx.add("u32", "number");
        const std::string column = m_ptx.add("u32", "column");
        m_ptx.write("mov.u32", {across, "%nctaid.x"});
        m_ptx.write("mov.u32", {down, "%nctaid.y"});
        m_ptx.write("mov.u32", {number, "%ctaid.y"});
        m_ptx.write("mov.u32", {column, "%ctaid.x"});
        m_ptx.write("mad.lo.u32", {number, number, across, column});
        const PtxTilePlace place = orderTiles(m_ptx, number, across, down);
        m_firstRow = m_ptx.add("u32", "firstRow");
        m_firstOut = m_ptx.add("u32", "firstOut");
        m_ptx.write("mul.lo.u32", {m_firstRow, place.row, block});
        m_ptx.write("mul.lo.u32", {m_firstOut, place.column, block});
    }

    void placeWarp() {
        m_ptx.note("Warps 0 and 1 have the first 64 outputs, 0 and 2 the first 64 rows.");
        m_warpRow = m_ptx.add("u32", "warpRow");
        m_warpOut = m_ptx.add("u32", "warpOut");
        m_ptx.write("and.b32", {m_warpRow, m_self.warp, 1});
        m_ptx.write("mul.lo.u32", {m_warpRow, m_warpRow, warpSide});
        m_ptx.write("shr.u32", {m_warpOut, m_self.warp, 1});
        m_ptx.write("mul.lo.u32", {m_warpOut, m_warpOut, warpSide});
    }

    /// Where this thread's words of a row of x and of the weight lie, and where they go.
    std::vector<std::string> findRows(const char* name, std::size_t begin, std::size_t stride,
                                      const std::string& first, const std::string& count) {
        const std::string address = m_ptx.load("u64", name, begin);
        const std::string bytes = m_ptx.load("u32", "stride", stride);
        const std::string last = m_ptx.add("u32", "last");
        const std::string copied = m_ptx.add("u64", "copied");
        m_ptx.write("cvta.to.global.u64", {address, address});
        if (!m_isInt8)
            m_ptx.write("shl.b32", {bytes, bytes, 1});
        m_ptx.write("sub.u32", {last, count, 1});
        m_ptx.write("mul.wide.u32", {copied, m_tile.firstByteOfThread(m_ptx, m_self.thread), 1});
        m_ptx.write("add.u64", {address, address, copied});
        const std::string row = m_tile.firstRowOfThread(m_ptx, m_self.thread);
        m_ptx.write("add.u32", {row, row, first});
        std::vector<std::string> rows = m_ptx.addMany("u64", name, m_tile.rowsOfThread());
        m_tile.pointAtRows(m_ptx, rows, address, row, last, bytes);
        return rows;
    }

    void findFactors() {
        m_ptx.note("Rows behind the last one are the last one again, and are not written.");
        m_x = findRows("x", offsetof(LinearConstants, x), offsetof(LinearConstants, xStride), m_firstRow,
                       m_rows);
        m_weight = findRows("weight", offsetof(LinearConstants, weight),
                            offsetof(LinearConstants, weightStride), m_firstOut, m_outs);
        m_place = m_tile.placeOfThread(m_ptx, m_self.thread);
        m_ptx.write("add.u32", {m_place, m_place, m_tiles});
        m_steps = m_ptx.load("u32", "steps", offsetof(LinearConstants, ins));
        m_ptx.write("shr.u32", {m_steps, m_steps, m_isInt8 ? 6 : 5});
        const auto lanesFrom = [&](const std::string& first, MatrixOrder order, std::size_t tile) {
            std::vector<std::string> lanes = m_tile.lanes(m_ptx, m_self.lane, order);
            for (const std::string& lane : lanes) {
                m_ptx.write("mad.lo.u32", {lane, first, stepBytes, lane});
                m_ptx.write("add.u32", {lane, lane, m_tiles});
                if (tile != 0)
                    m_ptx.write("add.u32", {lane, lane, tile});
            }
            return lanes;
        };
        m_xLanes = lanesFrom(m_warpRow, MatrixOrder::RowsFirst, 0);
        m_weightLanes = lanesFrom(m_warpOut, MatrixOrder::ColumnsFirst, m_tile.bytes());
    }

    void clearSums() {
        m_sums = m_ptx.addMany(m_isInt8 ? "s32" : "f32", "sum", rowTiles * outTiles * sumsOfProduct);
        for (const std::string& sum : m_sums)
            m_ptx.write("mov.b32", {sum, 0});
    }

    /// Begins to copy the next step into a stage; nothing behind the last step. Closes the group in any case,
    /// so that groups and steps count alike.
    void copyStep(const std::string& hasStep, const std::string& stage) {
        const std::string place = m_ptx.add("u32", "stagePlace");
        m_ptx.write("add.u32", {place, m_place, stage});
        m_tile.copy(m_ptx, hasStep, m_x, place);
        m_tile.copy(m_ptx, hasStep, m_weight, place, m_tile.bytes());
        m_ptx.write("cp.async.commit_group");
        for (const std::vector<std::string>* rows : {&m_x, &m_weight})
            for (const std::string& row : *rows)
                m_ptx.write("add.u64", {row, row, stepBytes});
    }

    void nextStage(const std::string& stage) {
        const std::string isLast = m_ptx.add("pred", "isLastStage");
        m_ptx.write("add.u32", {stage, stage, stageBytes()});
        m_ptx.write("setp.eq.u32", {isLast, stage, stages * stageBytes()});
        m_ptx.write("selp.u32", {stage, 0, stage, isLast});
    }

    void fillStages() {
        m_ptx.note("The first stages are on their way before any step.");
        m_ahead = m_ptx.add("u32", "ahead");
        m_hasStep = m_ptx.add("pred", "hasStep");
        m_filled = m_ptx.add("u32", "filledStage");
        m_ptx.write("mov.u32", {m_ahead, 0});
        m_ptx.write("mov.u32", {m_filled, 0});
        for (std::size_t stage = 0; stage + 1 < stages; ++stage)
            fillStage();
    }

    void fillStage() {
        m_ptx.write("setp.lt.u32", {m_hasStep, m_ahead, m_steps});
        copyStep(m_hasStep, m_filled);
        m_ptx.write("add.u32", {m_ahead, m_ahead, 1});
        nextStage(m_filled);
    }

    void multiplySteps() {
        const std::string step = m_ptx.add("u32", "step");
        const std::string stage = m_ptx.add("u32", "readStage");
        const std::string goesOn = m_ptx.add("pred", "goesOn");
        m_ptx.write("mov.u32", {step, 0});
        m_ptx.write("mov.u32", {stage, 0});
        const std::string loop = m_ptx.newLabel("steps");
        m_ptx.label(loop);
        m_ptx.note(
            "This step's stage has come for all threads, and all have read the stage of the step before,");
        m_ptx.note("which is filled next.");
        m_ptx.write("cp.async.wait_group", {stages - 2});
        m_ptx.write("bar.sync", {0});
        fillStage();
        multiplyStage(stage);
        nextStage(stage);
        m_ptx.write("add.u32", {step, step, 1});
        m_ptx.write("setp.lt.u32", {goesOn, step, m_steps});
        m_ptx.writeIf(goesOn, "bra.uni", {loop});
        m_ptx.note("All have read the last stages, whose room sums take. Nothing is on its way any more.");
        m_ptx.write("bar.sync", {0});
    }

    void multiplyStage(const std::string& stage) {
        const auto inStage = [&](const std::vector<std::string>& lanes, const char* name) {
            std::vector<std::string> made = m_ptx.addMany("u32", name, lanes.size());
            for (std::size_t index = 0; index < lanes.size(); ++index)
                m_ptx.write("add.u32", {made[index], lanes[index], stage});
            return made;
        };
        const std::vector<std::string> xLanes = inStage(m_xLanes, "xLane");
        const std::vector<std::string> weightLanes = inStage(m_weightLanes, "weightLane");
        // All factors of the step have registers of their own, so that loads pass products.
        constexpr std::size_t words = 4;  // of ldmatrix.x4
        const auto x = m_ptx.addMany("b32", "xWord", products * rowTiles * words);
        const auto weight = m_ptx.addMany("b32", "weightWord", products * outTiles * words / 2);
        for (std::size_t product = 0; product < products; ++product) {
            for (std::size_t tile = 0; tile < rowTiles; ++tile)
                m_tile.loadMatrices(m_ptx, ldmatrix, part(x, (product * rowTiles + tile) * words, words),
                                    xLanes, tile * productRows, product);
            for (std::size_t pair = 0; pair < outTiles / 2; ++pair)
                m_tile.loadMatrices(m_ptx, ldmatrix,
                                    part(weight, (product * outTiles / 2 + pair) * words, words), weightLanes,
                                    pair * 2 * productOuts, product);
        }
        for (std::size_t product = 0; product < products; ++product)
            for (std::size_t tile = 0; tile < rowTiles; ++tile)
                for (std::size_t out = 0; out < outTiles; ++out) {
                    const PtxArgument sum = braced(sumsOf(tile, out));
                    m_ptx.write(
                        m_isInt8 ? "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
                                 : "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                        {sum, braced(part(x, (product * rowTiles + tile) * words, words)),
                         braced(part(weight, (product * outTiles + out) * words / 2, words / 2)), sum});
                }
    }

    [[nodiscard]] std::span<const std::string> sumsOf(std::size_t tile, std::size_t out) const {
        return part(m_sums, (tile * outTiles + out) * sumsOfProduct, sumsOfProduct);
    }

    void finishSums() {
        const std::string waiting = m_ptx.add("u32", "waiting");
        const std::string out = m_ptx.add("u32", "firstOutOfWarp");
        const std::string row = m_ptx.add("u32", "firstRowOfWarp");
        m_ptx.write("mad.lo.u32", {waiting, m_self.warp, m_outputs.waitingBytes(), m_tiles});
        m_ptx.write("add.u32", {out, m_firstOut, m_warpOut});
        m_ptx.write("add.u32", {row, m_firstRow, m_warpRow});
        m_outputs.begin(m_self, waiting);
        m_outputs.beginOuts(out, 0, {});
        for (std::size_t tile = 0; tile < rowTiles; ++tile)
            m_outputs.finishRows(part(m_sums, tile * outTiles * sumsOfProduct, outTiles * sumsOfProduct), row,
                                 tile * productRows);
    }

    bool m_isInt8;
    PtxWriter m_ptx;
    SharedTile m_tile;
    PtxLinearOutputs m_outputs;
    // Registers, by what they hold.
    PtxThread m_self;
    std::string m_tiles;
    std::string m_rows, m_outs, m_steps;
    std::string m_firstRow, m_firstOut, m_warpRow, m_warpOut;
    std::vector<std::string> m_x, m_weight, m_xLanes, m_weightLanes, m_sums;
    std::string m_place, m_ahead, m_hasStep, m_filled;
};

}  // namespace

PtxKernel ptxLinear(PtxFactors factors) {
    return LinearText(factors).write();
}

}  // namespace meshreel
