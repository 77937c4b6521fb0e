// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/mesh/memory_block.h"
#include "engine/mesh/transport.h"

namespace meshreel {

/// A collective that was started. Its destructor withdraws what was not waited for: declare it after the
/// memory it moves. Until wait() returned, what is sent must stay as it is, and what is received may change
/// at any time.
class Pending {
  public:
    Pending() = default;
    explicit Pending(std::shared_ptr<Transfer> transfer) : m_transfer(std::move(transfer)) {}

    /// Waits as Transfer::wait() does; does nothing when there is nothing (left) to wait for.
    void wait();

  private:
    std::shared_ptr<Transfer> m_transfer;
};

/// A block of each member of a group, read where its owner has it. Declare it after the memory that it lends.
class SharedBlocks {
  public:
    SharedBlocks(std::shared_ptr<Loans> loans, int position, int members);

    /// Returns the bytes of another member, readable until giveBack(). Throws as Transfer::wait() does.
    [[nodiscard]] const std::byte* borrow(int position);
    void giveBack(int position);

    /// Returns when the others have given back the own one. Throws as Transfer::wait() does.
    void wait();

  private:
    [[nodiscard]] std::size_t indexOf(int position) const;

    std::shared_ptr<Loans> m_loans;
    int m_position;
    int m_members;
};

/// An ordered group of devices, as seen by one of its members. All members call the same collectives in the
/// same order; each is identified by its position in the group. Collectives in a group of one member do
/// nothing and cost nothing. All throw as Transfer::wait() does; sums are taken in the order of positions, so
/// that every member gets the same bits.
class Communicator {
  public:
    /// `members` are device numbers; endpoint.device() is among them.
    Communicator(Endpoint& endpoint, std::vector<int> members);

    [[nodiscard]] int size() const { return static_cast<int>(m_members.size()); }
    [[nodiscard]] int position() const { return m_position; }
    [[nodiscard]] std::span<const int> members() const { return m_members; }

    /// Returns the members at these positions, which contain this one: a group that this one keeps.
    [[nodiscard]] Communicator& subgroup(std::span<const int> positions);

    /// sends[p] goes to position p and lands there in receives[position()]; the own part is copied before
    /// this returns. size() blocks each; empty blocks are allowed where both ends agree.
    [[nodiscard]] Pending startAllToAll(std::span<const ConstBlock> sends, std::span<const Block> receives);

    /// Sends to position + hops and receives from position - hops; hops may be negative. On a ring positions
    /// wrap around; on a line what would cross an end is neither sent nor received.
    enum class Shape : std::uint8_t { Ring, Line };
    [[nodiscard]] Pending startShift(int hops, Shape shape, const ConstBlock& send, const Block& receive);

    /// parts[p] becomes what position p gave; the own part is copied before this returns, unless it is there
    /// already.
    [[nodiscard]] Pending startAllGather(const ConstBlock& own, std::span<const Block> parts);

    /// Computes part = Σ over positions of their slices[position()]; the slices of one device are disjoint.
    [[nodiscard]] Pending startReduceScatter(std::span<const std::span<const float>> slices,
                                             std::span<float> part);

    /// Returns whether the members are in one process and can read each other's memory.
    [[nodiscard]] bool sharesMemory() const;

    /// Lends `own` to all others; position p lends bytes[p] contiguous bytes. The members must share memory.
    [[nodiscard]] SharedBlocks shareBlocks(const ConstBlock& own, std::span<const std::int64_t> bytes);

    [[nodiscard]] Pending startBroadcast(int root, const Block& block);

    /// values = Σ over positions; above 1024 values a reduce-scatter followed, in wait(), by an all-gather:
    /// all members wait for such sums in the same order.
    [[nodiscard]] Pending startAllReduceSum(std::span<float> values);

    [[nodiscard]] Pending startBarrier();

    void allToAll(std::span<const ConstBlock> sends, std::span<const Block> receives);
    void shift(int hops, Shape shape, const ConstBlock& send, const Block& receive);
    void allGather(const ConstBlock& own, std::span<const Block> parts);
    void reduceScatter(std::span<const std::span<const float>> slices, std::span<float> part);
    void broadcast(int root, const Block& block);

    void allReduceSum(std::span<float> values);

    /// values = the largest over positions, each by itself; for few values.
    void allReduceMax(std::span<float> values);

    void barrier();

  private:
    Endpoint* m_endpoint;
    std::vector<int> m_members;
    int m_position = 0;
    std::vector<std::unique_ptr<Communicator>> m_subgroups;  // each once
};

}  // namespace meshreel
