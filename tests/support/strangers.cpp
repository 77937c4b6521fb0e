// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/strangers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace meshreel::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto pause = 10ms;
constexpr int looksUntilAgain = 50;
constexpr int crowd = 300;
constexpr std::size_t mostHeld = 700;  // of the 1024 descriptors that a process usually has

/// Big-endian, as Open MPI has it.
std::string numbers(std::initializer_list<std::uint32_t> values) {
    std::string text;
    for (const std::uint32_t value : values)
        for (const int shift : {24, 16, 8, 0})
            text += static_cast<char>(value >> shift);
    return text;
}

/// The first message of a daemon to another one: origin, destination, tag, sequence, size, kind, route; and
/// what it says.
std::string daemonGreeting(std::uint32_t job, std::uint32_t process, std::uint32_t size,
                           const std::string& body) {
    constexpr char identification = 1;
    return numbers({job, process, job, 0, 0, 0, size}) + identification + std::string(35, '\0') + body;
}

/// The first message of a rank to another one.
std::string rankGreeting(std::uint32_t job, std::uint32_t rank) {
    return numbers({job, rank}) + std::string("OPAL-TCP-BTL\0\0\0\0", 16);
}

std::vector<std::string> sayings() {
    const std::string version(
        "\0\1"
        "4.1.4\0",
        8);
    constexpr std::uint32_t job = 0x5eed0000;
    const auto size = static_cast<std::uint32_t>(version.size());
    std::string noise;
    for (std::uint32_t value = 1; noise.size() < 5000; value = value * 1664525 + 1013904223)
        noise += static_cast<char>(value >> 24);
    return {"",
            "x",
            daemonGreeting(job, 1, size, "").substr(0, 30),
            daemonGreeting(job, 1, size, ""),
            daemonGreeting(job, 1, size, version),
            daemonGreeting(job, 9, 0x7fffffff, "y"),
            rankGreeting(job + 1, 1).substr(0, 12),
            rankGreeting(job + 1, 1),
            "GET / HTTP/1.1\r\nHost: meshreel\r\n\r\n",
            noise.substr(0, 32),
            noise};
}

/// Ports that something on this thread's host listens on.
std::set<int> listeningPorts() {
    constexpr const char* listening = "0A";
    std::set<int> ports;
    std::ifstream table("/proc/thread-self/net/tcp");
    std::string line;
    for (std::getline(table, line); std::getline(table, line);) {
        std::istringstream words(line);
        std::string number, local, remote, state;
        words >> number >> local >> remote >> state;
        if (state == listening)
            ports.insert(std::stoi(local.substr(local.find(':') + 1), nullptr, 16));
    }
    return ports;
}

}  // namespace

Strangers::Strangers(std::function<void()> enter, std::string address)
    : m_address(std::move(address)), m_thread([this, enter = std::move(enter)] {
          enter();
          roam();
      }) {}

Strangers::~Strangers() {
    m_ended = true;
    m_thread.join();
    for (const int each : m_held)
        ::close(each);
}

/// To the host's address and, where nothing listens there, its loopback address.
void Strangers::connectTo(const std::string& words, int port) {
    for (const std::string& place : {m_address, std::string("127.0.0.1")}) {
        if (m_held.size() >= mostHeld) {  // the crowd has stood long enough
            ::close(m_held.front());
            m_held.erase(m_held.begin());
        }
        const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, place.c_str(), &address.sin_addr);
        if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            ::close(descriptor);
            continue;
        }
        m_held.push_back(descriptor);
        ++m_connections;
        static_cast<void>(!::send(descriptor, words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
        return;
    }
}

void Strangers::roam() {
    std::map<int, int> looks;
    while (!m_ended) {
        for (const int port : listeningPorts()) {
            const bool isFirst = looks.empty();
            const auto [found, isNew] = looks.emplace(port, 0);
            if (isNew)
                ++m_listeners;
            if (found->second++ % looksUntilAgain == 0)
                for (const std::string& words : sayings())
                    connectTo(words, port);
            for (int i = 0; isFirst && i < crowd; ++i)
                connectTo(i % 2 == 0 ? "" : "x", port);
        }
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace meshreel::testing
