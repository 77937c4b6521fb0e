// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_softmax.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/kernels/gpu/attention_constants.h"

namespace meshreel {
namespace {

constexpr std::size_t queriesOfWarp = 16;
constexpr std::size_t columnsOfTile = 8;
constexpr std::size_t numbersOfTile = 4;  // registers of a thread

}  // namespace

PtxAttentionPlace findAttention(PtxWriter& ptx, std::size_t queriesOfBlock) {
    PtxAttentionPlace place{
        .queries = ptx.load("u32", "queries", offsetof(AttentionConstants, queries)),
        .keys = ptx.load("u32", "keys", offsetof(AttentionConstants, keys)),
        .flags = ptx.load("u32", "flags", offsetof(AttentionConstants, flags)),
        .scale = ptx.load("f32", "scale", offsetof(AttentionConstants, scale)),
        .firstQuery = ptx.load("u32", "firstQuery", offsetof(AttentionConstants, firstQuery)),
        .head = ptx.load("u32", "head", offsetof(AttentionConstants, firstHead))};
    const std::string block = ptx.add("u32", "block");
    ptx.write("mov.u32", {block, "%ctaid.x"});
    ptx.write("mad.lo.u32", {place.firstQuery, block, queriesOfBlock, place.firstQuery});
    ptx.write("mov.u32", {block, "%ctaid.y"});
    ptx.write("add.u32", {place.head, place.head, block});
    return place;
}

PtxSoftmax::PtxSoftmax(PtxWriter& ptx, std::size_t head, std::size_t keysOfStep)
    : m_ptx(ptx), m_head(head), m_keysOfStep(keysOfStep) {}

void PtxSoftmax::begin(const PtxAttentionPlace& place, const PtxThread& self) {
    m_place = place;
    m_self = self;
    m_outputs = m_ptx.addMany("f32", "output", headTiles() * numbersOfTile);
    m_most = m_ptx.addMany("f32", "most", 2);
    m_total = m_ptx.addMany("f32", "total", 2);
    for (const std::string& output : m_outputs)
        m_ptx.write("mov.f32", {output, 0.0F});
    for (std::size_t row = 0; row < 2; ++row) {
        m_ptx.write("mov.f32", {m_most[row], attentionNone});
        m_ptx.write("mov.f32", {m_total[row], 0.0F});
    }
}

const std::vector<std::string>& PtxSoftmax::addScores() {
    m_scores = m_ptx.addMany("f32", "score", keyTiles() * numbersOfTile);
    m_weights = m_ptx.addMany("b32", "weight", keyTiles() * numbersOfTile / 2);
    return m_scores;
}

void PtxSoftmax::findMarks() {
    m_marks = m_ptx.load("u64", "marks", offsetof(AttentionConstants, keyMask));
    m_ptx.write("cvta.to.global.u64", {m_marks, m_marks});
    const std::string flag = m_ptx.add("b32", "flag");
    m_hasMarks = m_ptx.add("pred", "hasMarks");
    m_ptx.write("and.b32", {flag, m_place.flags, AttentionFlag::maskedKeys});
    m_ptx.write("setp.ne.u32", {m_hasMarks, flag, 0});
    m_lastKey = m_ptx.add("u32", "lastKey");
    m_ptx.write("sub.u32", {m_lastKey, m_place.keys, 1});
    m_ptx.note("What the last key's score has more, as it may stand for several; scores are not scaled yet.");
    m_lastKeyMore = m_ptx.load("f32", "lastKeyMore", offsetof(AttentionConstants, lastKey));
    const std::string perScale = m_ptx.add("f32", "perScale");
    m_ptx.write("rcp.approx.ftz.f32", {perScale, m_place.scale});
    m_ptx.write("mul.rn.f32", {m_lastKeyMore, m_lastKeyMore, perScale});
}

void PtxSoftmax::hideKeys(const std::string& firstKey, const std::string& nextKey) {
    const std::string hides = m_ptx.add("pred", "hides");
    const std::string whole = m_ptx.newLabel("allKeysCount");
    m_ptx.write("setp.ge.u32", {hides, nextKey, m_place.keys});
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
    for (std::size_t tile = 0; tile < keyTiles(); ++tile)
        for (std::size_t odd = 0; odd < 2; ++odd) {
            m_ptx.write("add.u32", {key, member, tile * columnsOfTile + odd});
            m_ptx.write("setp.ge.u32", {isHidden, key, m_place.keys});
            m_ptx.write("min.u32", {place, key, m_lastKey});
            m_ptx.write("mad.wide.u32", {address, place, sizeof(std::uint32_t), m_marks});
            m_ptx.write("mov.u32", {mark, 1});
            m_ptx.writeIf(m_hasMarks, "ld.global.u32", {mark, at(address)});
            m_ptx.write("setp.eq.u32", {isUnmarked, mark, 0});
            m_ptx.write("or.pred", {isHidden, isHidden, isUnmarked});
            m_ptx.write("setp.eq.u32", {isLast, key, m_lastKey});
            for (std::size_t row = 0; row < 2; ++row) {
                const std::string& score = m_scores[tile * numbersOfTile + 2 * row + odd];
                m_ptx.writeIf(isLast, "add.rn.f32", {score, score, m_lastKeyMore});
                m_ptx.write("selp.f32", {score, -std::numeric_limits<float>::infinity(), score, isHidden});
            }
        }
    m_ptx.label(whole);
}

const std::string& PtxSoftmax::score(std::size_t tile, std::size_t row, std::size_t odd) const {
    return m_scores[tile * numbersOfTile + 2 * row + odd];
}

/// value = its combination over the four lanes that share a row.
void PtxSoftmax::acrossRow(const char* operation, const std::string& value) {
    const std::string bits = m_ptx.add("b32", "bits");
    const std::string other = m_ptx.add("f32", "other");
    for (const int distance : {1, 2}) {
        m_ptx.write("mov.b32", {bits, value});
        m_ptx.write("shfl.sync.bfly.b32", {bits, bits, distance, 31, 0xffffffffU});
        m_ptx.write("mov.b32", {other, bits});
        m_ptx.write(operation, {value, value, other});
    }
}

std::string PtxSoftmax::raiseMaximum(
    const std::function<void(std::size_t row, const std::string& factor)>& rescale) {
    const auto highest = m_ptx.addMany("f32", "highest", 2);
    const auto raises = m_ptx.addMany("pred", "raises", 2);
    std::string anyRaises = m_ptx.add("pred", "anyRaises");
    const std::string limit = m_ptx.add("f32", "limit");
    for (std::size_t row = 0; row < 2; ++row) {
        m_ptx.write("max.f32", {highest[row], score(0, row, 0), score(0, row, 1)});
        for (std::size_t tile = 1; tile < keyTiles(); ++tile)
            for (std::size_t odd = 0; odd < 2; ++odd)
                m_ptx.write("max.f32", {highest[row], highest[row], score(tile, row, odd)});
        acrossRow("max.f32", highest[row]);
        m_ptx.write("mul.rn.f32", {highest[row], highest[row], m_place.scale});
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
        rescale(row, factor);
    }
    m_ptx.label(stays);
    return anyRaises;
}

void PtxSoftmax::scaleOutputs(std::size_t row, const std::string& factor) {
    for (std::size_t tile = 0; tile < headTiles(); ++tile)
        for (const std::string& output : outputPair(tile, row))
            m_ptx.write("mul.rn.f32", {output, output, factor});
}

void PtxSoftmax::weighScores() {
    const auto less = m_ptx.addMany("f32", "less", 2);
    for (std::size_t row = 0; row < 2; ++row)
        m_ptx.write("neg.f32", {less[row], m_most[row]});
    for (std::size_t tile = 0; tile < keyTiles(); ++tile)
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t odd = 0; odd < 2; ++odd) {
                const std::string& weight = score(tile, row, odd);
                m_ptx.write("fma.rn.f32", {weight, weight, m_place.scale, less[row]});
                m_ptx.write("ex2.approx.ftz.f32", {weight, weight});
                m_ptx.write("add.rn.f32", {m_total[row], m_total[row], weight});
            }
}

