// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/cuda_side.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/vulkan_library.h"
#include "step.spv.h"
#include "tools/ptx-trial/probe.h"
#include "tools/ptx-trial/trial_fact.h"

namespace meshreel {
namespace {

constexpr std::uint32_t links =
    1000;  // of a chain, of which each dispatch reads what the one before it wrote

double checkStep(GpuPipelines& pipelines, GpuStream& stream, const GpuShader& shader) {
    const GpuBuffer word(stream.gpu(), sizeof(std::uint32_t), GpuPlace::Host);
    std::ranges::fill(word.mapped(), std::byte{0});
    const GpuAddress address = word.address();
    for (int count = 0; count < 2; ++count)
        stream.dispatch(pipelines.program(shader), std::as_bytes(std::span(&address, 1)), {}, 1);
    stream.finish();
    return word.mapped().front() == std::byte{2} ? 0.0 : 2.0;
}

const GpuShader stepShader{
    .name = "step", .words = step_spirv, .constants = sizeof(GpuAddress), .check = checkStep};

/// What a chain's barriers name.
struct BarrierScope {
    VkPipelineStageFlags from;
    VkAccessFlags written;
    VkPipelineStageFlags to;
    VkAccessFlags read;
};

constexpr VkAccessFlags shaderAccess = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags copyAccess = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr BarrierScope computeAlone{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shaderAccess};
constexpr BarrierScope withTransfers{
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
    shaderAccess | copyAccess | VK_ACCESS_HOST_READ_BIT};

/// A chain recorded by hand: a stream records only the barriers that it needs.
class Chain {
  public:
    Chain(const Gpu& gpu, const GpuProgram& program)
        : m_gpu(gpu), m_program(program), m_word(gpu, 4, GpuPlace::Device) {
        const VulkanDeviceFunctions& calls = gpu.calls();
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        pool.queueFamilyIndex = gpu.queueFamily(GpuQueue::Compute);
        requireVulkan(calls.vkCreateCommandPool(gpu.device(), &pool, nullptr, &m_pool),
                      "vkCreateCommandPool");
        VkCommandBufferAllocateInfo buffer{};
        buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        buffer.commandPool = m_pool;
        buffer.commandBufferCount = 1;
        requireVulkan(calls.vkAllocateCommandBuffers(gpu.device(), &buffer, &m_commands),
                      "vkAllocateCommandBuffers");
        VkQueryPoolCreateInfo clock{};
        clock.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        clock.queryType = VK_QUERY_TYPE_TIMESTAMP;
        clock.queryCount = 2;
        requireVulkan(calls.vkCreateQueryPool(gpu.device(), &clock, nullptr, &m_clock), "vkCreateQueryPool");
    }
    ~Chain() {
        const VulkanDeviceFunctions& calls = m_gpu.calls();
        calls.vkDeviceWaitIdle(m_gpu.device());
        calls.vkDestroyQueryPool(m_gpu.device(), m_clock, nullptr);
        calls.vkDestroyCommandPool(m_gpu.device(), m_pool, nullptr);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    /// Seconds of a dispatch and the barrier behind it, by the GPU's clock.
    double seconds(const BarrierScope& scope) {
        const VulkanDeviceFunctions& calls = m_gpu.calls();
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        requireVulkan(calls.vkBeginCommandBuffer(m_commands, &begin), "vkBeginCommandBuffer");
        calls.vkCmdResetQueryPool(m_commands, m_clock, 0, 2);
        calls.vkCmdWriteTimestamp(m_commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, m_clock, 0);
        const GpuAddress address = m_word.address();
        calls.vkCmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_program.pipeline);
        calls.vkCmdPushConstants(m_commands, m_program.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof address,
                                 &address);
        VkMemoryBarrier barrier{};
        barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
        barrier.srcAccessMask = scope.written;
        barrier.dstAccessMask = scope.read;
        for (std::uint32_t link = 0; link < links; ++link) {
            calls.vkCmdDispatch(m_commands, 1, 1, 1);
            calls.vkCmdPipelineBarrier(m_commands, scope.from, scope.to, 0, 1, &barrier, 0, nullptr, 0,
                                       nullptr);
        }
        calls.vkCmdWriteTimestamp(m_commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_clock, 1);
        requireVulkan(calls.vkEndCommandBuffer(m_commands), "vkEndCommandBuffer");
        VkSubmitInfo submission{};
        submission.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submission.commandBufferCount = 1;
        submission.pCommandBuffers = &m_commands;
        requireVulkan(calls.vkQueueSubmit(m_gpu.queue(GpuQueue::Compute), 1, &submission, VK_NULL_HANDLE),
                      "vkQueueSubmit");
        requireVulkan(calls.vkDeviceWaitIdle(m_gpu.device()), "vkDeviceWaitIdle");
        std::array<std::uint64_t, 2> ticks{};
        requireVulkan(calls.vkGetQueryPoolResults(m_gpu.device(), m_clock, 0, 2, sizeof ticks, ticks.data(),
                                                  sizeof ticks.front(), VK_QUERY_RESULT_64_BIT),
                      "vkGetQueryPoolResults");
        return static_cast<double>(ticks[1] - ticks[0]) * m_gpu.secondsPerTick() / links;
    }

