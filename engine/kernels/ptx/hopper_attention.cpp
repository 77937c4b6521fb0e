// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/hopper_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/gpu/attention_constants.h"
#include "engine/kernels/ptx/panel_tile.h"
#include "engine/kernels/ptx/ptx_ring.h"
#include "engine/kernels/ptx/ptx_softmax.h"
#include "engine/kernels/ptx/ptx_writer.h"
#include "engine/kernels/ptx/warp_roles.h"

namespace meshreel {
namespace {

// The ring holds keys, values, keys and values.
constexpr std::size_t ringStages = 4;
constexpr std::size_t ringAhead = 2;  // on their way at a time
constexpr std::size_t stagesOfStep = 2;

constexpr std::size_t queriesOfGroup = 64;  // that wgmma multiplies
constexpr std::size_t numbersOfSlice = 16;  // along the product's k
constexpr std::size_t wordsOfSlice = 4;     // registers of weights
constexpr std::size_t wordBytes = 16;       // that descriptors count in

/// Writes the kernel, from the top of its text to the bottom.
class HopperAttentionText {
  public:
    explicit HopperAttentionText(const HopperAttentionSize& size)
        : m_size(size),
          m_ptx(entry(), threadsOfRoles, sizeof(AttentionConstants), PtxTarget::Sm90a),
          m_queryTile(hopperAttentionQueries, headBytes(), threadsOfWarpgroup),
          m_keyTile(size.keys, headBytes(), threadsOfWarpgroup),
          m_ring(m_ptx, "stage", ringStages, threadsOfWarpgroup, readingWarps),
          m_softmax(m_ptx, size.head, size.keys) {}

    PtxKernel write() {
        m_shared = m_ptx.addDynamicShared("tiles");
        m_self = m_ptx.addThread();
        m_block = findAttention(m_ptx, hopperAttentionQueries);
        setUpBarriers();
        m_hasNone = m_ptx.add("pred", "hasNone");
        m_ptx.write("setp.eq.u32", {m_hasNone, m_block.keys, 0});
        const RoleLabels labels = beginRoles(m_ptx, m_self);
        m_ptx.writeIf(m_hasNone, "bra.uni", {labels.end});
        copySteps();
        beginReaders(m_ptx, labels);
        attend();
        m_ptx.label(labels.end);
        return {.entry = entry(),
                .text = m_ptx.text(),
                .threads = threadsOfRoles,
                .dynamicBytes =
                    static_cast<std::uint32_t>(barriersAt() + m_ring.bytes() + PtxWriter::dynamicAlignment)};
    }

  private:
    [[nodiscard]] std::string entry() const {
        return fmt::format("hopper_attention_{}_{}", m_size.head, m_size.keys);
    }
    [[nodiscard]] std::size_t headBytes() const { return std::size_t{m_size.head} * 2; }

    // Shared memory: queries, the ring, its barriers.
    [[nodiscard]] std::size_t ringAt() const { return m_queryTile.bytes(); }
    [[nodiscard]] std::size_t barriersAt() const { return ringAt() + ringStages * m_keyTile.bytes(); }

    void setUpBarriers() {
        const std::string isFirst = m_ptx.add("pred", "isFirstThread");
        m_ptx.write("setp.eq.u32", {isFirst, m_self.thread, 0});
        m_ring.begin(m_shared, barriersAt(), isFirst);
        m_ptx.write("bar.sync", {0});
    }

    // ---- Four warps that copy ----

    /// Where the rows of this block's head lie.
    PanelRows findRows(const char* name, std::size_t begin, std::size_t stride, const std::string& count,
                       const PanelThread& thread) {
        PanelRows rows{.begin = m_ptx.load("u64", name, begin),
                       .stride = m_ptx.load("u32", "stride", stride),
                       .last = m_ptx.add("u32", "last")};
        m_ptx.write("cvta.to.global.u64", {rows.begin, rows.begin});
        m_ptx.write("mad.wide.u32", {rows.begin, m_block.head, headBytes(), rows.begin});
        m_ptx.write("mad.wide.u32", {rows.begin, thread.byte, 1, rows.begin});
        m_ptx.write("shl.b32", {rows.stride, rows.stride, 1});
        m_ptx.write("sub.u32", {rows.last, count, 1});
        return rows;
    }

