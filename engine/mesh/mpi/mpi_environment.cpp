// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_environment.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/cpu_set.h"
#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/version.h"
#include "engine/kernels/dispatch/blas_cores.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/linear/matmul.h"

namespace meshreel {
namespace {

// The first is mpirun's, the second that of any PMIx server (Slurm's srun among them).
constexpr std::array rankVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK"};

// How many processes another launcher started, without a word of which is a rank: srun of Slurm without PMIx,
// and the mpiexec of MPICH, Intel MPI and others.
constexpr std::array taskVariables{"SLURM_STEP_NUM_TASKS", "PMI_SIZE"};

const char* rankText() {
    for (const char* variable : rankVariables)
        if (const char* text = std::getenv(variable); text != nullptr)
            return text;
    return nullptr;
}

constexpr int protocolVersion = 1;
constexpr std::size_t longestText = 120;  // keeps the whole below identityBytes

std::string hostName() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

constexpr std::size_t mostCpus = 2048;  // of a host that are told apart; keeps the text below identityBytes
using CpuMask = std::bitset<mostCpus>;

std::string usableCpus() {
    CpuMask mask;
    for (const int cpu : allowedCpus())
        if (const auto place = static_cast<std::size_t>(cpu); place < mask.size())
            mask.set(place);
    const std::string text = mask.to_string();
    return mask.any() ? text.substr(text.find('1')) : std::string("1");
}

/// What is compared, in the order in which differences are reported: the first one explains the others.
struct Trait {
    Sentence what;
    Sentence fix;
    Sentence (*text)(const RankIdentity&);
};

std::array<Trait, 5> traits() {
    const Sentence sameProgram = sentence("Install the same build of Meshreel on every host");
    const Sentence sameHosts = sentence("Use hosts of one kind");
    return {{
        {sentence("the byte order"), sameHosts,
         [](const RankIdentity& rank) { return Sentence(rank.byteOrder); }},
        {sentence("the pointer size"), sameHosts,
         [](const RankIdentity& rank) { return sentence("{} bits", rank.pointerBits); }},
        {sentence("the version"), sameProgram,
         [](const RankIdentity& rank) { return Sentence(rank.version); }},
        {sentence("the protocol"), sameProgram,
         [](const RankIdentity& rank) { return Sentence(std::to_string(rank.protocol)); }},
        {sentence("the build"), sameProgram, [](const RankIdentity& rank) { return Sentence(rank.buildId); }},
    }};
}

}  // namespace

bool underMpirun() {
    return rankText() != nullptr;
}

int lonelyTasks() {
    if (underMpirun())
        return 0;
    for (const char* variable : taskVariables)
        if (const char* text = std::getenv(variable); text != nullptr) {
            const std::string_view digits(text);
            int tasks = 0;
            std::from_chars(digits.data(), digits.data() + digits.size(), tasks);
            if (tasks > 1)
                return tasks;
        }
    return 0;
}

int rankByEnvironment() {
    const char* text = rankText();
    int rank = 0;
    if (text != nullptr) {
        const std::string_view digits(text);
        std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    }
    return rank;
}

bool isRankVariable(std::string_view name) {
    return std::ranges::find(rankVariables, name) != rankVariables.end();
}

bool allRanksAreHere() {
    const char* all = std::getenv("OMPI_COMM_WORLD_SIZE");
    const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return all != nullptr && here != nullptr && std::string_view(all) == here;
}

std::chrono::seconds hostPatience() {
    constexpr std::chrono::seconds usual{120};
    constexpr const char* variable = "MESHREEL_HOST_TIMEOUT";
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0')
        return usual;
    constexpr int longest = 86'400;
    const std::string_view digits(text);
    int seconds = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (failure != std::errc() || end != digits.data() + digits.size() || seconds < 1 || seconds > longest)
        throw Error(ErrorKind::Project,
                    sentence("'{}' is not a number of seconds between 1 and {}", excerpt(digits), longest),
                    variable, sentence("Leave it unset, which is {} seconds", usual.count()));
    return std::chrono::seconds(seconds);
}

bool mayCopyBetweenProcesses() {
    long word = 1;
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        return false;
    if (child == 0) {
        long copy = 0;
        const iovec local{&copy, sizeof copy};
        const iovec remote{&word, sizeof word};
        const bool copied = ::process_vm_readv(parent, &local, 1, &remote, 1, 0) == sizeof copy;
        ::_exit(copied ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

RankIdentity thisRankIdentity() {
    return {.host = hostName(),
            .version = fmt::format("{} ({})", versionNumber(), versionCommit()),
            .buildId = programBuildId(),
            .isa = isaName(),
            .products = matmulLibrary(),
            .byteOrder = std::endian::native == std::endian::little ? "little" : "big",
            .pointerBits = static_cast<int>(sizeof(void*) * CHAR_BIT),
            .protocol = protocolVersion,
            .cpus = usableCpus(),
            .cpuQuota = cpuQuota().value_or(0)};
}

std::string encodeIdentity(const RankIdentity& identity) {
    const auto cut = [](const std::string& text) { return text.substr(0, longestText); };
    const nlohmann::json json{{"host", cut(identity.host)},
                              {"version", cut(identity.version)},
                              {"build_id", cut(identity.buildId)},
                              {"isa", cut(identity.isa)},
                              {"products", cut(identity.products)},
                              {"byte_order", cut(identity.byteOrder)},
                              {"pointer_bits", identity.pointerBits},
                              {"protocol", identity.protocol},
                              {"cpus", identity.cpus},
                              {"cpu_quota", identity.cpuQuota}};
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RankIdentity decodeIdentity(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return {};
    return {.host = json.value("host", ""),
            .version = json.value("version", ""),
            .buildId = json.value("build_id", ""),
            .isa = json.value("isa", ""),
            .products = json.value("products", ""),
            .byteOrder = json.value("byte_order", ""),
            .pointerBits = json.value("pointer_bits", 0),
            .protocol = json.value("protocol", 0),
            .cpus = json.value("cpus", ""),
            .cpuQuota = json.value("cpu_quota", 0)};
}

int cpusOfHost(std::span<const RankIdentity> ranks, const std::string& host) {
    CpuMask usable;
    int quota = 0;
    bool limited = true;
    for (const RankIdentity& rank : ranks) {
        if (rank.host != host)
            continue;
        if (rank.cpus.size() <= mostCpus && rank.cpus.find_first_not_of("01") == std::string::npos)
            usable |= CpuMask(rank.cpus);
        quota = std::max(quota, rank.cpuQuota);
        limited = limited && rank.cpuQuota > 0;
    }
    const int allowed = static_cast<int>(usable.count());
    return std::max(1, limited ? std::min(allowed, quota) : allowed);
}

void requireSameProgram(std::span<const RankIdentity> ranks) {
    const RankIdentity& first = ranks.front();
    const std::array<Trait, 5> compared = traits();
    for (std::size_t rank = 1; rank < ranks.size(); ++rank)
        for (const Trait& trait : compared)
            if (const Sentence own = trait.text(ranks[rank]), expected = trait.text(first); own != expected)
                throw Error(ErrorKind::Device,
                            sentence("rank {} on host {} and rank 0 on host {} differ in {}: {} and {}", rank,
                                     ranks[rank].host, first.host, trait.what, own, expected),
                            {}, trait.fix);
}

std::vector<Sentence> isaDifferences(std::span<const RankIdentity> ranks) {
    std::vector<Sentence> differences;
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
        if (ranks[rank].isa != ranks.front().isa)
            differences.push_back(sentence(
                "rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs "
                "slightly from that of one instruction set. For the same bits everywhere give the narrowest "
                "of them with --isa",
                rank, ranks[rank].host, ranks[rank].isa, ranks.front().host, ranks.front().isa));
        else if (ranks[rank].products != ranks.front().products)
            differences.push_back(sentence(
                "rank {} on host {} multiplies with {}, and rank 0 on host {} with {}: the result differs "
                "slightly from that of one library. For the same bits everywhere install one version of "
                "OpenBLAS, and set {} alike",
                rank, ranks[rank].host, ranks[rank].products, ranks.front().host, ranks.front().products,
                blasCoreVariable));
    }
    return differences;
}

}  // namespace meshreel
