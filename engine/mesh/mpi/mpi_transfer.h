// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "engine/mesh/endpoint.h"
#include "engine/mesh/mpi/link_transfer.h"

namespace meshreel {

class MpiCommThread;

/// Which rank has which devices, and how long messages may be.
struct RankMap {
    int rank = 0;
    int devicesPerRank = 1;
    std::int64_t largestMessage = 0;

    [[nodiscard]] int rankOf(int device) const { return device / devicesPerRank; }
    /// One number for each pair of devices of two ranks.
    [[nodiscard]] int tagOf(int from, int to) const {
        return from % devicesPerRank * devicesPerRank + to % devicesPerRank;
    }
};

/// A transfer with devices of other ranks. Blocks that lie in one piece travel from and to where they are;
/// others are packed and unpacked here, by the device's own thread, so that the communication thread never
/// copies for everybody; and so are sums.
class MpiTransfer final : public Transfer {
  public:
    MpiTransfer(MpiCommThread& thread, const RankMap& map, std::chrono::milliseconds stallTimeout, int device,
                const std::vector<Send>& sends, std::vector<Receive> receives);
    ~MpiTransfer() override;
    MpiTransfer(const MpiTransfer&) = delete;
    MpiTransfer& operator=(const MpiTransfer&) = delete;

    void wait() override;

  private:
    std::byte* sendable(const ConstBlock& block);
    std::byte* receivable(const Receive& receive);
    std::byte* newBuffer(std::int64_t bytes);
    void unpack();
    [[noreturn]] void throwStalled() const;

    MpiCommThread& m_thread;
    std::chrono::milliseconds m_stallTimeout;
    int m_device;
    std::vector<std::unique_ptr<std::byte[]>> m_buffers;
    struct Arrival {
        Receive receive;
        const std::byte* packed = nullptr;  // null: it arrives where it belongs
    };
    std::vector<Arrival> m_arrivals;
    std::shared_ptr<LinkTransfer> m_link;
    bool m_waited = false;
};

}  // namespace meshreel
