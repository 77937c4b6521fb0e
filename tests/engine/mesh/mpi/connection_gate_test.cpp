// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/connection_gate.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {
namespace {

/// One gate in a process has the secret for all.
constexpr std::string_view secret = "0123456789abcdefghijklmnopqrstuv";
static_assert(secret.size() == MESHREEL_SECRET_BYTES);

constexpr int patience = 10'000;  // milliseconds, on a busy machine

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = port;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool isReadable(int descriptor, int limit) {
    pollfd event{descriptor, POLLIN, 0};
    return ::poll(&event, 1, limit) > 0;
}

class Socket {
  public:
    explicit Socket(int descriptor) : m_descriptor(descriptor) {}
    ~Socket() { ::close(m_descriptor); }
    Socket(Socket&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    operator int() const { return m_descriptor; }

  private:
    int m_descriptor;
};

/// A guarded socket that listens on the loopback address.
class ConnectionGate : public ::testing::Test {
  protected:
    ConnectionGate() : m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
        m_port = address.sin_port;
        EXPECT_EQ(::listen(m_listener, SOMAXCONN), 0);
        EXPECT_EQ(meshreel_gate_open(m_listener, reinterpret_cast<const unsigned char*>(secret.data())), 0);
    }
    ~ConnectionGate() override { close(); }

    void close() {
        if (m_listener >= 0)
            ::close(std::exchange(m_listener, -1));
    }

    [[nodiscard]] int listener() const { return m_listener; }

    /// -1 when nobody listens.
    [[nodiscard]] Socket connect(std::string_view words = {}) const {
        Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_in address = loopback(m_port);
        if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            return Socket(-1);
        EXPECT_EQ(::send(socket, words.data(), words.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(words.size()));
        return socket;
    }

    /// The next connection that was let in.
    [[nodiscard]] meshreel_arrival take() const {
        meshreel_arrival arrival{};
        EXPECT_TRUE(isReadable(m_listener, patience));
        EXPECT_EQ(::recv(m_listener, &arrival, sizeof arrival, MSG_DONTWAIT), ssize_t{sizeof arrival});
        return arrival;
    }

    [[nodiscard]] std::uint16_t port() const { return m_port; }

  private:
    int m_listener;
    std::uint16_t m_port = 0;
};

/// Whether the other end hung up.
bool isClosed(int descriptor) {
    char letter = 0;
    return isReadable(descriptor, patience) && ::recv(descriptor, &letter, 1, MSG_DONTWAIT) <= 0 &&
           errno != EAGAIN;
}

std::string readAll(int descriptor, std::size_t size) {
    std::string text(size, ' ');
    EXPECT_EQ(::recv(descriptor, text.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
    return text;
}

TEST_F(ConnectionGate, LetsInWhoSaysTheSecretAndReadsNothingElse) {
    const Socket whole = connect(std::string(secret) + "hello");
    const Socket first(take().descriptor);
    EXPECT_EQ(readAll(first, 5), "hello");

    const Socket slow = connect(secret.substr(0, 7));
    EXPECT_FALSE(isReadable(listener(), 100));
    ASSERT_EQ(::send(slow, secret.data() + 7, secret.size() - 7, 0), static_cast<ssize_t>(secret.size() - 7));
    const meshreel_arrival arrival = take();
    const Socket second(arrival.descriptor);
    ASSERT_EQ(::send(slow, "later", 5, 0), 5);
    EXPECT_EQ(readAll(second, 5), "later");
    EXPECT_EQ(::fcntl(second, F_GETFL) & O_NONBLOCK, 0);

    sockaddr_in own{};
    socklen_t size = sizeof own;
    ASSERT_EQ(::getsockname(slow, reinterpret_cast<sockaddr*>(&own), &size), 0);
    EXPECT_EQ(reinterpret_cast<const sockaddr_in&>(arrival.address).sin_port, own.sin_port);
}

TEST_F(ConnectionGate, ShowsOutWhoSaysSomethingElseAndWaitsForNobody) {
    std::string almost(secret);
    almost.back() = '!';
    const Socket silent = connect();
    const Socket unfinished = connect(secret.substr(0, secret.size() - 1));
    const Socket wrong = connect(almost);
    const Socket web = connect("GET / HTTP/1.1\r\nHost: meshreel\r\n\r\n");
    const Socket right = connect(secret);
    const Socket taken(take().descriptor);
    EXPECT_TRUE(isClosed(wrong));
    EXPECT_TRUE(isClosed(web));
    EXPECT_FALSE(isReadable(listener(), 100));
    EXPECT_FALSE(isReadable(silent, 0));
    EXPECT_FALSE(isReadable(unfinished, 0));
}

TEST_F(ConnectionGate, AFullRoomKeepsNobodyOut) {
    std::vector<Socket> held;
    for (int i = 0; i < MESHREEL_WAITING_ROOM + 40; ++i)
        held.push_back(connect("x"));
    for (int i = 0; i < 3; ++i) {
        const Socket right = connect(secret);
        const Socket taken(take().descriptor);
        ASSERT_EQ(::send(right, "x", 1, 0), 1);
        EXPECT_EQ(readAll(taken, 1), "x");
    }
    EXPECT_TRUE(isClosed(held.front()));
}

TEST_F(ConnectionGate, StandsInTheSocketsPlace) {
    EXPECT_TRUE(meshreel_gate_is(listener()));
    EXPECT_FALSE(meshreel_gate_is(STDIN_FILENO));
    sockaddr_in name{};
    socklen_t size = sizeof name;
    ASSERT_EQ(meshreel_gate_name(listener(), reinterpret_cast<sockaddr*>(&name), &size), 0);
    EXPECT_EQ(name.sin_port, port());
    EXPECT_NE(::fcntl(listener(), F_GETFD) & FD_CLOEXEC, 0);

    const Socket waiting = connect();
    close();
    EXPECT_TRUE(isClosed(waiting));
    EXPECT_LT(connect(), 0) << "nobody listens any more";
}

}  // namespace
}  // namespace meshreel
