// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_transfer.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_comm_thread.h"

namespace meshreel {
namespace {

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

}  // namespace

MpiTransfer::MpiTransfer(MpiCommThread& thread, const RankMap& map, std::chrono::milliseconds stallTimeout,
                         int device, const std::vector<Send>& sends, std::vector<Receive> receives)
    : m_thread(thread), m_stallTimeout(stallTimeout), m_device(device) {
    std::vector<LinkMessage> messages;
    for (Receive& receive : receives) {
        std::byte* data = receivable(receive);
        appendMessages(messages,
                       {.isSend = false,
                        .peer = map.rankOf(receive.from),
                        .tag = map.tagOf(receive.from, device),
                        .data = data},
                       receive.block.bytes(), map.largestMessage);
        m_arrivals.push_back({receive, data == receive.block.data ? nullptr : data});
    }
    for (const Send& send : sends)
        appendMessages(messages,
                       {.isSend = true,
                        .peer = map.rankOf(send.to),
                        .tag = map.tagOf(device, send.to),
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
    throwForOthers(m_thread.outcome().failure().value_or(
        MeshFailure{.host = {}, .reason = sentence("the ranks gave up")}));
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

}  // namespace meshreel
