// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// The numbers of torch.Generator("cpu").manual_seed(seed), call after call: mt19937 seeded with the low 32
/// bits of the seed.
class TorchGenerator {
  public:
    explicit TorchGenerator(std::uint64_t seed);

    /// torch.randn of type F32, F64, F16 or BF16. From 16 elements on torch draws all uniforms first and
    /// turns blocks of 8 + 8 into normals, redrawing the last 16 when the count is no multiple of 16; below,
    /// it draws pairs in f64 and keeps the second of a pair for the next call. f32 agrees with torch to about
    /// 1e-6 (the libraries' log and sin/cos differ in the last place).
    Tensor normal(const Shape& shape, DType type = DType::F32);

    /// torch.rand: uniform in [0, 1), of the types of normal().
    Tensor uniform(const Shape& shape, DType type = DType::F32);

    /// torch.randint(low, high): I64 in [low, high). Throws Error{Internal} unless low < high.
    Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape);

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

}  // namespace meshreel
