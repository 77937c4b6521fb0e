// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_session.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_channels.h"
#include "engine/mesh/mpi/mpi_comm_thread.h"
#include "engine/mesh/transport.h"

namespace meshreel {
namespace {

/// Which rank has which devices, and how long messages may be.
struct RankMap {
    int rank = 0;
    int devicesPerRank = 1;
    std::int64_t largestMessage = 0;

    [[nodiscard]] int rankOf(int device) const { return device / devicesPerRank; }
    /// One number for each pair of devices of two ranks.
    [[nodiscard]] int messageTag(int from, int to) const {
        return from % devicesPerRank * devicesPerRank + to % devicesPerRank;
    }
};

template <typename Byte>
bool isOnePiece(const BasicBlock<Byte>& block) {
    const bool rowsTouch = block.rows == 1 || block.rowStride == block.rowBytes;
    return rowsTouch && (block.planes == 1 || block.planeStride == block.rowBytes * block.rows);
}

/// Cuts bytes into messages of the largest length; both ends cut alike.
void appendMessages(std::vector<LinkMessage>& messages, LinkMessage message, std::int64_t bytes,
                    std::int64_t largest) {
    for (std::int64_t done = 0; done < bytes; done += largest) {
        message.bytes = static_cast<int>(std::min(bytes - done, largest));
        messages.push_back(message);
        message.data += message.bytes;
    }
}

[[noreturn]] void throwGivenUp(const std::optional<MeshFailure>& failure) {
    throwForOthers(failure.value_or(MeshFailure{.host = {}, .reason = sentence("the ranks gave up")}));
}

/// A transfer with devices of other ranks. Contiguous blocks travel directly between their places; others,
/// and sums, are packed and unpacked here, by the device's own thread, so that the communication thread never
/// copies for all devices.
class MpiTransfer final : public Transfer {
  public:
    MpiTransfer(MpiCommThread& thread, const RankMap& map, std::chrono::milliseconds stallTimeout, int device,
                std::span<const Send> sends, std::span<const Receive> receives);
    ~MpiTransfer() override;
    MpiTransfer(const MpiTransfer&) = delete;
    MpiTransfer& operator=(const MpiTransfer&) = delete;

    void wait() override;

  private:
    struct Arrival {
        Receive receive;
        const std::byte* packed = nullptr;  // null: it arrives where it belongs
    };

    std::byte* sendable(const ConstBlock& block);
    std::byte* receivable(const Receive& receive);
    std::byte* newBuffer(std::int64_t bytes);
    void unpack();
    [[noreturn]] void throwStalled() const;

    MpiCommThread& m_thread;
    std::chrono::milliseconds m_stallTimeout;
    int m_device;
    std::vector<std::unique_ptr<std::byte[]>> m_buffers;
    std::vector<Arrival> m_arrivals;
    std::shared_ptr<LinkTransfer> m_link;
    bool m_waited = false;
};

MpiTransfer::MpiTransfer(MpiCommThread& thread, const RankMap& map, std::chrono::milliseconds stallTimeout,
                         int device, std::span<const Send> sends, std::span<const Receive> receives)
    : m_thread(thread), m_stallTimeout(stallTimeout), m_device(device) {
    std::vector<LinkMessage> messages;
    for (const Receive& receive : receives) {
        std::byte* data = receivable(receive);
        appendMessages(messages,
                       {.isSend = false,
                        .peer = map.rankOf(receive.from),
                        .tag = map.messageTag(receive.from, device),
                        .data = data},
                       receive.block.bytes(), map.largestMessage);
        m_arrivals.push_back({receive, data == receive.block.data ? nullptr : data});
    }
    for (const Send& send : sends)
        appendMessages(messages,
                       {.isSend = true,
                        .peer = map.rankOf(send.to),
                        .tag = map.messageTag(device, send.to),
                        .data = sendable(send.block)},
                       send.block.bytes(), map.largestMessage);
    m_link = std::make_shared<LinkTransfer>(std::move(messages));
    m_thread.submit(m_link);
}

MpiTransfer::~MpiTransfer() {
    if (!m_waited && !m_link->finished())
        m_thread.abandon(m_link);
    m_thread.outcome().dismiss(m_link);
}

std::byte* MpiTransfer::newBuffer(std::int64_t bytes) {
    return m_buffers
        .emplace_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)))
        .get();
}

std::byte* MpiTransfer::sendable(const ConstBlock& block) {
    if (isOnePiece(block))
        return const_cast<std::byte*>(block.data);  // MPI_Isend only reads
    std::byte* packed = newBuffer(block.bytes());
    copyBlock(block, {packed, block.bytes()});
    return packed;
}

std::byte* MpiTransfer::receivable(const Receive& receive) {
    if (receive.combine == Combine::Replace && isOnePiece(receive.block))
        return receive.block.data;
    return newBuffer(receive.block.bytes());
}

void MpiTransfer::wait() {
    if (std::exchange(m_waited, true))
        return;
    const LinkTransfer::End end = m_link->await(m_stallTimeout);
    if (end == LinkTransfer::End::Done) {
        unpack();
        return;
    }
    m_waited = false;
    if (end == LinkTransfer::End::Stalled)
        throwStalled();
    throwGivenUp(m_thread.outcome().failure());
}

