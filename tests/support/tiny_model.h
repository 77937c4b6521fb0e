// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/worker_pool.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel::testing {

/// What sets a model apart from the embedded text-to-video model, whose text encoder, tokenizer and VAE it
/// has.
struct TinyModel {
    nlohmann::json index = nlohmann::json::object();        ///< merged into model_index.json
    nlohmann::json transformer = nlohmann::json::object();  ///< merged into the transformer's config
    int experts = 1;
    nlohmann::json vae = nullptr;           ///< of a VAE with random weights, merged into the config
    nlohmann::json imageEncoder = nullptr;  ///< config of an image encoder
    nlohmann::json audioEncoder = nullptr;  ///< config of a sound encoder
    std::string title = {};                 ///< in the metadata of the transformer's file
};

inline void writeJson(const std::filesystem::path& file, const nlohmann::json& json) {
    std::ofstream(file) << json.dump(2);
}

/// A component with random weights; `config` is merged into that of its architecture's family.
inline void makeRandomPart(const std::filesystem::path& folder, std::string_view architecture,
                           const nlohmann::json& config, std::uint64_t seed, const std::string& title = {}) {
    const ArchitectureFamily& family = requireArchitecture(architecture).family;
    nlohmann::json whole = parseJsonObject(family.config, "a family");
    whole.update(config);
    std::filesystem::create_directories(folder);
    writeJson(folder / "config.json", whole);
    WorkerPool workers({.workers = 1});
    const RandomWeights weights(seed);
    std::vector<NamedTensor> tensors;
    for (const TensorSpec& spec : family.tensors(whole)) {
        Tensor tensor = Tensor::empty(spec.shape);
        weights.fill(workers, spec.name, spec.shape, 0, tensor.data<float>());
        tensors.emplace_back(spec.name, std::move(tensor));
    }
    SafetensorsMetadata metadata;
    if (!title.empty())
        metadata.emplace("modelspec.title", title);
    writeSafetensors(folder / (std::string(family.weightsFile) + ".safetensors"), tensors, metadata);
}

/// Makes the model's folder, of two layers.
inline void makeTinyModel(const std::filesystem::path& folder, const TinyModel& model) {
    namespace fs = std::filesystem;
    const fs::path embedded = resourceFolder() / "models" / "tiny-wan-t2v";
    fs::create_directories(folder);
    for (const char* part : {"text_encoder", "tokenizer", "scheduler", "vae"})
        fs::copy(embedded / part, folder / part, fs::copy_options::recursive);
    nlohmann::json index = readJsonObject(embedded / "model_index.json");
    index.update(model.index);
    if (model.experts == 2)
        index["transformer_2"] = {"diffusers", "WanTransformer3DModel"};
    writeJson(folder / "model_index.json", index);

    nlohmann::json config = readJsonObject(embedded / "transformer" / "config.json");
    config["num_layers"] = 2;
    config.update(model.transformer);
    for (int expert = 1; expert <= model.experts; ++expert)
        makeRandomPart(folder / (expert == 1 ? "transformer" : "transformer_2"), "wan2.1-t2v-14b", config,
                       static_cast<std::uint64_t>(expert), model.title);
    if (!model.vae.is_null()) {
        fs::remove_all(folder / "vae");
        makeRandomPart(folder / "vae", "wan2.2-vae", model.vae, 3);
    }
    if (!model.imageEncoder.is_null())
        makeRandomPart(folder / "image_encoder", "clip-vit-h", model.imageEncoder, 4);
    if (!model.audioEncoder.is_null())
        makeRandomPart(folder / "audio_encoder", "wav2vec2-large", model.audioEncoder, 5);
}

/// A text-to-video model of so small a transformer that a GPU in software computes it at once.
inline TinyModel narrowModel() {
    TinyModel model;
    model.transformer = {{"num_attention_heads", 2}, {"ffn_dim", 64}};
    return model;
}

