// SPDX-License-Identifier: GPL-3.0-or-later
// A model that is offered for download, and servers that answer for it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/stop_token.h"
#include "engine/catalogue/model_download.h"
#include "engine/catalogue/model_offers.h"
#include "tests/support/http_server.h"
#include "tests/support/temporary_folder.h"

namespace meshreel::testing {

inline std::string computeSha256(const std::string& bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned int index = 0; index < size; ++index)
        text += fmt::format("{:02x}", digest[index]);
    return text;
}

inline std::string someBytes(std::size_t count, unsigned int seed) {
    std::string bytes(count, '\0');
    for (char& byte : bytes) {
        seed = seed * 1664525U + 1013904223U;
        byte = static_cast<char>(seed >> 24U);
    }
    return bytes;
}

/// A safetensors file of so many bytes.
inline std::string someWeights(std::size_t count, unsigned int seed) {
    constexpr std::size_t lengthBytes = 8;
    const auto headerOf = [](std::size_t values) {
        return fmt::format(R"({{"a":{{"dtype":"U8","shape":[{0}],"data_offsets":[0,{0}]}}}})", values);
    };
    const std::size_t values = count - lengthBytes - headerOf(count).size();
    std::string header = headerOf(values);
    header.resize(count - lengthBytes - values, ' ');
    std::string file;
    for (std::size_t i = 0; i < lengthBytes; ++i)
        file += static_cast<char>(header.size() >> (8 * i) & 0xffU);
    return file + header + someBytes(values, seed);
}

/// The start of a file as Git LFS stands in for it.
inline const std::string lfsPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 700000\n";
inline const std::string page = "<!DOCTYPE html><html><title>Sign in</title></html>";

/// A models folder, caches of other programs, and an offer of one file.
class Download : public ::testing::Test {
  protected:
    Download() {
        for (const char* name : {"HF_HOME", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
                                 "XDG_CACHE_HOME", "http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"})
            unsetenv(name);
        setenv("MESHREEL_MODELS", models().c_str(), 1);
        setenv("HF_HUB_CACHE", (m_folder / "hub").c_str(), 1);
        setenv("COMFYUI_PATH", (m_folder / "comfy").c_str(), 1);
        setenv("HOME", m_folder.path().c_str(), 1);
        m_offer.files = {{.path = "split files/a.safetensors",
                          .place = "vae/a.safetensors",
                          .bytes = m_content.size(),
                          .exact = true,
                          .sha256 = computeSha256(m_content)}};
    }
    ~Download() override {
        for (const char* name : {"MESHREEL_MODELS", "HF_HUB_CACHE", "COMFYUI_PATH", "HF_ENDPOINT", "HF_TOKEN",
                                 "HF_HOME", "HF_HUB_OFFLINE", "HF_HUB_DOWNLOAD_TIMEOUT"})
            unsetenv(name);
    }

    [[nodiscard]] std::filesystem::path models() const { return m_folder / "models"; }
    [[nodiscard]] std::filesystem::path target() const { return models() / "vae" / "a.safetensors"; }

    [[nodiscard]] static DownloadServer impatient(const HttpServer& server) {
        return {.endpoint = server.address(),
                .token = {},
                .stall = std::chrono::seconds(1),
                .backoff = std::chrono::milliseconds(5),
                .tries = 4};
    }

    [[nodiscard]] std::vector<LocatedFile> order() const { return OffersHere({}).locate(m_offer); }

    std::vector<GotFile> get(const DownloadServer& server, const StopToken& stop = {},
                             const DownloadSink& sink = {}) const {
        return getFiles(order(), server, sink, stop);
    }

    /// "127.0.0.1:8080"
    static std::string hostOf(const HttpServer& server) {
        return server.address().substr(server.address().find("//") + 2);
    }

    /// As get(), which throws what this returns.
    Error refusal(const DownloadServer& server) const {
        try {
            get(server);
        } catch (const Error& error) {
            return error;
        }
        ADD_FAILURE() << "nothing was refused";
        return {ErrorKind::Internal, "nothing was refused"};
    }

    void expectWhole() const {
        ASSERT_TRUE(std::filesystem::exists(target()));
        EXPECT_TRUE(readFile(target()) == m_content);
        EXPECT_FALSE(std::filesystem::exists(partialPath(target())));
        const auto record = readJsonObject(recordPath(target()));
        EXPECT_EQ(record.at("sha256"), computeSha256(m_content));
        EXPECT_EQ(record.at("licence"), "MIT");
    }

    /// The table knows neither hash nor exact size.
    void roundTheTable(std::uint64_t bytes = 700'000) {
        m_offer.files[0].exact = false;
        m_offer.files[0].bytes = bytes;
        m_offer.files[0].sha256.clear();
    }

    void putIntoPlace(const std::string& content) const {
        std::filesystem::create_directories(target().parent_path());
        writeFileAtomically(target(), content);
    }

    void expectNothing() const {
        EXPECT_FALSE(std::filesystem::exists(target()));
        EXPECT_FALSE(std::filesystem::exists(partialPath(target())));
    }

    static std::size_t count(const HttpServer& server, const std::string& method) {
        const std::vector<HttpRequest> requests = server.requests();
        return static_cast<std::size_t>(std::ranges::count(requests, method, &HttpRequest::method));
    }

    /// Answers to GET requests one after another; when they are used up, and to HEAD, as it should be.
    HttpServer::Handler script(std::vector<std::function<void(HttpAnswer&, const HttpRequest&)>> changes) {
        return [this, changes = std::move(changes),
                next = std::make_shared<std::atomic<std::size_t>>(0)](const HttpRequest& request) {
            HttpAnswer answer = answerWithFile(request, m_content, computeSha256(m_content));
            if (request.method == "GET")
                if (const std::size_t index = (*next)++; index < changes.size())
                    changes[index](answer, request);
            return answer;
        };
    }

    TemporaryFolder m_folder;
    std::string m_content = someWeights(700'000, 1);
    ModelOffer m_offer{.id = "a",
                       .title = "A",
                       .kind = OfferKind::Vae,
                       .repository = "org/repo",
                       .revision = "main",
                       .licence = "MIT",
                       .licencePage = "https://example.org/licence",
                       .release = {},
                       .stored = {},
                       .files = {},
                       .needs = {}};
};

}  // namespace meshreel::testing
