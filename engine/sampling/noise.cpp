// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/number_types.h"

namespace meshreel {

namespace {

constexpr std::array logCoefficients{7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                     -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                     2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
constexpr std::array sineCoefficients{-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F};
constexpr std::array cosineCoefficients{2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F};

// ln 2 and pi / 4 in parts whose products with small whole numbers are exact.
constexpr float ln2High = 0.693359375F;
constexpr float ln2Low = -2.12194440e-4F;
constexpr std::array quarterPi{0.78515625F, 2.4187564849853515625e-4F, 3.77489497744594108e-8F};

// std::fma stands where the compiler fuses torch's code: that, too, decides the last bit.

float horner(std::span<const float> coefficients, float x) {
    float value = coefficients.front();
    for (const float coefficient : coefficients.subspan(1))
        value = std::fma(value, x, coefficient);
    return value;
}

/// The natural logarithm by the polynomial of the Cephes library (Moshier, single precision), for normal
/// positive x. torch's vectorised normal_() is made of this and of cephesSineCosine(), so its numbers can be
/// met to the bit.
float cephesLog(float x) {
    int exponent = 0;
    float mantissa = std::frexp(x, &exponent);  // in [0.5, 1)
    if (mantissa < std::numbers::sqrt2_v<float> / 2.0F) {
        mantissa += mantissa;
        --exponent;
    }
    mantissa -= 1.0F;
    const auto e = static_cast<float>(exponent);
    const float square = mantissa * mantissa;
    float value = std::fma(horner(logCoefficients, mantissa) * mantissa, square, e * ln2Low);
    value = std::fma(-0.5F, square, value);
    return std::fma(e, ln2High, mantissa + value);
}

struct SineCosine {
    float sine;
    float cosine;
};

/// Sine and cosine by the polynomials of the Cephes library, for x >= 0.
SineCosine cephesSineCosine(float x) {
    const int octant = (static_cast<int>(x * (4.0F / std::numbers::pi_v<float>)) + 1) & ~1;
    const auto y = static_cast<float>(octant);
    for (const float part : quarterPi)
        x = std::fma(-y, part, x);

    const float square = x * x;
    const float cosine = std::fma(horner(cosineCoefficients, square) * square, square, -0.5F * square) + 1.0F;
    const float sine = std::fma(horner(sineCoefficients, square) * square, x, x);
    switch ((octant / 2) % 4) {
        case 0:
            return {sine, cosine};
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        default:
            return {-cosine, sine};
    }
}

/// torch's vector path works on blocks of 8 radii and 8 angles; shorter tensors take the scalar path.
constexpr std::size_t vectorBlock = 16;
constexpr std::size_t halfBlock = vectorBlock / 2;

/// How torch computes in a type: the precision of each operation, and rounding back to the type after it.
template <typename T>
struct Arithmetic {
    using Wide = T;
    static constexpr int significandBits = std::numeric_limits<T>::digits;
    static T round(Wide value) { return value; }
    static Wide widen(T value) { return value; }
};

template <>
struct Arithmetic<Half> {
    using Wide = float;
    static constexpr int significandBits = 11;
    static Half round(float value) { return toHalf(value); }
    static float widen(Half value) { return toFloat(value); }
};

template <>
struct Arithmetic<BFloat16> {
    using Wide = float;
    static constexpr int significandBits = 8;
    static BFloat16 round(float value) { return toBFloat16(value); }
    static float widen(BFloat16 value) { return toFloat(value); }
};

template <typename T>
struct NormalPair {
    T first;
    T second;
};

/// Box-Muller of uniforms in [0, 1), every operation rounded to T.
template <typename T>
NormalPair<T> normalPair(T radial, T turn) {
    using A = Arithmetic<T>;
    using Wide = typename A::Wide;
    const auto rounded = [](Wide value) { return A::widen(A::round(value)); };
    const Wide inverse = rounded(Wide(1) - A::widen(radial));  // (0, 1], for the log
    const Wide radius = rounded(std::sqrt(rounded(Wide(-2) * rounded(std::log(inverse)))));
    const double fullTurn = 2.0 * std::numbers::pi * static_cast<double>(A::widen(turn));
    const Wide angle = rounded(static_cast<Wide>(fullTurn));
    return {A::round(radius * rounded(std::cos(angle))), A::round(radius * rounded(std::sin(angle)))};
}

/// For f32 torch has AVX2 code of its own, with a logarithm, sine and cosine from Cephes.
template <>
NormalPair<float> normalPair(float radial, float turn) {
    const float radius = std::sqrt(-2.0F * cephesLog(1.0F - radial));
    const auto [sine, cosine] = cephesSineCosine(2.0F * std::numbers::pi_v<float> * turn);
    return {radius * cosine, radius * sine};
}

/// Works in place: values[0..8) give the radii, values[8..16) the angles.
template <typename T>
void normalsFromUniforms(std::span<T> values) {
    for (std::size_t j = 0; j < halfBlock; ++j) {
        const NormalPair<T> pair = normalPair(values[j], values[j + halfBlock]);
        values[j] = pair.first;
        values[j + halfBlock] = pair.second;
    }
}

/// Calls `fill` with the tensor's elements as a span of their type; the types are those of torch.randn.
template <typename Fill>
Tensor filled(const Shape& shape, DType type, const Fill& fill) {
    Tensor result = Tensor::empty(shape, type);
    switch (type) {
        case DType::F32:
            fill(result.data<float>());
            break;
        case DType::F64:
            fill(result.data<double>());
            break;
        case DType::F16:
            fill(result.data<Half>());
            break;
        case DType::BF16:
            fill(result.data<BFloat16>());
            break;
        default:
            throw Error(ErrorKind::Internal,
                        "random numbers of type " + std::string(nameOf(type)) + " were asked for");
    }
    return result;
}

}  // namespace

TorchGenerator::TorchGenerator(std::uint64_t seed) : m_engine(static_cast<std::uint32_t>(seed)) {}

std::uint32_t TorchGenerator::random32() {
    return static_cast<std::uint32_t>(m_engine());
}

std::uint64_t TorchGenerator::random64() {
    const std::uint64_t high = random32();
    return high << 32U | random32();
}

template <typename T>
T TorchGenerator::drawUniform() {
    using A = Arithmetic<T>;
    constexpr int bits = A::significandBits;
    constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t drawn = bits > 32 ? random64() : random32();
    return A::round(std::ldexp(static_cast<typename A::Wide>(drawn & mask), -bits));
}

template <typename T>
void TorchGenerator::fillUniform(std::span<T> values) {
    for (T& value : values)
        value = drawUniform<T>();
}

double TorchGenerator::drawNormal() {
    if (m_nextNormal) {
        const double normal = *m_nextNormal;
        m_nextNormal.reset();
        return normal;
    }
    const auto turn = drawUniform<double>();
    const auto radial = drawUniform<double>();
    const double radius = std::sqrt(-2.0 * std::log1p(-radial));
    const double angle = 2.0 * std::numbers::pi * turn;
    m_nextNormal = radius * std::sin(angle);
    return radius * std::cos(angle);
}

template <typename T>
void TorchGenerator::fillNormal(std::span<T> values) {
    using A = Arithmetic<T>;
    if (values.size() < vectorBlock) {
        for (T& value : values)
            value = A::round(static_cast<typename A::Wide>(drawNormal()));
        return;
    }
    fillUniform(values);
    const std::size_t whole = values.size() / vectorBlock * vectorBlock;
    for (std::size_t begin = 0; begin < whole; begin += vectorBlock)
        normalsFromUniforms(values.subspan(begin, vectorBlock));
    if (whole != values.size()) {
        fillUniform(values.last(vectorBlock));
        normalsFromUniforms(values.last(vectorBlock));
    }
}

Tensor TorchGenerator::normal(const Shape& shape, DType type) {
    return filled(shape, type, [this](auto values) { fillNormal(values); });
}

Tensor TorchGenerator::uniform(const Shape& shape, DType type) {
    return filled(shape, type, [this](auto values) { fillUniform(values); });
}

Tensor TorchGenerator::randint(std::int64_t low, std::int64_t high, const Shape& shape) {
    if (low >= high)
        throw Error(ErrorKind::Internal,
                    "randint needs low < high, not " + std::to_string(low) + " and " + std::to_string(high));
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const bool wide = range > std::numeric_limits<std::uint32_t>::max();
    Tensor result = Tensor::empty(shape, DType::I64);
    for (std::int64_t& value : result.data<std::int64_t>())
        value = static_cast<std::int64_t>((wide ? random64() : random32()) % range +
                                          static_cast<std::uint64_t>(low));
    return result;
}

std::vector<std::int64_t> TorchGenerator::permutation(std::int64_t count) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t place = 0; place + 1 < order.size(); ++place)
        std::swap(order[place], order[place + random32() % (order.size() - place)]);
    return order;
}

