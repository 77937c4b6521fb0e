// SPDX-License-Identifier: GPL-3.0-or-later
// Activations that more than one kernel has, of four numbers at once or one.

// Abramowitz and Stegun 7.1.26, within 1.5e-7.
vec4 erf_(vec4 x) {
    const vec4 t = 1.0 / (1.0 + 0.3275911 * abs(x));
    const vec4 p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return sign(x) * (1.0 - p * exp(-x * x));
}

// x / 2 (1 + tanh u) with u = sqrt(2 / pi) (x + 0.044715 x³), as x / (1 + exp(-2 u)): tanh is slower, and NaN of large numbers on
// some drivers.
vec4 geluTanh(vec4 x) {
    return x / (1.0 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
}

float geluTanh(float x) {
    return geluTanh(vec4(x)).x;
}

vec4 geluErf(vec4 x) {
    return 0.5 * x * (1.0 + erf_(x * 0.7071067811865476));
}

float geluErf(float x) {
    return geluErf(vec4(x)).x;
}
