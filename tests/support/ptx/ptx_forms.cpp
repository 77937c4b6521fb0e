// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_forms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>

namespace meshreel::testing {
namespace {

constexpr std::array<std::pair<std::string_view, PtxType>, 9> typeNames{{{"pred", PtxType::Pred},
                                                                         {"b16", PtxType::B16},
                                                                         {"b32", PtxType::B32},
                                                                         {"u32", PtxType::U32},
                                                                         {"s32", PtxType::S32},
                                                                         {"f32", PtxType::F32},
                                                                         {"b64", PtxType::B64},
                                                                         {"u64", PtxType::U64},
                                                                         {"s64", PtxType::S64}}};

PtxType typeNamed(std::string_view name) {
    for (const auto& [text, type] : typeNames)
        if (text == name)
            return type;
    throw std::logic_error("the table of PTX forms has no type " + std::string(name));
}

/// A row of the table. Operands, in order: "=f32" is written, "f32" is read and may be a number, "f32!" is
/// read from a register, "4xf32!" are four of them in braces, "[shared]" is an address, "#" a number alone,
/// "label" a place in the text, "_" a result that nobody wants, "+" of what is added to.
struct FormRow {
    std::string_view name;
    std::string_view operands;
    int version;
    int target;
    PtxOperation operation;
    std::string_view type;
};

using enum PtxOperation;

constexpr auto rows = std::to_array<FormRow>({
    {"mov.pred", "=pred pred!", 10, 10, Move, "pred"},
    {"mov.b32", "=b32 b32", 10, 10, Move, "b32"},
    {"mov.u32", "=u32 u32", 10, 10, Move, "u32"},
    {"mov.f32", "=f32 f32", 10, 10, Move, "f32"},
    {"mov.u64", "=u64 u64", 10, 10, Move, "u64"},
    {"add.u64", "=u64 u64 u64", 10, 10, Add, "u64"},
    {"cvta.to.global.u64", "=u64 u64!", 20, 20, Move, "u64"},

    {"ld.param.u32", "=u32 [param]", 10, 10, LoadParameter, "u32"},
    {"ld.param.f32", "=f32 [param]", 10, 10, LoadParameter, "f32"},
    {"ld.param.u64", "=u64 [param]", 10, 10, LoadParameter, "u64"},
    {"ld.global.u32", "=u32 [global]", 10, 10, LoadGlobal, "u32"},
    {"ld.global.f32", "=f32 [global]", 10, 10, LoadGlobal, "f32"},
    {"ld.global.v2.b32", "=2xb32! [global]", 10, 10, LoadGlobal, "b32"},
    {"ld.global.v4.f32", "=4xf32! [global]", 10, 10, LoadGlobal, "f32"},
    {"st.global.b32", "[global] b32!", 10, 10, StoreGlobal, "u32"},
    {"st.global.f32", "[global] f32!", 10, 10, StoreGlobal, "f32"},
    {"st.global.v2.f32", "[global] 2xf32!", 10, 10, StoreGlobal, "f32"},
    {"st.global.v2.b32", "[global] 2xb32!", 10, 10, StoreGlobal, "b32"},
    {"st.global.v4.f32", "[global] 4xf32!", 10, 10, StoreGlobal, "f32"},
    {"ld.shared.f32", "=f32 [shared]", 10, 10, LoadShared, "f32"},
    {"ld.shared.v4.f32", "=4xf32! [shared]", 10, 10, LoadShared, "f32"},
    {"ld.shared.u32", "=u32 [shared]", 10, 10, LoadShared, "u32"},
    {"st.shared.u32", "[shared] u32!", 10, 10, StoreShared, "u32"},
    {"ld.shared.v4.s32", "=4xs32! [shared]", 10, 10, LoadShared, "s32"},
    {"st.shared.v2.s32", "[shared] 2xs32!", 10, 10, StoreShared, "s32"},
    {"st.shared.v2.f32", "[shared] 2xf32!", 10, 10, StoreShared, "f32"},

    {"add.u32", "=u32 u32 u32", 10, 10, Add, "u32"},
    {"add.rn.f32", "=f32 f32 f32", 10, 10, Add, "f32"},
    {"sub.u32", "=u32 u32 u32", 10, 10, Subtract, "u32"},
    {"sub.rn.f32", "=f32 f32 f32", 10, 10, Subtract, "f32"},
    {"mul.lo.u32", "=u32 u32 u32", 10, 10, Multiply, "u32"},
    {"mul.rn.f32", "=f32 f32 f32", 10, 10, Multiply, "f32"},
    {"mul.wide.u32", "=u64 u32 u32", 10, 10, MultiplyWide, "u32"},
    {"mad.lo.u32", "=u32 u32 u32 u32", 10, 10, MultiplyAdd, "u32"},
    {"mad.wide.u32", "=u64 u32 u32 u64", 10, 10, MultiplyAddWide, "u32"},
    {"fma.rn.f32", "=f32 f32 f32 f32", 20, 20, MultiplyAdd, "f32"},
    {"div.u32", "=u32 u32 u32", 10, 10, Divide, "u32"},
    {"rem.u32", "=u32 u32 u32", 10, 10, Remainder, "u32"},
    {"min.u32", "=u32 u32 u32", 10, 10, Minimum, "u32"},
    {"max.f32", "=f32 f32 f32", 10, 10, Maximum, "f32"},
    {"neg.f32", "=f32 f32!", 10, 10, Negate, "f32"},
    {"abs.f32", "=f32 f32!", 10, 10, Absolute, "f32"},
    {"and.b32", "=b32 b32 b32", 10, 10, And, "b32"},
    {"and.pred", "=pred pred! pred!", 10, 10, And, "pred"},
    {"or.b32", "=b32 b32 b32", 10, 10, Or, "b32"},
    {"or.pred", "=pred pred! pred!", 10, 10, Or, "pred"},
    {"xor.b32", "=b32 b32 b32", 10, 10, Xor, "b32"},
    {"shl.b32", "=b32 b32 u32", 10, 10, ShiftLeft, "b32"},
    {"shr.u32", "=u32 u32 u32", 10, 10, ShiftRight, "u32"},
    {"setp.eq.u32", "=pred u32! u32", 10, 10, SetIfEqual, "u32"},
    {"setp.ne.u32", "=pred u32! u32", 10, 10, SetIfNotEqual, "u32"},
    {"setp.lt.u32", "=pred u32! u32", 10, 10, SetIfLess, "u32"},
    {"setp.ge.u32", "=pred u32! u32", 10, 10, SetIfNotLess, "u32"},
    {"setp.gt.u32", "=pred u32! u32", 10, 10, SetIfGreater, "u32"},
    {"setp.gt.f32", "=pred f32! f32", 10, 10, SetIfGreater, "f32"},
    {"setp.eq.f32", "=pred f32! f32", 10, 10, SetIfEqual, "f32"},
    {"selp.u32", "=u32 u32 u32 pred!", 10, 10, Select, "u32"},
    {"selp.f32", "=f32 f32 f32 pred!", 10, 10, Select, "f32"},

    {"ex2.approx.ftz.f32", "=f32 f32!", 14, 10, PowerOfTwo, "f32"},
    {"rcp.approx.ftz.f32", "=f32 f32!", 14, 10, Reciprocal, "f32"},
    {"cvt.rn.bf16x2.f32", "=b32 f32! f32!", 70, 80, NarrowPair, "f32"},
    {"cvt.rn.f32.s32", "=f32 s32!", 10, 10, FloatOfInteger, "s32"},

    {"shfl.sync.bfly.b32", "=b32 b32! u32 u32 u32", 60, 30, ShuffleXor, "b32"},
    {"vote.sync.any.pred", "=pred pred! u32", 60, 30, VoteAny, "pred"},
    {"bar.sync", "#", 10, 10, Barrier, "b32"},
    {"bar.warp.sync", "#", 60, 30, WarpBarrier, "b32"},
    {"cp.async.cg.shared.global", "[shared] [global] #", 70, 80, CopyAsync, "b32"},
    {"cp.async.commit_group", "", 70, 80, CommitCopies, "b32"},
    {"cp.async.wait_group", "#", 70, 80, WaitForCopies, "b32"},
    {"cp.async.wait_all", "", 70, 80, WaitForAllCopies, "b32"},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "=4xb32! [shared]", 65, 75, LoadMatrices, "b32"},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "=4xb32! [shared]", 65, 75, LoadMatricesTransposed,
     "b32"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "=4xf32! 4xb32! 2xb32! 4xf32!", 70, 80,
     MultiplyBf16, "f32"},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "=4xs32! 4xb32! 2xb32! 4xs32!", 70, 80, MultiplyInt8,
     "s32"},
    {"mbarrier.init.shared.b64", "[shared] u32", 70, 80, BeginBarrier, "b64"},
    {"mbarrier.arrive.shared.b64", "_ [shared]", 71, 80, ArriveAtBarrier, "b64"},
    {"mbarrier.arrive.expect_tx.shared.b64", "_ [shared] u32!", 80, 90, ArriveExpecting, "b64"},
    {"mbarrier.try_wait.parity.shared.b64", "=pred [shared] u32", 78, 90, TryWait, "b64"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "[shared] [global] u32 [shared]",
     80, 90, CopyBulk, "b32"},
    {"fence.proxy.async.shared::cta", "", 80, 90, FenceProxy, "b32"},
    {"wgmma.fence.sync.aligned", "", 80, ptxHopperAlone, FenceProducts, "b32"},
    {"wgmma.commit_group.sync.aligned", "", 80, ptxHopperAlone, CommitProducts, "b32"},
    {"wgmma.wait_group.sync.aligned", "#", 80, ptxHopperAlone, WaitForProducts, "b32"},
    {"setmaxnreg.dec.sync.aligned.u32", "#", 80, ptxHopperAlone, GiveRegisters, "u32"},
    {"setmaxnreg.inc.sync.aligned.u32", "#", 80, ptxHopperAlone, TakeRegisters, "u32"},
    {"bra", "label", 10, 10, Branch, "b32"},
    {"bra.uni", "label", 10, 10, Branch, "b32"},
    {"ret", "", 10, 10, Return, "b32"},

