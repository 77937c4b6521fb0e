// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/local_transport.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/remote_link.h"
#include "engine/mesh/shard_range.h"
#include "engine/mesh/transport.h"

namespace meshreel {

/// A RemoteLink between meshes of one process that stand in for processes: what real links do over wires,
/// this one does over a board of its own.
class LoopbackLink final : public RemoteLink {
  public:
    /// What all links of one mesh share.
    struct Wire {
        explicit Wire(int devices) : transport({.devices = devices}) {}
        LocalTransport transport;
        std::vector<LoopbackLink*> links;
        std::atomic<int> leaver = -1;  ///< the rank that first left a transfer unfinished
        std::promise<MeshFailure> failed;
        std::shared_future<MeshFailure> failure = failed.get_future().share();
    };

    LoopbackLink(std::shared_ptr<Wire> wire, int rank, int devices)
        : m_wire(std::move(wire)), m_rank(rank), m_workers({.workers = 1}) {
        m_wire->links.push_back(this);
        for (int device = 0; device < devices; ++device)
            m_endpoints.push_back(makeThreadEndpoint(device, m_wire->transport, m_workers, nullptr));
    }

    std::unique_ptr<Transfer> start(int device, std::span<const Send> sends,
                                    std::span<const Receive> receives) override {
        for (const Receive& receive : receives)
            if (receive.combine != Combine::Replace)
                throw Error(ErrorKind::Internal, "links are not asked to add");
        return std::make_unique<Crossing>(
            *m_wire, m_rank, m_endpoints.at(static_cast<std::size_t>(device))->start(sends, receives));
    }

    void fail(const MeshFailure& failure) override {
        MeshFailure complete = failure;
        complete.rank = m_rank;
        complete.host = "host" + std::to_string(m_rank);
        if (!m_wire->transport.fail(complete))
            return;
        m_wire->failed.set_value(complete);
        for (LoopbackLink* link : m_wire->links)
            if (link != this)
                link->tell(complete);
    }

    void listen(std::function<void(const MeshFailure&)> onFailure) override {
        const std::lock_guard lock(m_mutex);
        m_onFailure = std::move(onFailure);
    }

    /// As when heartbeats of `rank` stay away.
    void tell(const MeshFailure& failure) {
        const std::lock_guard lock(m_mutex);
        if (m_onFailure)
            m_onFailure(failure);
    }

  private:
    /// A transfer over the wire. Who leaves one is seen at once by its own process only; the others hear of
    /// it as of everything there: when it says why.
    class Crossing final : public Transfer {
      public:
        Crossing(Wire& wire, int rank, std::shared_ptr<Transfer> transfer)
            : m_wire(wire), m_rank(rank), m_transfer(std::move(transfer)) {}
        ~Crossing() override {
            int nobody = -1;
            if (!m_arrived)
                m_wire.leaver.compare_exchange_strong(nobody, m_rank);
        }
        Crossing(const Crossing&) = delete;
        Crossing& operator=(const Crossing&) = delete;

        void wait() override {
            try {
                m_transfer->wait();
            } catch (const LeftBehind&) {
                if (m_wire.leaver == m_rank)
                    throw;
                throwForOthers(m_wire.failure.get());
            }
            m_arrived = true;
        }

      private:
        Wire& m_wire;
        int m_rank;
        std::shared_ptr<Transfer> m_transfer;
        bool m_arrived = false;
    };

    std::shared_ptr<Wire> m_wire;
    int m_rank;
    WorkerPool m_workers;
    std::vector<std::unique_ptr<Endpoint>> m_endpoints;
    std::mutex m_mutex;
    std::function<void(const MeshFailure&)> m_onFailure;
};

/// Several meshes in the place of processes, which together are one mesh. As many devices each as divide
/// them.
class LoopbackProcesses {
  public:
    LoopbackProcesses(const DeviceMeshOptions& options, int processes) {
        const int devices = options.layout.devices();
        const auto wire = std::make_shared<LoopbackLink::Wire>(devices);
        for (int rank = 0; rank < processes; ++rank) {
            const ShardRange own = balancedShard(devices, processes, rank);
            DeviceMeshOptions part = options;
            part.firstDevice = static_cast<int>(own.begin);
            part.localDevices = static_cast<int>(own.size());
            part.remote = m_links.emplace_back(std::make_unique<LoopbackLink>(wire, rank, devices)).get();
            m_meshes.push_back(std::make_unique<DeviceMesh>(part));
        }
    }

    LoopbackLink& link(int rank) { return *m_links.at(static_cast<std::size_t>(rank)); }

    /// What run() of every process threw, or null.
    std::vector<std::exception_ptr> run(const StopToken& stop, const std::function<void(Device&)>& program) {
        std::vector<std::exception_ptr> failures(m_meshes.size());
        {
            std::vector<std::jthread> threads;
            for (std::size_t rank = 0; rank < m_meshes.size(); ++rank)
                threads.emplace_back([&, rank] {
                    try {
                        m_meshes[rank]->run(stop, nullptr, program);
                    } catch (...) {
                        failures[rank] = std::current_exception();
                    }
                });
        }
        return failures;
    }

  private:
    std::vector<std::unique_ptr<LoopbackLink>> m_links;
    std::vector<std::unique_ptr<DeviceMesh>> m_meshes;
};

/// Runs on a mesh made of one or of several (stand-ins for) processes; rethrows the first's failure.
inline void runOnMesh(const DeviceMeshOptions& options, int processes,
                      const std::function<void(Device&)>& program) {
    if (processes == 1) {
        DeviceMesh(options).run({}, nullptr, program);
        return;
    }
    for (const std::exception_ptr& failure : LoopbackProcesses(options, processes).run({}, program))
        if (failure)
            std::rethrow_exception(failure);
}

}  // namespace meshreel
