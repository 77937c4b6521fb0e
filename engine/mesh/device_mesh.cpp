// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/device_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stop_token>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/system.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/local_transport.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/shard_range.h"
#include "engine/mesh/transport.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

Communicator communicatorOver(Endpoint& endpoint, const MeshLayout& layout, std::span<const MeshAxis> axes) {
    return {endpoint, layout.group(endpoint.device(), axes)};
}

std::vector<Communicator> alongEveryAxis(Endpoint& endpoint, const MeshLayout& layout) {
    std::vector<Communicator> communicators;
    for (const MeshAxis axis : meshAxes)
        communicators.push_back(communicatorOver(endpoint, layout, {&axis, 1}));
    return communicators;
}

int cpusOf(const DeviceMeshOptions& options) {
    return std::max(1, availableCpus() / options.sharingProcesses);
}

/// The process's own part of the CPUs, which it may share with others of the mesh.
CpuPlacement choosePlacement(const DeviceMeshOptions& options, const CpuTopology& topology) {
    const CpuList usable = topology.usableCpus();
    const ShardRange own = balancedShard(static_cast<std::int64_t>(usable.size()), options.sharingProcesses,
                                         options.sharingIndex);
    return placeWorkers(
        std::span(usable).subspan(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.size())),
        options.localDevices, options.workersPerDevice);
}

DeviceMeshOptions completed(DeviceMeshOptions options) {
    const int devices = options.layout.devices();
    if (options.localDevices == 0)
        options.localDevices = devices - options.firstDevice;
    if (options.firstDevice < 0 || options.localDevices < 1 ||
        options.firstDevice + options.localDevices > devices)
        throw Error(ErrorKind::Internal,
                    fmt::format("a process cannot have {} devices from {} of a mesh of {}",
                                options.localDevices, options.firstDevice, devices));
    if (options.localDevices < devices && options.remote == nullptr)
        throw Error(ErrorKind::Internal, "a mesh over several processes needs a link between them");
    if (options.sharingProcesses < 1 || options.sharingIndex < 0 ||
        options.sharingIndex >= options.sharingProcesses)
        throw Error(ErrorKind::Internal, fmt::format("no process {} shares CPUs with {} others",
                                                     options.sharingIndex, options.sharingProcesses));
    if (!options.gpus.empty() && std::ssize(options.gpus) != options.localDevices)
        throw Error(ErrorKind::Internal, fmt::format("{} devices of a process got {} GPUs",
                                                     options.localDevices, options.gpus.size()));
    if (options.workersPerDevice <= 0)
        options.workersPerDevice = std::max(1, cpusOf(options) / options.localDevices);
    return options;
}

/// What a mesh shares with what listens to its link, which may outlive it.
struct Shared {
    explicit Shared(const LocalTransport::Options& options) : transport(options) {}
    LocalTransport transport;
    FailureLatch failure{transport};
};

/// Groups of one start no transfers.
class NowhereEndpoint final : public Endpoint {
  public:
    explicit NowhereEndpoint(WorkerPool& workers) : m_workers(workers) {}

    [[nodiscard]] int device() const override { return 0; }

    [[nodiscard]] std::shared_ptr<Transfer> start(std::span<const Send> /*sends*/,
                                                  std::span<const Receive> /*receives*/) override {
        throw Error(ErrorKind::Internal, "a lone device has nobody to talk to");
    }

    void copy(const ConstBlock& from, const Block& to) override {
        copyBlock(from, to, Combine::Replace, m_workers);
    }

    [[nodiscard]] TransferCounters counters() const override { return {}; }

  private:
    WorkerPool& m_workers;
};

}  // namespace

Device::Device(const MeshLayout& layout, int index, const Execution& execution, Endpoint& endpoint)
    : m_layout(layout),
      m_index(index),
      m_at(layout.coordinates(index)),
      m_execution(execution),
      m_endpoint(&endpoint),
      m_axes(alongEveryAxis(endpoint, layout)),
      m_batch(communicatorOver(endpoint, layout, std::array{MeshAxis::Data, MeshAxis::Fsdp})),
      m_everyone(communicatorOver(endpoint, layout, meshAxes)) {}

Communicator& Device::along(MeshAxis axis) {
    return m_axes[static_cast<std::size_t>(axis)];
}

class DeviceMesh::Impl {
  public:
    explicit Impl(const DeviceMeshOptions& options);

    [[nodiscard]] const DeviceMeshOptions& options() const { return m_options; }
    [[nodiscard]] std::string placement() const;
    WorkerPool& hostWorkers();
    void run(const StopToken& stop, Trace* trace, const std::function<void(Device&)>& program);

  private:
    /// A device between runs.
    struct Seat {
        std::unique_ptr<WorkerPool> workers;
        std::unique_ptr<Endpoint> endpoint;
    };

    /// Empty: any.
    [[nodiscard]] CpuList cpusOfWorker(int local, int worker) const;
    void runDevice(int local, Trace* trace, const std::function<void(Device&)>& program);
    void fail(int device, const std::exception_ptr& exception);

    const DeviceMeshOptions m_options;
    std::shared_ptr<Shared> m_shared;
    std::unique_ptr<CpuTopology> m_topology;  // when threads are pinned
    CpuPlacement m_placement;
    std::vector<Seat> m_seats;
    std::unique_ptr<WorkerPool> m_hostWorkers;
};

