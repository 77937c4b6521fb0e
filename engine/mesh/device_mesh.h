// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/execution.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/transport.h"
#include "engine/tensor/compute_device.h"
#include "engine/timing/trace.h"

namespace meshreel {

class RemoteLink;

struct DeviceMeshOptions {
    MeshLayout layout;
    int firstDevice = 0;       ///< first of the devices of this process
    int localDevices = 0;      ///< consecutive devices of this process; 0: all of the layout
    int workersPerDevice = 0;  ///< 0: max(1, CPUs of this process / localDevices)
    /// Processes of this mesh on the very CPUs of this one: each takes its part of them.
    int sharingProcesses = 1;
    int sharingIndex = 0;      ///< this group's number among those
    bool lowPriority = false;  ///< threads made here run below interactive programs
    bool pinThreads = false;   ///< each device's workers to CPUs of their own (when there are enough)
    std::chrono::milliseconds stallTimeout{300'000};  ///< waiting longer counts as a hang
    RemoteLink* remote = nullptr;  ///< needed when the layout has devices of other processes
    /// GPUs of this process's devices, in order: none, or one for each.
    std::vector<std::shared_ptr<ComputeDevice>> gpus = {};
};

/// One logical device, as the program that runs on it sees it. Everything belongs to the device's own thread.
class Device {
  public:
    Device(const MeshLayout& layout, int index, const Execution& execution, Endpoint& endpoint);

    [[nodiscard]] const MeshLayout& layout() const { return m_layout; }
    [[nodiscard]] int index() const { return m_index; }
    [[nodiscard]] bool isFirst() const { return m_index == 0; }
    [[nodiscard]] const DeviceCoordinates& at() const { return m_at; }
    [[nodiscard]] const Execution& execution() const { return m_execution; }

    /// Returns the devices that differ from this one along one axis only.
    [[nodiscard]] Communicator& along(MeshAxis axis);

    /// Returns the axis data × fsdp, fsdp fastest: the devices that divide the batch.
    [[nodiscard]] Communicator& batch() { return m_batch; }

    [[nodiscard]] Communicator& everyone() { return m_everyone; }

    [[nodiscard]] TransferCounters counters() const { return m_endpoint->counters(); }

  private:
    MeshLayout m_layout;
    int m_index;
    DeviceCoordinates m_at;
    Execution m_execution;
    Endpoint* m_endpoint;
    std::vector<Communicator> m_axes;  // in the order of meshAxes
    Communicator m_batch;
    Communicator m_everyone;
};

/// The devices of this process: a team of workers each, and the memory through which they talk.
class DeviceMesh {
  public:
    /// Throws Error{Internal} for options that contradict each other.
    explicit DeviceMesh(const DeviceMeshOptions& options);
    ~DeviceMesh();
    DeviceMesh(const DeviceMesh&) = delete;
    DeviceMesh& operator=(const DeviceMesh&) = delete;

    [[nodiscard]] const MeshLayout& layout() const;
    [[nodiscard]] int firstDevice() const;
    [[nodiscard]] int localDevices() const;
    [[nodiscard]] int workersPerDevice() const;

    /// Returns how the devices use this process's CPUs, for the log: "8 devices share 2 CPUs".
    [[nodiscard]] std::string placement() const;

    /// Returns the GPU of a device of this process, counted from the first one; null: it has none.
    [[nodiscard]] ComputeDevice* gpu(int local) const;
    /// Returns the GPUs of all devices of this process; empty without GPUs.
    [[nodiscard]] const std::vector<std::shared_ptr<ComputeDevice>>& gpus() const;

    /// Returns a team on all CPUs of this process's devices, for work that belongs to no device (loading,
    /// text). Not to be used while run() runs.
    [[nodiscard]] WorkerPool& hostWorkers();

    /// Runs `program` on every device of this process, the first on the calling thread, and returns when all
    /// have ended. When one throws, the others are ended at their next wait, or when they check their stop
    /// token, and the first failure is rethrown unchanged; a stop counts as a failure, Error{Cancelled}; when
    /// the failure came from another process, Error{Device} names its rank, host and reason. After a failure
    /// the mesh is unusable: run() throws at once. Trace spans of all local devices go to their rows of
    /// `trace`.
    void run(const StopToken& stop, Trace* trace, const std::function<void(Device&)>& program);

  private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

/// A mesh of one device on existing workers: for work that needs a Device but no other devices.
class LoneDevice {
  public:
    /// The workers outlive it.
    explicit LoneDevice(const Execution& execution);
    ~LoneDevice();
    LoneDevice(const LoneDevice&) = delete;
    LoneDevice& operator=(const LoneDevice&) = delete;

    [[nodiscard]] Device& device() { return m_device; }

  private:
    std::unique_ptr<Endpoint> m_endpoint;
    Device m_device;
};

}  // namespace meshreel
