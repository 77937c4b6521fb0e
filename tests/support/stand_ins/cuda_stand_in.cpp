// SPDX-License-Identifier: GPL-3.0-or-later
// libcuda.so.1 for tests, found first by LD_LIBRARY_PATH: a card of compute capability 8.0 whose memory is
// this process's, and whose launches the interpreter of tests/support/ptx computes at once. What the
// interpreter refuses in a text comes back as a driver's log does; what it complains about in a launch goes
// to stderr and fails the launch.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/support/ptx/ptx_complaint.h"
#include "tests/support/ptx/ptx_machine.h"
#include "tests/support/ptx/ptx_parser.h"

namespace {

using meshreel::testing::PtxComplaint;

constexpr int success = 0;
constexpr int invalidValue = 1;
constexpr int outOfMemory = 2;
constexpr int invalidPtx = 218;
constexpr int notFound = 500;
constexpr int launchFailed = 719;
constexpr std::size_t alignment = 256;          // of allocations
constexpr int sharedBytesOfBlock = 163 * 1024;  // as compute capability 8.0 has

struct Function {
    const meshreel::testing::PtxProgram* program = nullptr;
    const meshreel::testing::PtxEntry* entry = nullptr;
    unsigned dynamicBytes = 48 * 1024;
};

struct Module {
    meshreel::testing::PtxProgram program;
    std::vector<std::unique_ptr<Function>> functions;
};

struct Card {
    meshreel::testing::PtxMemory memory;
    std::map<std::uint64_t, std::vector<std::byte>> buffers;

    /// Whether so many bytes lie in a buffer.
    bool holds(std::uint64_t address, std::size_t bytes) const {
        auto next = buffers.upper_bound(address);
        if (next == buffers.begin())
            return false;
        const auto& [begin, buffer] = *--next;
        return address + bytes <= begin + buffer.size() - alignment;
    }
};

Card card;

using Clock = std::chrono::steady_clock;

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
                                    : "CUDA_ERROR_INVALID_VALUE";
    return success;
}

int cuDeviceGetCount(int* count) {
    *count = 1;
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
    *value = attribute == 75 ? 8 : attribute == 76 ? 0 : attribute == 97 ? sharedBytesOfBlock : 1;
    return success;
}

int cuDevicePrimaryCtxRetain(void** context, int /*device*/) {
    *context = &card;
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
        const char* faults = std::getenv("MESHREEL_LAUNCH_FAULTS");
        for (const meshreel::testing::PtxEntry& entry : made->program.entries)
            if (faults != nullptr && std::strstr(faults, ("refuse:" + entry.name).c_str()) != nullptr)
                throw PtxComplaint("ptx", 1, "this card does not like " + entry.name);
        constexpr int capability = 80;
        if (made->program.target > capability)
            throw PtxComplaint("ptx", 2, "the text is for a newer card than this one, which has sm_80");
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
    if (attribute != 8 || value < 0 || value > sharedBytesOfBlock)
        return invalidValue;
    static_cast<Function*>(function)->dynamicBytes = static_cast<unsigned>(value);
    return success;
}

int cuLaunchKernel(void* function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, void* /*stream*/, void** arguments,
                   void** /*extra*/) {
    const Function& launched = *static_cast<Function*>(function);
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
    std::vector<std::byte> buffer(bytes + alignment);
    // The tensor begins where a card's would; the rest is nobody's.
    const auto begin = reinterpret_cast<std::uint64_t>(buffer.data());
    const std::size_t skipped = (alignment - begin % alignment) % alignment;
    *address = card.memory.add("buffer", std::span(buffer).subspan(skipped, bytes));
    card.buffers.emplace(*address, std::move(buffer));
    return success;
}

int cuMemFree_v2(std::uint64_t address) {
    card.memory.remove(address);
    card.buffers.erase(address);
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
    *event = new Clock::time_point();
    return success;
}

int cuEventRecord(void* event, void* /*stream*/) {
    *static_cast<Clock::time_point*>(event) = Clock::now();
    return success;
}

int cuEventSynchronize(void* /*event*/) {
    return success;
}

int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
    *milliseconds = std::chrono::duration<float, std::milli>(*static_cast<Clock::time_point*>(to) -
                                                             *static_cast<Clock::time_point*>(from))
                        .count();
    return success;
}

int cuEventDestroy_v2(void* event) {
    delete static_cast<Clock::time_point*>(event);
    return success;
}

}  // extern "C"
