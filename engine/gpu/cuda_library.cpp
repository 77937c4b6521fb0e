// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/cuda_library.h"

#include <dlfcn.h>

#include <array>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

// Numbers of the driver's interface.
constexpr int attributeMultiprocessors = 16;
constexpr int attributeComputeMode = 20;
constexpr int attributeMajor = 75;
constexpr int attributeMinor = 76;
constexpr int attributeSharedBytes = 97;  // of a block that asks for it
constexpr int functionSpilledBytes = 3;
constexpr int functionRegisters = 4;
constexpr int functionDynamicBytes = 8;  // the most that a launch may ask for
constexpr int optionErrorLog = 5;
constexpr int optionErrorLogBytes = 6;
constexpr int modeProhibited = 2;
constexpr int modeExclusiveProcess = 3;
constexpr CudaResult cudaInvalidValue = 1;
constexpr CudaResult cudaNoDevice = 100;

/// Of the text itself: no code for this card, not PTX, of a newer version than the driver knows.
bool isOfText(CudaResult result) {
    return result == 209 || result == 218 || result == 222;
}

}  // namespace

CudaLibrary::CudaLibrary() {
    // It stays open: drivers do not survive being closed.
    m_library = ::dlopen(cudaLibraryFile, RTLD_NOW | RTLD_LOCAL);
    if (m_library == nullptr)
        throw Error(ErrorKind::Device, sentence("NVIDIA's driver cannot be loaded ({})", ::dlerror()),
                    cudaLibraryFile,
                    sentence("Install the driver's library, in Debian the package libcuda1"));
    const auto requireFunction = [&](auto& function, const char* name) {
        function = laterFunction<std::remove_reference_t<decltype(function)>>(name);
        if (function == nullptr)
            throw Error(ErrorKind::Device, sentence("NVIDIA's driver has no function {}", name),
                        cudaLibraryFile, sentence("Install a newer driver"));
    };
#define MESHREEL_CUDA_FIND(name, arguments) requireFunction(m_calls.name, #name);
    MESHREEL_CUDA_FUNCTIONS(MESHREEL_CUDA_FIND)
#undef MESHREEL_CUDA_FIND
    require(m_calls.cuInit(0), "cuInit");
}

void* CudaLibrary::find(const char* name) const {
    return ::dlsym(m_library, name);
}

std::shared_ptr<const CudaLibrary> CudaLibrary::ofThisProcess() {
    static std::mutex mutex;
    static std::shared_ptr<const CudaLibrary> library;
    const std::lock_guard lock(mutex);
    if (!library)
        library = std::make_shared<const CudaLibrary>();
    return library;
}

void CudaLibrary::require(CudaResult result, std::string_view function) const {
    if (result == 0)
        return;
    const char* name = nullptr;
    if (m_calls.cuGetErrorName(result, &name) != 0 || name == nullptr)
        name = "an unknown error";
    throw CudaFailure(result, sentence("NVIDIA's driver failed in {}: {}", function, name),
                      sentence("See the system's log (dmesg), update the GPU driver, or use the CPU"));
}

int CudaLibrary::version() const {
    int version = 0;
    require(m_calls.cuDriverGetVersion(&version), "cuDriverGetVersion");
    return version;
}

int CudaLibrary::devices() const {
    int count = 0;
    const CudaResult result = m_calls.cuDeviceGetCount(&count);
    if (result == cudaNoDevice)
        return 0;
    require(result, "cuDeviceGetCount");
    return count;
}

CudaDevice CudaLibrary::deviceOf(int number) const {
    CudaDevice device = 0;
    require(m_calls.cuDeviceGet(&device, number), "cuDeviceGet");
    return device;
}

DeviceUuid CudaLibrary::uuidOf(int number) const {
    DeviceUuid uuid{};
    require(m_calls.cuDeviceGetUuid_v2(&uuid, deviceOf(number)), "cuDeviceGetUuid");
    return uuid;
}

std::optional<int> CudaLibrary::findDevice(const DeviceUuid& uuid) const {
    for (int number = 0; number < devices(); ++number)
        if (uuidOf(number) == uuid)
            return number;
    return std::nullopt;
}

int CudaLibrary::capability(int number) const {
    const auto attribute = [&](int which) {
        int value = 0;
        require(m_calls.cuDeviceGetAttribute(&value, which, deviceOf(number)), "cuDeviceGetAttribute");
        return value;
    };
    return attribute(attributeMajor) * 10 + attribute(attributeMinor);
}

