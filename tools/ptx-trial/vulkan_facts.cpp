// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/sentence.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/ptx_launch.h"
#include "engine/gpu/vulkan_library.h"
#include "tools/ptx-trial/probe.h"
#include "tools/ptx-trial/trial_fact.h"

namespace meshreel {
namespace {

/// A text that Vulkan's driver has compiled.
class CompiledProbe {
  public:
    CompiledProbe(const Gpu& gpu, const Probe& probe) : m_gpu(gpu) {
        const PtxLaunchFunctions& calls = gpu.ptxCalls();
        const PtxModuleInfo text{.bytes = probe.text.size() + 1, .text = probe.text.c_str()};
        require(calls.createModule(gpu.device(), &text, nullptr, &m_module), "vkCreateCudaModuleNV");
        const PtxFunctionInfo function{.of = m_module, .entry = "probe"};
        if (const VkResult result = calls.createFunction(gpu.device(), &function, nullptr, &m_function);
            result != VK_SUCCESS) {
            calls.destroyModule(gpu.device(), m_module, nullptr);
            require(result, "vkCreateCudaFunctionNV");
        }
    }
    ~CompiledProbe() {
        m_gpu.ptxCalls().destroyFunction(m_gpu.device(), m_function, nullptr);
        m_gpu.ptxCalls().destroyModule(m_gpu.device(), m_module, nullptr);
    }
    CompiledProbe(const CompiledProbe&) = delete;
    CompiledProbe& operator=(const CompiledProbe&) = delete;

    [[nodiscard]] PtxFunction function() const { return m_function; }

  private:
    static void require(VkResult result, const char* function) {
        if (result != VK_SUCCESS)
            throw Error(ErrorKind::Device, sentence("the driver refuses the text in {}: {}", function,
                                                    sentence("Vulkan's error {}", static_cast<int>(result))));
    }

    const Gpu& m_gpu;
    PtxModule m_module = nullptr;
    PtxFunction m_function = nullptr;
};

/// Submits one launch and waits for it.
void launchAlone(const Gpu& gpu, const PtxLaunchInfo& launch) {
    const VulkanDeviceFunctions& calls = gpu.calls();
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = gpu.queueFamily(GpuQueue::Compute);
    VkCommandPool commands = nullptr;
    requireVulkan(calls.vkCreateCommandPool(gpu.device(), &pool, nullptr, &commands), "vkCreateCommandPool");
    const auto free = [&](VkCommandPool_T** made) {
        calls.vkDestroyCommandPool(gpu.device(), *made, nullptr);
    };
    const std::unique_ptr<VkCommandPool, decltype(free)> owner(&commands, free);
    VkCommandBufferAllocateInfo buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    buffer.commandPool = commands;
    buffer.commandBufferCount = 1;
    VkCommandBuffer recorded = nullptr;
    requireVulkan(calls.vkAllocateCommandBuffers(gpu.device(), &buffer, &recorded),
                  "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    requireVulkan(calls.vkBeginCommandBuffer(recorded, &begin), "vkBeginCommandBuffer");
    gpu.ptxCalls().launch(recorded, &launch);
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    calls.vkCmdPipelineBarrier(recorded, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                               1, &barrier, 0, nullptr, 0, nullptr);
    requireVulkan(calls.vkEndCommandBuffer(recorded), "vkEndCommandBuffer");
    VkSubmitInfo submission{};
    submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submission.commandBufferCount = 1;
    submission.pCommandBuffers = &recorded;
    requireVulkan(calls.vkQueueSubmit(gpu.queue(GpuQueue::Compute), 1, &submission, VK_NULL_HANDLE),
                  "vkQueueSubmit");
    requireVulkan(calls.vkDeviceWaitIdle(gpu.device()), "vkDeviceWaitIdle");
}

FactJson runByVulkan(const Probe& probe) {
    const auto library = std::make_shared<const VulkanLibrary>();
    const Gpu gpu(library, idOfCard(*library));
    if (gpu.ptxCalls().launch == nullptr)
        return {{"ok", false},
                {"why", gpu.matrices().ptx == PtxWay::None
                            ? gpu.matrices().of(MatrixForm::PtxBf16).why.text()
                            : "Vulkan's driver does not launch, and libcuda.so.1 does"}};
    const CompiledProbe compiled(gpu, probe);
    const GpuBuffer words(gpu, probeWords * sizeof(std::uint32_t), GpuPlace::Host);
    const GpuBuffer copied(gpu, words.bytes(), GpuPlace::Host);
    const auto source = wordsToCopy();
    std::memcpy(copied.mapped().data(), source.data(), copied.bytes());
    const ProbeConstants constants(words.address());
    std::optional<TensorMap> map;
    if (probe.withMap)
        map = mapOf(*CudaLibrary::ofThisProcess(), copied.address());
    const std::array<const void*, 2> arguments{&constants, map ? &*map : nullptr};
    launchAlone(gpu, {.function = compiled.function(),
                      .gridX = probe.blocks,
                      .blockX = probeWords,
                      .dynamicBytes = probe.dynamicBytes,
                      .argumentCount = probe.withMap ? 2U : 1U,
                      .arguments = arguments.data()});
    return judgeProbe(
        probe, {reinterpret_cast<const std::uint32_t*>(words.mapped().data()), std::size_t{probeWords}});
}

}  // namespace

std::vector<TrialFact> vulkanFacts() {
    std::vector<TrialFact> facts;
    for (Probe& probe : probes()) {
        const std::string name = "vulkan." + probe.name;
        facts.push_back({name, nullptr, [probe = std::move(probe)] { return runByVulkan(probe); }});
    }
    return facts;
}

}  // namespace meshreel
