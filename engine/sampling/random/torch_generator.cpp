// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/random/torch_generator.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "engine/base/error.h"
#include "engine/sampling/random/cephes.h"

namespace meshreel {
namespace {

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

/// In place: values[0..8) give the radii, values[8..16) the angles.
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

}  // namespace meshreel
