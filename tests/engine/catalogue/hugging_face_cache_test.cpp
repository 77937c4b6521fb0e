// SPDX-License-Identifier: GPL-3.0-or-later
// Caches as huggingface_hub lays them out, whole and cut off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/hugging_face_cache.h"
#include "engine/catalogue/model_library.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* variables[] = {"HF_HUB_CACHE",
                                     "HUGGINGFACE_HUB_CACHE",
                                     "HF_HOME",
                                     "XDG_CACHE_HOME",
                                     "HF_TOKEN",
                                     "HUGGING_FACE_HUB_TOKEN",
                                     "HF_TOKEN_PATH",
                                     "HF_HUB_OFFLINE",
                                     "TRANSFORMERS_OFFLINE",
                                     "HF_HUB_DISABLE_IMPLICIT_TOKEN",
                                     "MESHREEL_TEST_PLACE"};

class HuggingFaceCache : public ::testing::Test {
  protected:
    HuggingFaceCache() {
        clear();
        setenv("HOME", m_folder.path().c_str(), 1);
        setenv("MESHREEL_MODELS", (m_folder / "models").c_str(), 1);
    }
    ~HuggingFaceCache() override {
        clear();
        unsetenv("MESHREEL_MODELS");
    }

    static void clear() {
        for (const char* name : variables)
            unsetenv(name);
    }

    [[nodiscard]] fs::path repository() const { return huggingFaceCache() / "models--acme--tiny"; }
    [[nodiscard]] fs::path snapshot(const std::string& commit) const {
        return repository() / "snapshots" / commit;
    }

    /// Links to blobs, for the files that `takes` wants of a model.
    void addSnapshot(const std::string& commit, const fs::path& model,
                     const std::function<bool(const std::string&)>& takes) const {
        fs::create_directories(snapshot(commit));
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(model)) {
            const fs::path name = entry.path().lexically_relative(model);
            if (!entry.is_regular_file() || !takes(name.string()))
                continue;
            std::string blob = commit + name.string();
            std::ranges::replace(blob, '/', '-');
            fs::create_directories(repository() / "blobs");
            fs::create_directories((snapshot(commit) / name).parent_path());
            fs::copy_file(entry.path(), repository() / "blobs" / blob);
            fs::create_symlink(repository() / "blobs" / blob, snapshot(commit) / name);
        }
    }

    void nameMain(const std::string& commit) const {
        fs::create_directories(repository() / "refs");
        writeFileAtomically(repository() / "refs" / "main", commit);
    }

    /// What findModel() refuses.
    static testing::Refusal refusal(const std::string& name = "acme/tiny") {
        testing::Refusal refused = testing::refusalOf(ErrorKind::Input, [&name] { findModel(name); });
        EXPECT_TRUE(refused) << "it was found";
        return refused;
    }

    static bool all(const std::string&) { return true; }
    static bool card(const std::string& name) { return name == "README.md"; }
    static bool noTransformer(const std::string& name) { return !name.starts_with("transformer/diff"); }

    testing::TemporaryFolder m_folder;
    fs::path m_model = findModel("tiny-wan-t2v");
};

TEST_F(HuggingFaceCache, IsWhereHuggingFaceHubLooksForIt) {
    const fs::path home = m_folder.path();
    EXPECT_EQ(huggingFaceCache(), home / ".cache/huggingface/hub");
    setenv("XDG_CACHE_HOME", "/x", 1);
    EXPECT_EQ(huggingFaceCache(), "/x/huggingface/hub");
    setenv("HF_HOME", "/h", 1);
    EXPECT_EQ(huggingFaceCache(), "/h/hub");
    setenv("HUGGINGFACE_HUB_CACHE", "/old", 1);
    EXPECT_EQ(huggingFaceCache(), "/old");
    setenv("HF_HUB_CACHE", "/new", 1);
    EXPECT_EQ(huggingFaceCache(), "/new");
    setenv("HF_HUB_CACHE", "", 1);
    EXPECT_EQ(huggingFaceCache(), "/old");
}

TEST_F(HuggingFaceCache, ReplacesHomesAndVariables) {
    const auto cache = [](const char* value) {
        setenv("HF_HUB_CACHE", value, 1);
        return huggingFaceCache();
    };
    setenv("MESHREEL_TEST_PLACE", "/place", 1);
    EXPECT_EQ(cache("~/hf"), m_folder / "hf");
    EXPECT_EQ(cache("$HOME/hf"), m_folder / "hf");
    EXPECT_EQ(cache("${MESHREEL_TEST_PLACE}/a"), "/place/a");
    EXPECT_EQ(cache("/b/$MESHREEL_TEST_PLACE-c"), "/b//place-c");
    EXPECT_EQ(cache("/$MESHREEL_UNSET/${MESHREEL_UNSET}/${a"), "/$MESHREEL_UNSET/${MESHREEL_UNSET}/${a");
    EXPECT_EQ(cache("~nobody-of-this-name/a"), "~nobody-of-this-name/a");
}

TEST_F(HuggingFaceCache, HoldsTheToken) {
    EXPECT_EQ(huggingFaceToken(), "");
    setenv("HF_HOME", "~/hf", 1);
    fs::create_directories(m_folder / "hf");
    writeFileAtomically(m_folder / "hf/token", " hf_home\r\n");
    EXPECT_EQ(huggingFaceToken(), "hf_home");
    writeFileAtomically(m_folder / "elsewhere", "hf_path");
    setenv("HF_TOKEN_PATH", "$HOME/elsewhere", 1);
    EXPECT_EQ(huggingFaceToken(), "hf_path");
    setenv("HUGGING_FACE_HUB_TOKEN", "hf_old", 1);
    EXPECT_EQ(huggingFaceToken(), "hf_old");
    setenv("HF_TOKEN", "hf_new", 1);
    EXPECT_EQ(huggingFaceToken(), "hf_new");
    setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1", 1);
    EXPECT_EQ(huggingFaceToken(), "");
}

