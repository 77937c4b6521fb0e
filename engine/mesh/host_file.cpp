// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/host_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/base/written_text.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mesh_resolution.h"

namespace meshreel {

namespace {

constexpr std::string_view slotsKey = "slots=";
constexpr std::size_t longestName = 253;  // bytes, of RFC 1035
constexpr std::size_t longestLabel = 63;

[[noreturn]] void refuse(const std::string& where, Sentence message,
                         Sentence hint = sentence("Write one host a line: name [slots=N]")) {
    throw Error(ErrorKind::Project, std::move(message), where, std::move(hint));
}

bool isLetterOrDigit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A name that stands on mpirun's command line, where a leading '-' would be an option and a ':' begins the
/// slots; in capitals or not, it is the same host.
std::string readName(std::string name, const std::string& where) {
    const auto isGood = [](char c) { return isLetterOrDigit(c) || c == '.' || c == '-' || c == '_'; };
    if (name.size() > longestName)
        refuse(where,
               sentence("the name of a host has at most {} characters, and this one has {}", longestName,
                        name.size()),
               sentence("Write the name that ssh knows the host by"));
    if (name.front() == '-' || !std::ranges::all_of(name, isGood))
        refuse(where, sentence("'{}' is not a host name", excerpt(name)),
               sentence("Use letters, digits, '.', '-' and '_'; name IPv6 addresses in /etc/hosts"));
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos && begin < name.size(); begin = end + 1) {
        end = name.find('.', begin);
        const std::size_t length = std::min(end, name.size()) - begin;
        if (length == 0 || length > longestLabel)
            refuse(where, sentence("'{}' is not a host name", excerpt(name)),
                   sentence("Between its dots are 1 to {} characters", longestLabel));
    }
    std::ranges::transform(name, name.begin(), lowered);
    return name;
}

int readSlots(std::string_view word, const std::string& where) {
    const std::string_view digits = word.substr(slotsKey.size());
    int slots = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), slots);
    if (failure != std::errc() || end != digits.data() + digits.size() || slots < 1 || slots > maxMeshDevices)
        refuse(where,
               sentence("'{}' is not a number of ranks between 1 and {}", excerpt(digits), maxMeshDevices));
    return slots;
}

Host readHost(std::istringstream& words, std::string name, const std::string& where) {
    Host host{.name = readName(std::move(name), where)};
    std::string word;
    if (words >> word) {
        if (!word.starts_with(slotsKey))
            refuse(where, sentence("'{}' is not understood", excerpt(word)));
        host.ranks = readSlots(word, where);
    }
    if (words >> word)
        refuse(where, sentence("'{}' is too much on this line", excerpt(word)));
    return host;
}

int ranksHere(const std::vector<Host>& hosts) {
    int ranks = 0;
    for (const Host& host : hosts)
        if (isThisMachine(host.name))
            ranks += host.ranks;
    return ranks;
}

/// Judges what is known before any host is asked: for this machine its CPUs, for all hosts the sum. Each of
/// the others checks its own CPUs when its ranks begin.
void judge(const std::vector<Host>& hosts, const HostLimits& limits, const std::string& where) {
    const int ranks = countSlots(hosts);
    if (ranks > maxMeshDevices)
        refuse(where,
               sentence("the hosts up to here take {} ranks, and no mesh has more than {} devices", ranks,
                        maxMeshDevices),
               sentence("List fewer hosts, or fewer slots"));
    if (limits.oversubscribe)
        return;
    if (isThisMachine(hosts.back().name))
        if (auto overload = rankOverload(ranksHere(hosts), hosts.back().name, limits.localCpus))
            throw Error(ErrorKind::Project, atPlace(where, *std::move(overload)));
    if (auto overload = rankOverload(ranks))
        throw Error(ErrorKind::Project, atPlace(where, *std::move(overload)));
}

/// Not more than a file of hosts holds, whatever lies there.
std::string readBounded(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text(limitValue(Limit::Hosts) + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad() || (in.fail() && !in.eof()))
        refuse(file.string(), sentence("the file of hosts cannot be read"),
               sentence("Check its permissions"));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > limitValue(Limit::Hosts))
        refuse(file.string(),
               sentence("the file of hosts is larger than {}", formatBytes(limitValue(Limit::Hosts))));
    return text;
}

}  // namespace

bool isThisMachine(const std::string& name) {
    std::array<char, HOST_NAME_MAX + 1> text{};
    std::string own;
    if (::gethostname(text.data(), text.size() - 1) == 0)
        own = text.data();
    std::ranges::transform(own, own.begin(), lowered);
    return name == "localhost" || name.starts_with("127.") || name == own ||
           name == own.substr(0, own.find('.'));
}

std::vector<Host> parseHosts(std::string_view text, const std::string& file, const HostLimits& limits) {
    std::vector<Host> hosts;
    std::set<std::string> names;
    int number = 0;
    for (const std::string_view line : textLines(withoutByteOrderMark(text))) {
        const std::string where = fmt::format("{}:{}", file, ++number);
        std::istringstream words{std::string(line.substr(0, line.find('#')))};
        std::string name;
        if (!(words >> name))
            continue;
        hosts.push_back(readHost(words, std::move(name), where));
        if (!names.insert(hosts.back().name).second)
            refuse(where, sentence("the host '{}' is listed twice", excerpt(hosts.back().name)),
                   sentence("List it once, with slots= for more than one rank"));
        judge(hosts, limits, where);
    }
    if (hosts.empty())
        refuse(file, sentence("it lists no host"));
    return hosts;
}

std::vector<Host> readHosts(const std::filesystem::path& file, const HostLimits& limits) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure))
        refuse(file.string(), sentence("there is no such file of hosts"));
    return parseHosts(readBounded(file), file.string(), limits);
}

std::vector<int> ranksByHost(const std::vector<Host>& hosts) {
    std::vector<int> ranks;
    for (const Host& host : hosts)
        ranks.push_back(host.ranks);
    return ranks;
}

int countSlots(const std::vector<Host>& hosts) {
    return std::transform_reduce(hosts.begin(), hosts.end(), 0, std::plus(),
                                 [](const Host& host) { return host.ranks; });
}

std::size_t hostOfRank(const std::vector<Host>& hosts, int rank) {
    std::size_t host = 0;
    for (int left = rank; left >= hosts.at(host).ranks; ++host)
        left -= hosts[host].ranks;
    return host;
}

}  // namespace meshreel