void PtxSoftmax::narrowWeights() {
    for (std::size_t tile = 0; tile < keyTiles(); ++tile)
        for (std::size_t row = 0; row < 2; ++row)
            m_ptx.write("cvt.rn.bf16x2.f32",
                        {m_weights[tile * 2 + row], score(tile, row, 1), score(tile, row, 0)});
}

// ---- Where outputs go ----

void PtxSoftmax::finish(const std::string& warp) {
    for (std::size_t row = 0; row < 2; ++row)
        acrossRow("add.rn.f32", m_total[row]);
    const std::string output = m_ptx.load("u64", "output", offsetof(AttentionConstants, output));
    m_ptx.write("cvta.to.global.u64", {output, output});
    const std::string flag = m_ptx.add("b32", "flag");
    const std::string isPartial = m_ptx.add("pred", "isPartial");
    const std::string isNarrow = m_ptx.add("pred", "isNarrow");
    m_ptx.write("and.b32", {flag, m_place.flags, AttentionFlag::finishesRows});
    m_ptx.write("setp.eq.u32", {isPartial, flag, 0});
    m_ptx.write("and.b32", {flag, m_place.flags, AttentionFlag::narrowRows});
    m_ptx.write("setp.ne.u32", {isNarrow, flag, 0});
    m_member = m_ptx.add("u32", "member");
    m_ptx.write("and.b32", {m_member, m_self.lane, 3});
    const std::string query = m_ptx.add("u32", "query");
    m_ptx.write("shr.u32", {query, m_self.lane, 2});
    m_ptx.write("mad.lo.u32", {query, warp, queriesOfWarp, query});
    m_ptx.write("add.u32", {query, query, m_place.firstQuery});
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
std::string PtxSoftmax::isQueryThere(const std::string& query, std::size_t half) {
    std::string isThere = m_ptx.add("pred", "isThere");
    if (half == 1)
        m_ptx.write("add.u32", {query, query, queriesOfWarp / 2});
    m_ptx.write("setp.lt.u32", {isThere, query, m_place.queries});
    return isThere;
}

std::span<const std::string> PtxSoftmax::outputPair(std::size_t tile, std::size_t half) const {
    return std::span(m_outputs).subspan(tile * numbersOfTile + 2 * half, 2);
}

void PtxSoftmax::writePartial(const std::string& output, const std::string& firstQuery) {
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
        m_ptx.write("mad.lo.u32", {row, m_place.head, m_place.queries, query});
        m_ptx.write("mad.wide.u32", {address, row, m_head * sizeof(float), output});
        m_ptx.write("mad.wide.u32", {address, m_member, 2 * sizeof(float), address});
        for (std::size_t tile = 0; tile < headTiles(); ++tile)
            m_ptx.writeIf(
                isThere, "st.global.v2.f32",
                {at(address, tile * columnsOfTile * sizeof(float)), braced(outputPair(tile, half))});
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

void PtxSoftmax::writeRows(const std::string& output, const std::string& firstQuery,
                           const std::string& isNarrow) {
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
    m_ptx.write("mul.lo.u32", {column, m_place.head, m_head});
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
            m_ptx.writeIf(isThere, "st.global.b32", {at(address, tile * columnsOfTile * 2), word});
        }
        m_ptx.write("bra.uni", {done});
        m_ptx.label(wide);
        for (std::size_t tile = 0; tile < headTiles(); ++tile)
            m_ptx.writeIf(
                isThere, "st.global.v2.f32",
                {at(address, tile * columnsOfTile * sizeof(float)), braced(outputPair(tile, half))});
        m_ptx.label(done);
    }
}

}  // namespace meshreel