TEST_F(HuggingFaceCache, TakesTheSnapshotThatIsWhole) {
    addSnapshot("aaa", m_model, all);
    EXPECT_EQ(findModel("acme/tiny"), snapshot("aaa"));  // pinned to a commit: no refs/main
    addSnapshot("fff", m_model, card);
    EXPECT_EQ(findModel("acme/tiny"), snapshot("aaa"));
    nameMain("fff");
    EXPECT_EQ(findModel("acme/tiny"), snapshot("aaa"));
    fs::remove_all(repository());
    addSnapshot("aaa", m_model, all);
    addSnapshot("fff", m_model, noTransformer);
    nameMain("fff");
    EXPECT_EQ(findModel("acme/tiny"), snapshot("aaa"));
}

TEST_F(HuggingFaceCache, OfWholeSnapshotsMainComesFirstThenTheNewest) {
    addSnapshot("aaa", m_model, all);
    addSnapshot("bbb", m_model, all);
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(snapshot("aaa"), now);
    fs::last_write_time(snapshot("bbb"), now - std::chrono::hours(1));
    EXPECT_EQ(findModel("acme/tiny"), snapshot("aaa"));
    nameMain("bbb");
    EXPECT_EQ(findModel("acme/tiny"), snapshot("bbb"));
    nameMain("ccc");  // gone
    EXPECT_EQ(findModel("acme/tiny"), snapshot("aaa"));
}

TEST_F(HuggingFaceCache, WhatIsCutOffIsSaidToBe) {
    addSnapshot("aaa", m_model, noTransformer);
    EXPECT_THAT(refusal(), testing::Names("acme/tiny", "transformer"));
    EXPECT_THAT(installedModels(),
                ::testing::Not(::testing::Contains(::testing::Field(&ModelInfo::name, "acme/tiny"))));
    fs::remove_all(repository());
    addSnapshot("aaa", m_model, card);
    EXPECT_THAT(refusal(), testing::Names("acme/tiny", "model_index.json"));
    fs::remove_all(repository());
    addSnapshot("aaa", m_model, all);
    fs::remove(repository() / "blobs" / "aaavae-diffusion_pytorch_model.safetensors");
    EXPECT_THAT(refusal(), testing::Names("acme/tiny", "vae/diffusion_pytorch_model.safetensors"));
}

TEST_F(HuggingFaceCache, AllShardsOfAnIndexBelongToAWholeSnapshot) {
    addSnapshot("aaa", m_model, noTransformer);
    const fs::path transformer = snapshot("aaa") / "transformer";
    const nlohmann::json index{{"weight_map",
                                {{"a", "diffusion_pytorch_model-00001-of-00002.safetensors"},
                                 {"b", "diffusion_pytorch_model-00002-of-00002.safetensors"}}}};
    writeFileAtomically(transformer / "diffusion_pytorch_model.safetensors.index.json", index.dump());
    writeFileAtomically(transformer / "diffusion_pytorch_model-00001-of-00002.safetensors", "1");
    EXPECT_THAT(findCachedModel("acme/tiny")->missing,
                ElementsAre("transformer/diffusion_pytorch_model-00002-of-00002.safetensors"));
    writeFileAtomically(transformer / "diffusion_pytorch_model-00002-of-00002.safetensors", "2");
    EXPECT_THAT(findCachedModel("acme/tiny")->missing, IsEmpty());
    fs::remove(transformer / "diffusion_pytorch_model.safetensors.index.json");
    EXPECT_THAT(findCachedModel("acme/tiny")->missing, ElementsAre("transformer"));
}

TEST_F(HuggingFaceCache, AFolderOfTheWanProjectIsWholeWithBothExperts) {
    const fs::path weights = m_model / "transformer" / "diffusion_pytorch_model.safetensors";
    for (const char* expert : {"high_noise_model", "low_noise_model"}) {
        const fs::path folder = snapshot("aaa") / expert;
        fs::create_directories(folder);
        if (std::string(expert) == "low_noise_model") {
            EXPECT_FALSE(findOriginalFolder("acme/tiny"));
            EXPECT_THAT(testing::valuesOf(refusal()), ::testing::Contains(HasSubstr("low_noise_model")));
        }
        fs::copy(weights, folder);
    }
    EXPECT_EQ(findOriginalFolder("acme/tiny"), snapshot("aaa"));
    fs::remove_all(repository());
    fs::create_directories(snapshot("aaa"));
    fs::copy(weights, snapshot("aaa"));
    EXPECT_EQ(findOriginalFolder("acme/tiny"), snapshot("aaa"));
    // Its transformer is still on the way: the encoder alone makes no model.
    fs::remove(snapshot("aaa") / "diffusion_pytorch_model.safetensors");
    writeFileAtomically(snapshot("aaa") / "models_t5_umt5-xxl-enc-bf16.pth", "x");
    fs::create_directories(repository() / "blobs");
    writeFileAtomically(repository() / "blobs" / "abc.incomplete", "x");
    EXPECT_THAT(testing::valuesOf(refusal()), ::testing::Contains(HasSubstr("abc.incomplete")));
}

TEST_F(HuggingFaceCache, AnAdapterIsFoundInAnySnapshot) {
    fs::create_directories(snapshot("aaa"));
    fs::create_directories(snapshot("fff"));
    writeFileAtomically(snapshot("aaa") / "style.safetensors", "x");
    nameMain("fff");
    EXPECT_EQ(findAdapter("acme/tiny/style.safetensors"), snapshot("aaa") / "style.safetensors");
}

}  // namespace
}  // namespace meshreel
