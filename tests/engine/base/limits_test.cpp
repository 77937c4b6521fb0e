// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/limits.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

testing::Refusal whatStops(const std::function<void()>& work) {
    return testing::refusalOf(ErrorKind::Input, work);
}

TEST(Limits, AFileOfAnySizeIsReadNoFurtherThanItsLimit) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "hosts";
    writeFileAtomically(file, std::string(limitValue(Limit::Hosts), 'x'));
    EXPECT_EQ(readFile(file, Limit::Hosts).size(), limitValue(Limit::Hosts));
    fs::resize_file(file, std::uintmax_t{6} << 40U);
    EXPECT_THAT(whatStops([&] { readFile(file, Limit::Hosts); }),
                AllOf(testing::At(file.string()), testing::Names("6597069766656", "1048576"),
                      testing::Exceeds(Limit::Hosts)));
    EXPECT_THAT(whatStops([&] { readFile(file); }), testing::Exceeds(Limit::Text));
}

TEST(Limits, FilesWhoseSizeTheSystemDoesNotSayAreReadByWhatComes) {
    EXPECT_EQ(fs::file_size("/proc/self/status"), 0U);
    EXPECT_THAT(readFile("/proc/self/status"), HasSubstr("VmRSS"));
}

TEST(Limits, APipeIsNotWaitedFor) {
    const testing::TemporaryFolder folder;
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(whatStops([&] { readFile(pipe); }), testing::At(pipe.string()));
}

TEST(Limits, AreNamedWithWhatIsThereAndWhatIsRead) {
    EXPECT_FALSE(whatStops([] { requireWithin(Limit::Tensors, limitValue(Limit::Tensors), "a.gguf"); }));
    const testing::Refusal more =
        whatStops([] { requireWithin(Limit::Tensors, limitValue(Limit::Tensors) + 1, "a.gguf"); });
    EXPECT_EQ(
        more.problem.text(),
        "a.gguf: it has 100001 tensors or more; at most 100000 are read of a file of weights. Check that "
        "this is the file you mean; if it is, make it smaller or get another one.");
    EXPECT_THAT(more, testing::Exceeds(Limit::Tensors));
}

TEST(Limits, JsonIsCountedWithoutItsTexts) {
    const auto said = [](const std::string& json) {
        return whatStops([&] { requireBoundedJson(json, "a.json"); });
    };
    EXPECT_FALSE(said(R"({"a": [1, 2, {"b": "}]],,[[\",\\"}]})"));
    EXPECT_FALSE(said('"' + std::string(10'000'000, '[') + '"'));
    std::string flat = "[0";
    for (std::uint64_t i = 1; i < limitValue(Limit::JsonValues); ++i)
        flat += ",0";
    EXPECT_THAT(said(flat + "]"), testing::Exceeds(Limit::JsonValues));
}

TEST(SecurityPage, ItsTableOfLimitsIsThatOfTheCode) {
    const fs::path page = testing::sourceFolder() / "docs" / "security.md";
    const std::string text = readFile(page);
    const std::string begin = "<!-- from limitRows(); made again as project-keys.md -->\n";
    const std::size_t from = text.find(begin);
    ASSERT_NE(from, std::string::npos);
    const std::size_t start = from + begin.size();
    const std::size_t end = text.find("\n\n", start) + 1;
    if (std::getenv("MESHREEL_UPDATE_DOCS") != nullptr)
        writeFileAtomically(page,
                            std::string_view(text.substr(0, start) + limitsMarkdown() + text.substr(end)));
    const std::string now = readFile(page);
    EXPECT_EQ(now.substr(start, now.find("\n\n", start) + 1 - start), limitsMarkdown());
}

}  // namespace
}  // namespace meshreel