Sentence CudaLibrary::whyNotShared(int number) const {
    int mode = 0;
    require(m_calls.cuDeviceGetAttribute(&mode, attributeComputeMode, deviceOf(number)),
            "cuDeviceGetAttribute");
    if (mode == modeExclusiveProcess)
        return sentence("the card is for one process at a time (nvidia-smi changes that)");
    if (mode == modeProhibited)
        return sentence("the card is closed to processes (nvidia-smi changes that)");
    return {};
}

std::vector<DeviceUuid> CudaLibrary::peersOf(int number) const {
    std::vector<DeviceUuid> peers{uuidOf(number)};
    for (int other = 0; other < devices(); ++other) {
        int can = 0;
        if (other != number)
            require(m_calls.cuDeviceCanAccessPeer(&can, deviceOf(number), deviceOf(other)),
                    "cuDeviceCanAccessPeer");
        if (can != 0)
            peers.push_back(uuidOf(other));
    }
    return peers;
}

CudaGpu::CudaGpu(std::shared_ptr<const CudaLibrary> library, int number) : m_library(std::move(library)) {
    const CudaFunctions& calls = m_library->calls();
    if (number < 0 || number >= m_library->devices())
        throw Error(ErrorKind::Device, sentence("NVIDIA's driver has {} cards, and card {} is asked for",
                                                m_library->devices(), number));
    m_library->require(calls.cuDeviceGet(&m_device, number), "cuDeviceGet");
    std::array<char, 256> name{};
    m_library->require(calls.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, m_device),
                       "cuDeviceGetName");
    const auto attribute = [&](int which) {
        int value = 0;
        m_library->require(calls.cuDeviceGetAttribute(&value, which, m_device), "cuDeviceGetAttribute");
        return value;
    };
    m_facts = {.name = name.data(),
               .capability = attribute(attributeMajor) * 10 + attribute(attributeMinor),
               .multiprocessors = attribute(attributeMultiprocessors),
               .sharedBytes = static_cast<std::size_t>(attribute(attributeSharedBytes))};
    m_library->require(calls.cuDevicePrimaryCtxRetain(&m_context, m_device), "cuDevicePrimaryCtxRetain");
    if (const CudaResult result = calls.cuCtxSetCurrent(m_context); result != 0) {
        calls.cuDevicePrimaryCtxRelease_v2(m_device);
        m_library->require(result, "cuCtxSetCurrent");
    }
}

CudaGpu::~CudaGpu() {
    if (!isGivenUp())
        m_library->calls().cuDevicePrimaryCtxRelease_v2(m_device);
}

void CudaGpu::use() const {
    if (isGivenUp())
        throw Error(ErrorKind::Device, sentence("{} has not answered for a minute", m_facts.name), {},
                    sentence("Use the CPU, or restart the computer"));
    m_library->require(m_library->calls().cuCtxSetCurrent(m_context), "cuCtxSetCurrent");
}

void CudaGpu::finish() const {
    m_library->require(m_library->calls().cuCtxSynchronize(), "cuCtxSynchronize");
}

double CudaGpu::secondsOf(const std::function<void()>& launch) const {
    const CudaFunctions& calls = m_library->calls();
    std::array<CudaHandle, 2> events{};
    // However it ends: events are few and belong to the context.
    const auto free = [&](CudaHandle* event) { calls.cuEventDestroy_v2(*event); };
    using Event = std::unique_ptr<CudaHandle, decltype(free)>;
    m_library->require(calls.cuEventCreate(&events[0], 0), "cuEventCreate");
    const Event begin(&events[0], free);
    m_library->require(calls.cuEventCreate(&events[1], 0), "cuEventCreate");
    const Event end(&events[1], free);
    m_library->require(calls.cuEventRecord(*begin, nullptr), "cuEventRecord");
    launch();
    m_library->require(calls.cuEventRecord(*end, nullptr), "cuEventRecord");
    m_library->require(calls.cuEventSynchronize(*end), "cuEventSynchronize");
    float milliseconds = 0;
    m_library->require(calls.cuEventElapsedTime(&milliseconds, *begin, *end), "cuEventElapsedTime");
    constexpr double millisecond = 1e-3;
    return static_cast<double>(milliseconds) * millisecond;
}

CudaBuffer::CudaBuffer(const CudaGpu& gpu, std::size_t bytes) : m_gpu(gpu) {
    gpu.library().require(gpu.library().calls().cuMemAlloc_v2(&m_address, bytes), "cuMemAlloc");
}

