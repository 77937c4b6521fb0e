// SPDX-License-Identifier: GPL-3.0-or-later
// Activations that more than one kernel has.

// Abramowitz and Stegun 7.1.26, within 1.5e-7.
float erf_(float x) {
    const float t = 1.0 / (1.0 + 0.3275911 * abs(x));
    const float p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - p * exp(-x * x));
}

float geluTanh(float x) {
    // tanh of large values is NaN on some drivers
    const float inner = clamp(0.7978845608028654 * (x + 0.044715 * x * x * x), -15.0, 15.0);
    return 0.5 * x * (1.0 + tanh(inner));
}

float geluErf(float x) {
    return 0.5 * x * (1.0 + erf_(x * 0.7071067811865476));
}