    void copySteps() {
        const PanelThread thread = m_keyTile.findThread(m_ptx, m_self.thread);
        const PanelRows queries = findRows("q", offsetof(AttentionConstants, q),
                                           offsetof(AttentionConstants, qStride), m_block.queries, thread);
        const PanelRows keys = findRows("k", offsetof(AttentionConstants, k),
                                        offsetof(AttentionConstants, kStride), m_block.keys, thread);
        const PanelRows values = findRows("v", offsetof(AttentionConstants, v),
                                          offsetof(AttentionConstants, vStride), m_block.keys, thread);
        PtxRingFiller filler(m_ptx, m_ring, ringAhead);
        m_ptx.note("Queries come with the first keys. Rows behind the last one are the last one again.");
        m_queryTile.copy(m_ptx, thread, queries, m_block.firstQuery, {}, m_shared);
        const std::string firstKey = m_ptx.add("u32", "copiedKey");
        const std::string place = m_ptx.add("u32", "stagePlace");
        const std::string goesOn = m_ptx.add("pred", "copiesMore");
        m_ptx.write("mov.u32", {firstKey, 0});
        const std::string loop = m_ptx.newLabel("copiedSteps");
        m_ptx.label(loop);
        for (const PanelRows* rows : {&keys, &values}) {
            filler.beginStage();
            m_ptx.write("mad.lo.u32", {place, filler.turn().stage, m_keyTile.bytes(), m_shared});
            m_keyTile.copy(m_ptx, thread, *rows, firstKey, {}, place, ringAt());
            filler.closeStage();
        }
        m_ptx.write("add.u32", {firstKey, firstKey, m_size.keys});
        m_ptx.write("setp.lt.u32", {goesOn, firstKey, m_block.keys});
        m_ptx.writeIf(goesOn, "bra.uni", {loop});
        filler.finish();
    }

    // ---- Eight warps that multiply ----

    void attend() {
        const ReaderPlace reader = placeReader(m_ptx, m_self);
        m_softmax.begin(m_block, m_self);
        const std::string finish = m_ptx.newLabel("finish");
        m_ptx.writeIf(m_hasNone, "bra.uni", {finish});
        m_softmax.findMarks();
        attendToSteps(reader);
        m_ptx.label(finish);
        m_softmax.finish(reader.warp);
    }

    void attendToSteps(const ReaderPlace& reader) {
        const std::string group = m_ptx.add("u32", "queriesOfGroup");
        const std::size_t groupBytes = m_queryTile.row(queriesOfGroup) * wordBytes;
        m_ptx.write("mad.lo.u32", {group, reader.group, groupBytes, m_shared});
        m_queriesOf = addDescriptor(m_ptx, "queriesOf", group, m_queryTile.rowsDescriptor());
        const std::string ring = m_ptx.add("u32", "ring");
        m_ptx.write("add.u32", {ring, m_shared, ringAt()});
        m_keysOf = addDescriptor(m_ptx, "keysOf", ring, m_keyTile.rowsDescriptor());
        m_valuesOf = addDescriptor(m_ptx, "valuesOf", ring, m_keyTile.columnsDescriptor());
        m_scores = m_softmax.addScores();
        const PtxRing::Turn keys = m_ring.turnOfReader(0);
        const PtxRing::Turn values = m_ring.turnOfReader(1);
        const std::string firstKey = m_ptx.add("u32", "firstKey");
        const std::string nextKey = m_ptx.add("u32", "nextKey");
        const std::string goesOn = m_ptx.add("pred", "goesOn");
        const auto factors = m_ptx.addMany("f32", "outputFactor", 2);
        for (const std::string& factor : factors)
            m_ptx.write("mov.f32", {factor, 1.0F});

        m_ptx.note("The first step has no values to be multiplied beside.");
        m_ptx.write("mov.u32", {firstKey, 0});
        m_ptx.write("mov.u32", {nextKey, m_size.keys});
        m_ring.waitUntilFull(keys);
        m_ptx.write("wgmma.fence.sync.aligned");
        multiplyKeys(reader, keys);
        m_ptx.write("wgmma.wait_group.sync.aligned", {0});
        giveBack(reader, keys);
        m_softmax.hideKeys(firstKey, nextKey);
        m_softmax.raiseMaximum([](std::size_t /*row*/, const std::string& /*factor*/) {});
        m_softmax.weighScores();
        m_softmax.narrowWeights();

        const std::string loop = m_ptx.newLabel("steps");
        const std::string last = m_ptx.newLabel("lastValues");
        m_ptx.label(loop);
        m_ptx.write("setp.lt.u32", {goesOn, nextKey, m_block.keys});
        m_ptx.writeUnless(goesOn, "bra.uni", {last});
        m_ptx.write("mov.u32", {firstKey, nextKey});
        m_ptx.write("add.u32", {nextKey, nextKey, m_size.keys});
        m_ptx.note("Scores of this step, and behind them the values of the step before.");
        m_ring.waitUntilFull(keys);
        m_ptx.write("wgmma.fence.sync.aligned");
        multiplyKeys(reader, keys);
        m_ring.waitUntilFull(values);
        m_ptx.write("wgmma.fence.sync.aligned");
        multiplyValues(reader, values);
        m_ptx.note("The scores are there, the values are still being multiplied.");
        m_ptx.write("wgmma.wait_group.sync.aligned", {1});
        giveBack(reader, keys);
        m_softmax.hideKeys(firstKey, nextKey);
        const std::string rises = m_softmax.raiseMaximum([&](std::size_t row, const std::string& factor) {
            m_ptx.write("mov.f32", {factors[row], factor});
        });
        m_softmax.weighScores();
        m_ptx.write("wgmma.wait_group.sync.aligned", {0});
        giveBack(reader, values);
        const std::string stays = m_ptx.newLabel("outputsStay");
        m_ptx.writeUnless(rises, "bra.uni", {stays});
        for (std::size_t row = 0; row < factors.size(); ++row)
            m_softmax.scaleOutputs(row, factors[row]);
        m_ptx.label(stays);
        m_softmax.narrowWeights();
        m_ptx.write("bra.uni", {loop});

        m_ptx.label(last);
        m_ring.waitUntilFull(values);
        m_ptx.write("wgmma.fence.sync.aligned");
        multiplyValues(reader, values);
        m_ptx.write("wgmma.wait_group.sync.aligned", {0});
    }

