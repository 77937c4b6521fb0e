// SPDX-License-Identifier: GPL-3.0-or-later
// OpenBLAS under a limit of address space: each fact in a process that has not called it yet.
#include "engine/kernels/dispatch/blas_library.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/linear/matmul.h"
#include "tests/support/address_space_limit.h"
#include "tests/support/instrumented.h"

namespace meshreel {
namespace {

using testing::AddressSpaceLimit;

constexpr rlim_t mebibyte = 1 << 20;
constexpr int passed = 0;
constexpr int failed = 1;

class BlasLibraryDeathTest : public ::testing::Test {
  protected:
    BlasLibraryDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void multiply() {
    constexpr std::int64_t size = 300;
    const std::vector<float> a(size * size, 1.0F);
    std::vector<float> c(size * size);
    gemm(false, false, size, size, size, 1.0F, a.data(), size, a.data(), size, 0.0F, c.data(), size);
    if (c.front() != static_cast<float>(size))
        std::_Exit(failed);
}

/// In kB, of /proc/self/status.
long statusOf(const std::string& field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field + ":"))
            return std::atol(line.c_str() + field.size() + 1);
    return -1;
}

[[noreturn]] void multiplyIn(rlim_t room) {
    const AddressSpaceLimit limited(room);
    try {
        multiply();
    } catch (const Error& error) {
        std::_Exit(exitCode(error.kind()));
    }
    std::_Exit(passed);
}

// Where OpenBLAS finds no room it asks again for ever.
TEST_F(BlasLibraryDeathTest, TooLittleAddressSpaceIsAnErrorOfResources) {
    for (const rlim_t room : {20, 100, 150})
        EXPECT_EXIT(multiplyIn(room * mebibyte), ::testing::ExitedWithCode(exitCode(ErrorKind::Resources)),
                    "")
            << room;
    EXPECT_EXIT(multiplyIn(400 * mebibyte), ::testing::ExitedWithCode(passed), "");
}

[[noreturn]] void takeTheRoomBehindTheLoading() {
    static_cast<void>(blasLibrary());
    multiplyIn(100 * mebibyte);
}

TEST_F(BlasLibraryDeathTest, TheBufferOfItsTrialServesTheFirstCall) {
    EXPECT_EXIT(takeTheRoomBehindTheLoading(), ::testing::ExitedWithCode(passed), "");
}

[[noreturn]] void multiplyBesideEachOther() {
    multiply();
    const AddressSpaceLimit limited(100 * mebibyte);  // for threads, not for another buffer
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([] {
            for (int round = 0; round < 20; ++round)
                multiply();
        });
    for (std::thread& thread : threads)
        thread.join();
    std::_Exit(passed);
}

TEST_F(BlasLibraryDeathTest, CallsWaitForEachOtherWhereOnlyOneHasRoom) {
    if (testing::isInstrumented)
        GTEST_SKIP() << testing::needsItsOwnMemory;
    EXPECT_EXIT(multiplyBesideEachOther(), ::testing::ExitedWithCode(passed), "");
}

[[noreturn]] void measureABuffer() {
    const long before = statusOf("VmSize");
    static_cast<void>(blasLibrary());
    multiply();
    const long grown = statusOf("VmSize") - before;
    constexpr long libraryBufferAndMatrices = (64 + 128 + 8) * 1024;
    std::_Exit(grown <= libraryBufferAndMatrices && statusOf("Threads") == 1 ? passed : failed);
}

TEST_F(BlasLibraryDeathTest, ItStartsNoThreadsAndABufferIsNoLargerThanAskedFor) {
    EXPECT_EXIT(measureABuffer(), ::testing::ExitedWithCode(passed), "");
}

}  // namespace
}  // namespace meshreel
