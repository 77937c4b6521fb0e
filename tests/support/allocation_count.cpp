// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/allocation_count.h"

#include <cstdlib>
#include <new>

#include "tests/support/instrumented.h"

namespace {

thread_local std::int64_t allocationCount = 0;

}  // namespace

std::int64_t meshreel::testing::allocationsOfThisThread() {
    return allocationCount;
}

const char* meshreel::testing::whyAllocationsAreNotCounted() {
    if (racesAreChecked)
        return "the thread sanitizer has allocation functions of its own";
    return std::getenv("VK_INSTANCE_LAYERS") != nullptr ? "layers of Vulkan allocate too" : nullptr;
}

#if !MESHREEL_CHECKS_RACES

namespace {

void* countedOrNull(std::size_t size) noexcept {
    ++allocationCount;
    return std::malloc(size == 0 ? 1 : size);
}

void* countedAllocation(std::size_t size, std::align_val_t alignment) {
    ++allocationCount;
    const auto step = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step); memory != nullptr)
        return memory;
    throw std::bad_alloc();
}

void* countedAllocation(std::size_t size) {
    if (void* memory = countedOrNull(size); memory != nullptr)
        return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return countedAllocation(size);
}
void* operator new[](std::size_t size) {
    return countedAllocation(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return countedAllocation(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return countedAllocation(size, alignment);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return countedOrNull(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return countedOrNull(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
#endif
