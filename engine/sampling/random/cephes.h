// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// The natural logarithm by the polynomial of the Cephes library (Moshier, single precision), for normal
/// positive x. torch's vectorised normal_() is made of these two, so its numbers can be met to the bit.
float cephesLog(float x);

struct SineCosine {
    float sine;
    float cosine;
};

/// Sine and cosine by the polynomials of the Cephes library, for x >= 0.
SineCosine cephesSineCosine(float x);

}  // namespace meshreel