/// One of every family; `name` as in modelFamilies().
inline TinyModel tinyModelOf(std::string_view name) {
    const nlohmann::json clip = {{"hidden_size", 32},      {"intermediate_size", 64},
                                 {"num_hidden_layers", 3}, {"num_attention_heads", 2},
                                 {"image_size", 28},       {"patch_size", 7}};
    const nlohmann::json withImages = {{"in_channels", 36}, {"image_dim", 32}, {"added_kv_proj_dim", 256}};
    TinyModel model;
    if (name == "wan2.1-phantom") {
        model.title = "Phantom-Wan-tiny";
    } else if (name == "wan2.1-bernini") {
        model.title = "Bernini-R-tiny";
    } else if (name == "wan2.2-t2v-a14b" || name == "wan2.2-i2v-a14b" || name == "wan2.2-bernini") {
        model.experts = 2;
        if (name == "wan2.2-bernini")
            model.title = "Bernini-R-tiny";
        model.index["boundary_ratio"] = 0.9;
        if (name == "wan2.2-i2v-a14b") {
            model.index["_class_name"] = "WanImageToVideoPipeline";
            model.transformer["in_channels"] = 36;
        }
    } else if (name == "wan2.1-fun-control" || name == "wan2.2-fun-control-a14b") {
        model.index["_class_name"] = "WanImageToVideoPipeline";
        model.transformer = {{"in_channels", 52}, {"in_dim_ref_conv", 16}};
        if (name == "wan2.1-fun-control") {
            model.transformer.update({{"in_channels", 48}, {"image_dim", 32}, {"added_kv_proj_dim", 256}});
            model.imageEncoder = clip;
        } else {
            model.experts = 2;
            model.index["boundary_ratio"] = 0.9;
        }
    } else if (name == "wan2.2-i2v-one") {
        model.index["_class_name"] = "WanImageToVideoPipeline";
        model.transformer["in_channels"] = 36;
    } else if (name == "wan2.1-i2v" || name == "wan2.1-ati" || name == "wan2.1-move" ||
               name == "wan2.1-flf2v" || name == "wan2.2-animate2" || name == "wan2.2-animate2-distilled") {
        if (name == "wan2.1-ati")
            model.title = "Wan2.1-ATI-tiny";
        if (name == "wan2.1-move")
            model.title = "Wan-Move-tiny";
        if (name == "wan2.2-animate2")
            model.title = "Wan2.2-Animate-2-tiny";
        if (name == "wan2.2-animate2-distilled")
            model.title = "Wan2.2-Animate-2-tiny-Distilled";
        model.index["_class_name"] = "WanImageToVideoPipeline";
        model.transformer = withImages;
        model.imageEncoder = clip;
        if (name == "wan2.1-flf2v")
            model.transformer["pos_embed_seq_len"] = 34;
    } else if (name == "wan2.2-ti2v" || name == "wan2.2-fun-control-5b") {
        model.index["expand_timesteps"] = true;
        model.transformer = {{"in_channels", 48}, {"out_channels", 48}};
        model.vae = {{"base_dim", 8},
                     {"decoder_base_dim", 8},
                     {"z_dim", 48},
                     {"is_residual", true},
                     {"in_channels", 12},
                     {"out_channels", 12},
                     {"patch_size", 2},
                     {"num_res_blocks", 1},
                     {"latents_mean", std::vector<float>(48, 0.1F)},
                     {"latents_std", std::vector<float>(48, 0.9F)}};
        if (name == "wan2.2-fun-control-5b")
            model.transformer.update({{"in_channels", 148}, {"in_dim_ref_conv", 48}});
    } else if (name == "wan2.2-animate") {
        model.index["_class_name"] = "WanAnimatePipeline";
        model.index["transformer"] = {"diffusers", "WanAnimateTransformer3DModel"};
        model.transformer = withImages;
        model.transformer.update({{"_class_name", "WanAnimateTransformer3DModel"},
                                  {"latent_channels", 16},
                                  {"motion_encoder_channel_sizes", {{"4", 16}, {"8", 12}, {"16", 8}}},
                                  {"motion_encoder_size", 16},
                                  {"motion_style_dim", 24},
                                  {"motion_dim", 6},
                                  {"motion_encoder_dim", 20},
                                  {"face_encoder_hidden_dim", 16},
                                  {"face_encoder_num_heads", 2},
                                  {"inject_face_latents_blocks", 1}});
        model.imageEncoder = clip;
    } else if (name == "wan2.2-s2v") {
        model.index["_class_name"] = "WanSpeechToVideoPipeline";
        model.index["transformer"] = {"diffusers", "WanS2VTransformer3DModel"};
        model.index["audio_encoder"] = {"transformers", "Wav2Vec2Model"};
        model.transformer = {{"_class_name", "WanS2VTransformer3DModel"},
                             {"audio_dim", 32},
                             {"num_audio_layers", 3},
                             {"num_audio_token", 2},
                             {"cond_dim", 16},
                             {"audio_inject_layers", {0, 1}}};
        model.audioEncoder = {{"hidden_size", 32},
                              {"intermediate_size", 64},
                              {"num_hidden_layers", 2},
                              {"num_attention_heads", 2},
                              {"conv_dim", {8, 8, 8, 8, 8, 8, 8}},
                              {"num_conv_pos_embeddings", 8},
                              {"num_conv_pos_embedding_groups", 4}};
    } else if (name == "wan2.1-vace" || name == "wan2.2-vace-a14b") {
        if (name == "wan2.2-vace-a14b") {
            model.experts = 2;
            model.index["boundary_ratio"] = 0.875;
        }
        model.index["_class_name"] = "WanVACEPipeline";
        model.index["transformer"] = {"diffusers", "WanVACETransformer3DModel"};
        model.transformer = {
            {"_class_name", "WanVACETransformer3DModel"}, {"vace_layers", {0, 1}}, {"vace_in_channels", 96}};
    }
    return model;
}

}  // namespace meshreel::testing
