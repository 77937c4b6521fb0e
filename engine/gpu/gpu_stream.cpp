// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/cuda_sections.h"
#include "engine/gpu/cuda_side.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {
namespace {

constexpr std::size_t mostConstants = 128;
constexpr std::uint64_t patienceNanoseconds = 60'000'000'000;

/// The stage in which a worker works, and how it touches memory there.
struct Scope {
    VkPipelineStageFlags stage;
    VkAccessFlags reads;
    VkAccessFlags writes;
};

/// For each GpuStream::Worker. The host writes before a submission, which makes that visible to the device.
constexpr std::array scopes{
    Scope{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT, VK_ACCESS_SHADER_WRITE_BIT},
    Scope{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
    Scope{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT, 0}};

}  // namespace

void PortionControl::learn(double work, double seconds) {
    constexpr double tooLong = 2 * wantedSeconds;
    if (work <= 0 || seconds <= 0 || (work < m_portion / 2 && seconds < tooLong))
        return;
    m_portion = std::min(work / seconds * wantedSeconds, m_portion * mostGrowth);
}

GpuStream::GpuStream(const Gpu& gpu, std::optional<double> portion, GpuQueue queue)
    : m_gpu(gpu),
      m_queue(queue),
      m_fixedPortion(portion),
      m_slots(gpu.cuda() != nullptr && queue == GpuQueue::Compute ? slotsWithCuda : usualSlots) {
    const VulkanDeviceFunctions& calls = gpu.calls();
    try {
        VkCommandPoolCreateInfo pool{};
        pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        pool.queueFamilyIndex = gpu.queueFamily(queue);
        requireVulkan(calls.vkCreateCommandPool(gpu.device(), &pool, nullptr, &m_pool),
                      "vkCreateCommandPool");
        VkQueryPoolCreateInfo clock{};
        clock.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        clock.queryType = VK_QUERY_TYPE_TIMESTAMP;
        clock.queryCount = 2 * static_cast<std::uint32_t>(m_slots.size());
        if (gpu.secondsPerTick() > 0 && queue == GpuQueue::Compute)
            requireVulkan(calls.vkCreateQueryPool(gpu.device(), &clock, nullptr, &m_clock),
                          "vkCreateQueryPool");
        for (Slot& slot : m_slots) {
            VkCommandBufferAllocateInfo buffer{};
            buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
            buffer.commandPool = m_pool;
            buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
            buffer.commandBufferCount = 1;
            requireVulkan(calls.vkAllocateCommandBuffers(gpu.device(), &buffer, &slot.commands),
                          "vkAllocateCommandBuffers");
            VkFenceCreateInfo fence{};
            fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
            requireVulkan(calls.vkCreateFence(gpu.device(), &fence, nullptr, &slot.fence), "vkCreateFence");
        }
    } catch (...) {
        release();
        throw;
    }
}

GpuStream::~GpuStream() {
    settle();
    release();
}

void GpuStream::settle() noexcept {
    if (m_gpu.cuda() != nullptr && !m_gpu.cuda()->settle())
        return;
    m_gpu.calls().vkDeviceWaitIdle(m_gpu.device());  // lost: idle, too
}

void GpuStream::release() {
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    m_sections.reset();
    if (m_gpu.cuda() != nullptr && m_gpu.cuda()->isStuck())
        return;
    for (const Slot& slot : m_slots)
        calls.vkDestroyFence(m_gpu.device(), slot.fence, nullptr);
    calls.vkDestroyQueryPool(m_gpu.device(), m_clock, nullptr);
    calls.vkDestroyCommandPool(m_gpu.device(), m_pool, nullptr);
}

void GpuStream::begin() {
    if (m_recording)
        return;
    awaitSlot(m_current);
    limitWorkUnderWay();
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    Slot& slot = m_slots.at(m_current);
    slot.sectionValue = m_inSection ? m_sections->end(m_current) : 0;
    m_inSection = false;
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    requireVulkan(calls.vkBeginCommandBuffer(slot.commands, &info), "vkBeginCommandBuffer");
    if (m_clock != nullptr) {
        calls.vkCmdResetQueryPool(slot.commands, m_clock, 2 * m_current, 2);
        calls.vkCmdWriteTimestamp(slot.commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, m_clock, 2 * m_current);
    }
    m_recording = true;
}

/// What `next` does from here waits for what others did, and sees what they wrote. Only those are named whose
/// work it has not been ordered behind: each stage that a barrier names without need is waited for.
void GpuStream::order(Worker next) {
    if (m_followed != nullptr && m_followed->m_given != m_followedWork) {
        m_followedWork = m_followed->m_given;
        noteWork(Worker::Copies);
    }
    const std::uint32_t before = std::exchange(m_unordered.at(static_cast<std::size_t>(next)), 0U);
    if (before == 0)
        return;
    VkPipelineStageFlags from = 0;
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    for (std::size_t worker = 0; worker < scopes.size(); ++worker)
        if ((before & 1U << worker) != 0) {
            from |= scopes.at(worker).stage;
            barrier.srcAccessMask |= scopes.at(worker).writes;
        }
    const Scope& to = scopes.at(static_cast<std::size_t>(next));
    barrier.dstAccessMask = to.reads | to.writes;
    m_gpu.calls().vkCmdPipelineBarrier(m_slots.at(m_current).commands, from, to.stage, 0, 1, &barrier, 0,
                                       nullptr, 0, nullptr);
}

/// Everybody's later work is to be ordered behind what the worker does now.
void GpuStream::noteWork(Worker worker) {
    for (std::uint32_t& before : m_unordered)
        before |= 1U << static_cast<std::size_t>(worker);
}

/// Vulkan orders a launch as it orders a dispatch: by barriers of the stage of compute shaders.
void GpuStream::record(const GpuProgram& program, std::span<const std::byte> constants,
                       const GroupCounts& groups) {
    VkCommandBuffer commands = m_slots.at(m_current).commands;
    if (program.kernel != nullptr) {
        const void* const argument = constants.data();
        const PtxLaunchInfo launch{.function = program.kernel,
                                   .gridX = groups.x,
                                   .gridY = groups.y,
                                   .gridZ = groups.z,
                                   .blockX = program.threads,
                                   .dynamicBytes = program.dynamicBytes,
                                   .argumentCount = 1,
                                   .arguments = &argument};
        m_gpu.ptxCalls().launch(commands, &launch);
        return;
    }
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    calls.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program.pipeline);
    calls.vkCmdPushConstants(commands, program.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                             static_cast<std::uint32_t>(constants.size()), constants.data());
    calls.vkCmdDispatch(commands, groups.x, groups.y, groups.z);
}

