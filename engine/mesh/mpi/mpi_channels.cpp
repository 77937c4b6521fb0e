// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_channels.h"

#include <algorithm>
#include <utility>

namespace meshreel {

LinkTransfer::LinkTransfer(std::vector<LinkMessage> messages)
    : m_messages(std::move(messages)), m_open(m_messages.size()) {}

LinkTransfer::End LinkTransfer::await(std::chrono::milliseconds stallTimeout) {
    std::unique_lock lock(m_mutex);
    while (m_open > 0 && !m_failed) {
        const std::size_t before = m_open;
        const bool moved =
            m_changed.wait_for(lock, stallTimeout, [&] { return m_open != before || m_failed; });
        if (!moved)
            return End::Stalled;
    }
    return m_open == 0 ? End::Done : End::Failed;
}

bool LinkTransfer::finished() const {
    const std::lock_guard lock(m_mutex);
    return m_open == 0;
}

void LinkTransfer::awaitRelease() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_open == 0 || m_released; });
}

bool LinkTransfer::messageDone() {
    const std::lock_guard lock(m_mutex);
    --m_open;
    m_changed.notify_all();
    return m_open == 0;
}

void LinkTransfer::fail() {
    const std::lock_guard lock(m_mutex);
    m_failed = true;
    m_changed.notify_all();
}

void LinkTransfer::release() {
    const std::lock_guard lock(m_mutex);
    m_released = true;
    m_changed.notify_all();
}

bool LinkBroadcast::await() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_state != State::Underway; });
    return m_state == State::Done;
}

void LinkBroadcast::end(State state) {
    const std::lock_guard lock(m_mutex);
    if (m_state == State::Underway)
        m_state = state;
    m_changed.notify_all();
}

void LinkBroadcast::fail() {
    end(State::Failed);
}

void LinkBroadcast::finish() {
    end(State::Done);
}

void LinkBroadcast::take(std::size_t offset, std::span<std::byte> piece) const {
    const std::lock_guard lock(m_mutex);
    if (m_state == State::Underway)
        std::ranges::copy(m_bytes.subspan(offset, piece.size()), piece.begin());
}

void LinkBroadcast::put(std::size_t offset, std::span<const std::byte> piece) {
    const std::lock_guard lock(m_mutex);
    if (m_state == State::Underway)
        std::ranges::copy(piece, m_bytes.subspan(offset).begin());
}

bool LinkOutcome::settle(const MeshFailure& failure, bool meshKnows) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_failure)
            return false;
        m_failure = failure;
        m_failedAt = Clock::now();
    }
    {
        // Before the waits end, so that the mesh learns the reason from here.
        const std::lock_guard lock(m_listenerMutex);
        if (m_observer)
            m_observer(failure);
        if (m_listener && !meshKnows)
            m_listener(failure);
    }
    const std::lock_guard lock(m_mutex);
    for (const auto& transfer : std::exchange(m_transfers, {}))
        transfer->fail();
    for (const auto& broadcast : std::exchange(m_broadcasts, {}))
        broadcast->fail();
    return true;
}

std::optional<MeshFailure> LinkOutcome::failure() const {
    const std::lock_guard lock(m_mutex);
    return m_failure;
}

std::optional<LinkOutcome::Clock::time_point> LinkOutcome::failedAt() const {
    const std::lock_guard lock(m_mutex);
    return m_failure ? std::optional(m_failedAt) : std::nullopt;
}

bool LinkOutcome::admit(const std::shared_ptr<LinkTransfer>& transfer) {
    const std::lock_guard lock(m_mutex);
    if (!m_failure)
        m_transfers.insert(transfer);
    return !m_failure;
}

bool LinkOutcome::admit(const std::shared_ptr<LinkBroadcast>& broadcast) {
    const std::lock_guard lock(m_mutex);
    if (!m_failure)
        m_broadcasts.insert(broadcast);
    return !m_failure;
}

void LinkOutcome::dismiss(const std::shared_ptr<LinkTransfer>& transfer) {
    const std::lock_guard lock(m_mutex);
    m_transfers.erase(transfer);
}

void LinkOutcome::dismiss(const std::shared_ptr<LinkBroadcast>& broadcast) {
    const std::lock_guard lock(m_mutex);
    m_broadcasts.erase(broadcast);
}

void LinkOutcome::setListener(Listener listener) {
    const std::lock_guard lock(m_listenerMutex);
    m_listener = std::move(listener);
}

void LinkOutcome::setObserver(Listener observer) {
    const std::lock_guard lock(m_listenerMutex);
    m_observer = std::move(observer);
}

namespace {

constexpr std::size_t pieceBytes = 16UL << 20U;  // of a broadcast
constexpr int wordTag = 0;

}  // namespace

void MpiMessages::post(const std::shared_ptr<LinkTransfer>& transfer) {
    for (const LinkMessage& message : transfer->messages()) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (message.isSend)
            checkMpi(MPI_Isend(message.data, message.bytes, MPI_BYTE, message.peer, message.tag,
                               m_communicator, &request));
        else
            checkMpi(MPI_Irecv(message.data, message.bytes, MPI_BYTE, message.peer, message.tag,
                               m_communicator, &request));
        m_requests.push_back(request);
        m_messages.push_back({transfer, message});
    }
}

