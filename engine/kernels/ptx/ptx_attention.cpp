// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/gpu/attention_constants.h"
#include "engine/kernels/ptx/ptx_softmax.h"
#include "engine/kernels/ptx/ptx_writer.h"
#include "engine/kernels/ptx/shared_tile.h"

namespace meshreel {
namespace {

constexpr std::size_t keysOfStep = ptxAttentionKeys;

// mma.sync.m16n8k16: a product's sums of a thread are rows lane / 4 (registers 0 and 1) and eight below (2
// and 3), columns 2 · (lane % 4) and one more.
constexpr std::size_t productSide = 16;  // rows, and numbers along k
constexpr std::size_t productColumns = 8;
constexpr std::size_t sums = 4;
constexpr std::size_t keyTiles = keysOfStep / productColumns;
constexpr std::size_t wordsOfMatrices = 4;  // of ldmatrix.x4

constexpr std::string_view product = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";

std::span<const std::string> registersAt(const std::vector<std::string>& registers, std::size_t group,
                                         std::size_t count) {
    return std::span(registers).subspan(group * count, count);
}

/// Writes the kernel, from the top of its text to the bottom.
class AttentionText {
  public:
    explicit AttentionText(const PtxAttentionSize& size)
        : m_head(size.head),
          m_queriesOfBlock(size.queries),
          m_ptx(entry(), threads(), sizeof(AttentionConstants)),
          m_queryTile(m_queriesOfBlock, rowBytes(), threads()),
          m_keyTile(keysOfStep, rowBytes(), threads()),
          m_softmax(m_ptx, m_head, keysOfStep) {}

    PtxKernel write() {
        findPlace();
        const std::string finish = m_ptx.newLabel("finish");
        m_softmax.begin(m_block, m_self);
        skipWithoutKeys(finish);
        loadQueries();
        attendToSteps();
        m_ptx.label(finish);
        m_softmax.finish(m_self.warp);
        return {.entry = entry(), .text = m_ptx.text(), .threads = static_cast<std::uint32_t>(threads())};
    }

  private:
    [[nodiscard]] std::string entry() const {
        return fmt::format("attention_{}_{}", m_head, m_queriesOfBlock);
    }
    [[nodiscard]] std::size_t threads() const { return m_queriesOfBlock / productSide * 32; }
    [[nodiscard]] std::size_t rowBytes() const { return m_head * 2; }
    [[nodiscard]] std::size_t headSteps() const { return m_head / productSide; }

    void findPlace() {
        m_tiles = m_ptx.addShared("tiles", 3 * m_keyTile.bytes());
        m_self = m_ptx.addThread();
        m_block = findAttention(m_ptx, m_queriesOfBlock);
        m_place = m_keyTile.placeOfThread(m_ptx, m_self.thread);
        m_ptx.write("add.u32", {m_place, m_place, m_tiles});
        m_copiedRow = m_keyTile.firstRowOfThread(m_ptx, m_self.thread);
        m_copiedByte = m_keyTile.firstByteOfThread(m_ptx, m_self.thread);
    }

    void skipWithoutKeys(const std::string& finish) {
        const std::string hasNone = m_ptx.add("pred", "hasNone");
        m_ptx.write("setp.eq.u32", {hasNone, m_block.keys, 0});
        m_ptx.writeIf(hasNone, "bra.uni", {finish});
    }

    struct Rows {
        std::string begin;   ///< of this head in the first row, this thread's first byte included
        std::string stride;  ///< in bytes
        std::string last;
    };

    /// Where the rows of this block's head lie.
    Rows findRows(const char* name, std::size_t begin, std::size_t stride, const std::string& count) {
        Rows rows{.begin = m_ptx.load("u64", name, begin),
                  .stride = m_ptx.load("u32", "stride", stride),
                  .last = m_ptx.add("u32", "last")};
        m_ptx.write("cvta.to.global.u64", {rows.begin, rows.begin});
        m_ptx.write("mad.wide.u32", {rows.begin, m_block.head, rowBytes(), rows.begin});
        m_ptx.write("mad.wide.u32", {rows.begin, m_copiedByte, 1, rows.begin});
        m_ptx.write("shl.b32", {rows.stride, rows.stride, 1});
        m_ptx.write("sub.u32", {rows.last, count, 1});
        return rows;
    }

