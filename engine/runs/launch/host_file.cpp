// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/host_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <sstream>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::string_view slotsKey = "slots=";
constexpr int mostSlots = 4096;

[[noreturn]] void refuse(const std::string& where, Sentence message,
                         Sentence cure = sentence("Write one host a line: name [slots=N]")) {
    throw Error(ErrorKind::Project, std::move(message), where, std::move(cure));
}

/// A name that stands on mpirun's command line, where a leading '-' would be an option and a ':' begins the
/// slots.
bool isHostName(std::string_view name) {
    const auto isGood = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
               c == '-' || c == '_';
    };
    return !name.empty() && name.front() != '-' && std::ranges::all_of(name, isGood);
}

int parseSlots(std::string_view word, const std::string& where) {
    const std::string_view digits = word.substr(slotsKey.size());
    int slots = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), slots);
    if (failure != std::errc() || end != digits.data() + digits.size() || slots < 1 || slots > mostSlots)
        refuse(where, sentence("'{}' is no number of ranks between 1 and {}", digits, mostSlots));
    return slots;
}

Host parseHost(std::istringstream& words, const std::string& name, const std::string& where) {
    if (!isHostName(name))
        refuse(where, sentence("'{}' is no name of a host", name),
               sentence("Use letters, digits, '.', '-' and '_'; name IPv6 addresses in /etc/hosts"));
    Host host{.name = name};
    std::string word;
    if (words >> word) {
        if (!word.starts_with(slotsKey))
            refuse(where, sentence("'{}' is not understood", word));
        host.ranks = parseSlots(word, where);
    }
    if (words >> word)
        refuse(where, sentence("'{}' is too much on this line", word));
    return host;
}

}  // namespace

std::vector<Host> parseHosts(std::string_view text, const std::string& file) {
    std::vector<Host> hosts;
    std::istringstream lines{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::string where = fmt::format("{}:{}", file, ++number);
        std::istringstream words(line.substr(0, line.find('#')));
        std::string name;
        if (!(words >> name))
            continue;
        const Host host = parseHost(words, name, where);
        if (std::ranges::find(hosts, host.name, &Host::name) != hosts.end())
            refuse(where, sentence("the host '{}' is listed twice", host.name),
                   sentence("List it once, with slots= for more than one rank"));
        hosts.push_back(host);
    }
    if (hosts.empty())
        refuse(file, sentence("it lists no host"));
    return hosts;
}

std::vector<Host> readHosts(const std::filesystem::path& file) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure))
        refuse(file.string(), sentence("there is no such file of hosts"));
    return parseHosts(readFile(file), file.string());
}

int slotsOf(const std::vector<Host>& hosts) {
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
