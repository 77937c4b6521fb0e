// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/device_mesh.h"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <thread>

#include "engine/base/error.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/timing/trace.h"
#include "tests/support/loopback_link.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

TEST(DeviceMesh, RunsEveryDeviceOnItsThreadTheFirstOnTheCallers) {
    DeviceMesh mesh({.layout = MeshLayout({.data = 2, .context = 2}), .workersPerDevice = 2});
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::set<int> devices;
    const std::thread::id caller = std::this_thread::get_id();
    mesh.run({}, nullptr, [&](Device& device) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        devices.insert(device.index());
        EXPECT_EQ(device.isFirst(), std::this_thread::get_id() == caller);
        EXPECT_EQ(device.execution().workers.size(), 2);
        EXPECT_EQ(device.batch().size(), 2);
        EXPECT_EQ(device.batch().position(), device.at().data);
        EXPECT_EQ(device.along(MeshAxis::Context).position(), device.at().context);
        EXPECT_EQ(device.everyone().size(), 4);
    });
    EXPECT_EQ(threads.size(), 4U);
    EXPECT_EQ(devices, (std::set{0, 1, 2, 3}));
}

TEST(DeviceMesh, SpansStandInTheRowsOfTheirDevices) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 3}), .workersPerDevice = 1});
    Trace trace;
    {
        const auto phase = trace.span("outside");
        for (const char* run : {"first", "second"})
            mesh.run({}, &trace, [&](Device& device) {
                const auto span = trace.span(std::to_string(device.index()), run);
            });
    }
    std::vector<TracedSpan> spans = parseChromeTrace(trace.chromeJson());
    ASSERT_EQ(spans.size(), 7U);
    EXPECT_EQ(spans.front().thread, 3);
    for (const TracedSpan& span : std::span(spans).subspan(1))
        EXPECT_EQ(std::to_string(span.thread), span.name) << span.category;
}

TEST(DeviceMesh, TeamsOfDevicesForkOnTheirThreads) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .workersPerDevice = 3});
    mesh.run({}, nullptr, [](Device& device) {
        // A share waits until another thread has one: on one thread of the team they would wait for ever.
        std::mutex mutex;
        std::condition_variable joined;
        std::set<std::thread::id> threads;
        device.execution().workers.parallelFor(3, [&](std::int64_t, std::int64_t) {
            std::unique_lock lock(mutex);
            threads.insert(std::this_thread::get_id());
            joined.notify_all();
            EXPECT_TRUE(joined.wait_for(lock, std::chrono::seconds(60), [&] { return threads.size() == 3; }));
        });
        EXPECT_EQ(threads.size(), 3U);
    });
}

TEST(DeviceMesh, CanRunAgainAndCountsWhatItMoved) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 4}), .workersPerDevice = 1});
    for (const std::int64_t run : {1, 2})
        mesh.run({}, nullptr, [&](Device& device) {
            std::vector<float> values(5);
            device.everyone().broadcast(1, toBlock(std::span(values)));
            EXPECT_EQ(device.counters().bytesReceived, device.index() == 1 ? 0 : 20 * run);
            EXPECT_GT(device.counters().waitSeconds, 0.0);
        });
}

TEST(DeviceMesh, TheFirstFailureEndsAllAndComesBackAsItWas) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 4}), .workersPerDevice = 1});
    std::atomic<int> ended = 0;
    const auto program = [&](Device& device) {
        if (device.index() == 2)
            throw Error(ErrorKind::Input, "no such file");
        try {
            device.everyone().barrier();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Device);
            EXPECT_THAT(error.problem(), testing::Names("2", "no such file"));
            ++ended;
            throw;
        }
    };
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            mesh.run({}, nullptr, program);
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_EQ(error.message(), "no such file");
        }
        EXPECT_EQ(ended, 3);
    }
}

TEST(DeviceMesh, AFailureStopsDevicesThatCompute) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 3}), .workersPerDevice = 1});
    EXPECT_THROW(mesh.run({}, nullptr,
                          [](Device& device) {
                              if (device.index() == 1)
                                  throw std::runtime_error("out of paper");
                              while (true) {
                                  throwIfStopped(device.execution().stop);
                                  std::this_thread::sleep_for(1ms);
                              }
                          }),
                 std::runtime_error);
}

TEST(DeviceMesh, AStopWakesDevicesThatWait) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .workersPerDevice = 1});
    StopSource stop;
    const std::jthread stopper([&] {
        std::this_thread::sleep_for(20ms);
        stop.request_stop();
    });
    try {
        mesh.run(stop.get_token(), nullptr, [](Device& device) {
            if (device.index() == 1)
                device.everyone().barrier();
            while (true) {
                throwIfStopped(device.execution().stop);
                std::this_thread::sleep_for(1ms);
            }
        });
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
}

