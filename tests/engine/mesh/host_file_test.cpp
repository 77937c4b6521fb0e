// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/host_file.h"

#include <gmock/gmock.h>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

void expectRefused(const std::string& text, const std::string& where, const std::string& fragment) {
    SCOPED_TRACE(text);
    try {
        parseHosts(text, "hosts.txt", {.localCpus = 1});
        ADD_FAILURE() << "was accepted";
    } catch (const Error& refusal) {
        EXPECT_EQ(refusal.kind(), ErrorKind::Project);
        EXPECT_EQ(refusal.where(), where);
        EXPECT_THAT(refusal.what(), HasSubstr(fragment));
        EXPECT_FALSE(refusal.hint().empty());
    }
}

TEST(HostFile, ListsHostsWithTheirSlots) {
    const std::vector<Host> hosts = parseHosts(
        "# my machines\nlocalhost slots=2\n\n  node-1.example   # the big one\nnode_2\tslots=16\r\n", "h");
    EXPECT_EQ(hosts, (std::vector<Host>{{"localhost", 2}, {"node-1.example", 1}, {"node_2", 16}}));
}

TEST(HostFile, MistakesAreRefusedWithTheirLine) {
    expectRefused("", "hosts.txt", "no host");
    expectRefused("# nothing\n", "hosts.txt", "no host");
    expectRefused("a\nb slots=0\n", "hosts.txt:2", "'0'");
    expectRefused("a slots=many", "hosts.txt:1", "'many'");
    expectRefused("a slots=", "hosts.txt:1", "number of ranks");
    expectRefused("a slots=99999999999", "hosts.txt:1", "number of ranks");
    expectRefused("a max=2", "hosts.txt:1", "'max=2'");
    expectRefused("a slots=2 b", "hosts.txt:1", "'b'");
    expectRefused("a\na slots=2", "hosts.txt:2", "twice");
    expectRefused("--mca", "hosts.txt:1", "not a host name");
    expectRefused("a:2", "hosts.txt:1", "not a host name");
    expectRefused("a,b", "hosts.txt:1", "not a host name");
    expectRefused("a\nA slots=2", "hosts.txt:2", "twice");
    expectRefused("a slots=+2", "hosts.txt:1", "number of ranks");
    expectRefused(std::string("a\0b", 3), "hosts.txt:1", "'a?b' is no name");
}

TEST(HostFile, NamesAreAsLongAsNamesOfHostsMayBe) {
    const std::string label(63, 'a');
    const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'b');
    EXPECT_EQ(parseHosts(longest, "h"), (std::vector<Host>{{longest, 1}}));
    EXPECT_EQ(parseHosts("node.example.", "h"), (std::vector<Host>{{"node.example.", 1}}));
    expectRefused(longest + "b", "hosts.txt:1", "at most 253 characters, and this one has 254");
    expectRefused(std::string(100'000, 'a'), "hosts.txt:1", "this one has 100000");
    expectRefused(label + "a.b", "hosts.txt:1", "not a host name");
    expectRefused("a..b", "hosts.txt:1", "not a host name");
    expectRefused(".a", "hosts.txt:1", "not a host name");
}

TEST(HostFile, MoreRanksThanTheMachinesCarryAreRefusedAtTheLineThatAsksForThem) {
    const auto refusalOf = [](const std::string& text, const HostLimits& limits) {
        try {
            return "accepted " + std::to_string(countSlots(parseHosts(text, "h", limits)));
        } catch (const Error& refusal) {
            EXPECT_EQ(refusal.kind(), ErrorKind::Project);
            return std::string(refusal.what());
        }
    };
    const HostLimits two{.localCpus = 2};
    EXPECT_EQ(refusalOf("localhost slots=8\n", two), "accepted 8");
    EXPECT_THAT(refusalOf("# mine\nlocalhost slots=9\n", two),
                HasSubstr("h:2: 9 ranks on localhost would share 2 CPUs"));
    EXPECT_THAT(refusalOf("localhost slots=9", two), HasSubstr("--oversubscribe"));
    EXPECT_EQ(refusalOf("localhost\nthere slots=1023\n", two), "accepted 1024")
        << "whose CPUs are not known here";
    EXPECT_THAT(refusalOf("localhost\nthere slots=512\nelsewhere slots=512\n", two),
                HasSubstr("h:3: 1025 ranks are asked for"));
    EXPECT_THAT(refusalOf("localhost slots=5\n127.0.0.1 slots=4\n", two), HasSubstr("h:2: 9 ranks"))
        << "one machine";
    EXPECT_EQ(refusalOf("alpha slots=64\n", two), "accepted 64") << "it looks itself";
    std::string many;
    for (int host = 0; host < 10'000; ++host)
        many += "node" + std::to_string(host) + ".invalid\n";
    EXPECT_THAT(refusalOf(many, two), HasSubstr("h:1025: 1025 ranks"));
    const HostLimits insisted{.localCpus = 2, .oversubscribe = true};
    EXPECT_EQ(refusalOf("localhost slots=64\nthere slots=4032", insisted), "accepted 4096");
    EXPECT_THAT(refusalOf("localhost slots=64\nthere slots=4033", insisted),
                HasSubstr("no mesh has more than 4096"));
}

TEST(HostFile, AFileThatIsTooLargeIsNotReadOnAndOn) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "large", "");
    std::filesystem::resize_file(folder / "large", std::uintmax_t{1} << 40U);
    try {
        readHosts(folder / "large");
        FAIL() << "1 TiB was read";
    } catch (const Error& refusal) {
        EXPECT_EQ(refusal.kind(), ErrorKind::Project);
        EXPECT_THAT(refusal.what(), HasSubstr("larger than 1.0 MiB"));
    }
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
