// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/hopper_linear.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/gpu/linear_constants.h"
#include "engine/kernels/ptx/panel_tile.h"
#include "engine/kernels/ptx/ptx_linear_outputs.h"
#include "engine/kernels/ptx/ptx_ring.h"
#include "engine/kernels/ptx/ptx_tile_order.h"
#include "engine/kernels/ptx/ptx_writer.h"
#include "engine/kernels/ptx/warp_roles.h"

namespace meshreel {
namespace {

constexpr std::size_t linearTileRows = hopperLinearRows;
constexpr std::size_t linearTileOuts = hopperLinearOuts;
constexpr std::size_t rowBytes = hopperLinearStepBytes;
constexpr std::size_t hopperStages = 4;
constexpr std::size_t stagesAhead = 3;  // on their way at a time

// wgmma multiplies 64 rows by 256 outputs by 32 bytes.
constexpr std::size_t rowsOfGroup = 64;
constexpr std::size_t productSliceBytes = 32;
constexpr std::size_t slices = rowBytes / productSliceBytes;
constexpr std::size_t sumsOfThread = rowsOfGroup * linearTileOuts / threadsOfWarpgroup;

// Sums wait for their row's turn 32 outputs at a time.
constexpr std::size_t outsAtOnce = 32;
constexpr std::size_t sumsAtOnce = sumsOfThread * outsAtOnce / linearTileOuts;

// Bias, gate and scales of a tile's outputs: the next tiles' come while this one's are in use. Who waits for
// room has told of all stages of the tile that still has it, however few a tile has.
constexpr std::size_t vectorBytes = linearTileOuts * sizeof(float);
constexpr std::size_t vectorCount = 3;
constexpr std::size_t vectorStages = stagesAhead + 1;

/// A vector of outputs that a tile may need.
struct TileVector {
    std::size_t address;  // in LinearConstants
    std::uint32_t flag;
};
constexpr TileVector biasVector{offsetof(LinearConstants, bias), LinearFlag::withBias};
constexpr TileVector gateVector{offsetof(LinearConstants, gate), LinearFlag::withGate};
constexpr TileVector scaleVector{offsetof(LinearConstants, outScales), 0xffffffffU};

/// Writes the kernel, from the top of its text to the bottom.
class HopperLinearText {
  public:
    explicit HopperLinearText(PtxFactors factors)
        : m_isInt8(factors == PtxFactors::Int8),
          m_ptx(entry(), threadsOfRoles, sizeof(LinearConstants), PtxTarget::Sm90a),
          m_x(linearTileRows, rowBytes, threadsOfWarpgroup),
          m_weight(linearTileOuts, rowBytes, threadsOfWarpgroup),
          m_ring(m_ptx, "stage", hopperStages, threadsOfWarpgroup, readingWarps),
          m_vectors(m_ptx, "vectors", vectorStages, 1, readingWarps),
          m_outputs(m_ptx, m_isInt8, outsAtOnce) {}

    PtxKernel write() {
        m_shared = m_ptx.addDynamicShared("tiles");
        m_self = m_ptx.addThread();
        countTiles();
        setUpBarriers();
        const RoleLabels labels = beginRoles(m_ptx, m_self);
        copyTiles();
        beginReaders(m_ptx, labels);
        multiplyTiles();
        m_ptx.label(labels.end);
        return {.entry = entry(),
                .text = m_ptx.text(),
                .threads = threadsOfRoles,
                .dynamicBytes = static_cast<std::uint32_t>(barriersAt() + m_ring.bytes() + m_vectors.bytes() +
                                                           PtxWriter::dynamicAlignment)};
    }

  private:
    [[nodiscard]] std::string entry() const { return m_isInt8 ? "hopper_linear_int8" : "hopper_linear_bf16"; }

