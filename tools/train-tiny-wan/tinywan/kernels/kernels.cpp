// SPDX-License-Identifier: GPL-3.0-or-later
// What lies between the matrix products of a training step, each in one pass over memory, in bfloat16 and
// float32. Tensors are contiguous; rows are [batch, tokens], `width` is the model's. The gradients are those
// of the PyTorch code that they replace.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using Bfloat = std::uint16_t;

inline float wide(Bfloat value) {
    const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

/// Rounded to nearest, ties to even.
inline Bfloat narrow(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<Bfloat>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// Relative error below 3e-7; the polynomial is that of Cephes.
inline float exponential(float x) {
    x = std::min(std::max(x, -87.0F), 88.0F);
    const float n = std::floor(x * 1.44269504F + 0.5F);
    const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    const float p =
        ((((1.9875691500e-4F * r + 1.3981999507e-3F) * r + 8.3334519073e-3F) * r + 4.1665795894e-2F) * r +
         1.6666665459e-1F) *
            r +
        5.0000001201e-1F;
    const std::int32_t power = (static_cast<std::int32_t>(n) + 127) << 23;
    float scale;
    std::memcpy(&scale, &power, sizeof scale);
    return (p * r * r + r + 1.0F) * scale;
}

inline float sigmoid(float x) {
    return 1.0F / (1.0F + exponential(-x));
}

inline void widen(const Bfloat* from, float* to, std::int64_t count) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = wide(from[i]);
}

inline void narrowTo(const float* from, Bfloat* to, std::int64_t count) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = narrow(from[i]);
}

// Normalised rows get their neighbours swapped, so that a rotation is y * cos + swapped * (-sin, sin).
inline void swapPairs(const float* from, float* to, std::int64_t count) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; i += 2) {
        to[i] = from[i + 1];
        to[i + 1] = from[i];
    }
}

constexpr float GELU_SLOPE = 1.5957691216F;
constexpr float GELU_CUBE = 0.044715F;
constexpr int LANES = 16;  // rows of keys are padded to a multiple of these
constexpr std::int64_t POSITIONS =
    256;  // of a clip at once, so that all of their channels stay within the cache

/// What makes the mean square over the channels of each of `count` positions 1.
void unitFactors(const Bfloat* x, std::int64_t channels, std::int64_t stride, std::int64_t count,
                 float* factor) {
    std::fill_n(factor, count, 0.0F);
    for (std::int64_t c = 0; c < channels; ++c)
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i)
            factor[i] += wide(x[c * stride + i]) * wide(x[c * stride + i]);
    const float root = std::sqrt(static_cast<float>(channels));
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        factor[i] = root / std::max(std::sqrt(factor[i]), 1e-12F);
}

}  // namespace

extern "C" {

/// out = layerNorm(x) (1 + scale) + shift, x float [batch, tokens, width], shift and scale float [batch,
/// width]; `moments` [batch, tokens, 2] gets mean and reciprocal deviation.
void modulate(const float* x, const float* shift, const float* scale, Bfloat* out, float* moments,
              std::int64_t batch, std::int64_t tokens, std::int64_t width, float eps) {
    for (std::int64_t row = 0; row < batch * tokens; ++row) {
        const float *in = x + row * width, *up = shift + row / tokens * width,
                    *gain = scale + row / tokens * width;
        float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < width; ++i)
            sum += in[i];
        const float mean = sum / static_cast<float>(width);
#pragma omp simd reduction(+ : squares)
        for (std::int64_t i = 0; i < width; ++i)
            squares += (in[i] - mean) * (in[i] - mean);
        const float factor = 1.0F / std::sqrt(squares / static_cast<float>(width) + eps);
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            out[row * width + i] = narrow((in[i] - mean) * factor * (1.0F + gain[i]) + up[i]);
        moments[2 * row] = mean;
        moments[2 * row + 1] = factor;
    }
}

/// Adds to ofShift and ofScale.
void modulateBackward(const Bfloat* arriving, const float* x, const float* scale, const float* moments,
                      float* ofX, float* ofShift, float* ofScale, std::int64_t batch, std::int64_t tokens,
                      std::int64_t width) {
    std::vector<float> gradient(width);
    float* g = gradient.data();
    for (std::int64_t row = 0; row < batch * tokens; ++row) {
        const float* in = x + row * width;
        const float* gain = scale + row / tokens * width;
        float *sumShift = ofShift + row / tokens * width, *sumScale = ofScale + row / tokens * width,
              *result = ofX + row * width;
        const float mean = moments[2 * row], factor = moments[2 * row + 1];
        widen(arriving + row * width, g, width);
        float sum = 0, along = 0;
#pragma omp simd reduction(+ : sum, along)
        for (std::int64_t i = 0; i < width; ++i) {
            const float unit = (in[i] - mean) * factor, through = g[i] * (1.0F + gain[i]);
            sumShift[i] += g[i];
            sumScale[i] += g[i] * unit;
            sum += through;
            along += through * unit;
        }
        sum /= static_cast<float>(width);
        along /= static_cast<float>(width);
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            result[i] = factor * (g[i] * (1.0F + gain[i]) - sum - (in[i] - mean) * factor * along);
    }
}

