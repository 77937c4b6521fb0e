// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/mesh/memory_block.h"

namespace meshreel {

struct Send {
    int to = 0;  ///< device
    ConstBlock block;
};

struct Receive {
    int from = 0;  ///< device
    Block block;
    Combine combine = Combine::Replace;
};

/// Transfers that were started together. Their blocks must stay unchanged until wait() has returned.
class Transfer {
  public:
    Transfer() = default;
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    /// Withdraws what wait() did not finish (an exception is on its way): afterwards nobody touches the
    /// blocks.
    virtual ~Transfer() = default;

    /// Returns when every receive has arrived and every send has been taken. Receives that add do so in the
    /// order in which they were listed. Throws Error{Device} when another device failed or nothing moved for
    /// the stall timeout, Error{Cancelled} when the run was stopped. The other devices must have started the
    /// counterparts, but need not wait for them: transfers may be waited for in any order.
    virtual void wait() = 0;
};

/// What a device reads of another one's memory, in place.
struct Borrow {
    int from = 0;  ///< device
    std::int64_t bytes = 0;
};

/// Memory that devices of one process lend each other without copying. Lent memory must stay unchanged until
/// wait() has returned.
class Loans {
  public:
    Loans() = default;
    Loans(const Loans&) = delete;
    Loans& operator=(const Loans&) = delete;

    /// Gives back what is borrowed and waits until others have given back what they borrowed: afterwards
    /// nobody reads what was lent.
    virtual ~Loans() = default;

    /// Returns what the loan at `index` lends, readable until giveBack(index). Waits until it is offered;
    /// throws as Transfer::wait() does. Counts as received.
    [[nodiscard]] virtual ConstBlock borrow(std::size_t index) = 0;

    /// Once for each loan that was borrowed.
    virtual void giveBack(std::size_t index) = 0;

    /// Returns when everything that was lent has been given back. Throws as Transfer::wait() does.
    virtual void wait() = 0;
};

/// How much an endpoint has moved and how long it stood still.
struct TransferCounters {
    std::int64_t bytesReceived = 0;  ///< payload from other devices, copied or read in place
    double waitSeconds = 0;          ///< inside wait(), copies included
    double copySeconds = 0;          ///< share of those spent moving bytes (or adding them up) with its own
                                     ///< workers
};

/// One device's connection to the others, whatever carries the bytes. Only for the device's own thread. The
/// sends from one device to another match that one's receives in the order in which they were started.
class Endpoint {
  public:
    Endpoint() = default;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    virtual ~Endpoint() = default;

    [[nodiscard]] virtual int device() const = 0;

    /// Starts a transfer, which must end before the endpoint does. A device may also send to itself.
    [[nodiscard]] virtual std::shared_ptr<Transfer> start(std::span<const Send> sends,
                                                          std::span<const Receive> receives) = 0;

    /// Copies within this device's memory, with its workers.
    virtual void copy(const ConstBlock& from, const Block& to) = 0;

    [[nodiscard]] virtual TransferCounters counters() const = 0;

    /// Returns whether this device can read the memory of `other`: both are in one process.
    [[nodiscard]] virtual bool sharesMemoryWith(int other) const { return other == device(); }

    /// Lends blocks to, and borrows from, devices that it shares memory with. Loans match as sends and
    /// receives do, and end before the endpoint does. Throws Error{Internal} for devices that share no
    /// memory.
    [[nodiscard]] virtual std::shared_ptr<Loans> startLoans(std::span<const Send> lent,
                                                            std::span<const Borrow> borrowed);
};

}  // namespace meshreel