    void loadQueries() {
        m_ptx.note("Queries pass through the room of the keys into registers.");
        const Rows queries = findRows("q", offsetof(AttentionConstants, q),
                                      offsetof(AttentionConstants, qStride), m_block.queries);
        const std::string row = m_ptx.add("u32", "queryRow");
        m_ptx.write("add.u32", {row, m_copiedRow, m_block.firstQuery});
        const auto addresses = m_ptx.addMany("u64", "queryRow", m_queryTile.rowsOfThread());
        m_queryTile.pointAtRows(m_ptx, addresses, queries.begin, row, queries.last, queries.stride);
        m_queryTile.copy(m_ptx, {}, addresses, m_place);
        m_ptx.write("cp.async.wait_all");
        m_ptx.write("bar.sync", {0});
        std::vector<std::string> lanes = m_queryTile.lanes(m_ptx, m_self.lane, MatrixOrder::RowsFirst);
        for (const std::string& lane : lanes) {
            m_ptx.write("mad.lo.u32", {lane, m_self.warp, productSide * rowBytes(), lane});
            m_ptx.write("add.u32", {lane, lane, m_tiles});
        }
        m_queryWords = m_ptx.addMany("b32", "queryWord", headSteps() * wordsOfMatrices);
        for (std::size_t step = 0; step < headSteps(); ++step)
            m_queryTile.loadMatrices(m_ptx, ldmatrix, registersAt(m_queryWords, step, wordsOfMatrices), lanes,
                                     0, step);
        m_ptx.write("bar.sync", {0});
    }

    /// Begins to copy the keys or values of a step, and closes their group.
    void copyStep(const Rows& rows, const std::vector<std::string>& addresses, const std::string& firstKey,
                  const std::string& place, const std::string& predicate = {}) {
        const std::string row = m_ptx.add("u32", "keyRow");
        m_ptx.write("add.u32", {row, m_copiedRow, firstKey});
        m_keyTile.pointAtRows(m_ptx, addresses, rows.begin, row, rows.last, rows.stride);
        m_keyTile.copy(m_ptx, predicate, addresses, place);
        m_ptx.write("cp.async.commit_group");
    }

    void attendToSteps() {
        const Rows keys = findRows("k", offsetof(AttentionConstants, k),
                                   offsetof(AttentionConstants, kStride), m_block.keys);
        const Rows values = findRows("v", offsetof(AttentionConstants, v),
                                     offsetof(AttentionConstants, vStride), m_block.keys);
        m_softmax.findMarks();
        const auto rowsOfThread = m_keyTile.rowsOfThread();
        const auto addresses = m_ptx.addMany("u64", "keyRow", rowsOfThread);
        const std::string firstKey = m_ptx.add("u32", "firstKey");
        const std::string nextKey = m_ptx.add("u32", "nextKey");
        const std::string stage = m_ptx.add("u32", "keyStage");
        const std::string place = m_ptx.add("u32", "stagePlace");
        const std::string goesOn = m_ptx.add("pred", "goesOn");
        const std::size_t tile = m_keyTile.bytes();
        const std::string valuePlace = m_ptx.add("u32", "valuePlace");
        m_ptx.write("add.u32", {valuePlace, m_place, 2 * tile});
        m_keyLanes = m_keyTile.lanes(m_ptx, m_self.lane, MatrixOrder::ColumnsFirst);
        m_valueLanes = m_keyTile.lanes(m_ptx, m_self.lane, MatrixOrder::RowsFirst);
        for (const std::string& lane : m_keyLanes)
            m_ptx.write("add.u32", {lane, lane, m_tiles});
        for (const std::string& lane : m_valueLanes) {
            m_ptx.write("add.u32", {lane, lane, m_tiles});
            m_ptx.write("add.u32", {lane, lane, 2 * tile});
        }
        m_ptx.write("mov.u32", {firstKey, 0});
        m_ptx.write("mov.u32", {stage, 0});
        copyStep(keys, addresses, firstKey, m_place);

        const std::string loop = m_ptx.newLabel("steps");
        m_ptx.label(loop);
        m_ptx.note(
            "The keys of this step have come for all threads, and all have read the values and keys of the");
        m_ptx.note("step before, whose room is filled next.");
        m_ptx.write("cp.async.wait_group", {0});
        m_ptx.write("bar.sync", {0});
        copyStep(values, addresses, firstKey, valuePlace);
        m_ptx.note(
            "The next keys, if there are any; the group is closed in any case, so that groups count alike.");
        m_ptx.write("add.u32", {nextKey, firstKey, keysOfStep});
        m_ptx.write("xor.b32", {stage, stage, 1});
        m_ptx.write("mad.lo.u32", {place, stage, tile, m_place});
        m_ptx.write("setp.lt.u32", {goesOn, nextKey, m_block.keys});
        copyStep(keys, addresses, nextKey, place, goesOn);
        m_ptx.write("xor.b32", {place, stage, 1});
        m_ptx.write("mul.lo.u32", {place, place, tile});
        computeScores(place);
        m_softmax.hideKeys(firstKey, nextKey);
        m_softmax.raiseMaximum(
            [&](std::size_t row, const std::string& factor) { m_softmax.scaleOutputs(row, factor); });
        m_softmax.weighScores();
        m_softmax.narrowWeights();
        m_ptx.note("The values have come for all threads; the next keys may still be on their way.");
        m_ptx.write("cp.async.wait_group", {1});
        m_ptx.write("bar.sync", {0});
        addValues();
        m_ptx.write("mov.u32", {firstKey, nextKey});
        m_ptx.write("setp.lt.u32", {goesOn, firstKey, m_block.keys});
        m_ptx.writeIf(goesOn, "bra.uni", {loop});
    }