    // Known so that an older target is told of them.
    {"ex2.approx.ftz.bf16x2", "=b32 b32!", 78, 90, NotCarriedOut, "b32"},
    {"stmatrix.sync.aligned.m8n8.x4.shared.b16", "[shared] 4xb32!", 78, 90, NotCarriedOut, "b32"},
    {"elect.sync", "=pred #", 80, 90, NotCarriedOut, "pred"},
});

PtxSlot slotOf(std::string_view text) {
    PtxSlot slot;
    if (text == "#")
        return {.kind = PtxSlot::Kind::Number};
    if (text == "label")
        return {.kind = PtxSlot::Kind::Label};
    if (text == "_")
        return {.kind = PtxSlot::Kind::Sink};
    if (text.front() == '[') {
        slot.kind = PtxSlot::Kind::Address;
        slot.space = text == "[param]"    ? PtxSlot::Space::Parameter
                     : text == "[shared]" ? PtxSlot::Space::Shared
                                          : PtxSlot::Space::Global;
        return slot;
    }
    if (text.front() == '=' || text.front() == '+') {
        slot.isAccumulated = text.front() == '+';
        slot.isWritten = true;
        text.remove_prefix(1);
    }
    slot.takesNumber = !slot.isWritten && text.back() != '!';
    if (text.back() == '!')
        text.remove_suffix(1);
    if (const std::size_t by = text.find('x'); by != std::string_view::npos && text[0] <= '9') {
        slot.kind = PtxSlot::Kind::Vector;
        std::from_chars(text.data(), text.data() + by, slot.count);
        text.remove_prefix(by + 1);
    }
    slot.type = typeNamed(text);
    return slot;
}