void GpuStream::dispatch(const GpuProgram& program, std::span<const std::byte> constants,
                         const GroupCounts& groups, double work) {
    if (constants.size() > mostConstants)
        throw Error(ErrorKind::Internal, "a dispatch has more than 128 bytes of constants");
    if (m_work > 0 && m_work + work > portion()) {
        submit();
        throwIfStopped(m_stop);
    }
    if (program.ofCuda != nullptr) {
        launch(program, constants, groups);
    } else {
        begin();
        order(Worker::Shaders);
        record(program, constants, groups);
        noteWork(Worker::Shaders);
    }
    ++m_given;
    m_work += work;
    if (m_work >= portion()) {
        submit();
        throwIfStopped(m_stop);
    }
}

/// What was given before is submitted, and what Vulkan is given next waits: of consecutive launches, the
/// first and the last one.
CudaSections& GpuStream::enterSection() {
    if (!m_sections)
        m_sections = std::make_unique<CudaSections>(m_gpu, m_slots.size());
    const bool hasCopies = m_followed != nullptr && m_followed->m_given != m_followedWork;
    if (m_inSection && !hasCopies)
        return *m_sections;
    // A submission without commands, where there are none: what came before, and copies of the other queue.
    if (m_recording || m_inSection || hasCopies || m_sections->value() == 0) {
        begin();
        order(Worker::Shaders);
        submitRecorded();
    }
    awaitSlot(m_current);  // which has the section's clock
    m_sections->begin(m_current);
    m_inSection = true;
    return *m_sections;
}

void GpuStream::launch(const GpuProgram& program, std::span<const std::byte> constants,
                       const GroupCounts& groups) {
    std::array<std::byte, mostConstants> argument{};
    std::ranges::copy(constants, argument.begin());
    for (const std::uint16_t place : program.addresses) {
        GpuAddress address = 0;
        std::memcpy(&address, &argument.at(place), sizeof address);
        address = m_gpu.cuda()->find(address);
        std::memcpy(&argument.at(place), &address, sizeof address);
    }
    enterSection().launch(*program.ofCuda, {.x = groups.x, .y = groups.y, .z = groups.z}, program.threads,
                          std::span(argument).first(constants.size()));
}

void GpuStream::copyFromPeer(GpuAddress to, const Gpu& other, GpuAddress from, std::size_t bytes) {
    enterSection().copy(to, other, from, bytes);
    ++m_given;
}

void GpuStream::copy(const GpuBuffer& from, const GpuBuffer& to, std::size_t bytes, std::size_t fromOffset,
                     std::size_t toOffset) {
    if (bytes == 0)
        return;
    if (fromOffset + bytes > from.bytes() || toOffset + bytes > to.bytes())
        throw Error(ErrorKind::Internal, "a copy on a GPU goes beyond a buffer");
    begin();
    order(Worker::Copies);
    const VkBufferCopy part{fromOffset, toOffset, bytes};
    m_gpu.calls().vkCmdCopyBuffer(m_slots.at(m_current).commands, from.handle(), to.handle(), 1, &part);
    noteWork(Worker::Copies);
    ++m_given;
}

std::int64_t GpuStream::submit() {
    if (m_inSection)
        begin();  // its end has a fence
    if (m_recording)
        submitRecorded();
    return m_submissions;
}

