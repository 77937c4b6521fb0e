// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "engine/gpu/gpu_stream.h"

namespace meshreel {

class GpuPipelines;

/// A compute shader that the build embedded.
struct GpuShader {
    std::string_view name;
    std::span<const std::uint32_t> words;  ///< SPIR-V
    std::size_t constants = 0;             ///< bytes of its push constants
    /// Computes small values by the shader and on the CPU: the largest difference, relative to what is
    /// allowed. Above 1 the shader is refused, since drivers compile some shaders to rubbish.
    double (*check)(GpuPipelines& pipelines, GpuStream& stream) = nullptr;
};

/// The shaders of one GPU as its driver compiled them: each at its first use, and checked then. One thread at
/// a time.
class GpuPipelines {
  public:
    explicit GpuPipelines(const Gpu& gpu) : m_gpu(gpu) {}
    ~GpuPipelines();
    GpuPipelines(const GpuPipelines&) = delete;
    GpuPipelines& operator=(const GpuPipelines&) = delete;

    /// Throws Error{Device} when the driver does not compile the shader or computes it wrong, each time that
    /// it is asked for.
    const GpuProgram& program(const GpuShader& shader);

  private:
    struct Entry {
        GpuProgram program;
        std::optional<double> difference;  // of the check; none while it runs
    };

    void build(const GpuShader& shader, GpuProgram& program) const;

    const Gpu& m_gpu;
    std::map<std::string_view, Entry> m_entries;
};

}  // namespace meshreel