CudaBuffer::CudaBuffer(const CudaGpu& gpu, std::span<const std::byte> bytes) : CudaBuffer(gpu, bytes.size()) {
    write(bytes);
}

CudaBuffer::~CudaBuffer() {
    m_gpu.library().calls().cuMemFree_v2(m_address);
}

void CudaBuffer::write(std::span<const std::byte> bytes) const {
    m_gpu.library().require(m_gpu.library().calls().cuMemcpyHtoD_v2(m_address, bytes.data(), bytes.size()),
                            "cuMemcpyHtoD");
}

void CudaBuffer::read(std::span<std::byte> bytes, std::size_t offset) const {
    m_gpu.library().require(
        m_gpu.library().calls().cuMemcpyDtoH_v2(bytes.data(), m_address + offset, bytes.size()),
        "cuMemcpyDtoH");
}

CudaKernel::CudaKernel(const CudaGpu& gpu, const std::string& text, const std::string& entry,
                       std::size_t dynamicBytes)
    : m_gpu(gpu), m_dynamicBytes(static_cast<unsigned>(dynamicBytes)) {
    const CudaLibrary& library = gpu.library();
    const CudaFunctions& calls = library.calls();
    std::array<char, 8192> log{};
    std::array options{optionErrorLog, optionErrorLogBytes};
    // The driver takes numbers in the place of pointers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    const CudaResult result =
        calls.cuModuleLoadDataEx(&m_module, text.c_str(), options.size(), options.data(), values.data());
    const auto refusal = [&](CudaResult of, const char* why) {
        return CudaRefusal(of, sentence("NVIDIA's driver refuses the kernel {}: {}", entry, why),
                           sentence("Update the GPU driver, or let Vulkan's shaders compute"));
    };
    const auto nameOfError = [&](CudaResult of) {
        const char* name = nullptr;
        return calls.cuGetErrorName(of, &name) == 0 && name != nullptr ? name : "an unknown error";
    };
    if (isOfText(result))
        throw refusal(result, log[0] != '\0' ? log.data() : nameOfError(result));
    library.require(result, "cuModuleLoadDataEx");
    const auto requireOfModule = [&](CudaResult made, std::string_view function) {
        if (made == 0)
            return;
        calls.cuModuleUnload(m_module);
        library.require(made, function);
    };
    requireOfModule(calls.cuModuleGetFunction(&m_function, m_module, entry.c_str()), "cuModuleGetFunction");
    requireOfModule(calls.cuFuncGetAttribute(&m_registers, functionRegisters, m_function),
                    "cuFuncGetAttribute");
    requireOfModule(calls.cuFuncGetAttribute(&m_spilledBytes, functionSpilledBytes, m_function),
                    "cuFuncGetAttribute");
    if (dynamicBytes == 0)
        return;
    const CudaResult taken =
        calls.cuFuncSetAttribute(m_function, functionDynamicBytes, static_cast<int>(dynamicBytes));
    if (taken == cudaInvalidValue) {
        calls.cuModuleUnload(m_module);
        throw refusal(taken, nameOfError(taken));
    }
    requireOfModule(taken, "cuFuncSetAttribute");
}

CudaKernel::~CudaKernel() {
    if (m_gpu.isGivenUp())
        return;
    m_gpu.library().calls().cuCtxSetCurrent(m_gpu.context());
    m_gpu.library().calls().cuModuleUnload(m_module);
}

void CudaKernel::launch(const Grid& grid, std::uint32_t threads, std::span<const std::byte> constants,
                        CudaHandle stream) const {
    // The driver copies the argument's bytes while it is called.
    void* argument = const_cast<std::byte*>(constants.data());
    m_gpu.library().require(
        m_gpu.library().calls().cuLaunchKernel(m_function, grid.x, grid.y, grid.z, threads, 1, 1,
                                               m_dynamicBytes, stream, &argument, nullptr),
        "cuLaunchKernel");
}

void CudaKernel::launchWith(const Grid& grid, std::uint32_t threads,
                            std::span<const std::span<const std::byte>> arguments) const {
    std::vector<void*> places;
    for (const std::span<const std::byte> each : arguments)
        places.push_back(const_cast<std::byte*>(each.data()));
    m_gpu.library().require(
        m_gpu.library().calls().cuLaunchKernel(m_function, grid.x, grid.y, grid.z, threads, 1, 1,
                                               m_dynamicBytes, nullptr, places.data(), nullptr),
        "cuLaunchKernel");
}

}  // namespace meshreel
