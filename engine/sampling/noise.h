// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// The numbers of torch.Generator("cpu").manual_seed(seed), call after call: mt19937 seeded with the low 32
/// bits of the seed.
class TorchGenerator {
  public:
    explicit TorchGenerator(std::uint64_t seed);

    /// Returns torch.randn of type F32, F64, F16 or BF16. From 16 elements on torch draws all uniforms first
    /// and turns blocks of 8 + 8 into normals, redrawing the last 16 when the count is not a multiple of 16;
    /// below, it draws pairs in f64 and keeps the second of a pair for the next call. f32 agrees with torch
    /// to about 1e-6 (the libraries' log and sin/cos differ in the last place).
    Tensor normal(const Shape& shape, DType type = DType::F32);

    /// torch.rand: uniform in [0, 1), of the types of normal().
    Tensor uniform(const Shape& shape, DType type = DType::F32);

    /// torch.randint(low, high): I64 in [low, high). Throws Error{Internal} unless low < high.
    Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape);

    /// torch.randperm: 0 … count − 1 in another order.
    std::vector<std::int64_t> permutation(std::int64_t count);

  private:
    std::uint32_t random32();
    std::uint64_t random64();
    template <typename T>
    T drawUniform();
    template <typename T>
    void fillUniform(std::span<T> values);
    template <typename T>
    void fillNormal(std::span<T> values);
    double drawNormal();

    std::mt19937 m_engine;
    std::optional<double> m_nextNormal;  ///< second of the last scalar pair
};

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a keyed bijection
/// of 128-bit counters, so that any draw can be made without making those before it.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// Where the initial latents' noise comes from.
enum class NoiseKind {
    Counter,   ///< counterNormal: independent of mesh, threads and batch split
    TorchCpu,  ///< what diffusers users get from a CPU generator's seed
};

/// One value of the project key `noise`.
struct NoiseKindRow {
    std::string_view name;
    NoiseKind kind;
    std::string_view help;
};

std::span<const NoiseKindRow> noiseKinds();
/// Null when there is none.
const NoiseKindRow* findNoiseKind(std::string_view name);

/// Standard normal f32 numbers that depend on (seed, global element index) alone: elements
/// [firstElement, firstElement + shape.elements()) of the seed's endless row-major sequence.
/// Element e is lane e % 4 of Philox4x32-10 with key (seed low, seed high) and counter (e / 4 low, e / 4
/// high, 0, 0). Lanes (0, 1) and (2, 3) are Box-Muller pairs, in f64: with u = (x + 0.5) / 2^32, sqrt(-2 ln
/// u0) cos(2 pi u1) and sqrt(-2 ln u0) sin(2 pi u1), rounded to f32.
Tensor counterNormal(std::uint64_t seed, const Shape& shape, std::int64_t firstElement = 0);

/// Returns the noise that a run starts from, f32 of `shape`; of a video made in segments that of segment
/// `segment`, which follows on those before in the seed's sequence.
Tensor initialLatents(NoiseKind kind, std::uint64_t seed, const Shape& shape, int segment = 0);

}  // namespace meshreel