/// Rows [batch, tokens, width] divided by their root mean square, times weight and gain, turned by the angles
/// of their token (cosine and signedSine [tokens, width], none when null) and split: out [batch, heads, room
/// >= tokens, width / heads].
void normalisedHeads(const Bfloat* x, const float* weight, const float* cosine, const float* signedSine,
                     float gain, Bfloat* out, float* factors, std::int64_t batch, std::int64_t tokens,
                     std::int64_t room, std::int64_t width, std::int64_t heads, float eps) {
    const std::int64_t head = width / heads;
    std::vector<float> scratch(2 * width);
    float *y = scratch.data(), *swapped = y + width;
    for (std::int64_t row = 0; row < batch * tokens; ++row) {
        const std::int64_t clip = row / tokens, token = row % tokens;
        widen(x + row * width, y, width);
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t i = 0; i < width; ++i)
            squares += y[i] * y[i];
        const float factor = 1.0F / std::sqrt(squares / static_cast<float>(width) + eps);
        factors[row] = factor;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            y[i] *= factor * weight[i] * gain;
        if (cosine) {
            const float *c = cosine + token * width, *s = signedSine + token * width;
            swapPairs(y, swapped, width);
#pragma omp simd
            for (std::int64_t i = 0; i < width; ++i)
                y[i] = y[i] * c[i] + swapped[i] * s[i];
        }
        for (std::int64_t h = 0; h < heads; ++h)
            narrowTo(y + h * head, out + ((clip * heads + h) * room + token) * head, head);
    }
}

/// Adds to ofWeight [width].
void normalisedHeadsBackward(const Bfloat* arriving, const Bfloat* x, const float* weight,
                             const float* cosine, const float* signedSine, float gain, const float* factors,
                             Bfloat* ofX, float* ofWeight, std::int64_t batch, std::int64_t tokens,
                             std::int64_t room, std::int64_t width, std::int64_t heads) {
    const std::int64_t head = width / heads;
    std::vector<float> scratch(3 * width);
    float *g = scratch.data(), *swapped = g + width, *unit = swapped + width;
    for (std::int64_t row = 0; row < batch * tokens; ++row) {
        const std::int64_t clip = row / tokens, token = row % tokens;
        for (std::int64_t h = 0; h < heads; ++h)
            widen(arriving + ((clip * heads + h) * room + token) * head, g + h * head, head);
        if (cosine) {  // the turn back
            const float *c = cosine + token * width, *s = signedSine + token * width;
            swapPairs(g, swapped, width);
#pragma omp simd
            for (std::int64_t i = 0; i < width; ++i)
                g[i] = g[i] * c[i] - swapped[i] * s[i];
        }
        widen(x + row * width, unit, width);
        const float factor = factors[row];
        float along = 0;
#pragma omp simd reduction(+ : along)
        for (std::int64_t i = 0; i < width; ++i) {
            unit[i] *= factor;
            g[i] *= gain;
            ofWeight[i] += g[i] * unit[i];
            g[i] *= weight[i];
            along += g[i] * unit[i];
        }
        along /= static_cast<float>(width);
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i)
            ofX[row * width + i] = narrow(factor * (g[i] - unit[i] * along));
    }
}

/// [batch, tokens, heads, head] to [batch, heads, room >= tokens, head].
void splitHeads(const Bfloat* x, Bfloat* out, std::int64_t batch, std::int64_t tokens, std::int64_t room,
                std::int64_t heads, std::int64_t head) {
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t t = 0; t < tokens; ++t)
            for (std::int64_t h = 0; h < heads; ++h)
                std::memcpy(out + ((b * heads + h) * room + t) * head,
                            x + ((b * tokens + t) * heads + h) * head, head * sizeof(Bfloat));
}