    void giveBack(const ReaderPlace& reader, const PtxRing::Turn& turn) {
        m_ring.tellFree(turn, reader.isFirstLane);
        m_ring.next(turn, stagesOfStep);
    }

    /// Returns a register with the descriptor of what `first` describes in the stage of the turn.
    std::string inStage(const char* name, const std::string& first, const PtxRing::Turn& turn) {
        std::string made = m_ptx.add("u64", name);
        m_ptx.write("mul.wide.u32", {made, turn.stage, m_keyTile.bytes() / wordBytes});
        m_ptx.write("add.u64", {made, made, first});
        return made;
    }

    /// scores = queries · keysᵀ.
    void multiplyKeys(const ReaderPlace& reader, const PtxRing::Turn& turn) {
        const std::string stage = inStage("keysOfStage", m_keysOf, turn);
        const std::string keys = m_ptx.add("u64", "keysHere");
        const std::string queries = m_ptx.add("u64", "queriesHere");
        const std::string adds = m_ptx.add("pred", "addsToScores");
        m_ptx.write("setp.ne.u32", {adds, m_self.lane, m_self.lane});
        for (std::size_t slice = 0; slice < m_size.head / numbersOfSlice; ++slice) {
            m_ptx.write("add.u64", {queries, m_queriesOf, m_queryTile.slice(slice)});
            m_ptx.write("add.u64", {keys, stage, m_keyTile.slice(slice)});
            m_ptx.write(product(m_size.keys),
                        {braced(m_scores), queries, keys, slice == 0 ? adds : reader.always, 1, 1, 0, 0});
        }
        m_ptx.write("wgmma.commit_group.sync.aligned");
    }

    /// outputs += weights · values.
    void multiplyValues(const ReaderPlace& reader, const PtxRing::Turn& turn) {
        const std::string stage = inStage("valuesOfStage", m_valuesOf, turn);
        const std::string values = m_ptx.add("u64", "valuesHere");
        for (std::size_t slice = 0; slice < m_size.keys / numbersOfSlice; ++slice) {
            const std::span weights =
                std::span(m_softmax.weights()).subspan(slice * wordsOfSlice, wordsOfSlice);
            m_ptx.write("add.u64", {values, stage, m_keyTile.row(slice * numbersOfSlice)});
            m_ptx.write(product(m_size.head),
                        {braced(m_softmax.outputs()), braced(weights), values, reader.always, 1, 1, 1});
        }
        m_ptx.write("wgmma.commit_group.sync.aligned");
    }

    static std::string product(std::size_t columns) {
        return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k16.f32.bf16.bf16", columns);
    }

    HopperAttentionSize m_size;
    PtxWriter m_ptx;
    PanelTile m_queryTile;
    PanelTile m_keyTile;
    PtxRing m_ring;
    PtxSoftmax m_softmax;
    // Registers, by what they hold.
    PtxThread m_self;
    PtxAttentionPlace m_block;
    std::string m_shared, m_hasNone;
    std::string m_queriesOf, m_keysOf, m_valuesOf;
    std::vector<std::string> m_scores;
};

}  // namespace

PtxKernel hopperAttention(const HopperAttentionSize& size) {
    if (std::ranges::find(hopperAttentionSizes, size) == hopperAttentionSizes.end())
        throw Error(ErrorKind::Internal,
                    fmt::format("no kernel for compute capability 9.0 attends with heads of {} and {} keys",
                                size.head, size.keys));
    return HopperAttentionText(size).write();
}

}  // namespace meshreel
