// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/cpu_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// As on a host whose kernel is built for 4,096 CPUs, of which a job has two.
int callLargeKernel(std::size_t bytes, cpu_set_t* sets) {
    constexpr std::size_t kernelBytes = 4096 / 8;
    if (bytes < kernelBytes) {
        errno = EINVAL;
        return -1;
    }
    CPU_SET_S(7, bytes, sets);
    CPU_SET_S(2000, bytes, sets);
    return 0;
}

int callNobody(std::size_t, cpu_set_t*) {
    errno = EPERM;
    return -1;
}

TEST(CpuSet, IsReadWhateverTheKernelIsBuiltFor) {
    EXPECT_THAT(allowedCpus(callLargeKernel), ElementsAre(7, 2000));
    EXPECT_THAT(allowedCpus(callNobody), IsEmpty());
}

TEST(CpuSet, IsThatOfThisThread) {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(0, sizeof own, &own) != 0)
        GTEST_SKIP() << "this machine has more than 1,024 CPUs";
    EXPECT_EQ(allowedCpus().size(), static_cast<std::size_t>(CPU_COUNT(&own)));
}

}  // namespace
}  // namespace meshreel
