// SPDX-License-Identifier: GPL-3.0-or-later
// libcuda.so.1 for tests, found first by LD_LIBRARY_PATH: cards of compute capability 8.0, or of
// MESHREEL_LAUNCH_CAPABILITY (90), whose memory is this process's, and whose launches the interpreter of
// tests/support/ptx computes at once. What the interpreter refuses in a text comes back as a driver's log
// does; what it complains about in a launch goes to stderr and fails the launch. Memory and semaphores of
// Vulkan come from the layer shared_memory_layer.cpp: memory is mapped once more, under addresses of the
// library's own.
//
// MESHREEL_CUDA_CARDS says how many cards there are; without it, 1. MESHREEL_CUDA_MODE is their compute mode,
// a number of the driver's; without it, 0, for any process. MESHREEL_LAUNCHES names a file that gets a line
// for each context, launch, copy, wait and signal. MESHREEL_LAUNCH_FAULTS is a list as for
// ptx_launch_layer.cpp: "refuse:", "wrong:" and "crash:" with a kernel's name and, behind a launch, "fail:",
// as of an address that is nobody's, and "hang:", as of an endless loop; "lose:" with a name: the text fails
// for no fault of its own; "narrow:": the shared memory that it asks for is refused. With "peers" for a name
// they are of copies between cards: access is refused (refuse), the copy brings nothing (wrong) or fails
// (fail), or nobody knows which cards reach each other (lose).
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/ptx/ptx_complaint.h"
#include "tests/support/ptx/ptx_machine.h"
#include "tests/support/ptx/ptx_parser.h"
#include "tests/support/stand_ins/shared_memory.h"

namespace {

using meshreel::testing::PtxComplaint;

constexpr int success = 0;
constexpr int invalidValue = 1;
constexpr int outOfMemory = 2;
constexpr int invalidPtx = 218;
constexpr int notFound = 500;
constexpr int notReady = 600;
constexpr int peersAlready = 704;
constexpr int launchFailed = 719;
constexpr int unknown = 999;
constexpr std::size_t alignment = 256;  // of allocations

/// Of the cards that it stands in for.
int capability() {
    const char* wanted = std::getenv("MESHREEL_LAUNCH_CAPABILITY");
    return wanted == nullptr ? 80 : std::atoi(wanted);
}

int sharedBytesOfBlock() {
    return (capability() == 90 ? 227 : 163) * 1024;
}

int computeMode() {
    const char* wanted = std::getenv("MESHREEL_CUDA_MODE");
    return wanted == nullptr ? 0 : std::atoi(wanted);
}

struct Function {
    const meshreel::testing::PtxProgram* program = nullptr;
    const meshreel::testing::PtxEntry* entry = nullptr;
    unsigned dynamicBytes = 48 * 1024;
};

struct Module {
    meshreel::testing::PtxProgram program;
    std::vector<std::unique_ptr<Function>> functions;
};

/// Memory of Vulkan's that is mapped once more.
struct Imported {
    std::byte* begin = nullptr;  ///< in Vulkan's mapping
    std::size_t bytes = 0;
};

struct Card {
    meshreel::testing::PtxMemory memory;
    std::map<std::uint64_t, std::vector<std::byte>> buffers;
    std::map<std::uint64_t, std::span<std::byte>> mappings;  ///< of imported memory, whole pages