  private:
    const Gpu& m_gpu;
    const GpuProgram& m_program;
    GpuBuffer m_word;
    VkCommandPool m_pool = nullptr;
    VkCommandBuffer m_commands = nullptr;
    VkQueryPool m_clock = nullptr;
};

}  // namespace

std::string idOfCard(const VulkanLibrary& library) {
    std::string id;
    for (const VkPhysicalDevice device : library.devices()) {
        const GpuFacts facts = askGpu(library, device);
        if (facts.kind != GpuKind::Software)
            return facts.id;
        if (id.empty())
            id = facts.id;
    }
    return id;
}

FactJson barrierFact() {
    const auto library = std::make_shared<const VulkanLibrary>();
    const Gpu gpu(library, idOfCard(*library));
    GpuPipelines pipelines(gpu);
    Chain chain(gpu, pipelines.program(stepShader));
    chain.seconds(computeAlone);
    return {{"ok", true},
            {"device", gpu.name()},
            {"seconds_compute", chain.seconds(computeAlone)},
            {"seconds_with_transfers", chain.seconds(withTransfers)}};
}

/// A dispatch of Vulkan and a launch of the library's by turns, on the same memory.
FactJson borderFact() {
    const auto library = std::make_shared<const VulkanLibrary>();
    const Gpu gpu(library, idOfCard(*library), GpuExchange::Peers);  // whatever launches, the library is open
    GpuPipelines pipelines(gpu);
    const GpuProgram& step = pipelines.program(stepShader);
    const CudaKernel kernel(gpu.cuda()->onThisThread(), probeText("7.0", "sm_80", "", "", tripleBody),
                            "probe");
    constexpr std::array<std::uint16_t, 1> addresses{offsetof(ProbeConstants, to)};
    const GpuProgram triple{.ofCuda = &kernel, .threads = probeWords, .addresses = addresses};
    const GpuBuffer words(gpu, probeWords * sizeof(std::uint32_t), GpuPlace::Device);
    const GpuBuffer there(gpu, words.bytes(), GpuPlace::Host);
    const ProbeConstants constants(words.address());
    const GpuAddress first = words.address();
    GpuStream stream(gpu, std::numeric_limits<double>::infinity());
    constexpr int turns = 200;
    const auto turn = [&] {
        stream.dispatch(triple, std::as_bytes(std::span(&constants, 1)), {}, 1);
        stream.dispatch(step, std::as_bytes(std::span(&first, 1)), {}, 1);
    };
    turn();
    stream.copy(words, there, words.bytes());
    stream.finish();
    // The dispatch adds 1 to the first word.
    const auto* const got = reinterpret_cast<const std::uint32_t*>(there.mapped().data());
    const bool isRight = got[0] == 1 && got[1] == 3 && got[probeWords - 1] == 3 * (probeWords - 1);
    const auto start = std::chrono::steady_clock::now();
    for (int count = 0; count < turns; ++count)
        turn();
    stream.finish();
    FactJson fact{{"ok", isRight}, {"device", gpu.name()}, {"seconds", secondsSince(start) / turns}};
    if (!isRight)
        fact["why"] = "a dispatch and a launch do not see each other's words";
    return fact;
}

}  // namespace meshreel
