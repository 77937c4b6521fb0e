// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/ptx-trial/probe.h"

#include <fmt/format.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// Words at the end of so much shared memory go from thread to thread.
Probe sharedMemory(std::uint32_t kibibytes) {
    const std::uint32_t bytes = kibibytes * 1024;
    const std::string body = fmt::format(R"(    mov.u32 %place, pool;
    mad.lo.u32 %place, %thread, 4, %place;
    st.shared.u32 [%place+{0}], %thread;
    bar.sync 0;
    mov.u32 %place, pool;
    xor.b32 %word, %thread, 63;
    mad.lo.u32 %place, %word, 4, %place;
    ld.shared.u32 %word, [%place+{0}];)",
                                         bytes - probeWords * 4);
    return {.name = fmt::format("shared.{}", kibibytes),
            .text = probeText("7.0", "sm_80", ".extern .shared .align 16 .b8 pool[];", "", body),
            .dynamicBytes = bytes,
            .expected = [](std::uint32_t thread) { return thread ^ 63U; }};
}

std::uint32_t tripled(std::uint32_t thread) {
    return 3 * thread;
}

std::uint32_t copied(std::uint32_t thread) {
    return 7 * thread + 1;
}

/// The copying unit brings the words, as the map describes them, and a barrier in shared memory counts bytes.
constexpr std::string_view mapText = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry probe(.param .align 8 .b8 constants[128], .param .align 64 .b8 map[128])
.reqntid 64, 1, 1
{
    .shared .align 128 .b8 tile[256];
    .shared .align 8 .b64 arrived;
    .reg .u64 %to, %map;
    .reg .u32 %thread, %word, %place, %tile, %arrived, %first;
    .reg .pred %is_first, %is_there;
    ld.param.u64 %to, [constants];
    cvta.to.global.u64 %to, %to;
    mov.b64 %map, map;
    cvta.param.u64 %map, %map;
    mov.u32 %thread, %tid.x;
    mov.u32 %tile, tile;
    mov.u32 %arrived, arrived;
    mov.u32 %first, 0;
    setp.eq.u32 %is_first, %thread, 0;
    @%is_first mbarrier.init.shared::cta.b64 [%arrived], 1;
    @%is_first fence.proxy.async.shared::cta;
    bar.sync 0;
    @!%is_first bra WAIT;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%arrived], 256;
    cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%map, {%first}], [%arrived];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %is_there, [%arrived], 0;
    @!%is_there bra WAIT;
    mad.lo.u32 %place, %thread, 4, %tile;
    ld.shared.u32 %word, [%place];
    mad.wide.u32 %to, %thread, 4, %to;
    st.global.b32 [%to], %word;
    ret;
}
)";

}  // namespace

ProbeConstants::ProbeConstants(GpuAddress address) : to(address) {
    for (std::uint32_t index = 0; index < more.size(); ++index)
        more.at(index) = 1000 + index;
}

std::string probeText(std::string_view version, std::string_view target, std::string_view before,
                      std::string_view directive, std::string_view body) {
    return fmt::format(R"(.version {}
.target {}
.address_size 64
{}
.visible .entry probe(.param .align 64 .b8 constants[128])
.reqntid 64, 1, 1
{}
{{
    .reg .u64 %to;
    .reg .u32 %thread, %word, %place;
    ld.param.u64 %to, [constants];
    cvta.to.global.u64 %to, %to;
    mov.u32 %thread, %tid.x;
{}
    mad.wide.u32 %to, %thread, 4, %to;
    st.global.b32 [%to], %word;
    ret;
}}
)",
                       version, target, before, directive, body);
}

std::vector<Probe> probes() {
    return {{.name = "trivial", .text = probeText("7.0", "sm_80", "", "", tripleBody), .expected = tripled},
            {.name = "target.sm_90a",
             .text = probeText("8.0", "sm_90a", "", "", tripleBody),
             .expected = tripled},
            sharedMemory(48),
            sharedMemory(100),
            sharedMemory(200),
            // As long as a tensor map, by value.
            {.name = "argument.128",
             .text = probeText("7.0", "sm_80", "", "", "    ld.param.u32 %word, [constants+124];"),
             .expected = [](std::uint32_t) { return 1029U; }},
            {.name = "tensor_map", .text = std::string(mapText), .withMap = true, .expected = copied},
            // Two blocks that know that they are neighbours; both write the same words.
            {.name = "cluster",
             .text = probeText("7.8", "sm_90", "", ".reqnctapercluster 2, 1, 1",
                               "    mov.u32 %word, %cluster_nctarank;"),
             .blocks = 2,
             .expected = [](std::uint32_t) { return 2U; }}};
}

std::array<std::uint32_t, probeWords> wordsToCopy() {
    std::array<std::uint32_t, probeWords> words{};
    for (std::uint32_t thread = 0; thread < probeWords; ++thread)
        words.at(thread) = copied(thread);
    return words;
}

TensorMap mapOf(const CudaLibrary& library, GpuAddress words) {
    // cuda.h's: type, rank, address, extents, strides, box, steps, interleave, swizzle, promotion, fill.
    using Encode =
        CudaResult (*)(TensorMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
                       const std::uint32_t*, const std::uint32_t*, int, int, int, int);
    constexpr const char* name = "cuTensorMapEncodeTiled";
    const auto encode = library.laterFunction<Encode>(name);
    if (encode == nullptr)
        throw Error(ErrorKind::Device, sentence("NVIDIA's driver has no function {}", name));
    constexpr int typeU32 = 2;
    const std::uint64_t extent = probeWords;
    const std::uint32_t box = probeWords;
    const std::uint32_t step = 1;
    TensorMap map;
    // The driver takes an address as a pointer. NOLINTNEXTLINE(performance-no-int-to-ptr)
    auto* const place = reinterpret_cast<void*>(words);
    library.require(encode(&map, typeU32, 1, place, &extent, nullptr, &box, &step, 0, 0, 0, 0), name);
    return map;
}

FactJson judgeProbe(const Probe& probe, std::span<const std::uint32_t> words) {
    for (std::uint32_t thread = 0; thread < words.size(); ++thread)
        if (words[thread] != probe.expected(thread))
            return {{"ok", false},
                    {"why", fmt::format("thread {} wrote {}, and {} is right", thread, words[thread],
                                        probe.expected(thread))}};
    return {{"ok", true}};
}

}  // namespace meshreel