    /// Scores, not scaled: queries · keys of this step.
    void computeScores(const std::string& stage) {
        const std::vector<std::string>& scores = m_softmax.addScores();
        for (const std::string& score : scores)
            m_ptx.write("mov.f32", {score, 0.0F});
        const auto lanes = m_ptx.addMany("u32", "keyLane", m_keyLanes.size());
        for (std::size_t index = 0; index < lanes.size(); ++index)
            m_ptx.write("add.u32", {lanes[index], m_keyLanes[index], stage});
        const auto keys = m_ptx.addMany("b32", "keyWord", keyTiles / 2 * wordsOfMatrices);
        for (std::size_t step = 0; step < headSteps(); ++step) {
            for (std::size_t pair = 0; pair < keyTiles / 2; ++pair)
                m_keyTile.loadMatrices(m_ptx, ldmatrix, registersAt(keys, pair, wordsOfMatrices), lanes,
                                       pair * productSide, step);
            for (std::size_t tile = 0; tile < keyTiles; ++tile)
                multiply(registersAt(scores, tile, sums), registersAt(m_queryWords, step, wordsOfMatrices),
                         registersAt(keys, tile, wordsOfMatrices / 2));
        }
    }

    void multiply(std::span<const std::string> into, std::span<const std::string> left,
                  std::span<const std::string> right) {
        m_ptx.write(product, {braced(into), braced(left), braced(right), braced(into)});
    }

    void addValues() {
        const auto values = m_ptx.addMany("b32", "valueWord", wordsOfMatrices);
        for (std::size_t step = 0; step < keysOfStep / productSide; ++step)
            for (std::size_t column = 0; column < headSteps(); ++column) {
                m_keyTile.loadMatrices(m_ptx, ldmatrixTransposed, values, m_valueLanes, step * productSide,
                                       column);
                for (std::size_t half = 0; half < 2; ++half)
                    multiply(registersAt(m_softmax.outputs(), 2 * column + half, sums),
                             registersAt(m_softmax.weights(), step, wordsOfMatrices),
                             registersAt(values, half, wordsOfMatrices / 2));
            }
    }

    std::size_t m_head;
    std::size_t m_queriesOfBlock;
    PtxWriter m_ptx;
    SharedTile m_queryTile;
    SharedTile m_keyTile;
    PtxSoftmax m_softmax;
    // Registers, by what they hold.
    PtxThread m_self;
    std::string m_tiles;
    PtxAttentionPlace m_block;
    std::string m_place, m_copiedRow, m_copiedByte;
    std::vector<std::string> m_queryWords, m_keyLanes, m_valueLanes;
};

}  // namespace

PtxKernel ptxAttention(const PtxAttentionSize& size) {
    if (std::ranges::find(ptxAttentionSizes, size) == ptxAttentionSizes.end())
        throw Error(
            ErrorKind::Internal,
            fmt::format("no kernel of PTX attends with heads of {} and {} queries", size.head, size.queries));
    return AttentionText(size).write();
}

}  // namespace meshreel
