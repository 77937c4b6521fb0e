// SPDX-License-Identifier: GPL-3.0-or-later
// The table of offers, and what of it is left to get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "download_fixture.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/record.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::Download;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::page;

TEST(Offers, TheTableIsWhole) {
    std::set<std::string> ids;
    std::set<fs::path> places;
    std::set<OfferKind> kinds;
    for (const ModelOffer& offer : modelOffers()) {
        SCOPED_TRACE(offer.id);
        EXPECT_TRUE(ids.insert(offer.id).second);
        kinds.insert(offer.kind);
        for (const OfferedFile& file : offer.files) {
            EXPECT_TRUE(places.insert(file.place).second) << file.place;
            EXPECT_EQ(fs::path(file.path).filename(), file.place.filename());
            EXPECT_TRUE(hasTensorFileName(file.place) || file.place.filename() == "spiece.model");
        }
        EXPECT_EQ(offer.stored.empty(), offer.kind != OfferKind::Model);
        EXPECT_TRUE(offer.licencePage.starts_with("https://"));
        EXPECT_EQ(offer.needs.empty(), offer.kind != OfferKind::Model);
    }
    // Whether a hash is known is said of each file: null where no public document tells it.
    const nlohmann::json table = readJsonObject(resourceFolder() / "downloads" / "offers.json");
    for (const auto& offer : table.at("offers"))
        for (const auto& file : offer.at("files"))
            EXPECT_TRUE(file.contains("sha256")) << file;
    EXPECT_EQ(kinds.size(), EnumNames<OfferKind>::names.size());
    EXPECT_THROW(requireOffer("wan2.1-t2v-1.3"), Error);
}

TEST_F(Download, MistakesInATableAreNamed) {
    const auto message = [this](const std::string& change) {
        const std::string row =
            R"({"id": "a", "title": "A", "kind": "vae", "repository": "o/r", "revision": "main",
            "licence": "MIT", "licence_page": "https://x", "files": [{"path": "a", "place": "vae/a", "bytes": 1}])" +
            change + "}";
        writeFileAtomically(m_folder / "offers.json", "{\"offers\": [" + row + "]}");
        try {
            readOffers(m_folder / "offers.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message(""), "");
    EXPECT_THAT(message(R"(, "needs": [["b"]])"), HasSubstr("\"needs\""));
    EXPECT_THAT(message(R"(, "needs": [[]])"), HasSubstr("\"needs\""));
    const auto file = [&](const std::string& text) {
        writeFileAtomically(m_folder / "offers.json", R"({"offers": [{"id": "a", "title": "A", "kind": "vae",
            "repository": "o/r", "revision": "main", "licence": "MIT", "licence_page": "https://x", "files": [)" +
                                                          text + "]}]}");
        try {
            readOffers(m_folder / "offers.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(file(R"({"path": "a", "place": "../a", "bytes": 1})"), HasSubstr("\"place\""));
    EXPECT_THAT(file(R"({"path": "/a", "place": "a", "bytes": 1})"), HasSubstr("\"path\""));
    EXPECT_THAT(file(R"({"path": "a", "place": "a"})"), HasSubstr("\"bytes\""));
    EXPECT_THAT(file(R"({"path": "a", "place": "a", "bytes": 1, "sha256": "00"})"), HasSubstr("\"sha256\""));
    EXPECT_EQ(file(R"({"path": "a", "place": "a", "bytes": 1, "sha256": null})"), "");
    EXPECT_THAT(file(""), HasSubstr("\"files\""));
}

TEST_F(Download, NeedsThatAnotherFileSatisfiesAreLeftOut) {
    const ModelOffer& model = requireOffer("wan2.1-t2v-1.3b");
    const auto idsOf = [](const std::vector<LocatedFile>& files) {
        std::vector<std::string> ids;
        for (const LocatedFile& file : files)
            ids.push_back(file.offer->id);
        return ids;
    };
    EXPECT_THAT(idsOf(OffersHere({}).toGet(model)),
                ElementsAre("umt5-xxl-fp8", "umt5-tokenizer", "wan2.1-vae", "wan2.1-t2v-1.3b"));
    CatalogueFile vae;
    vae.identity.part = ModelPart::Vae;
    vae.latentChannels = 48;
    CatalogueFile encoder;
    encoder.identity.part = ModelPart::TextEncoder;
    encoder.textWidth = 4096;
    ModelCatalogue catalogue{
        .models = {}, .files = {vae, encoder}, .tokenizers = {findModel("tiny-wan-t2v") / "tokenizer"}};
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("wan2.1-vae", "wan2.1-t2v-1.3b"));
    catalogue.files[0].latentChannels = 16;
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("wan2.1-t2v-1.3b"));
    const fs::path notOne = m_folder / "tokenizer";
    fs::create_directories(notOne);
    writeFileAtomically(notOne / "spiece.model", page);
    catalogue.tokenizers = {notOne};
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("umt5-tokenizer", "wan2.1-t2v-1.3b"));
    catalogue.tokenizers = {findModel("tiny-wan-t2v") / "tokenizer"};
    catalogue.files[0].onlyDecodes = true;
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("wan2.1-vae", "wan2.1-t2v-1.3b"));
}

TEST_F(Download, AProjectNamesBothExperts) {
    const ModelOffer& offer = requireOffer("wan2.2-t2v-a14b");
    const std::string lines = projectLines(offer, OffersHere({}).locate(offer));
    EXPECT_THAT(lines,
                HasSubstr("pretrained_model_name_or_path: ~/models/diffusion_models/wan2.2_t2v_high_noise"));
    EXPECT_THAT(lines, HasSubstr("transformer_2: ~/models/diffusion_models/wan2.2_t2v_low_noise"));
    EXPECT_EQ(projectLines(requireOffer("wan2.1-vae"), {}), "");
}

}  // namespace
}  // namespace meshreel
