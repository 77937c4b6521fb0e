// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/ptx_epilogue.h"

#include <array>
#include <numbers>

#include "engine/kernels/linear/linear_kernel.h"

namespace meshreel {
namespace {

constexpr float log2OfE = std::numbers::log2e_v<float>;

}  // namespace

PtxEpilogue::PtxEpilogue(PtxWriter& ptx)
    : m_ptx(ptx),
      m_a(ptx.add("f32", "a")),
      m_b(ptx.add("f32", "b")),
      m_c(ptx.add("f32", "c")),
      m_bits(ptx.add("b32", "bits")),
      m_is(ptx.add("pred", "isActivation")) {}

void PtxEpilogue::logistic(const std::string& into, const std::string& exponent) {
    m_ptx.write("ex2.approx.ftz.f32", {into, exponent});
    m_ptx.write("add.rn.f32", {into, into, 1.0F});
    m_ptx.write("rcp.approx.ftz.f32", {into, into});
}

void PtxEpilogue::geluTanh(const std::string& x) {
    constexpr float cubic = 0.044715F;
    constexpr float twiceSlope = 1.5957691216057308F;  // 2 √(2 / π)
    m_ptx.write("mul.rn.f32", {m_a, x, x});
    m_ptx.write("mul.rn.f32", {m_a, m_a, x});
    m_ptx.write("fma.rn.f32", {m_a, m_a, cubic, x});
    m_ptx.write("mul.rn.f32", {m_a, m_a, -twiceSlope * log2OfE});
    logistic(m_a, m_a);
    m_ptx.write("mul.rn.f32", {x, x, m_a});
}

void PtxEpilogue::silu(const std::string& x) {
    m_ptx.write("mul.rn.f32", {m_a, x, -log2OfE});
    logistic(m_a, m_a);
    m_ptx.write("mul.rn.f32", {x, x, m_a});
}

// Abramowitz and Stegun 7.1.26, within 1.5e-7: erf |z| = 1 - (c1 t + … + c5 t⁵) exp(-z²), t = 1 / (1 + p
// |z|).
void PtxEpilogue::geluErf(const std::string& x) {
    constexpr float p = 0.3275911F;
    constexpr std::array polynomial{-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F};
    constexpr float first = 1.061405429F;
    const float rootOfHalf = std::numbers::sqrt2_v<float> / 2.0F;
    m_ptx.write("mul.rn.f32", {m_a, x, rootOfHalf});
    m_ptx.write("abs.f32", {m_b, m_a});
    m_ptx.write("fma.rn.f32", {m_b, m_b, p, 1.0F});
    m_ptx.write("rcp.approx.ftz.f32", {m_b, m_b});
    m_ptx.write("mov.f32", {m_c, first});
    for (const float coefficient : polynomial)
        m_ptx.write("fma.rn.f32", {m_c, m_c, m_b, coefficient});
    m_ptx.write("mul.rn.f32", {m_c, m_c, m_b});
    m_ptx.write("mul.rn.f32", {m_b, m_a, m_a});
    m_ptx.write("mul.rn.f32", {m_b, m_b, -log2OfE});
    m_ptx.write("ex2.approx.ftz.f32", {m_b, m_b});
    m_ptx.write("mul.rn.f32", {m_c, m_c, m_b});
    m_ptx.write("sub.rn.f32", {m_c, 1.0F, m_c});
    m_ptx.note("erf has the sign of x.");
    m_ptx.write("mov.b32", {m_bits, x});
    m_ptx.write("and.b32", {m_bits, m_bits, 0x80000000U});
    m_ptx.write("or.b32", {m_bits, m_bits, m_c});
    m_ptx.write("mov.b32", {m_c, m_bits});
    m_ptx.write("mul.rn.f32", {m_a, x, 0.5F});
    m_ptx.write("fma.rn.f32", {x, m_a, m_c, m_a});
}

void PtxEpilogue::activate(std::span<const std::string> x, const std::string& kind) {
    const std::string done = m_ptx.newLabel("activated");
    const auto branch = [&](LinearActivation activation, void (PtxEpilogue::*compute)(const std::string&)) {
        const std::string other = m_ptx.newLabel("otherActivation");
        m_ptx.write("setp.eq.u32", {m_is, kind, static_cast<std::uint32_t>(activation)});
        m_ptx.writeUnless(m_is, "bra.uni", {other});
        for (const std::string& number : x)
            (this->*compute)(number);
        m_ptx.write("bra.uni", {done});
        m_ptx.label(other);
    };
    branch(LinearActivation::GeluTanh, &PtxEpilogue::geluTanh);
    branch(LinearActivation::GeluErf, &PtxEpilogue::geluErf);
    branch(LinearActivation::Silu, &PtxEpilogue::silu);
    m_ptx.label(done);
}

void PtxEpilogue::narrow(const std::string& word, const std::string& low, const std::string& high) {
    m_ptx.write("cvt.rn.bf16x2.f32", {word, high, low});
}

void PtxEpilogue::widen(const std::string& low, const std::string& high, const std::string& word) {
    m_ptx.write("shl.b32", {m_bits, word, 16});
    m_ptx.write("mov.b32", {low, m_bits});
    m_ptx.write("and.b32", {m_bits, word, 0xffff0000U});
    m_ptx.write("mov.b32", {high, m_bits});
}

}  // namespace meshreel
