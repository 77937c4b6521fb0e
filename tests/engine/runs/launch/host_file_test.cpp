// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/host_file.h"

#include <gmock/gmock.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

void expectRefused(const std::string& text, const std::string& where, const std::string& fragment) {
    SCOPED_TRACE(text);
    try {
        parseHosts(text, "hosts.txt");
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
    expectRefused("--mca", "hosts.txt:1", "no name of a host");
    expectRefused("a:2", "hosts.txt:1", "no name of a host");
    expectRefused("a,b", "hosts.txt:1", "no name of a host");
}

TEST(HostFile, RanksFillTheHostsInOrder) {
    const std::vector<Host> hosts = parseHosts("a slots=2\nb\nc slots=3\n", "h");
    std::vector<std::size_t> ofRanks;
    for (int rank = 0; rank < slotsOf(hosts); ++rank)
        ofRanks.push_back(hostOfRank(hosts, rank));
    EXPECT_EQ(ofRanks, (std::vector<std::size_t>{0, 0, 1, 2, 2, 2}));
}

TEST(HostFile, MissingFileIsRefused) {
    EXPECT_THROW(readHosts("/nowhere/hosts"), Error);
}

}  // namespace
}  // namespace meshreel