DeviceMesh::Impl::Impl(const DeviceMeshOptions& options)
    : m_options(completed(options)),
      m_shared(std::make_shared<Shared>(
          LocalTransport::Options{.firstDevice = m_options.firstDevice,
                                  .devices = m_options.localDevices,
                                  .spin = m_options.localDevices <= cpusOf(m_options),
                                  .stallTimeout = m_options.stallTimeout})) {
    if (m_options.pinThreads) {
        m_topology = std::make_unique<CpuTopology>();
        m_placement = choosePlacement(m_options, *m_topology);
    }
    for (int local = 0; local < m_options.localDevices; ++local) {
        Seat& seat = m_seats.emplace_back();
        const auto bind = [this, local](int worker) {
            if (m_topology)
                m_topology->bindThisThread(cpusOfWorker(local, worker));
        };
        seat.workers = std::make_unique<WorkerPool>(
            WorkerPool::Options{.workers = m_options.workersPerDevice,
                                .teams = m_options.localDevices * m_options.sharingProcesses,
                                .lowPriority = m_options.lowPriority,
                                .onStart = bind});
        seat.endpoint = makeThreadEndpoint(m_options.firstDevice + local, m_shared->transport, *seat.workers,
                                           m_options.remote);
    }
    if (m_options.remote != nullptr)
        m_options.remote->listen(
            [shared = m_shared](const MeshFailure& failure) { shared->failure.keep(failure); });
}

CpuList DeviceMesh::Impl::cpusOfWorker(int local, int worker) const {
    if (m_placement.empty())
        return {};
    return m_placement[static_cast<std::size_t>(local)][static_cast<std::size_t>(worker)];
}

std::string DeviceMesh::Impl::placement() const {
    return describePlacement(m_placement, cpusOf(m_options), m_options.firstDevice, m_options.localDevices,
                             m_options.workersPerDevice);
}

WorkerPool& DeviceMesh::Impl::hostWorkers() {
    if (!m_hostWorkers)
        m_hostWorkers = std::make_unique<WorkerPool>(
            WorkerPool::Options{.workers = m_options.localDevices * m_options.workersPerDevice,
                                .teams = m_options.sharingProcesses,
                                .lowPriority = m_options.lowPriority});
    return *m_hostWorkers;
}

void DeviceMesh::Impl::fail(int device, const std::exception_ptr& exception) {
    const MeshFailure failure = describeFailure(device, exception);
    if (m_shared->failure.keep(failure, exception) && m_options.remote != nullptr)
        m_options.remote->fail(failure);
}

void DeviceMesh::Impl::runDevice(int local, Trace* trace, const std::function<void(Device&)>& program) {
    const int index = m_options.firstDevice + local;
    try {
        const Trace::DeviceRow row(trace, index);
        const Seat& seat = m_seats[static_cast<std::size_t>(local)];
        std::optional<ThreadBinding> binding;
        if (m_topology)
            binding.emplace(*m_topology, cpusOfWorker(local, 0));
        ComputeDevice* gpu =
            m_options.gpus.empty() ? nullptr : m_options.gpus[static_cast<std::size_t>(local)].get();
        Device device(m_options.layout, index, {*seat.workers, m_shared->failure.stop(), trace, gpu},
                      *seat.endpoint);
        program(device);
        freeScratch(*seat.workers);
    } catch (const LeftBehind&) {  // the device that left says why
    } catch (...) {
        fail(index, std::current_exception());
    }
}

void DeviceMesh::Impl::run(const StopToken& stop, Trace* trace, const std::function<void(Device&)>& program) {
    m_shared->failure.rethrow();
    {
        const std::stop_callback onStop(stop, [this] {
            fail(m_options.firstDevice,
                 std::make_exception_ptr(Error(ErrorKind::Cancelled, sentence("Cancelled"))));
        });
        std::vector<std::jthread> threads;
        threads.reserve(static_cast<std::size_t>(m_options.localDevices - 1));
        try {
            for (int local = 1; local < m_options.localDevices; ++local)
                threads.push_back(startThread<std::jthread>([&, local] {
                    if (m_options.lowPriority)
                        lowerThreadPriority();
                    runDevice(local, trace, program);
                }));
            runDevice(0, trace, program);
        } catch (...) {
            fail(m_options.firstDevice, std::current_exception());
        }
    }
    m_shared->failure.rethrow();
    if (const std::string unmatched = m_shared->transport.unmatched(); !unmatched.empty())
        throw Error(ErrorKind::Internal, unmatched);
}

DeviceMesh::DeviceMesh(const DeviceMeshOptions& options) : m_impl(std::make_unique<Impl>(options)) {}
DeviceMesh::~DeviceMesh() = default;

const MeshLayout& DeviceMesh::layout() const {
    return m_impl->options().layout;
}
int DeviceMesh::firstDevice() const {
    return m_impl->options().firstDevice;
}
int DeviceMesh::localDevices() const {
    return m_impl->options().localDevices;
}
int DeviceMesh::workersPerDevice() const {
    return m_impl->options().workersPerDevice;
}
ComputeDevice* DeviceMesh::gpu(int local) const {
    return gpus().empty() ? nullptr : gpus()[static_cast<std::size_t>(local)].get();
}
const std::vector<std::shared_ptr<ComputeDevice>>& DeviceMesh::gpus() const {
    return m_impl->options().gpus;
}
std::string DeviceMesh::placement() const {
    return m_impl->placement();
}
WorkerPool& DeviceMesh::hostWorkers() {
    return m_impl->hostWorkers();
}

void DeviceMesh::run(const StopToken& stop, Trace* trace, const std::function<void(Device&)>& program) {
    m_impl->run(stop, trace, program);
}

LoneDevice::LoneDevice(const Execution& execution)
    : m_endpoint(std::make_unique<NowhereEndpoint>(execution.workers)),
      m_device(MeshLayout(MeshShape{}), 0, execution, *m_endpoint) {}

LoneDevice::~LoneDevice() = default;

}  // namespace meshreel