bool MpiMessages::test() {
    if (m_requests.empty())
        return false;
    const auto count = static_cast<int>(m_requests.size());
    std::vector<int> done(m_requests.size());
    std::vector<MPI_Status> statuses(m_requests.size());
    int completed = 0;
    checkMpi(MPI_Testsome(count, m_requests.data(), &completed, done.data(), statuses.data()));
    if (completed <= 0)
        return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) {
        int cancelled = 0;
        checkMpi(MPI_Test_cancelled(&statuses[i], &cancelled));
        if (cancelled == 0)
            m_messages[static_cast<std::size_t>(done[i])].transfer->messageDone();
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_requests.size(); ++i)
        if (m_requests[i] != MPI_REQUEST_NULL) {
            m_requests[kept] = m_requests[i];
            if (kept != i)
                m_messages[kept] = std::move(m_messages[i]);
            ++kept;
        }
    m_requests.resize(kept);
    m_messages.resize(kept);
    return true;
}

void MpiMessages::withdrawReceives() {
    for (std::size_t i = 0; i < m_requests.size(); ++i)
        if (!m_messages[i].message.isSend)
            checkMpi(MPI_Cancel(&m_requests[i]));
}

bool MpiMessages::receiving() const {
    return std::ranges::any_of(m_messages, [](const OnItsWay& each) { return !each.message.isSend; });
}

bool MpiMessages::isInert(const LinkTransfer& transfer, const std::function<bool(int)>& isQuiet) const {
    return std::ranges::none_of(m_messages, [&](const OnItsWay& each) {
        return each.transfer.get() == &transfer && !(each.message.isSend && isQuiet(each.message.peer));
    });
}

void MpiMessages::close() {
    checkMpi(MPI_Comm_free(&m_communicator));
}

MpiBroadcasts::MpiBroadcasts(MPI_Comm communicator, std::size_t largestMessage)
    : m_communicator(communicator), m_buffer(std::min(pieceBytes, largestMessage)) {
    int rank = 0;
    checkMpi(MPI_Comm_rank(communicator, &rank));
    m_isRoot = rank == 0;
}

void MpiBroadcasts::add(std::shared_ptr<LinkBroadcast> broadcast) {
    m_waiting.push_back(std::move(broadcast));
    if (m_waiting.size() == 1)
        startPiece();
}

/// Returns as much of the buffer as is carried now.
std::span<std::byte> MpiBroadcasts::piece() {
    return std::span(m_buffer).first(std::min(m_waiting.front()->size() - m_carried, m_buffer.size()));
}

void MpiBroadcasts::startPiece() {
    const std::span<std::byte> bytes = piece();
    if (m_isRoot)
        m_waiting.front()->take(m_carried, bytes);
    checkMpi(
        MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, m_communicator, &m_request));
}

bool MpiBroadcasts::test() {
    if (m_waiting.empty())
        return false;
    int done = 0;
    checkMpi(MPI_Test(&m_request, &done, MPI_STATUS_IGNORE));
    if (done == 0)
        return false;
    const std::span<std::byte> bytes = piece();
    if (!m_isRoot)
        m_waiting.front()->put(m_carried, bytes);
    m_carried += bytes.size();
    if (m_carried == m_waiting.front()->size()) {
        m_carried = 0;
        m_waiting.front()->finish();
        m_waiting.pop_front();
    }
    if (!m_waiting.empty())
        startPiece();
    return true;
}

void MpiBroadcasts::close() {
    checkMpi(MPI_Comm_free(&m_communicator));
}

ControlChannel::ControlChannel(MPI_Comm communicator)
    : m_communicator(communicator), m_heard(longestMessage) {
    checkMpi(MPI_Comm_rank(m_communicator, &m_self));
    checkMpi(MPI_Comm_size(m_communicator, &m_ranks));
    listen();
}

void ControlChannel::listen() {
    checkMpi(MPI_Irecv(m_heard.data(), static_cast<int>(m_heard.size()), MPI_CHAR, MPI_ANY_SOURCE, wordTag,
                       m_communicator, &m_listening));
}

void ControlChannel::broadcast(const ControlMessage& word) {
    forgetSaid();
    const std::string text = encodeMessage(word);
    for (int rank = 0; rank < m_ranks; ++rank) {
        const bool behind =
            std::ranges::any_of(m_sayings, [rank](const Saying& saying) { return saying.rank == rank; });
        if (rank == m_self || (word.signal == ControlSignal::Alive && behind))
            continue;
        Saying& saying = m_sayings.emplace_back(Saying{.rank = rank, .text = text});
        checkMpi(MPI_Isend(saying.text.data(), static_cast<int>(saying.text.size()), MPI_CHAR, rank, wordTag,
                           m_communicator, &saying.request));
    }
}

std::vector<std::pair<int, ControlMessage>> ControlChannel::take() {
    std::vector<std::pair<int, ControlMessage>> words;
    while (true) {
        int arrived = 0;
        MPI_Status status;
        checkMpi(MPI_Test(&m_listening, &arrived, &status));
        if (arrived == 0)
            return words;
        int length = 0;
        checkMpi(MPI_Get_count(&status, MPI_CHAR, &length));
        words.emplace_back(status.MPI_SOURCE,
                           decodeMessage(std::string(m_heard.data(), static_cast<std::size_t>(length))));
        listen();
    }
}

void ControlChannel::forgetSaid() {
    std::erase_if(m_sayings, [](Saying& saying) {
        int left = 0;
        checkMpi(MPI_Test(&saying.request, &left, MPI_STATUS_IGNORE));
        return left != 0;
    });
}

bool ControlChannel::allSaid() {
    forgetSaid();
    return m_sayings.empty();
}

void ControlChannel::close() {
    checkMpi(MPI_Cancel(&m_listening));
    checkMpi(MPI_Wait(&m_listening, MPI_STATUS_IGNORE));
    checkMpi(MPI_Comm_free(&m_communicator));
}

}  // namespace meshreel
