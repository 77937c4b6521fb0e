// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/cuda_side.h"

#include <unistd.h>

#include <iterator>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/sentence.h"
#include "engine/gpu/cuda_sections.h"

namespace meshreel {
namespace {

/// The number of the card that Vulkan knows by this UUID.
int numberOf(const CudaLibrary& library, const DeviceUuid& uuid) {
    const std::optional<int> number = library.findDevice(uuid);
    if (!number)
        throw Error(ErrorKind::Device, sentence("{} does not know the card", cudaLibraryFile), {},
                    sentence("See meshreel devices"));
    return *number;
}

}  // namespace

CudaSide::CudaSide(const DeviceUuid& uuid, PFN_vkGetSemaphoreCounterValue counter)
    : m_gpu(CudaLibrary::ofThisProcess(), numberOf(*CudaLibrary::ofThisProcess(), uuid)), m_counter(counter) {
    if (counter == nullptr)
        throw Error(ErrorKind::Device,
                    sentence("the GPU driver has no function {}", "vkGetSemaphoreCounterValue"), {},
                    sentence("Update the GPU driver, or use the CPU"));
}

CudaSide::~CudaSide() = default;

const CudaGpu& CudaSide::onThisThread() const {
    m_gpu.use();
    return m_gpu;
}

bool CudaSide::settle() noexcept {
    for (CudaSections* each : m_sections)
        m_isStuck = !each->settle() || m_isStuck;
    return !m_isStuck;
}

void CudaSide::importMemory(const Range& range, int descriptor, std::size_t allocated) {
    const CudaLibrary& library = m_gpu.library();
    CudaMemoryHandle handle;
    handle.handle.descriptor = descriptor;
    handle.bytes = allocated;
    Imported made{.bytes = range.bytes};
    m_gpu.use();
    if (const CudaResult result = library.calls().cuImportExternalMemory(&made.memory, &handle);
        result != 0) {
        ::close(descriptor);
        library.require(result, "cuImportExternalMemory");
    }
    const CudaMemoryPart part{.bytes = range.bytes};
    if (const CudaResult result =
            library.calls().cuExternalMemoryGetMappedBuffer(&made.address, made.memory, &part);
        result != 0) {
        library.calls().cuDestroyExternalMemory(made.memory);
        library.require(result, "cuExternalMemoryGetMappedBuffer");
    }
    const std::lock_guard lock(m_mutex);
    m_imported[range.begin] = made;
}

void CudaSide::forget(GpuAddress begin) noexcept {
    const CudaFunctions& calls = m_gpu.library().calls();
    const std::lock_guard lock(m_mutex);
    const auto found = m_imported.find(begin);
    if (found == m_imported.end())
        return;
    if (!isGivenUp()) {
        calls.cuCtxSetCurrent(m_gpu.context());
        calls.cuMemFree_v2(found->second.address);
        calls.cuDestroyExternalMemory(found->second.memory);
    }
    m_imported.erase(found);
}

GpuAddress CudaSide::find(GpuAddress address) const {
    if (address == 0)
        return 0;
    const std::lock_guard lock(m_mutex);
    const auto behind = m_imported.upper_bound(address);
    if (behind == m_imported.begin() || address - std::prev(behind)->first >= std::prev(behind)->second.bytes)
        throw Error(ErrorKind::Internal, "an address on a GPU lies in no memory that NVIDIA's driver shares");
    return std::prev(behind)->second.address + (address - std::prev(behind)->first);
}

}  // namespace meshreel
