// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"

namespace meshreel {

class GpuPipelines;

/// A compute shader that the build embedded.
struct GpuShader {
    std::string name;
    std::span<const std::uint32_t> words;  ///< SPIR-V
    std::size_t constants = 0;             ///< bytes of its push constants
    /// Computes small values by the shader and on the CPU: the largest difference, relative to what is
    /// allowed. Above 1 the shader is refused, since drivers compile some shaders to rubbish.
    std::function<double(GpuPipelines& pipelines, GpuStream& stream)> check = {};
    /// Values of the specialisation constants 0, 1 ...; those behind keep their values.
    std::vector<std::uint32_t> specialised = {};
    std::uint32_t subgroup = 0;  ///< invocations that each subgroup has, all of them at work; 0: any
};

/// The shaders of one GPU as its driver compiled them: each at its first use, and checked then. One thread at
/// a time.
class GpuPipelines {
  public:
    /// `tuning` knows the fastest of shaders that compute the same.
    explicit GpuPipelines(const Gpu& gpu, GpuTuning tuning = {}) : m_gpu(gpu), m_tuning(std::move(tuning)) {}
    ~GpuPipelines();
    GpuPipelines(const GpuPipelines&) = delete;
    GpuPipelines& operator=(const GpuPipelines&) = delete;

    /// Throws Error{Device} when the driver does not compile the shader or computes it wrong, each time that
    /// it is asked for.
    const GpuProgram& program(const GpuShader& shader);

    [[nodiscard]] const Gpu& gpu() const { return m_gpu; }
    [[nodiscard]] GpuTuning& tuning() { return m_tuning; }

  private:
    struct Entry {
        GpuProgram program;
        enum class Check : std::uint8_t { Open, Running, Done } check = Check::Open;
        double difference = 0;  // of the check
    };

    void build(const GpuShader& shader, GpuProgram& program) const;

    const Gpu& m_gpu;
    GpuTuning m_tuning;
    std::map<std::string, Entry, std::less<>> m_entries;
};

}  // namespace meshreel