void GpuStream::submitRecorded() {
    if (m_followed != nullptr)
        m_followed->finish();
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    Slot& slot = m_slots.at(m_current);
    order(Worker::Host);  // which reads behind the wait for the submission
    if (m_clock != nullptr)
        calls.vkCmdWriteTimestamp(slot.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_clock,
                                  2 * m_current + 1);
    m_recording = false;
    requireVulkan(calls.vkEndCommandBuffer(slot.commands), "vkEndCommandBuffer");
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &slot.commands;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    constexpr VkPipelineStageFlags everything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    std::uint64_t signalled = 0;
    VkSemaphore semaphore = nullptr;
    if (m_sections) {
        semaphore = m_sections->semaphore();
        signalled = m_sections->takeValue();
        info.pNext = &values;
        info.signalSemaphoreCount = values.signalSemaphoreValueCount = 1;
        info.pSignalSemaphores = &semaphore;
        values.pSignalSemaphoreValues = &signalled;
    }
    if (slot.sectionValue > 0) {
        info.waitSemaphoreCount = values.waitSemaphoreValueCount = 1;
        info.pWaitSemaphores = &semaphore;
        info.pWaitDstStageMask = &everything;
        values.pWaitSemaphoreValues = &slot.sectionValue;
    }
    const VkResult submitted = calls.vkQueueSubmit(m_gpu.queue(m_queue), 1, &info, slot.fence);
    if (submitted != VK_SUCCESS && m_sections)
        m_sections->returnValue();
    requireVulkan(submitted, "vkQueueSubmit");
    slot.running = true;
    slot.work = std::exchange(m_work, 0.0);
    slot.number = ++m_submissions;
    m_current = (m_current + 1) % static_cast<std::uint32_t>(m_slots.size());
}

/// Where sections cut work into many submissions, no more of it is ahead of a stop than elsewhere.
void GpuStream::limitWorkUnderWay() {
    if (m_slots.size() == usualSlots)
        return;
    double underWay = 0;
    for (const Slot& slot : m_slots)
        underWay += slot.running ? slot.work : 0;
    const auto count = static_cast<std::uint32_t>(m_slots.size());
    for (std::uint32_t step = 1; step < count && underWay > portion(); ++step) {  // the earliest first
        const std::uint32_t index = (m_current + step) % count;
        underWay -= m_slots.at(index).running ? m_slots.at(index).work : 0;
        if (underWay >= 1)  // the latest one may go on
            awaitSlot(index);
    }
}

void GpuStream::awaitSlot(std::uint32_t index) {
    Slot& slot = m_slots.at(index);
    if (!slot.running)
        return;
    m_standstills += slot.number == m_submissions ? 1 : 0;
    const VulkanDeviceFunctions& calls = m_gpu.calls();
    if (slot.sectionValue > 0)
        m_sections->await(index);
    const VkResult result =
        calls.vkWaitForFences(m_gpu.device(), 1, &slot.fence, VK_TRUE, patienceNanoseconds);
    if (result == VK_TIMEOUT)
        throw Error(ErrorKind::Device, sentence("{} has not answered for a minute", m_gpu.name()), {},
                    sentence("Use the CPU, or restart the computer"));
    requireVulkan(result, "vkWaitForFences");
    requireVulkan(calls.vkResetFences(m_gpu.device(), 1, &slot.fence), "vkResetFences");
    slot.running = false;
    if (m_clock == nullptr)
        return;
    std::array<std::uint64_t, 2> ticks{};
    requireVulkan(calls.vkGetQueryPoolResults(m_gpu.device(), m_clock, 2 * index, 2, sizeof ticks,
                                              ticks.data(), sizeof ticks.front(), VK_QUERY_RESULT_64_BIT),
                  "vkGetQueryPoolResults");
    // A submission may begin before the previous one has ended: that time counts once.
    const std::uint64_t start = ticks[1] > m_lastTick ? std::max(ticks[0], m_lastTick) : ticks[0];
    m_lastTick = ticks[1];
    double seconds = static_cast<double>(ticks[1] - start) * m_gpu.secondsPerTick();
    if (slot.sectionValue > 0)
        seconds += m_sections->seconds(index);
    m_seconds += seconds;
    m_control.learn(slot.work, seconds);
}

void GpuStream::await(std::int64_t submission) {
    // A section that has failed signals nothing, and Vulkan waits for ever: it is asked first.
    for (std::size_t index = 0; index < m_slots.size(); ++index)
        if (const Slot& slot = m_slots[index];
            slot.running && slot.number <= submission && slot.sectionValue > 0)
            m_sections->await(index);
    const auto count = static_cast<std::uint32_t>(m_slots.size());
    for (std::uint32_t step = 0; step < count; ++step) {  // the earliest first
        const std::uint32_t index = (m_current + step) % count;
        if (m_slots.at(index).number <= submission)
            awaitSlot(index);
    }
}

void GpuStream::finish(const StopToken& stop) {
    await(submit());
    throwIfStopped(stop);
}

}  // namespace meshreel