namespace {

std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32U);
}

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
    constexpr int rounds = 10;
    // Multipliers and Weyl increments of the paper.
    constexpr std::uint64_t multiplier0 = 0xD2511F53U;
    constexpr std::uint64_t multiplier1 = 0xCD9E8D57U;
    constexpr std::uint32_t weyl0 = 0x9E3779B9U;
    constexpr std::uint32_t weyl1 = 0xBB67AE85U;
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t product0 = multiplier0 * counter[0];
        const std::uint64_t product1 = multiplier1 * counter[2];
        counter = {high(product1) ^ counter[1] ^ key[0], low(product1), high(product0) ^ counter[3] ^ key[1],
                   low(product0)};
        key[0] += weyl0;
        key[1] += weyl1;
    }
    return counter;
}

namespace {

constexpr std::int64_t lanes = 4;  // of a block

constexpr std::array<NoiseKindRow, 2> noiseRows{{
    {"counter", NoiseKind::Counter, "the same latents from a seed whatever the mesh, threads or batch split"},
    {"torch_cpu", NoiseKind::TorchCpu, "the latents that diffusers makes from a CPU generator's seed"},
}};

/// Returns a number in (0, 1): never 0, whose log is infinite.
double unitInterval(std::uint32_t bits) {
    return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

std::array<float, lanes> normalBlock(std::uint64_t seed, std::uint64_t block) {
    const auto bits =
        philox4x32({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32U), 0, 0},
                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
    std::array<float, lanes> normals{};
    for (std::size_t pair = 0; pair < bits.size(); pair += 2) {
        const double radius = std::sqrt(-2.0 * std::log(unitInterval(bits[pair])));
        const double angle = 2.0 * std::numbers::pi * unitInterval(bits[pair + 1]);
        normals[pair] = static_cast<float>(radius * std::cos(angle));
        normals[pair + 1] = static_cast<float>(radius * std::sin(angle));
    }
    return normals;
}

}  // namespace

std::span<const NoiseKindRow> noiseKinds() {
    return noiseRows;
}

const NoiseKindRow* findNoiseKind(std::string_view name) {
    const auto found = std::ranges::find(noiseRows, name, &NoiseKindRow::name);
    return found == noiseRows.end() ? nullptr : &*found;
}

Tensor counterNormal(std::uint64_t seed, const Shape& shape, std::int64_t firstElement) {
    Tensor result = Tensor::empty(shape);
    const auto values = result.data<float>();
    std::int64_t element = firstElement;
    const std::int64_t end = firstElement + shape.elements();
    while (element < end) {
        const std::int64_t block = element / lanes;
        const std::array<float, lanes> normals = normalBlock(seed, static_cast<std::uint64_t>(block));
        for (const std::int64_t blockEnd = std::min((block + 1) * lanes, end); element < blockEnd; ++element)
            values[static_cast<std::size_t>(element - firstElement)] =
                normals[static_cast<std::size_t>(element % lanes)];
    }
    return result;
}

Tensor initialLatents(NoiseKind kind, std::uint64_t seed, const Shape& shape, int segment) {
    // Far behind what schedulers draw for their steps.
    constexpr std::int64_t segmentStretch = std::int64_t{1} << 40;
    if (kind == NoiseKind::Counter)
        return counterNormal(seed, shape, segment * segmentStretch);
    TorchGenerator generator(seed);
    for (int before = 0; before < segment; ++before)
        static_cast<void>(generator.normal(shape));
    return generator.normal(shape);
}

}  // namespace meshreel
