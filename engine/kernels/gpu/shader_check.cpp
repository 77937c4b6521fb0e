// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/shader_check.h"

#include <cmath>
#include <cstring>

#include "engine/gpu/cuda_side.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

CheckedBytes::CheckedBytes(const Gpu& gpu, std::size_t bytes)
    : m_gpu(gpu), m_host(gpu, bytes, GpuPlace::Host) {
    if (gpu.cuda() != nullptr)
        m_device.emplace(gpu, bytes, GpuPlace::Device);
}

CheckedBytes::~CheckedBytes() {
    // Vulkan may wait for a kernel that has failed. The stream that gave it ends later than these bytes.
    if (m_gpu.cuda() != nullptr && !m_gpu.cuda()->settle())
        return;
    m_gpu.calls().vkDeviceWaitIdle(m_gpu.device());
}

void CheckedBytes::write(std::span<const std::byte> from) const {
    std::memcpy(m_host.mapped().data(), from.data(), from.size());
    if (!m_device)
        return;
    GpuStream copies(m_gpu);
    copies.copy(m_host, *m_device, from.size());
    copies.finish();
}

std::span<const std::byte> CheckedBytes::read() const {
    if (m_device) {
        GpuStream copies(m_gpu);
        copies.copy(*m_device, m_host, m_host.bytes());
        copies.finish();
    }
    return m_host.mapped();
}

CheckedValues::CheckedValues(const Gpu& gpu, std::int64_t rows, std::int64_t width, std::uint32_t seed,
                             DType type)
    : m_rows(rows),
      m_width(width),
      m_type(type),
      m_bytes(gpu, static_cast<std::size_t>(rows * width) * byteSize(type)) {
    std::uint32_t state = seed;
    std::vector<float> values(static_cast<std::size_t>(rows * width));
    for (float& value : values) {
        state =
            state * 1664525U + 1013904223U;  // Numerical Recipes' generator: the upper bits are random enough
        value = static_cast<float>(state >> 8U) / static_cast<float>(1U << 23U) - 1.0F;
    }
    write(values);
}

void CheckedValues::write(std::span<const float> values) const {
    const Tensor given = Tensor::view(values.data(), {std::ssize(values)}, DType::F32, nullptr).to(m_type);
    m_bytes.write(given.hostBytes());
}

GpuMatrix CheckedValues::matrix() const {
    return {.address = m_bytes.address(),
            .type = m_type,
            .layout = {.rows = m_rows, .width = m_width, .stride = m_width}};
}

std::vector<float> CheckedValues::read() const {
    const Tensor values = Tensor::view(m_bytes.read().data(), {m_rows * m_width}, m_type, nullptr).toF32();
    const auto numbers = values.data<float>();
    return {numbers.begin(), numbers.end()};
}

double CheckedValues::difference(const std::function<double(std::int64_t, std::int64_t)>& expected,
                                 double allowed) const {
    const std::vector<float> found = read();
    double largest = 0.0;
    for (std::int64_t row = 0; row < m_rows; ++row)
        for (std::int64_t column = 0; column < m_width; ++column) {
            const double value = static_cast<double>(found[static_cast<std::size_t>(row * m_width + column)]);
            const double difference = std::abs(value - expected(row, column)) / allowed;
            if (difference > largest || std::isnan(difference))
                largest = difference;
        }
    return largest;
}

}  // namespace meshreel