    /// Whether so many bytes lie in a buffer.
    bool holds(std::uint64_t address, std::size_t bytes) const {
        auto next = buffers.upper_bound(address);
        if (next == buffers.begin())
            return false;
        const auto& [begin, buffer] = *--next;
        return address + bytes <= begin + buffer.size() - alignment;
    }
    /// The same of imported memory.
    bool hasMapped(std::uint64_t address, std::size_t bytes) const {
        auto next = mappings.upper_bound(address);
        if (next == mappings.begin())
            return false;
        --next;
        return address + bytes <= reinterpret_cast<std::uint64_t>(next->second.data() + next->second.size());
    }
};

// Devices of a mesh are threads.
std::recursive_mutex cardMutex;
Card card;
std::array<char, 8> contexts;  // one for each card; all have the same memory

/// Everything in it is computed at once.
struct Stream {
    int failed = success;  ///< of a launch: every later question gives it
};
Stream usualStream;

Stream& streamOf(void* stream) {
    return stream == nullptr ? usualStream : *static_cast<Stream*>(stream);
}

bool isWanted(std::string_view fault, const std::string& entry) {
    const char* faults = std::getenv("MESHREEL_LAUNCH_FAULTS");
    const std::string list = "," + std::string(faults == nullptr ? "" : faults) + ",";
    return list.find("," + std::string(fault) + ":" + entry + ",") != std::string::npos;
}

void note(const std::string& line) {
    const std::lock_guard lock(cardMutex);
    const char* name = std::getenv("MESHREEL_LAUNCHES");
    if (name == nullptr)
        return;
    if (std::FILE* file = std::fopen(name, "a"); file != nullptr) {
        std::fprintf(file, "%s\n", line.c_str());
        std::fclose(file);
    }
}

/// What the layer wrote into the file of a descriptor, which is closed.
template <typename Note>
bool takeNote(int descriptor, Note& made) {
    const bool isWhole = ::pread(descriptor, &made, sizeof made, 0) == static_cast<ssize_t>(sizeof made);
    if (!isWhole || made.magic != Note::magicNumber)
        return false;
    ::close(descriptor);
    return true;
}

// cuda.h's CUDA_EXTERNAL_MEMORY_HANDLE_DESC and the others, written down apart from cuda_library.h, so that a
// mistake there is found.
struct MemoryHandle {
    int type;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
    } handle;
    unsigned long long size;
    unsigned flags;
    unsigned reserved[16];
};
struct BufferPart {
    unsigned long long offset;
    unsigned long long size;
    unsigned flags;
    unsigned reserved[16];
};
struct SemaphoreHandle {
    int type;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
    } handle;
    unsigned flags;
    unsigned reserved[16];
};
struct SignalParameters {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
        unsigned reserved[12];
    } params;
    unsigned flags;
    unsigned reserved[16];
};
struct WaitParameters {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void* fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned timeoutMs;
        } keyedMutex;
        unsigned reserved[10];
    } params;
    unsigned flags;
    unsigned reserved[16];
};
constexpr int opaqueFile = 1;
constexpr int timelineFile = 9;

using Clock = std::chrono::steady_clock;

struct Event {
    Clock::time_point time;
    const Stream* stream = &usualStream;
};

}  // namespace

extern "C" {

int cuInit(unsigned /*flags*/) {
    return success;
}

int cuDriverGetVersion(int* version) {
    *version = 11040;
    return success;
}

int cuGetErrorName(int error, const char** name) {
    *name = error == invalidPtx     ? "CUDA_ERROR_INVALID_PTX"
            : error == launchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
            : error == notFound     ? "CUDA_ERROR_NOT_FOUND"
            : error == outOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == peersAlready ? "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"
                                    : "CUDA_ERROR_INVALID_VALUE";
    return success;
}

int cuDeviceGetCount(int* count) {
    const char* cards = std::getenv("MESHREEL_CUDA_CARDS");
    *count = cards == nullptr ? 1 : std::atoi(cards);
    return success;
}

int cuDeviceGet(int* device, int index) {
    *device = index;
    return success;
}

int cuDeviceGetName(char* name, int bytes, int /*device*/) {
    std::snprintf(name, static_cast<std::size_t>(bytes), "interpreter of PTX");
    return success;
}

int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
    *value = attribute == 75   ? capability() / 10
             : attribute == 76 ? capability() % 10
             : attribute == 97 ? sharedBytesOfBlock()
             : attribute == 20 ? computeMode()
                               : 1;
    return success;
}

int cuDeviceGetUuid_v2(std::uint8_t* uuid, int device) {
    std::ranges::copy(meshreel::testing::cardUuid, uuid);
    uuid[meshreel::testing::cardUuid.size() - 1] = static_cast<std::uint8_t>('0' + device);
    return success;
}

int cuDeviceCanAccessPeer(int* can, int device, int peer) {
    if (isWanted("lose", "peers"))
        return unknown;
    *can = device != peer ? 1 : 0;
    return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
    note("context");
    *context = &contexts.at(static_cast<std::size_t>(device));
    return success;
}

int cuDevicePrimaryCtxRelease_v2(int /*device*/) {
    return success;
}

int cuCtxSetCurrent(void* /*context*/) {
    return success;
}

int cuCtxSynchronize() {
    return success;
}

int cuModuleLoadDataEx(void** module, const void* text, unsigned count, int* options, void** values) {
    char* log = nullptr;
    std::size_t room = 0;
    for (unsigned index = 0; index < count; ++index) {
        if (options[index] == 5)
            log = static_cast<char*>(values[index]);
        if (options[index] == 6)
            room = reinterpret_cast<std::size_t>(values[index]);
    }
    try {
        auto made = std::make_unique<Module>();
        made->program = meshreel::testing::parsePtx(static_cast<const char*>(text), "ptx");
        // What the layer for Vulkan refuses (ptx_launch_layer.cpp) is refused here with a message.
        for (const meshreel::testing::PtxEntry& entry : made->program.entries) {
            if (isWanted("lose", entry.name))
                return unknown;
            if (isWanted("refuse", entry.name))
                throw PtxComplaint("ptx", 1, "this card does not like " + entry.name);
            if (isWanted("crash", entry.name)) {
                std::fputs("the compiler of PTX went wrong\n", stderr);
                std::abort();
            }
        }
        if (made->program.target > capability())
            throw PtxComplaint(
                "ptx", 2,
                "the text is for a newer card than this one, which has sm_" + std::to_string(capability()));
        if (made->program.isForHopperAlone && capability() != 90)
            throw PtxComplaint("ptx", 2, "the text is for another card than this one");
        *module = made.release();
        return success;
    } catch (const PtxComplaint& complaint) {
        if (log != nullptr && room > 0)
            std::snprintf(log, room, "%s", complaint.what());
        return invalidPtx;
    }
}

