// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/tensor/compute_device.h"

namespace meshreel {

/// A GPU at work, driven by Vulkan: the order of its work, its compiled shaders and its memory.
class GpuWork final : public ComputeDevice {
  public:
    /// `portion` is that of the stream.
    explicit GpuWork(const std::shared_ptr<const Gpu>& gpu, GpuTuning tuning = {},
                     std::size_t blockBytes = GpuPool::usualBlock, std::optional<double> portion = {})
        : m_gpu(gpu),
          m_copies(*gpu, {}, GpuQueue::Copies),
          m_stream(*gpu, portion),
          m_pipelines(*gpu, std::move(tuning)),
          m_memory(*this, gpu, m_stream, m_copies, blockBytes),
          m_flags(*gpu, flagCount * sizeof(std::uint32_t), GpuPlace::Host) {
        m_stream.follow(m_copies);
    }
    /// Waits for what was submitted before its shaders and memory go: work may be under way when a run ends
    /// early.
    ~GpuWork() override { m_stream.settle(); }

    [[nodiscard]] DeviceApi api() const override { return DeviceApi::Vulkan; }
    [[nodiscard]] const std::string& name() const override { return m_gpu->name(); }
    [[nodiscard]] const std::string& id() const override { return m_gpu->id(); }
    [[nodiscard]] GpuMemory& memory() override { return m_memory; }
    void beginStage() override { m_memory.beginStage(); }
    [[nodiscard]] std::size_t peakBytes() const override { return m_memory.peak(); }
    void await(std::int64_t submission) override { m_stream.await(submission); }
    void finish(const StopToken& stop) override { m_stream.finish(stop); }
    [[nodiscard]] std::optional<double> seconds() const override {
        return m_gpu->secondsPerTick() > 0 ? std::optional(m_stream.gpuSeconds()) : std::nullopt;
    }

    [[nodiscard]] const Gpu& gpu() const { return *m_gpu; }
    /// Returns why the GPU exchanges numbers in a slower way than it was to: since it was opened, or at times
    /// (GpuMemory::whyStaged()); empty when it does not.
    [[nodiscard]] const Sentence& whyExchangeFell() const {
        return m_whyExchangeFell.empty() ? m_memory.whyStaged() : m_whyExchangeFell;
    }
    void setWhyExchangeFell(Sentence why) { m_whyExchangeFell = std::move(why); }
    [[nodiscard]] GpuStream& stream() { return m_stream; }
    [[nodiscard]] GpuPipelines& pipelines() { return m_pipelines; }

    /// A word of the host's that kernels reach.
    struct Flag {
        GpuAddress address;
        const volatile std::uint32_t* word;  ///< to be read when the work that may set it has finished
    };
    /// Returns a zeroed word. The flagCount-th call from here gives the same one again.
    [[nodiscard]] Flag takeFlag() {
        const std::size_t place = m_nextFlag++ % flagCount * sizeof(std::uint32_t);
        auto* word = reinterpret_cast<volatile std::uint32_t*>(m_flags.mapped().data() + place);
        *word = 0;
        return {.address = m_flags.address() + place, .word = word};
    }
    static constexpr std::size_t flagCount = 64;

  private:
    std::shared_ptr<const Gpu> m_gpu;
    GpuStream m_copies;
    GpuStream m_stream;
    GpuPipelines m_pipelines;
    GpuMemory m_memory;
    GpuBuffer m_flags;
    std::size_t m_nextFlag = 0;
    Sentence m_whyExchangeFell;
};

}  // namespace meshreel
