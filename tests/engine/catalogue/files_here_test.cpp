// SPDX-License-Identifier: GPL-3.0-or-later
// Files of the offered name that are on this machine, and what other programs have or are writing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "download_fixture.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/catalogue/model_download.h"
#include "engine/catalogue/model_offers.h"
#include "engine/catalogue/published_file.h"
#include "tests/support/http_server.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::computeSha256;
using testing::Download;
using ::testing::HasSubstr;
using testing::HttpAnswer;
using testing::HttpRequest;
using testing::HttpServer;
using testing::lfsPointer;
using testing::page;
using testing::someBytes;
using testing::someWeights;

TEST_F(Download, WhatIsNoFileAtHomeIsMended) {
    const std::string part = m_content.substr(0, 300'000);
    std::string damaged = m_content;
    damaged.back() ^= 1;
    for (const bool known : {true, false})
        for (const std::string& stranger : {page, lfsPointer, part, damaged}) {
            if (!known && stranger == damaged)
                continue;  // nothing tells it from the published one
            SCOPED_TRACE(fmt::format("{} {}", known, stranger.substr(0, 20)));
            if (!known)
                roundTheTable();
            putIntoPlace(stranger);
            const LocatedFile located = order()[0];
            EXPECT_EQ(located.state, FileState::Missing);
            EXPECT_FALSE(located.wrong.empty());
            const HttpServer server(script({}));
            const GotFile got = get(impatient(server)).at(0);
            EXPECT_EQ(got.origin, FileOrigin::Downloaded);
            EXPECT_TRUE(readFile(got.replaced) == stranger);
            expectWhole();
            EXPECT_EQ(get(impatient(server)).at(0).origin, FileOrigin::WasHere);
            fs::remove_all(models());
        }
}

TEST_F(Download, ALinkThatLeadsNowhereIsMended) {
    fs::create_directories(target().parent_path());
    fs::create_symlink(m_folder / "gone", target());
    const HttpServer server(script({}));
    EXPECT_TRUE(fs::is_symlink(get(impatient(server)).at(0).replaced));
    expectWhole();
}

TEST_F(Download, APageAtHomeThatAnotherProgramHasIsReplacedByItsFile) {
    const fs::path there = m_folder / "comfy" / "models" / "vae" / "a.safetensors";
    fs::create_directories(there.parent_path());
    writeFileAtomically(there, m_content);
    putIntoPlace(page);
    const HttpServer nobody([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    const GotFile got = get(impatient(nobody)).at(0);
    EXPECT_EQ(got.origin, FileOrigin::Shared);
    EXPECT_EQ(readFile(got.replaced), page);
    expectWhole();
}

TEST_F(Download, WhatAnotherProgramIsWritingIsLeftToIt) {
    for (const bool whole : {true, false})
        for (const char* suffix : {".aria2", ".part", ".crdownload", ".incomplete"}) {
            SCOPED_TRACE(fmt::format("{} {}", whole, suffix));
            roundTheTable();
            putIntoPlace(whole ? m_content : m_content.substr(0, 300'000));
            const fs::path beside = target().string() + suffix;
            writeFileAtomically(beside, "");
            EXPECT_EQ(order()[0].state, FileState::Missing);
            const HttpServer server(script({}));
            const Error error = refusal(impatient(server));
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.what(), HasSubstr(beside.filename().string()));
            EXPECT_TRUE(server.requests().empty());
            EXPECT_TRUE(fs::exists(target()));
            fs::remove(beside);
        }
    // The hash says that it is all there.
    putIntoPlace(m_content);
    m_offer.files[0] = {.path = "a",
                        .place = "vae/a.safetensors",
                        .bytes = m_content.size(),
                        .exact = true,
                        .sha256 = computeSha256(m_content)};
    writeFileAtomically(target().string() + ".part", "");
    EXPECT_EQ(order()[0].state, FileState::Here);
}

TEST_F(Download, WhatIsBeingWrittenElsewhereIsNotShared) {
    roundTheTable();
    const fs::path there = m_folder / "comfy" / "models" / "vae" / "a.safetensors";
    fs::create_directories(there.parent_path());
    writeFileAtomically(there, m_content);
    EXPECT_EQ(order()[0].state, FileState::Elsewhere);
    writeFileAtomically(there.string() + ".aria2", "");
    EXPECT_EQ(order()[0].state, FileState::Missing);
}

TEST_F(Download, AFileThatGrowsIsNotTakenForWhole) {
    roundTheTable();
    putIntoPlace(m_content);
    std::atomic<bool> ends = false;
    std::thread writer([&] {
        while (!ends) {
            fs::last_write_time(target(), fs::file_time_type::clock::now());
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
    const HttpServer server(script({}));
    const Error error = refusal(impatient(server));
    const PublishedCheck found = checkPublished(target(), m_offer, m_offer.files[0], FileCheck::Whole);
    EXPECT_TRUE(found.isWritten);
    EXPECT_EQ(error.message(), found.wrong);
    ends = true;
    writer.join();
}

TEST_F(Download, AFilePutThereByHandIsHashedOnce) {
    putIntoPlace(m_content);
    const HttpServer nobody([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    const GotFile got = get(impatient(nobody)).at(0);
    EXPECT_EQ(got.origin, FileOrigin::WasHere);
    EXPECT_TRUE(got.compared);
    EXPECT_EQ(readJsonObject(recordPath(target())).at("sha256"), computeSha256(m_content));
    EXPECT_TRUE(checkPublished(target(), m_offer, m_offer.files[0], FileCheck::Whole).isRecorded);
    // It counts for just these bytes.
    std::string damaged = m_content;
    damaged.back() ^= 1;
    writeFileAtomically(target(), damaged);
    EXPECT_FALSE(checkPublished(target(), m_offer, m_offer.files[0], FileCheck::Whole).isPublished());
}

TEST_F(Download, SomebodysOwnFileOfTheNameIsLeftAlone) {
    const std::string own = someWeights(500'000, 7);
    putIntoPlace(own);
    const HttpServer server(script({}));
    EXPECT_THAT(refusal(impatient(server)).where(), HasSubstr(target().filename().string()));
    EXPECT_TRUE(readFile(target()) == own);
    fs::remove(target());
    fs::create_directories(target() / "mine");
    EXPECT_THAT(refusal(impatient(server)).where(), HasSubstr(target().filename().string()));
    EXPECT_TRUE(fs::exists(target() / "mine"));
    EXPECT_TRUE(server.requests().empty());
}

TEST_F(Download, WhatOtherProgramsHaveIsShared) {
    const HttpServer nobody([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    for (const fs::path& there :
         {m_folder / "hub" / "models--org--repo" / "snapshots" / "c1" / "split files" / "a.safetensors",
          m_folder / "hub" / "models--other--repo" / "blobs" / computeSha256(m_content),
          m_folder / "comfy" / "models" / "vae" / "a.safetensors"}) {
        SCOPED_TRACE(there.string());
        fs::create_directories(there.parent_path());
        writeFileAtomically(there, m_content);
        EXPECT_EQ(order()[0].state, FileState::Elsewhere);
        EXPECT_EQ(order()[0].bytesMissing(), 0U);
        EXPECT_EQ(get(impatient(nobody)).at(0).origin, FileOrigin::Shared);
        EXPECT_TRUE(fs::equivalent(target(), there));  // the same bytes on disk
        expectWhole();
        fs::remove(there);
        EXPECT_TRUE(readFile(target()) == m_content);  // and they stay
        fs::remove(target());
    }
    EXPECT_TRUE(nobody.requests().empty());
}

TEST_F(Download, ADamagedCacheIsNotShared) {
    const fs::path there = m_folder / "comfy" / "models" / "vae" / "a.safetensors";
    fs::create_directories(there.parent_path());
    writeFileAtomically(there, someBytes(m_content.size(), 6));
    const HttpServer server(script({}));
    EXPECT_EQ(get(impatient(server)).at(0).origin, FileOrigin::Downloaded);
    expectWhole();
}

}  // namespace
}  // namespace meshreel
