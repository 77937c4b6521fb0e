// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/lone_device.h"

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// Groups of one start no transfers.
class NowhereEndpoint final : public Endpoint {
  public:
    explicit NowhereEndpoint(WorkerPool& workers) : m_workers(workers) {}

    [[nodiscard]] int device() const override { return 0; }

    [[nodiscard]] std::unique_ptr<Transfer> start(std::vector<Send> /*sends*/,
                                                  std::vector<Receive> /*receives*/) override {
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

LoneDevice::LoneDevice(const Execution& execution)
    : m_endpoint(std::make_unique<NowhereEndpoint>(execution.workers)),
      m_device(MeshLayout(MeshShape{}), 0, execution, *m_endpoint) {}

LoneDevice::~LoneDevice() = default;

}  // namespace meshreel