void MpiTransfer::unpack() {
    for (const Arrival& arrival : m_arrivals)
        if (arrival.packed != nullptr)
            copyBlock({arrival.packed, arrival.receive.block.bytes()}, arrival.receive.block,
                      arrival.receive.combine);
}

void MpiTransfer::throwStalled() const {
    std::map<std::string, Sentence> peers;
    for (const LinkMessage& message : m_link->messages()) {
        Sentence peer = sentence("rank {} on {}", message.peer,
                                 m_thread.identities()[static_cast<std::size_t>(message.peer)].host);
        peers.emplace(peer.text(), std::move(peer));
    }
    std::vector<Sentence> names;
    for (auto& [text, peer] : peers)
        names.push_back(std::move(peer));
    throw Error(ErrorKind::Device,
                sentence("nothing moved between device {} and {} for {} s", m_device, commaList(names),
                         std::chrono::duration_cast<std::chrono::seconds>(m_stallTimeout).count()),
                {}, sentence("Look at those hosts; raise stall_timeout if they are only slow"));
}

}  // namespace

class MpiSession::Impl {
  public:
    explicit Impl(const MpiSessionOptions& options)
        : thread(options), map{.rank = thread.rank(), .largestMessage = options.largestMessage} {}

    MpiCommThread thread;
    RankMap map;
    std::chrono::milliseconds stallTimeout{300'000};
};

MpiSession::MpiSession(MpiSessionOptions options) : m_impl(std::make_unique<Impl>(options)) {}
MpiSession::~MpiSession() = default;

int MpiSession::rank() const {
    return m_impl->thread.rank();
}

int MpiSession::ranks() const {
    return static_cast<int>(m_impl->thread.identities().size());
}

const std::string& MpiSession::host(int rank) const {
    return m_impl->thread.identities()[static_cast<std::size_t>(rank)].host;
}

std::optional<Problem> MpiSession::overload() const {
    const std::vector<RankIdentity>& identities = m_impl->thread.identities();
    std::map<std::string, int> ranksOfHosts;
    for (const RankIdentity& identity : identities)
        ++ranksOfHosts[identity.host];
    for (const auto& [host, ranks] : ranksOfHosts)
        if (auto overload = rankOverload(ranks, host, cpusOfHost(identities, host)))
            return overload;
    return rankOverload(ranks());
}

std::vector<Sentence> MpiSession::isaWarnings() const {
    return isaDifferences(m_impl->thread.identities());
}

void MpiSession::setDevices(int devices, std::chrono::milliseconds stallTimeout) {
    if (devices < ranks() || devices % ranks() != 0)
        throw Error(ErrorKind::Project,
                    sentence("{} devices cannot be shared out evenly to {} MPI ranks", devices, ranks()), {},
                    sentence("Start as many ranks as divide the number of devices, or change the mesh"));
    m_impl->map.devicesPerRank = devices / ranks();
    m_impl->stallTimeout = stallTimeout;
}

void MpiSession::broadcast(std::span<std::byte> bytes) {
    if (bytes.empty() || ranks() == 1)
        return;
    const auto broadcast = std::make_shared<LinkBroadcast>(bytes);
    m_impl->thread.submit(broadcast);
    const bool done = broadcast->await();
    m_impl->thread.outcome().dismiss(broadcast);
    if (!done)
        throwGivenUp(failure());
}

std::string MpiSession::broadcastText(std::string_view text) {
    std::uint64_t size = text.size();
    broadcast(std::as_writable_bytes(std::span(&size, 1)));
    std::string result(rank() == 0 ? text : std::string_view());
    result.resize(size);
    broadcast(std::as_writable_bytes(std::span(result)));
    return result;
}

void MpiSession::requireSame(const Sentence& what, const std::string& value) {
    const std::string first = broadcastText(value);
    if (first != value)
        throw Error(ErrorKind::Device,
                    sentence("rank {} on host {} and rank 0 on host {} differ in {}: {} and {}", rank(),
                             host(rank()), host(0), what, value, first),
                    {}, sentence("Make the hosts alike"));
}

std::unique_ptr<Transfer> MpiSession::start(int device, std::span<const Send> sends,
                                            std::span<const Receive> receives) {
    return std::make_unique<MpiTransfer>(m_impl->thread, m_impl->map, m_impl->stallTimeout, device, sends,
                                         receives);
}

void MpiSession::fail(const MeshFailure& failure) {
    MeshFailure full = failure;
    full.rank = rank();
    full.host = host(rank());
    m_impl->thread.fail(full);
}

void MpiSession::listen(std::function<void(const MeshFailure&)> onFailure) {
    m_impl->thread.outcome().setListener(std::move(onFailure));
}

void MpiSession::observe(std::function<void(const MeshFailure&)> onFailure) {
    m_impl->thread.outcome().setObserver(std::move(onFailure));
}

void MpiSession::terminate() {
    m_impl->thread.terminate();
}

std::optional<MeshFailure> MpiSession::failure() const {
    return m_impl->thread.outcome().failure();
}

}  // namespace meshreel
