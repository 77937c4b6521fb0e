// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/cuda_sections.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/sentence.h"
#include "engine/gpu/cuda_side.h"
#include "engine/gpu/vulkan_library.h"
#include "engine/gpu/vulkan_sharing.h"

namespace meshreel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr CudaResult notReady = 600;
constexpr std::chrono::microseconds pause{50};    // between two questions
constexpr unsigned withoutOrderAmongStreams = 1;  // the usual stream has no part in it

}  // namespace

CudaSections::CudaSections(const Gpu& gpu, std::size_t sections)
    : m_gpu(gpu), m_library(gpu.cuda()->onThisThread().library()), m_clocks(sections) {
    const CudaFunctions& calls = m_library.calls();
    try {
        m_library.require(calls.cuStreamCreate(&m_stream, withoutOrderAmongStreams), "cuStreamCreate");
        exportSemaphore();
        for (std::array<CudaHandle, 2>& clock : m_clocks)
            for (CudaHandle& event : clock)
                m_library.require(calls.cuEventCreate(&event, 0), "cuEventCreate");
        gpu.cuda()->enlist(*this);
    } catch (...) {
        release();
        throw;
    }
}

CudaSections::~CudaSections() {
    const bool goesOn = m_gpu.cuda()->settle();
    m_gpu.cuda()->dismiss(*this);
    if (goesOn)
        release();
}

void CudaSections::exportSemaphore() {
    VkSemaphoreTypeCreateInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    timeline.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkExportSemaphoreCreateInfo exported{};
    exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
    exported.pNext = &timeline;
    exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &exported;
    const VulkanSharing& sharing = m_gpu.sharing();
    requireVulkan(sharing.createSemaphore(m_gpu.device(), &info, nullptr, &m_semaphore), "vkCreateSemaphore");
    VkSemaphoreGetFdInfoKHR wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
    wanted.semaphore = m_semaphore;
    wanted.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    CudaSemaphoreHandle handle;
    handle.handle.descriptor = -1;
    requireVulkan(sharing.getSemaphoreDescriptor(m_gpu.device(), &wanted, &handle.handle.descriptor),
                  "vkGetSemaphoreFdKHR");
    const CudaResult result = m_library.calls().cuImportExternalSemaphore(&m_imported, &handle);
    if (result != 0)
        ::close(handle.handle.descriptor);
    m_library.require(result, "cuImportExternalSemaphore");
}

void CudaSections::release() {
    const CudaFunctions& calls = m_library.calls();
    if (!m_gpu.cuda()->isGivenUp()) {
        calls.cuCtxSetCurrent(m_gpu.cuda()->context());
        for (const std::array<CudaHandle, 2>& clock : m_clocks)
            for (CudaHandle event : clock)
                if (event != nullptr)
                    calls.cuEventDestroy_v2(event);
        if (m_imported != nullptr)
            calls.cuDestroyExternalSemaphore(m_imported);
        if (m_stream != nullptr)
            calls.cuStreamDestroy_v2(m_stream);
    }
    m_gpu.sharing().destroySemaphore(m_gpu.device(), m_semaphore, nullptr);
}

void CudaSections::begin(std::size_t section) {
    static_cast<void>(m_gpu.cuda()->onThisThread());
    const CudaFunctions& calls = m_library.calls();
    const CudaSemaphoreValue waited{.value = m_value};
    m_library.require(calls.cuWaitExternalSemaphoresAsync(&m_imported, &waited, 1, m_stream),
                      "cuWaitExternalSemaphoresAsync");
    m_library.require(calls.cuEventRecord(m_clocks.at(section)[0], m_stream), "cuEventRecord");
}

void CudaSections::launch(const CudaKernel& kernel, const CudaKernel::Grid& grid, std::uint32_t threads,
                          std::span<const std::byte> constants) {
    static_cast<void>(m_gpu.cuda()->onThisThread());
    kernel.launch(grid, threads, constants, m_stream);
}

void CudaSections::copy(GpuAddress to, const Gpu& other, GpuAddress from, std::size_t bytes) {
    const CudaGpu& here = m_gpu.cuda()->onThisThread();
    const CudaHandle there = other.cuda()->context();
    const CudaFunctions& calls = m_library.calls();
    const GpuAddress source = other.cuda()->find(from);
    const GpuAddress target = m_gpu.cuda()->find(to);
    if (there == here.context()) {  // two devices of one card
        m_library.require(calls.cuMemcpyAsync(target, source, bytes, m_stream), "cuMemcpyAsync");
        return;
    }
    // Faster where it succeeds. Without it the driver copies through the host's memory.
    static_cast<void>(calls.cuCtxEnablePeerAccess(there, 0));
    m_library.require(calls.cuMemcpyPeerAsync(target, here.context(), source, there, bytes, m_stream),
                      "cuMemcpyPeerAsync");
}