    // Shared memory: stages of x and weight, sums that wait, vectors, barriers.
    [[nodiscard]] std::size_t stageBytes() const { return m_x.bytes() + m_weight.bytes(); }
    [[nodiscard]] std::size_t waitingAt() const { return hopperStages * stageBytes(); }
    [[nodiscard]] std::size_t vectorsAt() const {
        return waitingAt() + readingWarps * m_outputs.waitingBytes();
    }
    [[nodiscard]] std::size_t barriersAt() const {
        return vectorsAt() + vectorStages * vectorCount * vectorBytes;
    }

    void countTiles() {
        m_rows = m_ptx.load("u32", "rows", offsetof(LinearConstants, rows));
        m_outs = m_ptx.load("u32", "outs", offsetof(LinearConstants, outs));
        m_steps = m_ptx.load("u32", "steps", offsetof(LinearConstants, ins));
        m_ptx.write("shr.u32", {m_steps, m_steps, m_isInt8 ? 7 : 6});
        m_across = m_ptx.add("u32", "across");
        m_down = m_ptx.add("u32", "down");
        m_tiles = m_ptx.add("u32", "tileCount");
        m_ptx.write("add.u32", {m_across, m_outs, linearTileOuts - 1});
        m_ptx.write("div.u32", {m_across, m_across, linearTileOuts});
        m_ptx.write("add.u32", {m_down, m_rows, linearTileRows - 1});
        m_ptx.write("div.u32", {m_down, m_down, linearTileRows});
        m_ptx.write("mul.lo.u32", {m_tiles, m_across, m_down});
        m_ptx.note("Blocks take tiles by turns.");
        m_tile = m_ptx.add("u32", "tile");
        m_blocks = m_ptx.add("u32", "blocks");
        const std::string other = m_ptx.add("u32", "other");
        m_ptx.write("mov.u32", {m_blocks, "%nctaid.x"});
        m_ptx.write("mov.u32", {m_tile, "%ctaid.y"});
        m_ptx.write("mov.u32", {other, "%ctaid.x"});
        m_ptx.write("mad.lo.u32", {m_tile, m_tile, m_blocks, other});
        m_ptx.write("mov.u32", {other, "%nctaid.y"});
        m_ptx.write("mul.lo.u32", {m_blocks, m_blocks, other});
    }

    void setUpBarriers() {
        const std::string isFirst = m_ptx.add("pred", "isFirstThread");
        m_ptx.write("setp.eq.u32", {isFirst, m_self.thread, 0});
        m_ring.begin(m_shared, barriersAt(), isFirst);
        m_vectors.begin(m_shared, barriersAt() + m_ring.bytes(), isFirst);
        m_ptx.note("The copy engine sees the barriers, too.");
        m_ptx.write("fence.proxy.async.shared::cta");
        m_ptx.write("bar.sync", {0});
    }

    /// A loop over this block's tiles: body() finds m_firstRow and m_firstOut.
    template <typename Body>
    void eachTile(const Body& body) {
        const std::string number = m_ptx.add("u32", "number");
        const std::string isTile = m_ptx.add("pred", "isTile");
        const std::string loop = m_ptx.newLabel("tilesOfBlock");
        const std::string done = m_ptx.newLabel("tilesAreDone");
        const std::string tile = m_ptx.add("u32", "tileOfTurn");
        m_ptx.write("mov.u32", {tile, m_tile});
        m_ptx.label(loop);
        m_ptx.write("setp.lt.u32", {isTile, tile, m_tiles});
        m_ptx.writeUnless(isTile, "bra.uni", {done});
        m_ptx.write("mov.u32", {number, tile});
        const PtxTilePlace place = orderTiles(m_ptx, number, m_across, m_down);
        m_firstRow = m_ptx.add("u32", "firstRow");
        m_firstOut = m_ptx.add("u32", "firstOut");
        m_ptx.write("mul.lo.u32", {m_firstRow, place.row, linearTileRows});
        m_ptx.write("mul.lo.u32", {m_firstOut, place.column, linearTileOuts});
        body();
        m_ptx.write("add.u32", {tile, tile, m_blocks});
        m_ptx.write("bra.uni", {loop});
        m_ptx.label(done);
    }

