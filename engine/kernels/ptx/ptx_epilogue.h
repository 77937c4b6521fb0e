// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/kernels/ptx/ptx_writer.h"

namespace meshreel {

/// What a kernel of PTX does with a sum before it is written; the same formulas as activations.glsl and
/// numbers.glsl.
class PtxEpilogue {
  public:
    explicit PtxEpilogue(PtxWriter& ptx);

    /// Replaces each x by the activation that the register `kind` names, a LinearActivation. All lanes of a
    /// warp have the same kind.
    void activate(std::span<const std::string> x, const std::string& kind);

    /// word = the bf16 numbers nearest to low and high, ties to even.
    void narrow(const std::string& word, const std::string& low, const std::string& high);
    /// low and high = the two bf16 numbers of word.
    void widen(const std::string& low, const std::string& high, const std::string& word);

  private:
    void geluTanh(const std::string& x);
    void geluErf(const std::string& x);
    void silu(const std::string& x);
    /// into = 1 / (1 + 2^exponent).
    void logistic(const std::string& into, const std::string& exponent);

    PtxWriter& m_ptx;
    std::string m_a;
    std::string m_b;
    std::string m_c;
    std::string m_bits;
    std::string m_is;
};

}  // namespace meshreel
