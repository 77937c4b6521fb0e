// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <climits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {
namespace {

constexpr int protocolVersion = 1;
constexpr std::size_t longestText = 120;  // keeps the whole below identityBytes

std::string hostName() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

/// What is compared, in the order in which it is told: the first difference explains the others.
struct Trait {
    std::string_view what;
    std::string_view cure;
    std::string (*text)(const RankIdentity&);
};

constexpr std::string_view sameProgram = "Install the same build of Meshreel on every host";
constexpr std::string_view sameHosts = "Use hosts of one kind";

constexpr std::array traits{
    Trait{"the byte order", sameHosts, [](const RankIdentity& rank) { return rank.byteOrder; }},
    Trait{"the pointer size", sameHosts,
          [](const RankIdentity& rank) { return fmt::format("{} bits", rank.pointerBits); }},
    Trait{"the version", sameProgram, [](const RankIdentity& rank) { return rank.version; }},
    Trait{"the protocol", sameProgram,
          [](const RankIdentity& rank) { return std::to_string(rank.protocol); }},
    Trait{"the build", sameProgram, [](const RankIdentity& rank) { return rank.buildId; }},
    Trait{"the instruction set", sameHosts, [](const RankIdentity& rank) { return rank.isa; }},
};

}  // namespace

RankIdentity thisRankIdentity() {
    return {.host = hostName(),
            .version = fmt::format("{} ({})", versionNumber(), versionCommit()),
            .buildId = programBuildId(),
            .isa = isaName(),
            .byteOrder = std::endian::native == std::endian::little ? "little" : "big",
            .pointerBits = static_cast<int>(sizeof(void*) * CHAR_BIT),
            .protocol = protocolVersion};
}

std::string encodeIdentity(const RankIdentity& identity) {
    const auto cut = [](const std::string& text) { return text.substr(0, longestText); };
    const nlohmann::json json{{"host", cut(identity.host)},
                              {"version", cut(identity.version)},
                              {"build_id", cut(identity.buildId)},
                              {"isa", cut(identity.isa)},
                              {"byte_order", cut(identity.byteOrder)},
                              {"pointer_bits", identity.pointerBits},
                              {"protocol", identity.protocol}};
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
            .byteOrder = json.value("byte_order", ""),
            .pointerBits = json.value("pointer_bits", 0),
            .protocol = json.value("protocol", 0)};
}

void requireSameProgram(std::span<const RankIdentity> ranks) {
    const RankIdentity& first = ranks.front();
    for (std::size_t rank = 1; rank < ranks.size(); ++rank)
        for (const Trait& trait : traits)
            if (const std::string own = trait.text(ranks[rank]), expected = trait.text(first);
                own != expected)
                throw Error(ErrorKind::Device,
                            fmt::format("rank {} on host {} and rank 0 on host {} differ in {}: {} and {}",
                                        rank, ranks[rank].host, first.host, trait.what, own, expected),
                            {}, std::string(trait.cure));
}

}  // namespace meshreel
