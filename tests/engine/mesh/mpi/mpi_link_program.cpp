// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of MPI start with mpirun: `mpi_link_program SCENARIO [argument]`. Exit codes: 0 all as
// expected, 1 a check failed, 5 and 130 as meshreel's after the failure of a rank and a cancel.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "engine/base/error.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/mpi_session.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

constexpr int devicesPerRank = 2;
constexpr auto stallTimeout = 60s;
constexpr std::uint32_t commonSeed = 20'251;

[[noreturn]] void throwCheck(const std::string& what) {
    throw Error(ErrorKind::Internal, "check failed: " + what);
}

void check(bool good, const std::string& what) {
    if (!good)
        throwCheck(what);
}

MpiSessionOptions smallMessages(std::int64_t largest) {
    MpiSessionOptions options;
    options.largestMessage = largest;
    return options;
}

/// A block inside memory of its own, and the bytes that it selects.
struct Area {
    std::vector<std::byte> memory;
    Block block;

    static Area make(std::int64_t bytes, std::mt19937& random) {
        Area area;
        Block& block = area.block;
        const bool strided = bytes % 4 == 0 && random() % 2 == 0;
        block.rows = strided ? 2 : 1;
        block.planes = strided && bytes % 16 == 0 ? 2 : 1;
        block.rowBytes = bytes / (block.rows * block.planes);
        block.rowStride = block.rowBytes + (strided ? 12 : 0);
        block.planeStride = block.rowStride * block.rows + 8;
        area.memory.resize(static_cast<std::size_t>(block.planeStride * block.planes + 16));
        block.data = area.memory.data();
        return area;
    }
    [[nodiscard]] std::vector<std::byte> bytes() const {
        std::vector<std::byte> result(static_cast<std::size_t>(block.bytes()));
        copyBlock(asConst(block), {result.data(), block.bytes()});
        return result;
    }
    void fill(const std::vector<std::byte>& with) const { copyBlock({with.data(), block.bytes()}, block); }
};

/// What `from` sends to `to` as its n-th block: both ends can tell.
std::vector<std::byte> content(int from, int to, int n, std::int64_t bytes) {
    std::mt19937 random(static_cast<std::uint32_t>((from * 64 + to) * 4096 + n));
    std::vector<std::byte> result(static_cast<std::size_t>(bytes));
    for (std::byte& byte : result)
        byte = static_cast<std::byte>(random());
    return result;
}

/// One transfer of a device with all devices of other ranks, and what has to come of it.
struct Round {
    std::vector<Area> sends;
    std::vector<Area> receives;
    std::vector<std::vector<std::byte>> expected;
    std::unique_ptr<Transfer> transfer;
};