/// What wgmma multiplies: 64 rows by a multiple of eight columns. The left factor may lie in registers.
struct ProductRow {
    std::string_view name;  // behind the columns
    std::string_view sums;
    std::string_view ofShared;
    std::string_view ofRegisters;  // none: empty
    PtxOperation operation;
};
constexpr std::array productRows{
    ProductRow{"k16.f32.bf16.bf16", "f32", "b64! b64! pred! # # # #", "4xb32! b64! pred! # # #",
               MultiplyGroupBf16},
    ProductRow{"k32.s32.s8.s8", "s32", "b64! b64! pred!", "4xb32! b64! pred!", MultiplyGroupInt8}};

/// The names and operands of wgmma, which rows of the table only see.
struct ProductText {
    std::string name;
    std::string operands;
    const ProductRow* row;
};

std::vector<ProductText> productTexts() {
    std::vector<ProductText> texts;
    constexpr int mostColumns = 256;
    for (const ProductRow& row : productRows)
        for (int columns = 8; columns <= mostColumns; columns += 8) {
            // Of int8 from 32 on there are multiples of 16 alone.
            const bool isThere = row.operation == MultiplyGroupBf16 || columns <= 32 || columns % 16 == 0;
            for (const std::string_view factors : {row.ofShared, row.ofRegisters})
                if (isThere)
                    texts.push_back({"wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) +
                                         std::string(row.name),
                                     "+" + std::to_string(columns / 2) + "x" + std::string(row.sums) + " " +
                                         std::string(factors),
                                     &row});
        }
    return texts;
}

