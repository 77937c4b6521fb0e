// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_linear_outputs.h"

#include <bit>
#include <cstddef>

#include "engine/kernels/gpu/linear_constants.h"

namespace meshreel {
namespace {

constexpr std::size_t outsOfFragment = 8;
constexpr std::size_t sumsOfFragment = 4;  // registers of a thread
constexpr std::size_t lanesOfWarp = 32;

}  // namespace

PtxLinearOutputs::PtxLinearOutputs(PtxWriter& ptx, bool isInt8, std::size_t outs)
    : m_ptx(ptx), m_isInt8(isInt8), m_outs(outs) {}

void PtxLinearOutputs::begin(const PtxThread& self, const std::string& waiting) {
    m_ptx.note("Sums pass through shared memory 16 rows of a warp at a time; a lane then has four outputs");
    m_ptx.note("beside each other.");
    m_rows = m_ptx.load("u32", "rows", offsetof(LinearConstants, rows));
    m_outCount = m_ptx.load("u32", "outs", offsetof(LinearConstants, outs));
    m_flags = m_ptx.load("u32", "flags", offsetof(LinearConstants, flags));
    m_activation = m_ptx.load("u32", "activation", offsetof(LinearConstants, activation));
    m_y = m_ptx.load("u64", "y", offsetof(LinearConstants, y));
    m_yStride = m_ptx.load("u32", "yStride", offsetof(LinearConstants, yStride));
    m_ptx.write("cvta.to.global.u64", {m_y, m_y});
    if (m_isInt8) {
        m_rowScales = m_ptx.load("u64", "rowScales", offsetof(LinearConstants, rowScales));
        m_ptx.write("cvta.to.global.u64", {m_rowScales, m_rowScales});
    }
    m_isNarrow = m_ptx.add("pred", "isNarrow");
    m_adds = m_ptx.add("pred", "adds");
    setIfFlag(m_isNarrow, LinearFlag::narrowY);
    setIfFlag(m_adds, LinearFlag::addToY);
    m_size = m_ptx.add("u32", "size");
    m_ptx.write("selp.u32", {m_size, 2, 4, m_isNarrow});
    m_ptx.write("mul.lo.u32", {m_yStride, m_yStride, m_size});

    m_written = m_ptx.add("u32", "written");
    const std::string member = m_ptx.add("u32", "member");
    m_ptx.write("shr.u32", {m_written, self.lane, 2});
    m_ptx.write("mad.lo.u32", {m_written, m_written, pitch(), waiting});
    m_ptx.write("and.b32", {member, self.lane, 3});
    m_ptx.write("mad.lo.u32", {m_written, member, 2 * sizeof(float), m_written});
    m_laneOut = m_ptx.add("u32", "laneOut");
    m_laneRow = m_ptx.add("u32", "laneRow");
    m_read = m_ptx.add("u32", "read");
    m_ptx.write("and.b32", {m_laneOut, self.lane, lanesOfRow() - 1});
    m_ptx.write("shl.b32", {m_laneOut, m_laneOut, 2});
    m_ptx.write("shr.u32", {m_laneRow, self.lane, std::countr_zero(lanesOfRow())});
    m_ptx.write("mad.lo.u32", {m_read, m_laneRow, pitch(), waiting});
    m_ptx.write("mad.lo.u32", {m_read, m_laneOut, sizeof(float), m_read});
    m_hasOut = m_ptx.add("pred", "hasOut");
    m_yHere = m_ptx.add("u64", "yHere");
    m_epilogue.emplace(m_ptx);
}

void PtxLinearOutputs::setIfFlag(const std::string& predicate, std::uint32_t flag) {
    const std::string bit = m_ptx.add("b32", "flag");
    m_ptx.write("and.b32", {bit, m_flags, flag});
    m_ptx.write("setp.ne.u32", {predicate, bit, 0});
}

/// Four numbers of a vector of outputs where the flag is set, else the same number four times.
std::vector<std::string> PtxLinearOutputs::loadFour(const char* name, std::size_t begin, std::uint32_t flag,
                                                    float otherwise, const Vectors& vectors,
                                                    std::size_t which) {
    std::vector<std::string> four = m_ptx.addMany("f32", name, 4);
    for (const std::string& number : four)
        m_ptx.write("mov.f32", {number, otherwise});
    const std::string isThere = m_ptx.add("pred", "isThere");
    setIfFlag(isThere, flag);
    m_ptx.write("and.pred", {isThere, isThere, m_hasOut});
    if (!vectors.place.empty()) {
        const std::string address = m_ptx.add("u32", "vectorPlace");
        m_ptx.write("mad.lo.u32", {address, m_laneOut, sizeof(float), vectors.place});
        m_ptx.writeIf(isThere, "ld.shared.v4.f32",
                      {braced(four), at(address, vectors.offset + which * vectors.between)});
        return four;
    }
    const std::string address = m_ptx.load("u64", name, begin);
    m_ptx.write("cvta.to.global.u64", {address, address});
    m_ptx.write("mad.wide.u32", {address, m_out, sizeof(float), address});
    m_ptx.writeIf(isThere, "ld.global.v4.f32", {braced(four), at(address)});
    return four;
}

void PtxLinearOutputs::beginOuts(const std::string& firstOut, std::size_t more, const Vectors& vectors) {
    m_out = m_ptx.add("u32", "out");
    m_ptx.write("add.u32", {m_out, firstOut, m_laneOut});
    if (more != 0)
        m_ptx.write("add.u32", {m_out, m_out, more});
    m_ptx.write("setp.lt.u32", {m_hasOut, m_out, m_outCount});
    m_ptx.write("mad.wide.u32", {m_yHere, m_out, m_size, m_y});
    m_bias = loadFour("bias", offsetof(LinearConstants, bias), LinearFlag::withBias, 0.0F, vectors, 0);
    m_gate = loadFour("gate", offsetof(LinearConstants, gate), LinearFlag::withGate, 1.0F, vectors, 1);
    if (m_isInt8)
        m_outScales =
            loadFour("outScale", offsetof(LinearConstants, outScales), 0xffffffffU, 0.0F, vectors, 2);
}

void PtxLinearOutputs::finishRows(std::span<const std::string> sums, const std::string& firstRow,
                                  std::size_t more) {
    for (std::size_t fragment = 0; fragment < m_outs / outsOfFragment; ++fragment)
        for (std::size_t half = 0; half < 2; ++half) {
            const std::size_t place = half * (rows / 2) * pitch() + fragment * outsOfFragment * sizeof(float);
            m_ptx.write(
                m_isInt8 ? "st.shared.v2.s32" : "st.shared.v2.f32",
                {at(m_written, place), braced(sums.subspan(fragment * sumsOfFragment + 2 * half, 2))});
        }
    m_ptx.write("bar.warp.sync", {0xffffffffU});
    const std::string turn = m_ptx.add("u32", "turn");
    const std::string goesOn = m_ptx.add("pred", "goesOn");
    const std::string read = m_ptx.add("u32", "readRow");
    const std::string row = m_ptx.add("u32", "row");
    m_ptx.write("mov.u32", {turn, 0});
    m_ptx.write("mov.u32", {read, m_read});
    m_ptx.write("add.u32", {row, firstRow, m_laneRow});
    if (more != 0)
        m_ptx.write("add.u32", {row, row, more});
    const std::string loop = m_ptx.newLabel("rowsOfTile");
    const std::size_t rowsOfTurn = lanesOfWarp / lanesOfRow();
    m_ptx.label(loop);
    finishFour(read, row);
    m_ptx.write("add.u32", {read, read, rowsOfTurn * pitch()});
    m_ptx.write("add.u32", {row, row, rowsOfTurn});
    m_ptx.write("add.u32", {turn, turn, rowsOfTurn});
    m_ptx.write("setp.lt.u32", {goesOn, turn, rows});
    m_ptx.writeIf(goesOn, "bra.uni", {loop});
    m_ptx.write("bar.warp.sync", {0xffffffffU});
}

/// Four outputs of a row; nothing of rows and outputs that are not there.
void PtxLinearOutputs::finishFour(const std::string& read, const std::string& row) {
    const std::string isThere = m_ptx.add("pred", "isThere");
    const std::string adds = m_ptx.add("pred", "addsHere");
    m_ptx.write("setp.lt.u32", {isThere, row, m_rows});
    m_ptx.write("and.pred", {isThere, isThere, m_hasOut});
    const std::vector<std::string> four = m_ptx.addMany("f32", "four", 4);
    if (m_isInt8) {
        const std::vector<std::string> whole = m_ptx.addMany("s32", "whole", 4);
        const std::string scale = m_ptx.add("f32", "rowScale");
        const std::string product = m_ptx.add("f32", "scale");
        const std::string address = m_ptx.add("u64", "rowScaleAddress");
        m_ptx.write("ld.shared.v4.s32", {braced(whole), at(read)});
        m_ptx.write("mov.f32", {scale, 0.0F});
        m_ptx.write("mad.wide.u32", {address, row, sizeof(float), m_rowScales});
        m_ptx.writeIf(isThere, "ld.global.f32", {scale, at(address)});
        for (std::size_t index = 0; index < four.size(); ++index) {
            m_ptx.write("cvt.rn.f32.s32", {four[index], whole[index]});
            m_ptx.write("mul.rn.f32", {product, m_outScales[index], scale});
            m_ptx.write("mul.rn.f32", {four[index], four[index], product});
        }
    } else {
        m_ptx.write("ld.shared.v4.f32", {braced(four), at(read)});
    }
    for (std::size_t index = 0; index < four.size(); ++index)
        m_ptx.write("add.rn.f32", {four[index], four[index], m_bias[index]});
    m_epilogue->activate(four, m_activation);
    for (std::size_t index = 0; index < four.size(); ++index)
        m_ptx.write("mul.rn.f32", {four[index], four[index], m_gate[index]});
    m_ptx.write("and.pred", {adds, m_adds, isThere});
    writeFour(four, row, isThere, adds);
}

void PtxLinearOutputs::writeFour(const std::vector<std::string>& four, const std::string& row,
                                 const std::string& isThere, const std::string& adds) {
    const std::string address = m_ptx.add("u64", "address");
    const std::vector<std::string> before = m_ptx.addMany("f32", "before", 4);
    const std::vector<std::string> words = m_ptx.addMany("b32", "narrow", 2);
    const std::string wide = m_ptx.newLabel("wideRows");
    const std::string done = m_ptx.newLabel("rowIsDone");
    const auto add = [&] {
        for (std::size_t index = 0; index < four.size(); ++index)
            m_ptx.write("add.rn.f32", {four[index], four[index], before[index]});
    };
    m_ptx.write("mad.wide.u32", {address, row, m_yStride, m_yHere});
    m_ptx.writeUnless(m_isNarrow, "bra.uni", {wide});
    for (const std::string& word : words)
        m_ptx.write("mov.b32", {word, 0});
    m_ptx.writeIf(adds, "ld.global.v2.b32", {braced(words), at(address)});
    m_epilogue->widen(before[0], before[1], words[0]);
    m_epilogue->widen(before[2], before[3], words[1]);
    add();
    m_epilogue->narrow(words[0], four[0], four[1]);
    m_epilogue->narrow(words[1], four[2], four[3]);
    m_ptx.writeIf(isThere, "st.global.v2.b32", {at(address), braced(words)});
    m_ptx.write("bra.uni", {done});
    m_ptx.label(wide);
    for (const std::string& number : before)
        m_ptx.write("mov.f32", {number, 0.0F});
    m_ptx.writeIf(adds, "ld.global.v4.f32", {braced(before), at(address)});
    add();
    m_ptx.writeIf(isThere, "st.global.v4.f32", {at(address), braced(four)});
    m_ptx.label(done);
}

}  // namespace meshreel
