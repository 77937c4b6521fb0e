// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/sentence.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/vulkan_sharing.h"

namespace meshreel {

/// What NVIDIA's driver returns and takes: handles without meaning, and 0 for success.
using CudaResult = int;
using CudaHandle = void*;
using CudaDevice = int;
inline constexpr const char* cudaLibraryFile = "libcuda.so.1";

// What the driver takes of other interfaces, with its layouts: cuda.h has CUDA_EXTERNAL_MEMORY_HANDLE_DESC
// and the others. A file descriptor is the driver's once a call has succeeded.

struct CudaMemoryHandle {
    int type = 1;  ///< an opaque file descriptor
    union {
        int descriptor;
        std::array<void*, 2> others;
    } handle = {.others = {}};
    unsigned long long bytes = 0;
    unsigned flags = 0;
    std::array<unsigned, 16> reserved{};
};
static_assert(sizeof(CudaMemoryHandle) == 104);

struct CudaMemoryPart {
    unsigned long long offset = 0;
    unsigned long long bytes = 0;
    unsigned flags = 0;
    std::array<unsigned, 16> reserved{};
};
static_assert(sizeof(CudaMemoryPart) == 88);

struct CudaSemaphoreHandle {
    int type = 9;  ///< an opaque file descriptor of a timeline semaphore
    union {
        int descriptor;
        std::array<void*, 2> others;
    } handle = {.others = {}};
    unsigned flags = 0;
    std::array<unsigned, 16> reserved{};
};
static_assert(sizeof(CudaSemaphoreHandle) == 96);

/// Of a signal and of a wait: only the value is of use for timeline semaphores.
struct CudaSemaphoreValue {
    unsigned long long value = 0;
    unsigned long long unused = 0;
    unsigned long long key = 0;
    std::array<unsigned, 12> reserved{};
    unsigned flags = 0;
    std::array<unsigned, 16> more{};
};
static_assert(sizeof(CudaSemaphoreValue) == 144);

// The functions of libcuda.so.1 that Meshreel calls, with their arguments. The driver's interface is stable;
// no header of NVIDIA is needed.
// clang-format off
#define MESHREEL_CUDA_FUNCTIONS(each) \
    each(cuInit, (unsigned flags)) \
    each(cuDriverGetVersion, (int* version)) \
    each(cuGetErrorName, (CudaResult error, const char** name)) \
    each(cuDeviceGetCount, (int* count)) \
    each(cuDeviceGet, (CudaDevice* device, int index)) \
    each(cuDeviceGetName, (char* name, int bytes, CudaDevice device)) \
    each(cuDeviceGetAttribute, (int* value, int attribute, CudaDevice device)) \
    each(cuDevicePrimaryCtxRetain, (CudaHandle* context, CudaDevice device)) \
    each(cuDevicePrimaryCtxRelease_v2, (CudaDevice device)) \
    each(cuCtxSetCurrent, (CudaHandle context)) \
    each(cuCtxSynchronize, ()) \
    each(cuModuleLoadDataEx, (CudaHandle* module, const void* text, unsigned count, int* options, void** values)) \
    each(cuModuleUnload, (CudaHandle module)) \
    each(cuModuleGetFunction, (CudaHandle* function, CudaHandle module, const char* name)) \
    each(cuFuncGetAttribute, (int* value, int attribute, CudaHandle function)) \
    each(cuFuncSetAttribute, (CudaHandle function, int attribute, int value)) \
    each(cuLaunchKernel, (CudaHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, CudaHandle stream, void** arguments, void** extra)) \
    each(cuMemAlloc_v2, (GpuAddress* address, std::size_t bytes)) \
    each(cuMemFree_v2, (GpuAddress address)) \
    each(cuMemcpyHtoD_v2, (GpuAddress to, const void* from, std::size_t bytes)) \
    each(cuMemcpyDtoH_v2, (void* to, GpuAddress from, std::size_t bytes)) \
    each(cuEventCreate, (CudaHandle* event, unsigned flags)) \
    each(cuEventRecord, (CudaHandle event, CudaHandle stream)) \
    each(cuEventSynchronize, (CudaHandle event)) \
    each(cuEventElapsedTime, (float* milliseconds, CudaHandle from, CudaHandle to)) \
    each(cuEventDestroy_v2, (CudaHandle event)) \
    each(cuDeviceGetUuid_v2, (DeviceUuid* uuid, CudaDevice device)) \
    each(cuDeviceCanAccessPeer, (int* can, CudaDevice device, CudaDevice peer)) \
    each(cuCtxEnablePeerAccess, (CudaHandle peer, unsigned flags)) \
    each(cuMemcpyAsync, (GpuAddress to, GpuAddress from, std::size_t bytes, CudaHandle stream)) \
    each(cuMemcpyPeerAsync, (GpuAddress to, CudaHandle toContext, GpuAddress from, CudaHandle fromContext, std::size_t bytes, CudaHandle stream)) \
    each(cuStreamCreate, (CudaHandle* stream, unsigned flags)) \
    each(cuEventQuery, (CudaHandle event)) \
    each(cuStreamQuery, (CudaHandle stream)) \
    each(cuStreamDestroy_v2, (CudaHandle stream)) \
    each(cuImportExternalMemory, (CudaHandle* memory, const CudaMemoryHandle* handle)) \
    each(cuExternalMemoryGetMappedBuffer, (GpuAddress* address, CudaHandle memory, const CudaMemoryPart* part)) \
    each(cuDestroyExternalMemory, (CudaHandle memory)) \
    each(cuImportExternalSemaphore, (CudaHandle* semaphore, const CudaSemaphoreHandle* handle)) \
    each(cuSignalExternalSemaphoresAsync, (const CudaHandle* semaphores, const CudaSemaphoreValue* values, unsigned count, CudaHandle stream)) \
    each(cuWaitExternalSemaphoresAsync, (const CudaHandle* semaphores, const CudaSemaphoreValue* values, unsigned count, CudaHandle stream)) \
    each(cuDestroyExternalSemaphore, (CudaHandle semaphore))
// clang-format on

// A name and a list of parameters take no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define MESHREEL_CUDA_MEMBER(name, arguments) CudaResult(*name) arguments = nullptr;
struct CudaFunctions {
    MESHREEL_CUDA_FUNCTIONS(MESHREEL_CUDA_MEMBER)
};
#undef MESHREEL_CUDA_MEMBER

/// Thrown when NVIDIA's driver fails, an Error{Device}.
class CudaFailure : public Error {
  public:
    CudaFailure(CudaResult result, Sentence message, Sentence hint)
        : Error(ErrorKind::Device, std::move(message), {}, std::move(hint)), m_result(result) {}
    [[nodiscard]] CudaResult result() const { return m_result; }
    [[nodiscard]] bool isOutOfMemory() const { return m_result == 2; }
    /// Returns whether a kernel was ended: of an address that is nobody's, of an instruction, of resources.
    [[nodiscard]] bool isOfKernel() const { return m_result >= 700 && m_result < 720; }