/// The way back.
void joinHeads(const Bfloat* x, Bfloat* out, std::int64_t batch, std::int64_t tokens, std::int64_t room,
               std::int64_t heads, std::int64_t head) {
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t t = 0; t < tokens; ++t)
            for (std::int64_t h = 0; h < heads; ++h)
                std::memcpy(out + ((b * tokens + t) * heads + h) * head,
                            x + ((b * heads + h) * room + t) * head, head * sizeof(Bfloat));
}

/// In place, of rows [rows, keys] with the bias [keys] (none when null). `keys` is a multiple of LANES.
void softmax(Bfloat* scores, const float* bias, std::int64_t rows, std::int64_t keys) {
    std::vector<float> scratch(keys), zeros(bias ? 0 : keys);
    float* s = scratch.data();
    const float* raised = bias ? bias : zeros.data();
    for (std::int64_t row = 0; row < rows; ++row) {
        Bfloat* p = scores + row * keys;
        float largest[LANES], sum[LANES];
        std::fill_n(largest, LANES, -3e38F);
        std::fill_n(sum, LANES, 0.0F);
        for (std::int64_t i = 0; i < keys; i += LANES)
#pragma omp simd
            for (int lane = 0; lane < LANES; ++lane) {
                s[i + lane] = wide(p[i + lane]) + raised[i + lane];
                largest[lane] = std::max(largest[lane], s[i + lane]);
            }
        const float top = *std::max_element(largest, largest + LANES);
        for (std::int64_t i = 0; i < keys; i += LANES)
#pragma omp simd
            for (int lane = 0; lane < LANES; ++lane) {
                s[i + lane] = exponential(s[i + lane] - top);
                sum[lane] += s[i + lane];
            }
        const float share = 1.0F / std::accumulate(sum, sum + LANES, 0.0F);
        for (std::int64_t i = 0; i < keys; i += LANES)
#pragma omp simd
            for (int lane = 0; lane < LANES; ++lane)
                p[i + lane] = narrow(s[i + lane] * share);
    }
}

/// In place of the arriving gradients.
void softmaxBackward(Bfloat* arriving, const Bfloat* shares, std::int64_t rows, std::int64_t keys) {
    for (std::int64_t row = 0; row < rows; ++row) {
        Bfloat* g = arriving + row * keys;
        const Bfloat* p = shares + row * keys;
        float sum[LANES] = {};
        for (std::int64_t i = 0; i < keys; i += LANES)
#pragma omp simd
            for (int lane = 0; lane < LANES; ++lane)
                sum[lane] += wide(g[i + lane]) * wide(p[i + lane]);
        const float along = std::accumulate(sum, sum + LANES, 0.0F);
        for (std::int64_t i = 0; i < keys; i += LANES)
#pragma omp simd
            for (int lane = 0; lane < LANES; ++lane)
                g[i + lane] = narrow(wide(p[i + lane]) * (wide(g[i + lane]) - along));
    }
}

/// out = x + y gate, x float [batch, tokens, width], gate float [batch, width] (1 when null).
void gated(const float* x, const Bfloat* y, const float* gate, float* out, std::int64_t batch,
           std::int64_t tokens, std::int64_t width) {
    for (std::int64_t row = 0; row < batch * tokens; ++row) {
        const std::int64_t at = row * width;
        const float* open = gate ? gate + row / tokens * width : nullptr;
        if (open) {
#pragma omp simd
            for (std::int64_t i = 0; i < width; ++i)
                out[at + i] = x[at + i] + wide(y[at + i]) * open[i];
        } else {
#pragma omp simd
            for (std::int64_t i = 0; i < width; ++i)
                out[at + i] = x[at + i] + wide(y[at + i]);
        }
    }
}

/// Of y, and added to ofGate [batch, width]; the gradient of x is what arrives.
void gatedBackward(const float* arriving, const Bfloat* y, const float* gate, Bfloat* ofY, float* ofGate,
                   std::int64_t batch, std::int64_t tokens, std::int64_t width) {
    for (std::int64_t row = 0; row < batch * tokens; ++row) {
        const std::int64_t at = row * width, from = row / tokens * width;
#pragma omp simd
        for (std::int64_t i = 0; i < width; ++i) {
            ofY[at + i] = narrow(arriving[at + i] * gate[from + i]);
            ofGate[from + i] += arriving[at + i] * wide(y[at + i]);
        }
    }
}

/// GELU in its tanh form.
void gelu(const Bfloat* x, Bfloat* out, std::int64_t count) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const float v = wide(x[i]);
        out[i] = narrow(v * sigmoid(GELU_SLOPE * v * (1.0F + GELU_CUBE * v * v)));
    }
}