int cuModuleUnload(void* module) {
    delete static_cast<Module*>(module);
    return success;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
    Module& of = *static_cast<Module*>(module);
    const auto entry = std::ranges::find(of.program.entries, name, &meshreel::testing::PtxEntry::name);
    if (entry == of.program.entries.end())
        return notFound;
    of.functions.push_back(std::make_unique<Function>(Function{&of.program, &*entry}));
    *function = of.functions.back().get();
    return success;
}

int cuFuncGetAttribute(int* value, int attribute, void* function) {
    *value = attribute == 4 ? static_cast<Function*>(function)->entry->liveRegisters : 0;
    return success;
}

int cuFuncSetAttribute(void* function, int attribute, int value) {
    if (attribute != 8 || value < 0 || value > sharedBytesOfBlock())
        return invalidValue;
    if (isWanted("narrow", static_cast<Function*>(function)->entry->name))
        return invalidValue;
    static_cast<Function*>(function)->dynamicBytes = static_cast<unsigned>(value);
    return success;
}

int cuLaunchKernel(void* function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, void* stream, void** arguments,
                   void** /*extra*/) {
    const Function& launched = *static_cast<Function*>(function);
    note(launched.entry->name);
    if (isWanted("wrong", launched.entry->name))
        return success;
    if (isWanted("fail", launched.entry->name) || isWanted("hang", launched.entry->name)) {
        streamOf(stream).failed = isWanted("hang", launched.entry->name) ? notReady : launchFailed;
        return success;
    }
    const std::lock_guard lock(cardMutex);
    if (blockX * blockY * blockZ != launched.entry->threads || sharedBytes > launched.dynamicBytes)
        return invalidValue;
    try {
        meshreel::testing::runPtxGrid(
            *launched.program, *launched.entry, card.memory, {.x = gridX, .y = gridY, .z = gridZ},
            {static_cast<const std::byte*>(arguments[0]), launched.entry->parameterBytes}, sharedBytes);
        return success;
    } catch (const PtxComplaint& complaint) {
        std::fprintf(stderr, "%s\n", complaint.what());
        return launchFailed;
    }
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
    if (bytes == 0)
        return invalidValue;
    const std::lock_guard lock(cardMutex);
    std::vector<std::byte> buffer(bytes + alignment);
    // The tensor begins where a card's would; the rest is nobody's.
    const auto begin = reinterpret_cast<std::uint64_t>(buffer.data());
    const std::size_t skipped = (alignment - begin % alignment) % alignment;
    *address = card.memory.add("buffer", std::span(buffer).subspan(skipped, bytes));
    card.buffers.emplace(*address, std::move(buffer));
    return success;
}

int cuMemFree_v2(std::uint64_t address) {
    const std::lock_guard lock(cardMutex);
    card.memory.remove(address);
    card.buffers.erase(address);
    if (const auto mapped = card.mappings.find(address); mapped != card.mappings.end()) {
        const std::span<std::byte> pages = mapped->second;
        card.mappings.erase(mapped);
        ::munmap(pages.data(), pages.size());
    }
    return success;
}

int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
    if (!card.holds(to, bytes))
        return invalidValue;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return success;
}

int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
    if (!card.holds(from, bytes))
        return invalidValue;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return success;
}

int cuEventCreate(void** event, unsigned /*flags*/) {
    *event = new Event;
    return success;
}

int cuEventRecord(void* event, void* stream) {
    *static_cast<Event*>(event) = {.time = Clock::now(), .stream = &streamOf(stream)};
    return success;
}

int cuEventQuery(void* event) {
    return static_cast<Event*>(event)->stream->failed;
}

int cuEventSynchronize(void* event) {
    return cuEventQuery(event);
}

int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
    *milliseconds = std::chrono::duration<float, std::milli>(static_cast<Event*>(to)->time -
                                                             static_cast<Event*>(from)->time)
                        .count();
    return success;
}

int cuEventDestroy_v2(void* event) {
    delete static_cast<Event*>(event);
    return success;
}

// ---- Streams ----

int cuStreamCreate(void** stream, unsigned /*flags*/) {
    *stream = new Stream;
    return success;
}