std::vector<PtxForm> allForms() {
    std::vector<PtxForm> forms;
    static const std::vector<ProductText> products = productTexts();
    std::vector<FormRow> all(rows.begin(), rows.end());
    for (const ProductText& text : products)
        all.push_back({text.name, text.operands, 80, ptxHopperAlone, text.row->operation, text.row->sums});
    for (const FormRow& row : all) {
        PtxForm form{.name = row.name,
                     .slots = {},
                     .version = row.version,
                     .target = row.target,
                     .operation = row.operation,
                     .type = typeNamed(row.type)};
        std::string_view rest = row.operands;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            form.slots.push_back(slotOf(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        forms.push_back(std::move(form));
    }
    return forms;
}

constexpr std::uint32_t kibibyte = 1024;
constexpr std::array<PtxTarget, 9> targets{{{"sm_70", 70, 60, 96 * kibibyte},
                                            {"sm_75", 75, 63, 64 * kibibyte},
                                            {"sm_80", 80, 70, 163 * kibibyte},
                                            {"sm_86", 86, 71, 99 * kibibyte},
                                            {"sm_89", 89, 78, 99 * kibibyte},
                                            {"sm_90", 90, 78, 227 * kibibyte},
                                            {"sm_90a", 90, 80, 227 * kibibyte},
                                            {"sm_100", 100, 86, 227 * kibibyte},
                                            {"sm_120", 120, 87, 99 * kibibyte}}};

}  // namespace

std::string_view ptxTypeName(PtxType type) {
    return typeNames.at(static_cast<std::size_t>(type)).first;
}

std::uint32_t ptxTypeBytes(PtxType type) {
    switch (type) {
        case PtxType::Pred:
            return 0;
        case PtxType::B16:
            return 2;
        case PtxType::B32:
        case PtxType::U32:
        case PtxType::S32:
        case PtxType::F32:
            return 4;
        case PtxType::B64:
        case PtxType::U64:
        case PtxType::S64:
            return 8;
    }
    return 0;
}

std::vector<const PtxForm*> ptxForms(std::string_view name) {
    static const std::vector<PtxForm> forms = allForms();
    std::vector<const PtxForm*> found;
    for (const PtxForm& form : forms)
        if (form.name == name)
            found.push_back(&form);
    return found;
}

std::span<const PtxTarget> ptxTargets() {
    return targets;
}

}  // namespace meshreel::testing