    // ---- Four warps that copy ----

    /// Where the rows of x or of the weight lie.
    PanelRows findRows(const char* name, std::size_t begin, std::size_t stride, const std::string& count,
                       const PanelThread& thread) {
        PanelRows rows{.begin = m_ptx.load("u64", name, begin),
                       .stride = m_ptx.load("u32", "stride", stride),
                       .last = m_ptx.add("u32", "last")};
        m_ptx.write("cvta.to.global.u64", {rows.begin, rows.begin});
        if (!m_isInt8)
            m_ptx.write("shl.b32", {rows.stride, rows.stride, 1});
        m_ptx.write("sub.u32", {rows.last, count, 1});
        m_ptx.write("mad.wide.u32", {rows.begin, thread.byte, 1, rows.begin});
        return rows;
    }

    void copyTiles() {
        const PanelThread thread = m_x.findThread(m_ptx, m_self.thread);
        const PanelRows x =
            findRows("x", offsetof(LinearConstants, x), offsetof(LinearConstants, xStride), m_rows, thread);
        const PanelRows weight = findRows("weight", offsetof(LinearConstants, weight),
                                          offsetof(LinearConstants, weightStride), m_outs, thread);
        PtxRingFiller filler(m_ptx, m_ring, stagesAhead);
        const PtxRing::Turn vectors = m_vectors.turnOfFiller();
        const std::string step = m_ptx.add("u32", "copiedStep");
        const std::string column = m_ptx.add("u32", "column");
        const std::string place = m_ptx.add("u32", "stagePlace");
        const std::string goesOn = m_ptx.add("pred", "copiesMore");
        eachTile([&] {
            bringVectors(vectors);
            m_ptx.write("mov.u32", {step, 0});
            m_ptx.write("mov.u32", {column, 0});
            const std::string loop = m_ptx.newLabel("copiedSteps");
            m_ptx.label(loop);
            filler.beginStage();
            m_ptx.note("Rows behind the last one are the last one again, and are not written.");
            m_ptx.write("mad.lo.u32", {place, filler.turn().stage, stageBytes(), m_shared});
            m_x.copy(m_ptx, thread, x, m_firstRow, column, place);
            m_weight.copy(m_ptx, thread, weight, m_firstOut, column, place, m_x.bytes());
            filler.closeStage();
            m_ptx.write("add.u32", {column, column, rowBytes});
            m_ptx.write("add.u32", {step, step, 1});
            m_ptx.write("setp.lt.u32", {goesOn, step, m_steps});
            m_ptx.writeIf(goesOn, "bra.uni", {loop});
        });
        filler.finish();
    }