  private:
    CudaResult m_result;
};

/// Thrown when it refuses the text of a kernel, or the shared memory that the kernel asks for: again at each
/// try.
class CudaRefusal : public CudaFailure {
  public:
    using CudaFailure::CudaFailure;
};

/// NVIDIA's driver (libcuda.so.1), opened by name, so that programs start without it. It compiles PTX text by
/// itself.
class CudaLibrary {
  public:
    /// Throws Error{Device} saying why there is no driver.
    CudaLibrary();

    /// Returns the one that the process shares. Throws as the constructor does, each time.
    static std::shared_ptr<const CudaLibrary> ofThisProcess();

    [[nodiscard]] const CudaFunctions& calls() const { return m_calls; }
    /// Returns a function that older drivers lack; null there.
    template <typename Function>
    [[nodiscard]] Function laterFunction(const char* name) const {
        return reinterpret_cast<Function>(find(name));
    }
    /// Throws CudaFailure unless the call succeeded, with the driver's name of the error.
    void require(CudaResult result, std::string_view function) const;

    /// Returns the newest version of CUDA that the driver knows: 13000 is 13.0.
    [[nodiscard]] int version() const;
    [[nodiscard]] int devices() const;
    /// Returns the number of the card that Vulkan knows by this UUID; nothing where the driver has none.
    [[nodiscard]] std::optional<int> findDevice(const DeviceUuid& uuid) const;
    /// Returns the compute capability of a card: 90 is 9.0.
    [[nodiscard]] int capability(int number) const;
    /// Returns why a card is not for several processes at once; empty when it is.
    [[nodiscard]] Sentence whyNotShared(int number) const;
    /// Returns the cards whose memory a card reads by itself, the card first.
    [[nodiscard]] std::vector<DeviceUuid> peersOf(int number) const;

  private:
    [[nodiscard]] void* find(const char* name) const;
    [[nodiscard]] CudaDevice deviceOf(int number) const;
    [[nodiscard]] DeviceUuid uuidOf(int number) const;