std::uint64_t CudaSections::end(std::size_t section) {
    static_cast<void>(m_gpu.cuda()->onThisThread());
    const CudaFunctions& calls = m_library.calls();
    m_library.require(calls.cuEventRecord(m_clocks.at(section)[1], m_stream), "cuEventRecord");
    const CudaSemaphoreValue signalled{.value = m_value + 1};
    m_library.require(calls.cuSignalExternalSemaphoresAsync(&m_imported, &signalled, 1, m_stream),
                      "cuSignalExternalSemaphoresAsync");
    m_ended.push_back(++m_value);
    if (m_ended.size() > m_clocks.size())
        m_ended.pop_front();  // its clock has been read: it is done
    return m_value;
}

double CudaSections::seconds(std::size_t section) const {
    static_cast<void>(m_gpu.cuda()->onThisThread());
    float milliseconds = 0;
    m_library.require(
        m_library.calls().cuEventElapsedTime(&milliseconds, m_clocks.at(section)[0], m_clocks.at(section)[1]),
        "cuEventElapsedTime");
    constexpr double millisecond = 1e-3;
    return static_cast<double>(milliseconds) * millisecond;
}

void CudaSections::await(std::size_t section) const {
    static_cast<void>(m_gpu.cuda()->onThisThread());
    const auto begin = Clock::now();
    std::uint64_t counter = 0;
    CudaResult state = m_library.calls().cuEventQuery(m_clocks.at(section)[1]);
    for (; state == notReady; state = m_library.calls().cuEventQuery(m_clocks.at(section)[1])) {
        // A section behind a submission of a lost device never begins.
        requireVulkan(askCounter(counter), "vkGetSemaphoreCounterValue");
        if (Clock::now() - begin > m_gpu.cuda()->patience()) {
            m_gpu.cuda()->giveUp();
            throw Error(ErrorKind::Device, sentence("{} has not answered for a minute", m_gpu.name()), {},
                        sentence("Use the CPU, or restart the computer"));
        }
        std::this_thread::sleep_for(pause);
    }
    if (state != 0)
        requireVulkan(askCounter(counter), "vkGetSemaphoreCounterValue");  // lost: no kernel is to blame
    m_library.require(state, "a kernel of PTX");
}

VkResult CudaSections::askCounter(std::uint64_t& value) const {
    return m_gpu.cuda()->counter()(m_gpu.device(), m_semaphore, &value);
}

bool CudaSections::settle() noexcept {
    const CudaFunctions& calls = m_library.calls();
    if (m_stream == nullptr)
        return true;
    std::uint64_t counter = 0;
    if (!m_gpu.cuda()->isGivenUp()) {
        calls.cuCtxSetCurrent(m_gpu.cuda()->context());
        const auto begin = Clock::now();
        CudaResult state = calls.cuStreamQuery(m_stream);
        for (; state == notReady; state = calls.cuStreamQuery(m_stream)) {
            // A section behind a submission of a lost device never begins.
            if (askCounter(counter) != VK_SUCCESS || Clock::now() - begin > m_gpu.cuda()->patience()) {
                m_gpu.cuda()->giveUp();
                break;
            }
            std::this_thread::sleep_for(pause);
        }
        if (state == 0)
            return true;
    }
    // A timeline only grows: one value behind the other.
    for (; !m_ended.empty(); m_ended.pop_front())
        if (!signalAfterFailure(m_ended.front()))
            return false;
    return true;
}

/// Behind the submission before the section, which signals the value below.
bool CudaSections::signalAfterFailure(std::uint64_t value) const noexcept {
    const auto begin = Clock::now();
    std::uint64_t counter = 0;
    for (;; std::this_thread::sleep_for(pause)) {
        if (askCounter(counter) != VK_SUCCESS)
            return true;  // lost: nothing waits any more
        if (counter + 1 >= value)
            break;
        if (Clock::now() - begin > m_gpu.cuda()->patience())
            return false;
    }
    if (counter >= value)
        return true;
    VkSemaphoreSignalInfo signal{};
    signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    signal.semaphore = m_semaphore;
    signal.value = value;
    m_gpu.sharing().signalSemaphore(m_gpu.device(), &signal);
    return true;
}

}  // namespace meshreel