    /// Begins to copy bias, gate and scales of the tile's outputs, where the layer has them.
    void bringVectors(const PtxRing::Turn& turn) {
        m_ptx.note("The tile's vectors: 16 bytes, as many times as there are outputs in fours.");
        m_vectors.waitUntilFree(turn);
        const std::string isFirst = m_ptx.add("pred", "isFirstCopier");
        const std::string bytes = m_ptx.add("u32", "vectorBytes");
        const std::string all = m_ptx.add("u32", "allBytes");
        const std::string place = m_ptx.add("u32", "vectorPlace");
        const std::string flags = m_ptx.load("u32", "flags", offsetof(LinearConstants, flags));
        m_ptx.write("setp.eq.u32", {isFirst, m_self.thread, 0});
        m_ptx.write("sub.u32", {bytes, m_outs, m_firstOut});
        m_ptx.write("min.u32", {bytes, bytes, linearTileOuts});
        m_ptx.write("shl.b32", {bytes, bytes, 2});
        m_ptx.write("mad.lo.u32", {place, turn.stage, vectorCount * vectorBytes, m_shared});
        m_ptx.write("mov.u32", {all, 0});
        std::vector<TileVector> wanted{biasVector, gateVector};
        if (m_isInt8)
            wanted.push_back(scaleVector);
        std::vector<std::string> brings;
        for (const TileVector& vector : wanted) {
            const std::string flag = m_ptx.add("b32", "flag");
            brings.push_back(m_ptx.add("pred", "brings"));
            m_ptx.write("and.b32", {flag, flags, vector.flag});
            m_ptx.write("setp.ne.u32", {brings.back(), flag, 0});
            m_ptx.writeIf(brings.back(), "add.u32", {all, all, bytes});
        }
        const std::string barrier = m_vectors.fullBarrier(turn);
        m_ptx.writeIf(isFirst, "mbarrier.arrive.expect_tx.shared.b64", {"_", at(barrier), all});
        for (std::size_t index = 0; index < wanted.size(); ++index) {
            const std::string from = m_ptx.load("u64", "vector", wanted[index].address);
            const std::string to = m_ptx.add("u32", "vectorTo");
            m_ptx.write("cvta.to.global.u64", {from, from});
            m_ptx.write("mad.wide.u32", {from, m_firstOut, sizeof(float), from});
            m_ptx.write("add.u32", {to, place, vectorsAt() + index * vectorBytes});
            m_ptx.write("and.pred", {brings[index], brings[index], isFirst});
            m_ptx.writeIf(brings[index], "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
                          {at(to), at(from), bytes, at(barrier)});
        }
        m_vectors.next(turn);
    }

    // ---- Eight warps that multiply ----

    void multiplyTiles() {
        const ReaderPlace reader = placeReader(m_ptx, m_self);
        const std::string rows = m_ptx.add("u32", "rowsOfGroup");
        m_ptx.write("mad.lo.u32", {rows, reader.group, rowsOfGroup * rowBytes, m_shared});
        const std::string x = addDescriptor(m_ptx, "xOf", rows, m_x.rowsDescriptor());
        const std::string weights = m_ptx.add("u32", "weights");
        m_ptx.write("add.u32", {weights, m_shared, m_x.bytes()});
        const std::string weight = addDescriptor(m_ptx, "weightOf", weights, m_weight.rowsDescriptor());
        const std::string waiting = m_ptx.add("u32", "waiting");
        m_ptx.write("mad.lo.u32", {waiting, reader.warp, m_outputs.waitingBytes(), m_shared});
        m_ptx.write("add.u32", {waiting, waiting, waitingAt()});
        m_outputs.begin(m_self, waiting);
        m_sums = m_ptx.addMany(m_isInt8 ? "s32" : "f32", "sum", sumsOfThread);
        const PtxRing::Turn turn = m_ring.turnOfReader();
        const PtxRing::Turn read = m_ring.turnOfReader();
        const PtxRing::Turn vectors = m_vectors.turnOfReader();
        eachTile([&] {
            multiplyTile(reader, turn, read, x, weight);
            finishTile(reader, vectors);
        });
    }