    void* m_library = nullptr;
    CudaFunctions m_calls;
};

/// What a card of NVIDIA says about itself.
struct CudaFacts {
    std::string name;
    int capability = 0;  ///< 90 is 9.0
    int multiprocessors = 0;
    std::size_t sharedBytes = 0;  ///< that a block may have at most, if it asks
};

/// A card of NVIDIA. Its calls are for the thread on which it is open: the one that made it, or called use()
/// last, until that thread does so with another card.
class CudaGpu {
  public:
    /// Throws Error{Device} when the driver has no card of this number, or refuses it.
    CudaGpu(std::shared_ptr<const CudaLibrary> library, int number);
    ~CudaGpu();
    CudaGpu(const CudaGpu&) = delete;
    CudaGpu& operator=(const CudaGpu&) = delete;

    [[nodiscard]] const CudaLibrary& library() const { return *m_library; }
    [[nodiscard]] const CudaFacts& facts() const { return m_facts; }
    [[nodiscard]] CudaDevice device() const { return m_device; }
    [[nodiscard]] CudaHandle context() const { return m_context; }
    /// Opens it on this thread, too. Throws Error{Device} once it is given up.
    void use() const;
    /// From now on nothing is asked of it, nor freed: it does not answer, and each call could wait for ever.
    void giveUp() const noexcept { m_isGivenUp = true; }
    [[nodiscard]] bool isGivenUp() const noexcept { return m_isGivenUp; }

    /// Waits for everything launched. Throws Error{Device} when a kernel failed.
    void finish() const;
    /// Returns the seconds by the card's clock of what `launch` launches.
    [[nodiscard]] double secondsOf(const std::function<void()>& launch) const;

  private:
    std::shared_ptr<const CudaLibrary> m_library;
    CudaDevice m_device = 0;
    CudaHandle m_context = nullptr;
    CudaFacts m_facts;
    mutable std::atomic<bool> m_isGivenUp = false;
};

/// Memory of a card.
class CudaBuffer {
  public:
    /// Uninitialised. Throws Error{Device} when memory is short. `gpu` outlives the buffer.
    CudaBuffer(const CudaGpu& gpu, std::size_t bytes);
    CudaBuffer(const CudaGpu& gpu, std::span<const std::byte> bytes);
    ~CudaBuffer();
    CudaBuffer(const CudaBuffer&) = delete;
    CudaBuffer& operator=(const CudaBuffer&) = delete;

    [[nodiscard]] GpuAddress address() const { return m_address; }
    void write(std::span<const std::byte> bytes) const;
    /// Waits for everything launched. `bytes` from `offset` on.
    void read(std::span<std::byte> bytes, std::size_t offset = 0) const;

  private:
    const CudaGpu& m_gpu;
    GpuAddress m_address = 0;
};

/// A kernel that the driver compiled from PTX text.
class CudaKernel {
  public:
    /// Throws CudaRefusal with the driver's own message when it refuses the text, or `dynamicBytes` of shared
    /// memory besides what the text declares; CudaFailure for what says nothing of the kernel. `gpu` outlives
    /// the kernel.
    CudaKernel(const CudaGpu& gpu, const std::string& text, const std::string& entry,
               std::size_t dynamicBytes = 0);
    ~CudaKernel();
    CudaKernel(const CudaKernel&) = delete;
    CudaKernel& operator=(const CudaKernel&) = delete;

    [[nodiscard]] int registers() const { return m_registers; }
    /// Returns the bytes of a thread that lie in slow memory, because registers did not suffice.
    [[nodiscard]] int spilledBytes() const { return m_spilledBytes; }

    struct Grid {
        std::uint32_t x = 1;
        std::uint32_t y = 1;
        std::uint32_t z = 1;
    };
    /// Launches it behind what was launched in the stream before (null: the usual one), and does not wait.
    /// `constants` is its one argument. Throws CudaFailure when the driver refuses the launch.
    void launch(const Grid& grid, std::uint32_t threads, std::span<const std::byte> constants,
                CudaHandle stream = nullptr) const;
    /// Launches a kernel of several arguments in the usual stream.
    void launchWith(const Grid& grid, std::uint32_t threads,
                    std::span<const std::span<const std::byte>> arguments) const;

  private:
    const CudaGpu& m_gpu;
    CudaHandle m_module = nullptr;
    CudaHandle m_function = nullptr;
    unsigned m_dynamicBytes;
    int m_registers = 0;
    int m_spilledBytes = 0;
};

}  // namespace meshreel