TEST(DeviceMesh, WhoFailsGetsItsLoansBackFromOneThatWaitsForMore) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .workersPerDevice = 1});
    const std::array<float, 1> lent{7};
    const std::array<std::int64_t, 2> bytes{sizeof(float), sizeof(float)};
    std::promise<void> holds;
    const auto run = [&] {
        mesh.run({}, nullptr, [&](Device& device) {
            const auto lend = [&] {
                return device.along(MeshAxis::Context)
                    .shareBlocks(
                        {.data = reinterpret_cast<const std::byte*>(lent.data()), .rowBytes = sizeof(float)},
                        bytes);
            };
            SharedBlocks first = lend();
            if (device.index() == 0) {
                SharedBlocks second = lend();
                holds.get_future().wait();
                throw Error(ErrorKind::Input, "device 0 fails");
            }
            (void)first.borrow(0);
            holds.set_value();
            std::this_thread::sleep_for(20ms);
            (void)lend().borrow(0);  // withdrawn, while the first is still held
        });
    };
    try {
        run();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.message(), "device 0 fails");
    }
}

TEST(DeviceMesh, LeavingATransferWithoutAReasonIsADefect) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .workersPerDevice = 1});
    std::atomic<bool> left = false;  // or the other device could finish the transfer first
    EXPECT_THROW(mesh.run({}, nullptr,
                          [&](Device& device) {
                              if (device.index() == 0) {
                                  (void)device.everyone().startBarrier();
                                  left = true;
                                  left.notify_one();
                              } else {
                                  left.wait(false);
                                  device.everyone().barrier();
                              }
                          }),
                 Error);
}

TEST(DeviceMesh, WaitingTooLongIsAHang) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 3}), .workersPerDevice = 1, .stallTimeout = 50ms});
    std::atomic<bool> hung = false;
    try {
        mesh.run({}, nullptr, [&](Device& device) {
            if (device.index() == 1) {
                while (!hung)
                    std::this_thread::sleep_for(1ms);
                return;
            }
            if (device.index() == 2)
                return;
            try {
                std::vector<float> values(1);
                device.everyone().broadcast(1, toBlock(std::span(values)));
            } catch (...) {
                hung = true;
                throw;
            }
        });
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_THAT(testing::valuesOf(error.message()), ::testing::ElementsAre("0", "0.05", "1"));
        EXPECT_FALSE(error.hint().empty());
    }
}

TEST(DeviceMesh, TransfersThatOneSideForgotAreADefect) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .workersPerDevice = 1});
    EXPECT_THROW(mesh.run({}, nullptr,
                          [](Device& device) {
                              std::vector<float> values(1);
                              if (device.isFirst())
                                  (void)device.everyone().startBroadcast(0, toBlock(std::span(values)));
                          }),
                 Error);
}

/// What `failure` is, as "kind: message"; empty without one.
std::string toText(const std::exception_ptr& failure) {
    if (!failure)
        return {};
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return std::to_string(exitCode(error.kind())) + ": " + error.message().text();
    } catch (const std::exception& error) {
        return error.what();
    }
}

TEST(DeviceMeshOfSeveralProcesses, HearsOfFailuresElsewhere) {
    LoopbackProcesses processes({.layout = MeshLayout({.context = 5}), .workersPerDevice = 1}, 2);
    const auto failures = processes.run({}, [](Device& device) {
        if (device.index() == 1)
            throw std::runtime_error("out of paper");
        device.everyone().barrier();
    });
    EXPECT_EQ(toText(failures[0]), "out of paper");
    EXPECT_THAT(testing::refusalOf(ErrorKind::Device, [&] { std::rethrow_exception(failures[1]); }),
                testing::Names("1", "0", "host0", "out of paper"));
}

TEST(DeviceMeshOfSeveralProcesses, AStopOfOneStopsAll) {
    LoopbackProcesses processes({.layout = MeshLayout({.context = 4}), .workersPerDevice = 1}, 2);
    const auto failures = processes.run({}, [](Device& device) {
        if (device.index() == 3)
            throw Error(ErrorKind::Cancelled, "Cancelled");
        device.everyone().barrier();
    });
    EXPECT_EQ(toText(failures[0]), "130: Cancelled");
    EXPECT_EQ(toText(failures[1]), "130: Cancelled");
}

TEST(DeviceMeshOfSeveralProcesses, ARankThatIsGoneEndsTheRun) {
    LoopbackProcesses processes({.layout = MeshLayout({.context = 2}), .workersPerDevice = 1}, 2);
    const auto failures = processes.run({}, [&](Device& device) {
        if (device.index() == 1) {
            const MeshFailure gone{.rank = 1, .host = "host1", .reason = "no heartbeat for 5 s"};
            processes.link(0).tell(gone);
            processes.link(1).fail(gone);
            return;
        }
        device.everyone().barrier();
    });
    EXPECT_THAT(testing::refusalOf(ErrorKind::Device, [&] { std::rethrow_exception(failures[0]); }),
                testing::Names("1", "host1", "no heartbeat for 5 s"));
}

TEST(DeviceMesh, RefusesOptionsThatContradictEachOther) {
    const MeshLayout layout({.context = 4});
    EXPECT_THROW(DeviceMesh({.layout = layout, .firstDevice = 2, .localDevices = 3}), Error);
    EXPECT_THROW(DeviceMesh({.layout = layout, .localDevices = 2}), Error);
}

TEST(DeviceMesh, HostWorkersAreAllWorkersTogether) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 3}), .workersPerDevice = 2});
    EXPECT_EQ(mesh.hostWorkers().size(), 6);
}

}  // namespace
}  // namespace meshreel
