// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/host_file.h"

#include <gmock/gmock.h>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;

testing::Refusal refusedHosts(const std::string& text, const std::string& where) {
    SCOPED_TRACE(text);
    testing::Refusal refused =
        testing::refusalOf(ErrorKind::Project, [&text] { parseHosts(text, "hosts.txt", {.localCpus = 1}); });
    EXPECT_TRUE(refused) << "was accepted";
    EXPECT_THAT(refused, testing::At(where));
    EXPECT_FALSE(refused.problem.hint().empty());
    return refused;
}

/// The values are among those that the refusal names.
void expectRefused(const std::string& text, const std::string& where,
                   const std::vector<std::string>& values) {
    EXPECT_THAT(refusedHosts(text, where), testing::NamesAllOf(values)) << text;
}

TEST(HostFile, ListsHostsWithTheirSlots) {
    const std::vector<Host> hosts = parseHosts(
        "# my machines\nlocalhost slots=2\n\n  node-1.example   # the big one\nnode_2\tslots=16\r\n", "h");
    EXPECT_EQ(hosts, (std::vector<Host>{{"localhost", 2}, {"node-1.example", 1}, {"node_2", 16}}));
}

TEST(HostFile, IsReadAsAnySystemWritesIt) {
    const std::vector<Host> hosts{{"localhost", 2}, {"node", 1}};
    EXPECT_EQ(parseHosts("\xEF\xBB\xBFlocalhost slots=2\r\nnode\r\n", "h"), hosts);
    EXPECT_EQ(parseHosts("localhost slots=2\rnode", "h"), hosts);
}

TEST(HostFile, MistakesAreRefusedWithTheirLine) {
    expectRefused("a\nb slots=0\n", "hosts.txt:2", {"0"});
    expectRefused("a slots=many", "hosts.txt:1", {"many"});
    expectRefused("a slots=99999999999", "hosts.txt:1", {"99999999999"});
    expectRefused("a max=2", "hosts.txt:1", {"max=2"});
    expectRefused("a slots=2 b", "hosts.txt:1", {"b"});
    expectRefused("a:2", "hosts.txt:1", {"a:2"});
    expectRefused(std::string("a\0b", 3), "hosts.txt:1", {"a?b"});
    testing::expectFaults({{"no host", refusedHosts("", "hosts.txt")},
                           {"no host", refusedHosts("# nothing\n", "hosts.txt")},
                           {"ranks", refusedHosts("a\nb slots=0\n", "hosts.txt:2")},
                           {"ranks", refusedHosts("a slots=many", "hosts.txt:1")},
                           {"ranks", refusedHosts("a slots=", "hosts.txt:1")},
                           {"ranks", refusedHosts("a slots=99999999999", "hosts.txt:1")},
                           {"ranks", refusedHosts("a slots=+2", "hosts.txt:1")},
                           {"word", refusedHosts("a max=2", "hosts.txt:1")},
                           {"too much", refusedHosts("a slots=2 b", "hosts.txt:1")},
                           {"twice", refusedHosts("a\na slots=2", "hosts.txt:2")},
                           {"twice", refusedHosts("a\nA slots=2", "hosts.txt:2")},
                           {"name", refusedHosts("--mca", "hosts.txt:1")},
                           {"name", refusedHosts("a:2", "hosts.txt:1")},
                           {"name", refusedHosts("a,b", "hosts.txt:1")},
                           {"name", refusedHosts(std::string("a\0b", 3), "hosts.txt:1")}});
}

TEST(HostFile, NamesAreAsLongAsNamesOfHostsMayBe) {
    const std::string label(63, 'a');
    const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'b');
    EXPECT_EQ(parseHosts(longest, "h"), (std::vector<Host>{{longest, 1}}));
    EXPECT_EQ(parseHosts("node.example.", "h"), (std::vector<Host>{{"node.example.", 1}}));
    expectRefused(longest + "b", "hosts.txt:1", {"253", "254"});
    expectRefused(std::string(100'000, 'a'), "hosts.txt:1", {"100000"});
    expectRefused(label + "a.b", "hosts.txt:1", {label + "a.b", "63"});
    expectRefused("a..b", "hosts.txt:1", {"a..b", "63"});
    expectRefused(".a", "hosts.txt:1", {".a", "63"});
}

TEST(HostFile, MoreRanksThanTheMachinesCarryAreRefusedAtTheLineThatAsksForThem) {
    const auto refused = [](const std::string& text, const HostLimits& limits) {
        return testing::refusalOf(ErrorKind::Project, [&] { parseHosts(text, "h", limits); });
    };
    const auto slots = [](const std::string& text, const HostLimits& limits) {
        return countSlots(parseHosts(text, "h", limits));
    };
    const auto tooMany = [](const char* where, auto... values) {
        return AllOf(testing::Fault("ranks-too-many"), testing::At(std::string(where)),
                     testing::Names(values...));
    };
    const HostLimits two{.localCpus = 2};
    EXPECT_EQ(slots("localhost slots=8\n", two), 8);
    EXPECT_THAT(refused("# mine\nlocalhost slots=9\n", two),
                tooMany("h:2", "9", "localhost", "2", "--oversubscribe"));
    EXPECT_EQ(slots("localhost\nthere slots=1023\n", two), 1024) << "whose CPUs are not known here";
    EXPECT_THAT(refused("localhost\nthere slots=512\nelsewhere slots=512\n", two), tooMany("h:3", "1025"));
    EXPECT_THAT(refused("localhost slots=5\n127.0.0.1 slots=4\n", two), tooMany("h:2", "9")) << "one machine";
    EXPECT_EQ(slots("alpha slots=64\n", two), 64) << "it looks itself";
    std::string many;
    for (int host = 0; host < 10'000; ++host)
        many += "node" + std::to_string(host) + ".invalid\n";
    EXPECT_THAT(refused(many, two), tooMany("h:1025", "1025"));
    const HostLimits insisted{.localCpus = 2, .oversubscribe = true};
    EXPECT_EQ(slots("localhost slots=64\nthere slots=4032", insisted), 4096);
    EXPECT_THAT(refused("localhost slots=64\nthere slots=4033", insisted),
                AllOf(testing::At("h:2"), testing::Names("4097", "4096")));
}

TEST(HostFile, AFileThatIsTooLargeIsNotReadOnAndOn) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "large", "");
    std::filesystem::resize_file(folder / "large", std::uintmax_t{1} << 40U);
    EXPECT_THAT(testing::refusalOf(ErrorKind::Project, [&] { readHosts(folder / "large"); }),
                testing::Names("1.0 MiB"));
    const std::string comment = "# " + std::string((1 << 20) - 14, 'x');
    writeFileAtomically(folder / "full", comment + "\nlocalhost\n");
    EXPECT_EQ(readHosts(folder / "full"), (std::vector<Host>{{"localhost", 1}}));
}

TEST(HostFile, RanksFillTheHostsInOrder) {
    const std::vector<Host> hosts = parseHosts("a slots=2\nb\nc slots=3\n", "h");
    std::vector<std::size_t> ofRanks;
    for (int rank = 0; rank < countSlots(hosts); ++rank)
        ofRanks.push_back(hostOfRank(hosts, rank));
    EXPECT_EQ(ofRanks, (std::vector<std::size_t>{0, 0, 1, 2, 2, 2}));
}

TEST(HostFile, MissingFileIsRefused) {
    EXPECT_THROW(readHosts("/nowhere/hosts"), Error);
}

}  // namespace
}  // namespace meshreel
