// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/gpu/attention_constants.h"
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
          m_keyTile(keysOfStep, rowBytes(), threads()) {}

    PtxKernel write() {
        findPlace();
        const std::string finish = m_ptx.newLabel("finish");
        clearOutputs();
        skipWithoutKeys(finish);
        loadQueries();
        attendToSteps();
        m_ptx.label(finish);
        finishOutputs();
        return {.entry = entry(), .text = m_ptx.text(), .threads = static_cast<std::uint32_t>(threads())};
    }

  private:
    [[nodiscard]] std::string entry() const {
        return fmt::format("attention_{}_{}", m_head, m_queriesOfBlock);
    }
    [[nodiscard]] std::size_t threads() const { return m_queriesOfBlock / productSide * 32; }
    [[nodiscard]] std::size_t rowBytes() const { return m_head * 2; }
    [[nodiscard]] std::size_t headSteps() const { return m_head / productSide; }
    [[nodiscard]] std::size_t headTiles() const { return m_head / productColumns; }

    void findPlace() {
        m_tiles = m_ptx.addShared("tiles", 3 * m_keyTile.bytes());
        m_self = m_ptx.addThread();
        m_queries = m_ptx.load("u32", "queries", offsetof(AttentionConstants, queries));
        m_keys = m_ptx.load("u32", "keys", offsetof(AttentionConstants, keys));
        m_flags = m_ptx.load("u32", "flags", offsetof(AttentionConstants, flags));
        m_scale = m_ptx.load("f32", "scale", offsetof(AttentionConstants, scale));
        m_firstQuery = m_ptx.load("u32", "firstQuery", offsetof(AttentionConstants, firstQuery));
        m_headIndex = m_ptx.load("u32", "head", offsetof(AttentionConstants, firstHead));
        const std::string block = m_ptx.add("u32", "block");
        m_ptx.write("mov.u32", {block, "%ctaid.x"});
        m_ptx.write("mad.lo.u32", {m_firstQuery, block, m_queriesOfBlock, m_firstQuery});
        m_ptx.write("mov.u32", {block, "%ctaid.y"});
        m_ptx.write("add.u32", {m_headIndex, m_headIndex, block});
        m_place = m_keyTile.placeOfThread(m_ptx, m_self.thread);
        m_ptx.write("add.u32", {m_place, m_place, m_tiles});
        m_copiedRow = m_keyTile.firstRowOfThread(m_ptx, m_self.thread);
        m_copiedByte = m_keyTile.firstByteOfThread(m_ptx, m_self.thread);
    }

    void clearOutputs() {
        m_outputs = m_ptx.addMany("f32", "output", headTiles() * sums);
        m_most = m_ptx.addMany("f32", "most", 2);
        m_total = m_ptx.addMany("f32", "total", 2);
        for (const std::string& output : m_outputs)
            m_ptx.write("mov.f32", {output, 0.0F});
        for (std::size_t row = 0; row < 2; ++row) {
            m_ptx.write("mov.f32", {m_most[row], attentionNone});
            m_ptx.write("mov.f32", {m_total[row], 0.0F});
        }
    }

    void skipWithoutKeys(const std::string& finish) {
        const std::string hasNone = m_ptx.add("pred", "hasNone");
        m_ptx.write("setp.eq.u32", {hasNone, m_keys, 0});
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
        m_ptx.write("mad.wide.u32", {rows.begin, m_headIndex, rowBytes(), rows.begin});
        m_ptx.write("mad.wide.u32", {rows.begin, m_copiedByte, 1, rows.begin});
        m_ptx.write("shl.b32", {rows.stride, rows.stride, 1});
        m_ptx.write("sub.u32", {rows.last, count, 1});
        return rows;
    }

    void loadQueries() {
        m_ptx.note("Queries pass through the room of the keys into registers.");
        const Rows queries =
            findRows("q", offsetof(AttentionConstants, q), offsetof(AttentionConstants, qStride), m_queries);
        const std::string row = m_ptx.add("u32", "queryRow");
        m_ptx.write("add.u32", {row, m_copiedRow, m_firstQuery});
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
        const Rows keys =
            findRows("k", offsetof(AttentionConstants, k), offsetof(AttentionConstants, kStride), m_keys);
        const Rows values =
            findRows("v", offsetof(AttentionConstants, v), offsetof(AttentionConstants, vStride), m_keys);
        findMarks();
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
        m_ptx.write("setp.lt.u32", {goesOn, nextKey, m_keys});
        copyStep(keys, addresses, nextKey, place, goesOn);
        m_ptx.write("xor.b32", {place, stage, 1});
        m_ptx.write("mul.lo.u32", {place, place, tile});
        computeScores(place);
        hideKeys(firstKey, nextKey);
        raiseMaximum();
        weighScores();
        m_ptx.note("The values have come for all threads; the next keys may still be on their way.");
        m_ptx.write("cp.async.wait_group", {1});
        m_ptx.write("bar.sync", {0});
        addValues();
        m_ptx.write("mov.u32", {firstKey, nextKey});
        m_ptx.write("setp.lt.u32", {goesOn, firstKey, m_keys});
        m_ptx.writeIf(goesOn, "bra.uni", {loop});
    }

    /// Scores, not scaled: queries · keys of this step.
    void computeScores(const std::string& stage) {
        m_scores = m_ptx.addMany("f32", "score", keyTiles * sums);
        for (const std::string& score : m_scores)
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
                multiply(registersAt(m_scores, tile, sums), registersAt(m_queryWords, step, wordsOfMatrices),
                         registersAt(keys, tile, wordsOfMatrices / 2));
        }
    }

    void multiply(std::span<const std::string> into, std::span<const std::string> left,
                  std::span<const std::string> right) {
        m_ptx.write(product, {braced(into), braced(left), braced(right), braced(into)});
    }

    void findMarks() {
        m_marks = m_ptx.load("u64", "marks", offsetof(AttentionConstants, keyMask));
        m_ptx.write("cvta.to.global.u64", {m_marks, m_marks});
        const std::string flag = m_ptx.add("b32", "flag");
        m_hasMarks = m_ptx.add("pred", "hasMarks");
        m_ptx.write("and.b32", {flag, m_flags, AttentionFlag::maskedKeys});
        m_ptx.write("setp.ne.u32", {m_hasMarks, flag, 0});
        m_lastKey = m_ptx.add("u32", "lastKey");
        m_ptx.write("sub.u32", {m_lastKey, m_keys, 1});
        m_ptx.note(
            "What the last key's score has more, as it may stand for several; scores are not scaled yet.");
        m_lastKeyMore = m_ptx.load("f32", "lastKeyMore", offsetof(AttentionConstants, lastKey));
        const std::string perScale = m_ptx.add("f32", "perScale");
        m_ptx.write("rcp.approx.ftz.f32", {perScale, m_scale});
        m_ptx.write("mul.rn.f32", {m_lastKeyMore, m_lastKeyMore, perScale});
    }

    /// Only in the last step, or where keys are marked: a key that is not there, or hidden, has no weight.
    void hideKeys(const std::string& firstKey, const std::string& nextKey) {
        const std::string hides = m_ptx.add("pred", "hides");
        const std::string whole = m_ptx.newLabel("allKeysCount");
        m_ptx.write("setp.ge.u32", {hides, nextKey, m_keys});
        m_ptx.write("or.pred", {hides, hides, m_hasMarks});
        m_ptx.writeUnless(hides, "bra.uni", {whole});
        const std::string member = m_ptx.add("u32", "member");
        const std::string key = m_ptx.add("u32", "key");
        const std::string place = m_ptx.add("u32", "markPlace");
        const std::string address = m_ptx.add("u64", "markAddress");
        const std::string mark = m_ptx.add("u32", "mark");
        const std::string isHidden = m_ptx.add("pred", "isHidden");
        const std::string isUnmarked = m_ptx.add("pred", "isUnmarked");
        const std::string isLast = m_ptx.add("pred", "isLast");
        m_ptx.write("and.b32", {member, m_self.lane, 3});
        m_ptx.write("mad.lo.u32", {member, member, 2, firstKey});
        for (std::size_t tile = 0; tile < keyTiles; ++tile)
            for (std::size_t odd = 0; odd < 2; ++odd) {
                m_ptx.write("add.u32", {key, member, tile * productColumns + odd});
                m_ptx.write("setp.ge.u32", {isHidden, key, m_keys});
                m_ptx.write("min.u32", {place, key, m_lastKey});
                m_ptx.write("mad.wide.u32", {address, place, sizeof(std::uint32_t), m_marks});
                m_ptx.write("mov.u32", {mark, 1});
                m_ptx.writeIf(m_hasMarks, "ld.global.u32", {mark, at(address)});
                m_ptx.write("setp.eq.u32", {isUnmarked, mark, 0});
                m_ptx.write("or.pred", {isHidden, isHidden, isUnmarked});
                m_ptx.write("setp.eq.u32", {isLast, key, m_lastKey});
                for (std::size_t row = 0; row < 2; ++row) {
                    const std::string& score = m_scores[tile * sums + 2 * row + odd];
                    m_ptx.writeIf(isLast, "add.rn.f32", {score, score, m_lastKeyMore});
                    m_ptx.write("selp.f32",
                                {score, -std::numeric_limits<float>::infinity(), score, isHidden});
                }
            }
        m_ptx.label(whole);
    }

    [[nodiscard]] const std::string& score(std::size_t tile, std::size_t row, std::size_t odd) const {
        return m_scores[tile * sums + 2 * row + odd];
    }

    /// value = its combination over the four lanes that share a row.
    void acrossRow(const char* operation, const std::string& value) {
        const std::string bits = m_ptx.add("b32", "bits");
        const std::string other = m_ptx.add("f32", "other");
        for (const int distance : {1, 2}) {
            m_ptx.write("mov.b32", {bits, value});
            m_ptx.write("shfl.sync.bfly.b32", {bits, bits, distance, 31, 0xffffffffU});
            m_ptx.write("mov.b32", {other, bits});
            m_ptx.write(operation, {value, value, other});
        }
    }

    /// Maxima stay where no score of the warp is above its own by more than the slack; weights are then 64 at
    /// most.
    void raiseMaximum() {
        const auto highest = m_ptx.addMany("f32", "highest", 2);
        const auto raises = m_ptx.addMany("pred", "raises", 2);
        const std::string anyRaises = m_ptx.add("pred", "anyRaises");
        const std::string limit = m_ptx.add("f32", "limit");
        for (std::size_t row = 0; row < 2; ++row) {
            m_ptx.write("max.f32", {highest[row], score(0, row, 0), score(0, row, 1)});
            for (std::size_t tile = 1; tile < keyTiles; ++tile)
                for (std::size_t odd = 0; odd < 2; ++odd)
                    m_ptx.write("max.f32", {highest[row], highest[row], score(tile, row, odd)});
            acrossRow("max.f32", highest[row]);
            m_ptx.write("mul.rn.f32", {highest[row], highest[row], m_scale});
            m_ptx.write("add.rn.f32", {limit, m_most[row], attentionSlack});
            m_ptx.write("setp.gt.f32", {raises[row], highest[row], limit});
        }
        m_ptx.write("or.pred", {anyRaises, raises[0], raises[1]});
        m_ptx.write("vote.sync.any.pred", {anyRaises, anyRaises, 0xffffffffU});
        const std::string stays = m_ptx.newLabel("maximumStays");
        m_ptx.writeUnless(anyRaises, "bra.uni", {stays});
        const std::string factor = m_ptx.add("f32", "factor");
        for (std::size_t row = 0; row < 2; ++row) {
            m_ptx.write("selp.f32", {highest[row], highest[row], m_most[row], raises[row]});
            m_ptx.write("sub.rn.f32", {factor, m_most[row], highest[row]});
            m_ptx.write("ex2.approx.ftz.f32", {factor, factor});
            m_ptx.write("mov.f32", {m_most[row], highest[row]});
            m_ptx.write("mul.rn.f32", {m_total[row], m_total[row], factor});
            for (std::size_t tile = 0; tile < headTiles(); ++tile)
                for (std::size_t odd = 0; odd < 2; ++odd) {
                    const std::string& output = m_outputs[tile * sums + 2 * row + odd];
                    m_ptx.write("mul.rn.f32", {output, output, factor});
                }
        }
        m_ptx.label(stays);
    }

    /// Scores become weights where they are, which is where the left factor of the next product wants them.
    void weighScores() {
        const auto less = m_ptx.addMany("f32", "less", 2);
        m_weights = m_ptx.addMany("b32", "weight", keyTiles * sums / 2);
        for (std::size_t row = 0; row < 2; ++row)
            m_ptx.write("neg.f32", {less[row], m_most[row]});
        for (std::size_t tile = 0; tile < keyTiles; ++tile)
            for (std::size_t row = 0; row < 2; ++row) {
                for (std::size_t odd = 0; odd < 2; ++odd) {
                    const std::string& weight = score(tile, row, odd);
                    m_ptx.write("fma.rn.f32", {weight, weight, m_scale, less[row]});
                    m_ptx.write("ex2.approx.ftz.f32", {weight, weight});
                    m_ptx.write("add.rn.f32", {m_total[row], m_total[row], weight});
                }
                m_ptx.write("cvt.rn.bf16x2.f32",
                            {m_weights[tile * 2 + row], score(tile, row, 1), score(tile, row, 0)});
            }
    }

    void addValues() {
        const auto values = m_ptx.addMany("b32", "valueWord", wordsOfMatrices);
        for (std::size_t step = 0; step < keysOfStep / productSide; ++step)
            for (std::size_t column = 0; column < headSteps(); ++column) {
                m_keyTile.loadMatrices(m_ptx, ldmatrixTransposed, values, m_valueLanes, step * productSide,
                                       column);
                for (std::size_t half = 0; half < 2; ++half)
                    multiply(registersAt(m_outputs, 2 * column + half, sums),
                             registersAt(m_weights, step, wordsOfMatrices),
                             registersAt(values, half, wordsOfMatrices / 2));
            }
    }

    // ---- Where outputs go ----

    void finishOutputs() {
        for (std::size_t row = 0; row < 2; ++row)
            acrossRow("add.rn.f32", m_total[row]);
        const std::string output = m_ptx.load("u64", "output", offsetof(AttentionConstants, output));
        m_ptx.write("cvta.to.global.u64", {output, output});
        const std::string flag = m_ptx.add("b32", "flag");
        const std::string isPartial = m_ptx.add("pred", "isPartial");
        const std::string isNarrow = m_ptx.add("pred", "isNarrow");
        m_ptx.write("and.b32", {flag, m_flags, AttentionFlag::finishesRows});
        m_ptx.write("setp.eq.u32", {isPartial, flag, 0});
        m_ptx.write("and.b32", {flag, m_flags, AttentionFlag::narrowRows});
        m_ptx.write("setp.ne.u32", {isNarrow, flag, 0});
        m_member = m_ptx.add("u32", "member");
        m_ptx.write("and.b32", {m_member, m_self.lane, 3});
        const std::string query = m_ptx.add("u32", "query");
        m_ptx.write("shr.u32", {query, m_self.lane, 2});
        m_ptx.write("mad.lo.u32", {query, m_self.warp, productSide, query});
        m_ptx.write("add.u32", {query, query, m_firstQuery});
        const std::string rows = m_ptx.newLabel("finishRows");
        const std::string done = m_ptx.newLabel("done");
        m_ptx.writeUnless(isPartial, "bra.uni", {rows});
        writePartial(output, query);
        m_ptx.write("bra.uni", {done});
        m_ptx.label(rows);
        writeRows(output, query, isNarrow);
        m_ptx.label(done);
    }

    /// Whether this lane's row `half` is there.
    std::string isQueryThere(const std::string& query, std::size_t half) {
        std::string isThere = m_ptx.add("pred", "isThere");
        if (half == 1)
            m_ptx.write("add.u32", {query, query, productSide / 2});
        m_ptx.write("setp.lt.u32", {isThere, query, m_queries});
        return isThere;
    }

    [[nodiscard]] std::span<const std::string> outputPair(std::size_t tile, std::size_t half) const {
        return std::span(m_outputs).subspan(tile * sums + 2 * half, 2);
    }

    void writePartial(const std::string& output, const std::string& firstQuery) {
        const std::string query = m_ptx.add("u32", "partialQuery");
        const std::string row = m_ptx.add("u32", "partialRow");
        const std::string address = m_ptx.add("u64", "partialAddress");
        const std::string isFirst = m_ptx.add("pred", "isFirst");
        const std::string isEmpty = m_ptx.add("pred", "isEmpty");
        const std::string writes = m_ptx.add("pred", "writes");
        const std::string maximum = m_ptx.load("u64", "maximum", offsetof(AttentionConstants, maximum));
        const std::string sum = m_ptx.load("u64", "sum", offsetof(AttentionConstants, sum));
        m_ptx.write("cvta.to.global.u64", {maximum, maximum});
        m_ptx.write("cvta.to.global.u64", {sum, sum});
        m_ptx.write("mov.u32", {query, firstQuery});
        m_ptx.write("setp.eq.u32", {isFirst, m_member, 0});
        for (std::size_t half = 0; half < 2; ++half) {
            const std::string isThere = isQueryThere(query, half);
            m_ptx.write("mad.lo.u32", {row, m_headIndex, m_queries, query});
            m_ptx.write("mad.wide.u32", {address, row, m_head * sizeof(float), output});
            m_ptx.write("mad.wide.u32", {address, m_member, 2 * sizeof(float), address});
            for (std::size_t tile = 0; tile < headTiles(); ++tile)
                m_ptx.writeIf(
                    isThere, "st.global.v2.f32",
                    {at(address, tile * productColumns * sizeof(float)), braced(outputPair(tile, half))});
            m_ptx.write("and.pred", {writes, isThere, isFirst});
            m_ptx.write("setp.eq.f32", {isEmpty, m_most[half], attentionNone});
            m_ptx.write("selp.f32",
                        {m_most[half], -std::numeric_limits<float>::infinity(), m_most[half], isEmpty});
            m_ptx.write("mad.wide.u32", {address, row, sizeof(float), maximum});
            m_ptx.writeIf(writes, "st.global.f32", {at(address), m_most[half]});
            m_ptx.write("mad.wide.u32", {address, row, sizeof(float), sum});
            m_ptx.writeIf(writes, "st.global.f32", {at(address), m_total[half]});
        }
    }

    void writeRows(const std::string& output, const std::string& firstQuery, const std::string& isNarrow) {
        const std::string query = m_ptx.add("u32", "rowQuery");
        const std::string size = m_ptx.add("u32", "size");
        const std::string column = m_ptx.add("u32", "column");
        const std::string address = m_ptx.add("u64", "rowAddress");
        const std::string begin = m_ptx.add("u64", "rowBegin");
        const std::string word = m_ptx.add("b32", "narrow");
        const std::string hasKeys = m_ptx.add("pred", "hasKeys");
        const std::string stride = m_ptx.load("u32", "yStride", offsetof(AttentionConstants, yStride));
        m_ptx.write("mov.u32", {query, firstQuery});
        m_ptx.write("selp.u32", {size, 2, 4, isNarrow});
        m_ptx.write("mul.lo.u32", {stride, stride, size});
        m_ptx.write("mul.lo.u32", {column, m_headIndex, m_head});
        m_ptx.write("mad.lo.u32", {column, m_member, 2, column});
        m_ptx.write("mad.wide.u32", {begin, column, size, output});
        for (std::size_t half = 0; half < 2; ++half) {
            const std::string isThere = isQueryThere(query, half);
            const std::string& perTotal = m_total[half];
            m_ptx.write("setp.gt.f32", {hasKeys, perTotal, 0.0F});
            m_ptx.write("rcp.approx.ftz.f32", {perTotal, perTotal});
            m_ptx.write("selp.f32", {perTotal, perTotal, 0.0F, hasKeys});
            m_ptx.write("mad.wide.u32", {address, query, stride, begin});
            const std::string wide = m_ptx.newLabel("wideRows");
            const std::string done = m_ptx.newLabel("rowIsDone");
            for (std::size_t tile = 0; tile < headTiles(); ++tile)
                for (const std::string& number : outputPair(tile, half))
                    m_ptx.write("mul.rn.f32", {number, number, perTotal});
            m_ptx.writeUnless(isNarrow, "bra.uni", {wide});
            for (std::size_t tile = 0; tile < headTiles(); ++tile) {
                const std::span pair = outputPair(tile, half);
                m_ptx.write("cvt.rn.bf16x2.f32", {word, pair[1], pair[0]});
                m_ptx.writeIf(isThere, "st.global.b32", {at(address, tile * productColumns * 2), word});
            }
            m_ptx.write("bra.uni", {done});
            m_ptx.label(wide);
            for (std::size_t tile = 0; tile < headTiles(); ++tile)
                m_ptx.writeIf(
                    isThere, "st.global.v2.f32",
                    {at(address, tile * productColumns * sizeof(float)), braced(outputPair(tile, half))});
            m_ptx.label(done);
        }
    }

    std::size_t m_head;
    std::size_t m_queriesOfBlock;
    PtxWriter m_ptx;
    SharedTile m_queryTile;
    SharedTile m_keyTile;
    // Registers, by what they hold.
    PtxThread m_self;
    std::string m_tiles, m_member;
    std::string m_queries, m_keys, m_flags, m_scale, m_firstQuery, m_headIndex;
    std::string m_place, m_copiedRow, m_copiedByte;
    std::string m_marks, m_hasMarks, m_lastKey, m_lastKeyMore;
    std::vector<std::string> m_queryWords, m_keyLanes, m_valueLanes;
    std::vector<std::string> m_scores, m_weights, m_outputs, m_most, m_total;
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