int cuStreamQuery(void* stream) {
    return streamOf(stream).failed;
}

int cuStreamDestroy_v2(void* stream) {
    delete static_cast<Stream*>(stream);
    return success;
}

int cuCtxEnablePeerAccess(void* /*peer*/, unsigned /*flags*/) {
    if (isWanted("refuse", "peers"))
        return invalidValue;
    static std::atomic<bool> enabled = false;
    return enabled.exchange(true) ? peersAlready : success;
}

int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* /*stream*/) {
    const std::lock_guard lock(cardMutex);
    if (!card.hasMapped(to, bytes) || !card.hasMapped(from, bytes))
        return invalidValue;
    note("copy " + std::to_string(bytes));
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return success;
}

int cuMemcpyPeerAsync(std::uint64_t to, void* toContext, std::uint64_t from, void* fromContext,
                      std::size_t bytes, void* /*stream*/) {
    const std::lock_guard lock(cardMutex);
    if (toContext == fromContext || !card.hasMapped(to, bytes) || !card.hasMapped(from, bytes))
        return invalidValue;
    if (isWanted("fail", "peers"))
        return launchFailed;
    note("peer " + std::to_string(bytes));
    if (!isWanted("wrong", "peers"))
        std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return success;
}

// ---- What Vulkan shares ----

int cuImportExternalMemory(void** memory, const MemoryHandle* handle) {
    meshreel::testing::SharedMemoryNote shared;
    if (handle->type != opaqueFile || handle->flags != 0 || !takeNote(handle->handle.fd, shared))
        return invalidValue;
    *memory = new Imported{.begin = shared.begin, .bytes = handle->size};
    return success;
}

int cuExternalMemoryGetMappedBuffer(std::uint64_t* address, void* memory, const BufferPart* part) {
    const auto& of = *static_cast<Imported*>(memory);
    if (part->flags != 0 || part->size == 0 || part->offset + part->size > of.bytes)
        return invalidValue;
    // Pages that are mapped as shared can be mapped once more; others cannot.
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uint64_t>(of.begin + part->offset);
    const std::uint64_t first = begin / page * page;
    const std::uint64_t length = (begin + part->size - first + page - 1) / page * page;
    void* const again = ::mremap(reinterpret_cast<void*>(first), 0, length, MREMAP_MAYMOVE);
    if (again == MAP_FAILED)
        return invalidValue;
    const std::lock_guard lock(cardMutex);
    auto* const bytes = static_cast<std::byte*>(again) + (begin - first);
    *address = card.memory.add("memory of Vulkan", {bytes, part->size});
    card.mappings[*address] = {static_cast<std::byte*>(again), length};
    return success;
}

int cuDestroyExternalMemory(void* memory) {
    delete static_cast<Imported*>(memory);
    return success;
}

int cuImportExternalSemaphore(void** semaphore, const SemaphoreHandle* handle) {
    auto made = std::make_unique<meshreel::testing::SharedSemaphoreNote>();
    if (handle->type != timelineFile || handle->flags != 0 || !takeNote(handle->handle.fd, *made))
        return invalidValue;
    *semaphore = made.release();
    return success;
}

int cuSignalExternalSemaphoresAsync(void* const* semaphores, const SignalParameters* parameters,
                                    unsigned count, void* stream) {
    if (count != 1 || parameters->flags != 0)
        return invalidValue;
    if (streamOf(stream).failed != success)
        return success;  // what failed is never done, which is told later
    const auto& of = *static_cast<meshreel::testing::SharedSemaphoreNote*>(semaphores[0]);
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = of.semaphore;
    info.value = parameters->params.fence.value;
    note("signal " + std::to_string(info.value));
    return of.signal(of.device, &info) == VK_SUCCESS ? success : invalidValue;
}

int cuWaitExternalSemaphoresAsync(void* const* semaphores, const WaitParameters* parameters, unsigned count,
                                  void* stream) {
    if (count != 1 || parameters->flags != 0)
        return invalidValue;
    if (streamOf(stream).failed != success)
        return success;  // it would be done behind what is never done
    const auto& of = *static_cast<meshreel::testing::SharedSemaphoreNote*>(semaphores[0]);
    const std::uint64_t value = parameters->params.fence.value;
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &of.semaphore;
    info.pValues = &value;
    note("wait " + std::to_string(value));
    constexpr std::uint64_t patience = 20'000'000'000;  // for what should have been submitted before
    if (of.wait(of.device, &info, patience) == VK_SUCCESS)
        return success;
    std::fprintf(stderr, "nothing submitted signals %llu\n", static_cast<unsigned long long>(value));
    return launchFailed;
}

int cuDestroyExternalSemaphore(void* semaphore) {
    delete static_cast<meshreel::testing::SharedSemaphoreNote*>(semaphore);
    return success;
}

}  // extern "C"
