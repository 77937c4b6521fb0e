// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_session.h"

#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "engine/base/error.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/link_broadcast.h"
#include "engine/mesh/mpi/mpi_comm_thread.h"
#include "engine/mesh/mpi/mpi_transfer.h"

namespace meshreel {

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

std::optional<Overload> MpiSession::overload() const {
    const std::vector<RankIdentity>& identities = m_impl->thread.identities();
    std::map<std::string, int> ranksOfHosts;
    for (const RankIdentity& identity : identities)
        ++ranksOfHosts[identity.host];
    for (const auto& [host, ranks] : ranksOfHosts)
        if (auto overload = rankOverload(ranks, host, cpusOfHost(identities, host)))
            return overload;
    return rankOverload(ranks());
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
        throwForOthers(failure().value_or(MeshFailure{.host = {}, .reason = sentence("the ranks gave up")}));
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

std::unique_ptr<Transfer> MpiSession::start(int device, std::vector<Send> sends,
                                            std::vector<Receive> receives) {
    return std::make_unique<MpiTransfer>(m_impl->thread, m_impl->map, m_impl->stallTimeout, device, sends,
                                         std::move(receives));
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