    void multiplyTile(const ReaderPlace& reader, const PtxRing::Turn& turn, const PtxRing::Turn& read,
                      const std::string& x, const std::string& weight) {
        const std::string step = m_ptx.add("u32", "step");
        const std::string stage = m_ptx.add("u64", "stageOf");
        const std::string xHere = m_ptx.add("u64", "xHere");
        const std::string weightHere = m_ptx.add("u64", "weightHere");
        const std::string adds = m_ptx.add("pred", "addsToSums");
        const std::string isLaterStep = m_ptx.add("pred", "isLaterStep");
        const std::string goesOn = m_ptx.add("pred", "goesOn");
        m_ptx.write("mov.u32", {step, 0});
        const std::string loop = m_ptx.newLabel("steps");
        m_ptx.label(loop);
        m_ring.waitUntilFull(turn);
        constexpr std::size_t descriptorUnit = 16;
        m_ptx.write("mul.wide.u32", {stage, turn.stage, stageBytes() / descriptorUnit});
        m_ptx.write("add.u64", {xHere, x, stage});
        m_ptx.write("add.u64", {weightHere, weight, stage});
        m_ptx.write("setp.ne.u32", {isLaterStep, step, 0});
        m_ptx.write("mov.pred", {adds, isLaterStep});
        m_ptx.write("wgmma.fence.sync.aligned");
        for (std::size_t slice = 0; slice < slices; ++slice) {
            multiplySlice(xHere, weightHere, adds);
            if (slice + 1 == slices)
                break;
            m_ptx.write("add.u64", {xHere, xHere, m_x.slice(1)});
            m_ptx.write("add.u64", {weightHere, weightHere, m_weight.slice(1)});
            if (slice == 0)
                m_ptx.write("or.pred", {adds, reader.always, reader.always});
        }
        m_ptx.write("wgmma.commit_group.sync.aligned");
        m_ptx.note("The products of the step before are done, whose stage is filled next.");
        m_ptx.write("wgmma.wait_group.sync.aligned", {1});
        const std::string firstStep = m_ptx.newLabel("firstStep");
        m_ptx.writeUnless(isLaterStep, "bra.uni", {firstStep});
        m_ring.tellFree(read, reader.isFirstLane);
        m_ring.next(read);
        m_ptx.label(firstStep);
        m_ring.next(turn);
        m_ptx.write("add.u32", {step, step, 1});
        m_ptx.write("setp.lt.u32", {goesOn, step, m_steps});
        m_ptx.writeIf(goesOn, "bra.uni", {loop});
        m_ptx.write("wgmma.wait_group.sync.aligned", {0});
        m_ring.tellFree(read, reader.isFirstLane);
        m_ring.next(read);
    }

    void multiplySlice(const std::string& x, const std::string& weight, const std::string& adds) {
        if (m_isInt8)
            m_ptx.write("wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8",
                        {braced(m_sums), x, weight, adds});
        else  // neither factor is negated nor transposed
            m_ptx.write("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16",
                        {braced(m_sums), x, weight, adds, 1, 1, 0, 0});
    }

    void finishTile(const ReaderPlace& reader, const PtxRing::Turn& turn) {
        const std::string place = m_ptx.add("u32", "vectorsHere");
        const std::string row = m_ptx.add("u32", "firstRowOfWarp");
        m_vectors.waitUntilFull(turn);
        m_ptx.write("mad.lo.u32", {place, turn.stage, vectorCount * vectorBytes, m_shared});
        m_ptx.write("mad.lo.u32", {row, reader.warp, PtxLinearOutputs::rows, m_firstRow});
        for (std::size_t first = 0; first < linearTileOuts; first += outsAtOnce) {
            m_outputs.beginOuts(
                m_firstOut, first,
                {.place = place, .offset = vectorsAt() + first * sizeof(float), .between = vectorBytes});
            m_outputs.finishRows(std::span(m_sums).subspan(first / outsAtOnce * sumsAtOnce, sumsAtOnce), row,
                                 0);
        }
        m_vectors.tellFree(turn, reader.isFirstLane);
        m_vectors.next(turn);
    }

    bool m_isInt8;
    PtxWriter m_ptx;
    PanelTile m_x;
    PanelTile m_weight;
    PtxRing m_ring;
    PtxRing m_vectors;
    PtxLinearOutputs m_outputs;
    // Registers, by what they hold.
    PtxThread m_self;
    std::string m_shared;
    std::string m_rows, m_outs, m_steps, m_across, m_down, m_tiles, m_tile, m_blocks;
    std::string m_firstRow, m_firstOut;
    std::vector<std::string> m_sums;
};

}  // namespace

PtxKernel hopperLinear(PtxFactors factors) {
    return HopperLinearText(factors).write();
}

}  // namespace meshreel
