// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/socket_calls.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "tests/support/instrumented.h"

namespace meshreel {
namespace {

TEST(SocketCalls, AreSeenByTheAddressSanitizer) {
    if (!testing::isInstrumented || testing::racesAreChecked)
        GTEST_SKIP() << "this program has no address sanitizer";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    std::array<int, 2> pair{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    const std::vector<char> words(8);
    EXPECT_DEATH(::send(pair[0], words.data(), words.size() + 1, MSG_NOSIGNAL), "heap-buffer-overflow");
    for (const int end : pair)
        ::close(end);
}

}  // namespace
}  // namespace meshreel
