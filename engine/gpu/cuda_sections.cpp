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

constexpr CudaResult notReady = 600;
constexpr CudaResult alreadyEnabled = 704;
constexpr std::chrono::seconds patience{60};
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
    } catch (...) {
        release();
        throw;
    }
}

CudaSections::~CudaSections() {
    settle();
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
    calls.cuCtxSetCurrent(m_gpu.cuda()->context());
    for (const std::array<CudaHandle, 2>& clock : m_clocks)
        for (CudaHandle event : clock)
            if (event != nullptr)
                calls.cuEventDestroy_v2(event);
    if (m_imported != nullptr)
        calls.cuDestroyExternalSemaphore(m_imported);
    if (m_stream != nullptr)
        calls.cuStreamDestroy_v2(m_stream);
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
    if (const CudaResult enabled = calls.cuCtxEnablePeerAccess(there, 0); enabled != alreadyEnabled)
        m_library.require(enabled, "cuCtxEnablePeerAccess");
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
    return m_ended = ++m_value;
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
    const auto begin = std::chrono::steady_clock::now();
    CudaResult state = m_library.calls().cuEventQuery(m_clocks.at(section)[1]);
    for (; state == notReady; state = m_library.calls().cuEventQuery(m_clocks.at(section)[1])) {
        if (std::chrono::steady_clock::now() - begin > patience)
            throw Error(ErrorKind::Device, sentence("{} has not answered for a minute", m_gpu.name()), {},
                        sentence("Use the CPU, or restart the computer"));
        std::this_thread::sleep_for(pause);
    }
    m_library.require(state, "a kernel of PTX");
}

void CudaSections::settle() noexcept {
    const CudaFunctions& calls = m_library.calls();
    if (m_stream == nullptr)
        return;
    calls.cuCtxSetCurrent(m_gpu.cuda()->context());
    if (calls.cuStreamSynchronize(m_stream) == 0 || m_ended == 0)
        return;
    VkSemaphoreSignalInfo signal{};
    signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    signal.semaphore = m_semaphore;
    signal.value = m_ended;
    m_gpu.sharing().signalSemaphore(m_gpu.device(), &signal);
}

}  // namespace meshreel
