// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/sentence.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/ptx_kernel.h"

namespace meshreel {

class CudaKernel;
class GpuPipelines;

/// The number of a shader: 0, 1, 2 ... in the order of creation in this process. Moving a shader moves its
/// number.
class ShaderIndex {
  public:
    ShaderIndex();
    ShaderIndex(ShaderIndex&&) = default;
    ShaderIndex& operator=(ShaderIndex&&) = default;

    [[nodiscard]] std::size_t value() const { return m_value; }

  private:
    std::size_t m_value;
};

/// A compute shader that the build embedded, or a kernel of PTX in the place of one: made once in a process,
/// which has a few hundred. GPUs find what their driver made of it by its index.
struct GpuShader {
    std::string name;                      ///< used in messages
    std::span<const std::uint32_t> words;  ///< SPIR-V
    std::size_t constants = 0;             ///< bytes of its push constants
    /// Computes small values by the shader and on the CPU: the largest difference, relative to what is
    /// allowed. Above 1 the shader is refused, since drivers compile some shaders to rubbish.
    double (*check)(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) = nullptr;
    /// Values of the specialisation constants 0, 1 ...; later ones keep their values.
    std::vector<std::uint32_t> specialised = {};
    std::uint32_t subgroup = 0;  ///< invocations that each subgroup has, all of them at work; 0: any
    WritePtx ptx = {};           ///< of a kernel of PTX, which has no words
    /// Of a kernel of PTX: bytes of the constants at which addresses lie.
    std::span<const std::uint16_t> addresses = {};
    ShaderIndex index = {};
};

/// An Error{Device} that comes back at each try: the driver refuses a shader or kernel, or computes it wrong.
class RefusedShader : public Error {
  public:
    enum class Fault : std::uint8_t { Refused, Wrong };

    RefusedShader(Fault fault, Sentence message, Sentence hint)
        : Error(ErrorKind::Device, std::move(message), {}, std::move(hint)), m_fault(fault) {}
    [[nodiscard]] Fault fault() const { return m_fault; }

  private:
    Fault m_fault;
};

/// What the layer above makes once of a GPU's shaders, and keeps beside them.
class PreparedOperations {
  public:
    PreparedOperations() = default;
    PreparedOperations(const PreparedOperations&) = delete;
    PreparedOperations& operator=(const PreparedOperations&) = delete;
    virtual ~PreparedOperations() = default;
};

/// The shaders of one GPU as its driver compiled them: each is compiled and checked at its first use. For one
/// thread at a time.
class GpuPipelines {
  public:
    /// `tuning` knows the fastest of shaders that compute the same.
    explicit GpuPipelines(const Gpu& gpu, GpuTuning tuning = {}) : m_gpu(gpu), m_tuning(std::move(tuning)) {}
    ~GpuPipelines();
    GpuPipelines(const GpuPipelines&) = delete;
    GpuPipelines& operator=(const GpuPipelines&) = delete;

    /// Throws RefusedShader when the driver refuses a kernel of PTX or computes the shader wrong, each time
    /// that it is asked for; Error{Device} when it does not compile a shader or memory is short.
    const GpuProgram& program(const GpuShader& shader);

    [[nodiscard]] const Gpu& gpu() const { return m_gpu; }
    [[nodiscard]] GpuTuning& tuning() { return m_tuning; }

    /// From now on libcuda.so.1 is asked why the driver refuses a kernel of PTX: for a process that may end
    /// of it.
    void explainRefusals() { m_explains = true; }

    /// Null until setPrepared().
    [[nodiscard]] PreparedOperations* prepared() const { return m_prepared.get(); }
    void setPrepared(std::unique_ptr<PreparedOperations> prepared) { m_prepared = std::move(prepared); }

  private:
    struct Entry {
        GpuProgram program;
        std::shared_ptr<const CudaKernel> ofCuda;  // that the program launches
        enum class Check : std::uint8_t { Open, Running, Done } check = Check::Open;
        double difference = 0;  // result of the check
    };

    void build(const GpuShader& shader, GpuProgram& program) const;
    void buildPtx(const GpuShader& shader, GpuProgram& program) const;
    std::shared_ptr<const CudaKernel> buildForCuda(const GpuShader& shader, GpuProgram& program) const;

    const Gpu& m_gpu;
    GpuTuning m_tuning;
    std::unique_ptr<PreparedOperations> m_prepared;
    bool m_explains = false;
    std::deque<Entry> m_entries;  // indexed by ShaderIndex; references stay valid as it grows
};

}  // namespace meshreel
