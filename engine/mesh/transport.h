// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

class WorkerPool;

/// Bytes laid out in planes of rows: plane p, row r begins at data + p·planeStride + r·rowStride and is
/// rowBytes long. Strides are in bytes. What a collective sends or receives; both ends need as many bytes in
/// all, not the same layout.
template <typename Byte>
struct BasicBlock {
    Byte* data = nullptr;
    std::int64_t rowBytes = 0;
    std::int64_t rows = 1;
    std::int64_t rowStride = 0;
    std::int64_t planes = 1;
    std::int64_t planeStride = 0;

    [[nodiscard]] std::int64_t bytes() const { return rowBytes * rows * planes; }
};

using Block = BasicBlock<std::byte>;
using ConstBlock = BasicBlock<const std::byte>;

inline ConstBlock asConst(const Block& block) {
    return {block.data, block.rowBytes, block.rows, block.rowStride, block.planes, block.planeStride};
}

/// All of `values`, side by side.
template <typename T>
Block blockOf(std::span<T> values) {
    return {reinterpret_cast<std::byte*>(values.data()), static_cast<std::int64_t>(values.size_bytes())};
}
template <typename T>
ConstBlock blockOf(std::span<const T> values) {
    return {reinterpret_cast<const std::byte*>(values.data()),
            static_cast<std::int64_t>(values.size_bytes())};
}

/// What happens to received bytes.
enum class Combine : std::uint8_t {
    Replace,
    AddFloats,  ///< the block holds f32 values, which are added to those already there
};

/// Copies (or adds) `from` into `to`; both have as many bytes in all, row by row in order.
void copyBlock(const ConstBlock& from, const Block& to, Combine combine = Combine::Replace);

/// The same by a team, when there is enough to copy.
void copyBlock(const ConstBlock& from, const Block& to, Combine combine, WorkerPool& workers);

struct Send {
    int to = 0;  ///< device
    ConstBlock block;
};

struct Receive {
    int from = 0;  ///< device
    Block block;
    Combine combine = Combine::Replace;
};

/// Transfers that were started together. Their blocks must stay as they are until wait() returned.
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
    /// the stall timeout, Error{Cancelled} when the run was stopped.
    /// Needs of the other devices only that they have started the counterparts, not that they wait for
    /// them: transfers may be waited for in any order.
    virtual void wait() = 0;
};

/// How much an endpoint has moved and how long it stood still.
struct TransferCounters {
    std::int64_t bytesReceived = 0;  ///< payload from other devices
    double waitSeconds = 0;          ///< inside wait(), copies included
    double copySeconds = 0;          ///< of those, moving bytes (or adding them up) with its own workers
};

/// One device's way to the others, whatever carries the bytes. Used by the device's own thread only. The
/// sends from one device to another match that one's receives in the order in which they were started.
class Endpoint {
  public:
    Endpoint() = default;
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    virtual ~Endpoint() = default;

    [[nodiscard]] virtual int device() const = 0;

    /// A device may also send to itself.
    [[nodiscard]] virtual std::unique_ptr<Transfer> start(std::vector<Send> sends,
                                                          std::vector<Receive> receives) = 0;

    /// Copies within this device's memory, with its workers.
    virtual void copy(const ConstBlock& from, const Block& to) = 0;

    [[nodiscard]] virtual TransferCounters counters() const = 0;
};

/// In place of a device where the failure is of the process as a whole.
inline constexpr int noDevice = -1;

/// Why a mesh gave up.
struct MeshFailure {
    int device = noDevice;  ///< the first that failed; noDevice when a whole rank is gone
    int rank = 0;           ///< the process it belongs to
    std::string host;       ///< where that process ran
    Sentence reason;        ///< what it threw, or why it counts as gone
    bool cancelled = false;
};

/// Carries transfers to devices of other processes. Called from many device threads at once.
class RemoteLink {
  public:
    virtual ~RemoteLink() = default;

    /// Transfers of `device` with devices of other processes only. wait() throws Error{Device} (or
    /// Error{Cancelled}) once any process of the mesh has failed.
    [[nodiscard]] virtual std::unique_ptr<Transfer> start(int device, std::vector<Send> sends,
                                                          std::vector<Receive> receives) = 0;

    /// Tells every other process that this one gives up, and lets all transfers here end by throwing.
    virtual void fail(const MeshFailure& failure) = 0;

    /// `onFailure` is called once, from a thread of the link, when another process has failed or is gone.
    virtual void listen(std::function<void(const MeshFailure&)> onFailure) = 0;
};

/// What other processes are told about an exception of `device`; the link adds rank and host.
MeshFailure describeFailure(int device, const std::exception_ptr& failure);

/// What the devices that did not fail themselves are ended with: Error{Cancelled}, or Error{Device} naming
/// who failed and why.
[[noreturn]] void throwForOthers(const MeshFailure& failure);

}  // namespace meshreel