std::int64_t byteSize(int from, int to, int n) {
    constexpr std::array<std::int64_t, 8> sizes{0, 1, 3, 16, 1000, 4097, 65'536, 1'234'560};
    return sizes[static_cast<std::size_t>(from * 5 + to * 3 + n) % sizes.size()];
}

Round startRound(MpiSession& session, int device, int devices, int n, std::mt19937& random) {
    Round round;
    std::vector<Send> sends;
    std::vector<Receive> receives;
    for (int other = 0; other < devices; ++other) {
        if (other / devicesPerRank == session.rank())
            continue;
        const std::int64_t outBytes = byteSize(device, other, n);
        round.sends.push_back(Area::make(outBytes, random));
        round.sends.back().fill(content(device, other, n, outBytes));
        sends.push_back({other, asConst(round.sends.back().block)});
        const std::int64_t inBytes = byteSize(other, device, n);
        round.receives.push_back(Area::make(inBytes, random));
        receives.push_back({.from = other, .block = round.receives.back().block});
        round.expected.push_back(content(other, device, n, inBytes));
    }
    round.transfer = session.start(device, sends, receives);
    return round;
}

void finishRound(Round& round) {
    round.transfer->wait();
    for (std::size_t i = 0; i < round.receives.size(); ++i)
        check(round.receives[i].bytes() == round.expected[i], "a block came otherwise than it was sent");
}

/// Every device is a thread that has many transfers of all sizes under way and waits for them in any order.
void exchangeFrom(MpiSession& session, int device, int devices) {
    constexpr int batches = 5;
    constexpr int inFlight = 12;
    std::mt19937 random(commonSeed + static_cast<std::uint32_t>(device));
    for (int batch = 0; batch < batches; ++batch) {
        std::vector<Round> rounds;
        for (int n = 0; n < inFlight; ++n)
            rounds.push_back(startRound(session, device, devices, batch * inFlight + n, random));
        std::ranges::shuffle(rounds, random);
        for (Round& round : rounds)
            finishRound(round);
    }
}

void onEveryDevice(const MpiSession& session, const std::function<void(int)>& program) {
    std::vector<std::exception_ptr> failures(devicesPerRank);
    {
        std::vector<std::jthread> threads;
        for (int local = 0; local < devicesPerRank; ++local)
            threads.emplace_back([&, local] {
                try {
                    program(session.rank() * devicesPerRank + local);
                } catch (...) {
                    failures[static_cast<std::size_t>(local)] = std::current_exception();
                }
            });
    }
    for (const std::exception_ptr& failure : failures)
        if (failure)
            std::rethrow_exception(failure);
}

void exchange(MpiSession& session) {
    const int devices = session.ranks() * devicesPerRank;
    session.setDevices(devices, stallTimeout);
    onEveryDevice(session, [&](int device) { exchangeFrom(session, device, devices); });
}

/// Sums are taken in the order of the list, whatever arrives first: float addition tells the order.
void sums(MpiSession& session) {
    session.setDevices(session.ranks(), stallTimeout);
    const int self = session.rank();
    const float own = std::pow(7.0F, static_cast<float>(self)) / 3.0F;
    std::vector<float> out(1001, own);
    std::vector<float> in(1001, 1.0F);
    float expected = 1.0F;
    std::vector<Send> sends;
    std::vector<Receive> receives;
    for (int step = 1; step < session.ranks(); ++step) {
        const int other = (self + step) % session.ranks();
        sends.push_back({other, toBlock(std::span<const float>(out))});
        receives.push_back({other, toBlock(std::span(in)), Combine::AddFloats});
        expected += std::pow(7.0F, static_cast<float>(other)) / 3.0F;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(17 * (session.ranks() - self)));
    session.start(self, sends, receives)->wait();
    check(std::ranges::all_of(in, [&](float value) { return value == expected; }), "a sum is wrong");
}

void broadcasts(MpiSession& session) {
    check(session.broadcastText(session.rank() == 0 ? "from rank 0" : "other") == "from rank 0", "a text");
    check(session.broadcastText("").empty(), "an empty text");
    std::mt19937 random(commonSeed);
    std::vector<std::byte> expected(1'000'003);
    for (std::byte& byte : expected)
        byte = static_cast<std::byte>(random());
    std::vector<std::byte> bytes = session.rank() == 0 ? expected : std::vector<std::byte>(expected.size());
    session.broadcast(bytes);
    check(bytes == expected, "broadcast bytes");
    session.requireSame("the same thing", "equal");
    if (session.rank() == 0)
        session.requireSame("the number of devices", "8");
    else
        try {
            session.requireSame("the number of devices", "4");
            throwCheck("a difference was not seen");
        } catch (const Error& difference) {
            check(difference.kind() == ErrorKind::Device, difference.what());
        }
}

/// Shifts around a ring of all devices for ever.
void ring(MpiSession& session, std::int64_t bytes, const std::function<void(int)>& beforeStep) {
    session.setDevices(session.ranks(), stallTimeout);
    const int self = session.rank();
    const int next = (self + 1) % session.ranks();
    const int previous = (self + session.ranks() - 1) % session.ranks();
    std::vector<std::byte> out(static_cast<std::size_t>(bytes));
    std::vector<std::byte> in(out.size());
    for (int n = 0;; ++n) {
        const auto transfer =
            session.start(self, std::array{Send{next, toBlock(std::span<const std::byte>(out))}},
                          std::array{Receive{previous, toBlock(std::span(in))}});
        beforeStep(n);
        transfer->wait();
        if (n == 0 && self == 0)
            fmt::print(stderr, "turning\n");
    }
}

constexpr std::int64_t ringBytes = 3'000'000;

/// Rank 1 throws between start and wait.
void throwInOne(MpiSession& session) {
    ring(session, ringBytes, [&](int n) {
        if (n == 20 && session.rank() == 1)
            throw Error(ErrorKind::Internal, "thrown on purpose");
    });
}

void turn(MpiSession& session) {
    ring(session, ringBytes, [](int) {});
}

/// Devices that compute for ever in one of the ranks: words have to pass all the same.
void oneBusy(MpiSession& session) {
    ring(session, ringBytes, [&](int n) {
        if (session.rank() == 0 && n == 3)
            while (!session.failure())
                std::this_thread::sleep_for(1ms);
    });
}

/// Rank 0 works on while the others are done: longer than a rank may be silent.
void lateFirst(MpiSession& session) {
    if (session.rank() == 0)
        std::this_thread::sleep_for(1500ms);
}

/// A line of all ranks' devices.
DeviceMeshOptions contextMesh(MpiSession& session) {
    const int devices = session.ranks() * devicesPerRank;
    session.setDevices(devices, stallTimeout);
    DeviceMeshOptions options;
    options.layout = MeshLayout(MeshShape{.data = 1, .fsdp = 1, .context = devices, .tensor = 1});
    options.firstDevice = session.rank() * devicesPerRank;
    options.localDevices = devicesPerRank;
    options.workersPerDevice = 1;
    options.remote = &session;
    return options;
}

void collectives(MpiSession& session) {
    const int devices = session.ranks() * devicesPerRank;
    DeviceMesh mesh(contextMesh(session));
    mesh.run({}, nullptr, [devices](Device& device) {
        Communicator& all = device.everyone();
        for (int n = 0; n < 50; ++n) {
            std::vector<float> values(static_cast<std::size_t>(1 + n * 97));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<float>(device.index() + 1) + static_cast<float>(i);
            const std::vector<float> before = values;
            all.allReduceSum(values);
            const float sum = static_cast<float>(devices * (devices + 1)) / 2.0F;
            for (std::size_t i = 0; i < values.size(); ++i)
                check(values[i] == sum + static_cast<float>(devices) * static_cast<float>(i), "all-reduce");
            std::vector<float> received(before.size());
            all.shift(n % 2 == 0 ? 1 : -1, Communicator::Shape::Ring, toBlock(std::span<const float>(before)),
                      toBlock(std::span(received)));
            const int from = (device.index() + (n % 2 == 0 ? devices - 1 : 1)) % devices;
            check(received[0] == static_cast<float>(from + 1), "shift");
            all.barrier();
        }
    });
}

void meshFailure(MpiSession& session) {
    const int devices = session.ranks() * devicesPerRank;
    DeviceMesh mesh(contextMesh(session));
    mesh.run({}, nullptr, [devices](Device& device) {
        std::vector<float> values(100'000, 1.0F);
        for (int n = 0;; ++n) {
            if (n == 30 && device.index() == devices - 1)
                throw Error(ErrorKind::Internal, "thrown on purpose");
            device.everyone().allReduceSum(values);
        }
    });
}

struct Scenario {
    MpiSessionOptions options;
    std::function<void(MpiSession&)> run;
};

std::map<std::string, Scenario> scenarios() {
    constexpr std::int64_t oddChunk = 10'007;
    RankIdentity other = thisRankIdentity();
    if (rankByEnvironment() == 1)
        other.buildId = "another-build";
    MpiSessionOptions mismatched;
    mismatched.identity = other;
    MpiSessionOptions impatient;
    impatient.watch.goneAfter = 1000ms;
    impatient.heartbeat = 200ms;
    MpiSessionOptions soonForced;
    soonForced.endAfterFailure = 500ms;
    return {
        {"exchange", {{}, exchange}},
        {"exchange-chunked", {smallMessages(oddChunk), exchange}},
        {"sums", {{}, sums}},
        {"broadcasts", {{}, broadcasts}},
        {"broadcasts-chunked", {smallMessages(oddChunk), broadcasts}},
        {"throw", {{}, throwInOne}},
        {"turn", {{}, turn}},
        {"turn-impatient", {impatient, turn}},
        {"one-busy", {{}, oneBusy}},
        {"late-first", {impatient, lateFirst}},
        {"mismatch", {mismatched, exchange}},
        {"collectives", {{}, collectives}},
        {"mesh-failure", {{}, meshFailure}},
        {"hang-after-failure", {soonForced, [](MpiSession& session) {
                                    ring(session, 100, [&](int n) {
                                        if (n == 3 && session.rank() == 1)
                                            session.fail({.device = 1, .host = {}, .reason = "on purpose"});
                                        if (n == 3 && session.rank() == 0)
                                            std::this_thread::sleep_for(1h);
                                    });
                                }}}};
}

MpiSession* sessionForSignals = nullptr;

/// As meshreel's runner: SIGTERM ends the session, from a thread and not from a handler.
void forwardTermination() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    int signal = 0;
    sigwait(&set, &signal);
    sessionForSignals->terminate();
}

int run(const Scenario& scenario) {
    MpiSession session(scenario.options);
    sessionForSignals = &session;
    std::thread(forwardTermination).detach();
    session.observe([&](const MeshFailure& failure) {
        const auto line =
            fmt::format("rank {} knows: {} of rank {} on {}: {}\n", session.rank(),
                        failure.cancelled ? "cancel" : "failure", failure.rank, failure.host, failure.reason);
        std::fputs(line.c_str(), stderr);
    });
    try {
        scenario.run(session);
        return 0;
    } catch (const Error& failure) {
        session.fail(
            {.host = {}, .reason = failure.what(), .cancelled = failure.kind() == ErrorKind::Cancelled});
        fmt::print(stderr, "rank {} ends: {}\n", session.rank(), failure.what());
        return exitCode(failure.kind());
    }
}

}  // namespace
}  // namespace meshreel

int main(int argc, char** argv) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const auto known = meshreel::scenarios();
    const auto scenario = known.find(argc > 1 ? argv[1] : "");
    if (scenario == known.end())
        return 2;
    try {
        return meshreel::run(scenario->second);
    } catch (const meshreel::Error& failure) {
        fmt::print(stderr, "refused: {}\n", failure.what());
        return meshreel::exitCode(failure.kind());
    }
}