void geluBackward(const Bfloat* arriving, const Bfloat* x, Bfloat* ofX, std::int64_t count) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const float v = wide(x[i]), gate = sigmoid(GELU_SLOPE * v * (1.0F + GELU_CUBE * v * v));
        const float slope = GELU_SLOPE * v * (1.0F + 3.0F * GELU_CUBE * v * v);
        ofX[i] = narrow(wide(arriving[i]) * gate * (1.0F + slope * (1.0F - gate)));
    }
}

/// out = silu(x / |x| sqrt(channels) gamma), norms over channels; x [clips, channels, positions]; each
/// channel of `out` has `lead` zeros before its positions.
void normSilu(const Bfloat* x, const float* gamma, Bfloat* out, std::int64_t clips, std::int64_t channels,
              std::int64_t positions, std::int64_t lead) {
    const std::int64_t length = positions + lead;
    float factor[POSITIONS];
    for (std::int64_t row = 0; row < clips * channels; ++row)
        std::memset(out + row * length, 0, lead * sizeof(Bfloat));
    for (std::int64_t clip = 0; clip < clips; ++clip)
        for (std::int64_t first = 0; first < positions; first += POSITIONS) {
            const std::int64_t count = std::min(POSITIONS, positions - first);
            const Bfloat* in = x + clip * channels * positions + first;
            Bfloat* result = out + clip * channels * length + lead + first;
            unitFactors(in, channels, positions, count, factor);
            for (std::int64_t c = 0; c < channels; ++c)
#pragma omp simd
                for (std::int64_t i = 0; i < count; ++i) {
                    const float y = wide(in[c * positions + i]) * factor[i] * gamma[c];
                    result[c * length + i] = narrow(y * sigmoid(y));
                }
        }
}

/// `arriving` has the lead of `out`. Adds to ofGamma [channels].
void normSiluBackward(const Bfloat* arriving, const Bfloat* x, const float* gamma, Bfloat* ofX,
                      float* ofGamma, std::int64_t clips, std::int64_t channels, std::int64_t positions,
                      std::int64_t lead) {
    const std::int64_t length = positions + lead;
    float factor[POSITIONS], along[POSITIONS];
    std::vector<float> scratch(channels * POSITIONS);
    for (std::int64_t clip = 0; clip < clips; ++clip)
        for (std::int64_t first = 0; first < positions; first += POSITIONS) {
            const std::int64_t count = std::min(POSITIONS, positions - first);
            const Bfloat* in = x + clip * channels * positions + first;
            const Bfloat* g = arriving + clip * channels * length + lead + first;
            Bfloat* result = ofX + clip * channels * positions + first;
            unitFactors(in, channels, positions, count, factor);
            std::fill_n(along, count, 0.0F);
            for (std::int64_t c = 0; c < channels; ++c) {
                float* through = scratch.data() + c * POSITIONS;
                const float gain = gamma[c];
                float sum = 0;
#pragma omp simd reduction(+ : sum)
                for (std::int64_t i = 0; i < count; ++i) {
                    const float unit = wide(in[c * positions + i]) * factor[i], y = unit * gain,
                                gate = sigmoid(y);
                    const float slope = wide(g[c * length + i]) * gate * (1.0F + y * (1.0F - gate));
                    sum += slope * unit;
                    through[i] = slope * gain;
                    along[i] += slope * gain * unit;
                }
                ofGamma[c] += sum;
            }
            for (std::int64_t c = 0; c < channels; ++c) {
                const float* through = scratch.data() + c * POSITIONS;
#pragma omp simd
                for (std::int64_t i = 0; i < count; ++i) {
                    const float unit = wide(in[c * positions + i]) * factor[i];
                    result[c * positions + i] =
                        narrow(factor[i] * (through[i] - unit * along[i] / static_cast<float>(channels)));
                }
            }
        }
}

/// One step of AdamW, and of the exponential average of the parameters. `rate` is the step's learning rate,
/// the corrections are 1 - beta^step.
void adamw(float* parameters, const float* gradients, float* first, float* second, float* average,
           std::int64_t count, float clip, float rate, float decay, float beta1, float beta2, float eps,
           float correction1, float correction2, float averaged) {
    const float size = rate / correction1, root = 1.0F / std::sqrt(correction2);
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradients[i] * clip;
        first[i] = beta1 * first[i] + (1.0F - beta1) * g;
        second[i] = beta2 * second[i] + (1.0F - beta2) * g * g;
        const float p =
            parameters[i] * (1.0F - rate * decay) - size * first[i] / (std::sqrt(second[i]) * root + eps);
        parameters[i] = p;
        average[i] += (1.0F - averaged) * (p - average[i]);
    }
}

}  // extern "C"
