// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/wav2vec2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/worker_pool.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/families/model_identity.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/golden_folder.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

constexpr const char* oldLength = "encoder.pos_conv_embed.conv.weight_g";
constexpr const char* newLength = "encoder.pos_conv_embed.conv.parametrizations.weight.original0";

std::span<const float> soundOf(const Tensor& waveform) {
    return waveform.data<float>();
}

/// A golden case of one of the two kinds.
class SoundCase {
  public:
    explicit SoundCase(const std::string& name) : golden(name) {}

    [[nodiscard]] Wav2Vec2Config config() const {
        nlohmann::json json = readJsonObject(golden.file("config.json"));
        json["do_normalize"] = readJsonObject(golden.file("preprocessor_config.json")).at("do_normalize");
        return Wav2Vec2Config::fromJson(json, "config.json");
    }

    [[nodiscard]] Wav2Vec2Encoder encoder(Arithmetic arithmetic = Arithmetic::F32) const {
        return {config(), Checkpoint::open(golden.file("weights.safetensors")), arithmetic};
    }

    /// Its weights under other names.
    template <typename Rename>
    [[nodiscard]] Checkpoint renamed(const testing::TemporaryFolder& folder, const Rename& rename) const {
        const SafetensorsFile stored = SafetensorsFile::open(golden.file("weights.safetensors"));
        std::vector<NamedTensor> tensors;
        for (const std::string& name : stored.names())
            tensors.push_back({rename(name), stored.get(name)});
        writeSafetensors(folder / "renamed.safetensors", tensors);
        return Checkpoint::open(folder / "renamed.safetensors");
    }

    GoldenFolder golden;
    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
};

TEST(Wav2Vec2, EveryIntermediateOfBothKinds) {
    for (const char* name : {"wav2vec2_layer", "wav2vec2_group"}) {
        SCOPED_TRACE(name);
        SoundCase own(name);
        const Wav2Vec2Encoder encoder = own.encoder();
        for (const std::string variant : {"a", "b"}) {
            if (!own.golden.has(variant + ".in.waveform"))
                continue;
            const Tensor waveform = own.golden.tensor(variant + ".in.waveform");
            const Probe whole = own.golden.probe(variant);
            const Tensor states = encoder.encode(
                own.execution, soundOf(waveform), [&](std::string_view part, const Tensor& value) {
                    if (part == "conv0_frames")
                        own.golden.expectNear(variant + ".conv0", transposed(value.slice(0, 40)));
                    else
                        whole(part, value);
                });
            own.golden.expectNear(variant + ".hidden_states", states);
        }
        EXPECT_THAT(own.golden.unchecked(), ::testing::IsEmpty());
    }
}

TEST(Wav2Vec2, NamesOfTransformersAndOfComfyUIAreOfOneModel) {
    SoundCase own("wav2vec2_layer");
    const testing::TemporaryFolder folder;
    const Checkpoint bare = own.renamed(folder, [](const std::string& name) {
        return name.starts_with("wav2vec2.") ? name.substr(9) : name;
    });
    ASSERT_EQ(bare.layout().part, ModelPart::AudioEncoder);
    const Tensor waveform = own.golden.tensor("a.in.waveform");
    const Wav2Vec2Encoder encoder(own.config(), bare);
    own.golden.expectNear("a.hidden_states", encoder.encode(own.execution, soundOf(waveform)));
}

TEST(Wav2Vec2, PositionsAreReadInEachSpelling) {
    SoundCase own("wav2vec2_layer");
    const testing::TemporaryFolder folder;
    const Checkpoint renamed = own.renamed(folder, [](const std::string& name) {
        const std::string prefix = "wav2vec2.encoder.pos_conv_embed.conv.";
        if (name == prefix + "weight_g")
            return prefix + "parametrizations.weight.original0";
        return name == prefix + "weight_v" ? prefix + "parametrizations.weight.original1" : name;
    });
    ASSERT_FALSE(renamed.has(oldLength));
    ASSERT_TRUE(renamed.has(newLength));
    const Tensor waveform = own.golden.tensor("a.in.waveform");
    own.golden.expectNear("a.hidden_states",
                          Wav2Vec2Encoder(own.config(), renamed).encode(own.execution, soundOf(waveform)));
}

TEST(Wav2Vec2, AConfigIsInferredFromShapes) {
    for (const char* name : {"wav2vec2_layer", "wav2vec2_group"}) {
        const SoundCase own(name);
        const Wav2Vec2Config inferred = Wav2Vec2Config::fromJson(
            inferConfig(Checkpoint::open(own.golden.file("weights.safetensors"))), "inferred");
        const Wav2Vec2Config given = own.config();
        EXPECT_EQ(inferred.channels, given.channels);
        EXPECT_EQ(inferred.kernels, given.kernels);
        EXPECT_EQ(inferred.layers, given.layers);
        EXPECT_EQ(inferred.hiddenSize, given.hiddenSize);
        EXPECT_EQ(inferred.intermediateSize, given.intermediateSize);
        EXPECT_EQ(inferred.layerNorms, given.layerNorms);
        EXPECT_EQ(inferred.stableLayerNorm, given.stableLayerNorm);
        EXPECT_EQ(inferred.convolutionBias, given.convolutionBias);
        EXPECT_EQ(inferred.normalises, given.normalises);
    }
}

TEST(Wav2Vec2, AFrameSeesFourHundredSamplesAndOneComesEveryTwentyMilliseconds) {
    const Wav2Vec2Config config;
    EXPECT_EQ(config.frames(399), 0);
    EXPECT_EQ(config.frames(400), 1);
    EXPECT_EQ(config.frames(719), 1);
    EXPECT_EQ(config.frames(720), 2);
    EXPECT_EQ(config.frames(Wav2Vec2Config::sampleRate), 49);
    EXPECT_EQ(config.hop(), 320);
    EXPECT_EQ(config.framesPerSecond(), 50.0);
    for (const std::int64_t frames : {1, 2, 49, 3000})
        EXPECT_EQ(config.frames(config.samples(frames)), frames);
}

TEST(Wav2Vec2, ALongSoundIsHeardInAsMuchMemoryAsTenSeconds) {
    const Wav2Vec2Config config;
    // Behind the second convolution of 512 frames: what it saw, as it is and side by side, and what it made.
    constexpr std::size_t seen = 32'783 * 512;
    constexpr std::size_t beside = 2'048 * 3 * 512;
    constexpr std::size_t made = 16'391 * 512;
    EXPECT_EQ(SoundFeatures::workspaceBytes(config, 512), (seen + beside + made) * sizeof(float));
    EXPECT_EQ(SoundFeatures::workspaceBytes(config, 50'000), SoundFeatures::workspaceBytes(config, 512));
    EXPECT_LT(SoundFeatures::workspaceBytes(config, 50), SoundFeatures::workspaceBytes(config, 512));
}

TEST(Wav2Vec2, FramesDoNotDependOnThePartsThatTheSoundIsHeardIn) {
    for (const char* name : {"wav2vec2_layer", "wav2vec2_group"}) {
        SCOPED_TRACE(name);
        SoundCase own(name);
        const Wav2Vec2Config config = own.config();
        std::vector<float> sound(static_cast<std::size_t>(config.samples(600)));  // two parts
        for (std::size_t sample = 0; sample < sound.size(); ++sample)
            sound[sample] = static_cast<float>(std::sin(static_cast<double>(sample * sample % 9973)));
        const SoundFeatures features(config, Checkpoint::open(own.golden.file("weights.safetensors")));
        const Tensor whole = features.extract(own.execution, sound);
        ASSERT_EQ(whole.shape(), (Shape{600, config.channels.back()}));
        if (!config.layerNorms)
            continue;  // each channel is normed over the whole sound
        const auto from = static_cast<std::size_t>(500 * config.hop());
        const Tensor end = features.extract(own.execution, std::span(sound).subspan(from));
        const Tensor same = whole.slice(500, 600);
        EXPECT_TRUE(std::ranges::equal(end.data<float>(), same.data<float>()));
    }
}

TEST(Wav2Vec2, TooShortASoundIsRefused) {
    SoundCase own("wav2vec2_group");
    const std::vector<float> sound(399);
    EXPECT_THAT(testing::refusalOf(ErrorKind::Input,
                                   [&] { static_cast<void>(own.encoder().encode(own.execution, sound)); }),
                testing::Names("399", "400"));
}

TEST(Wav2Vec2, BFloat16StaysNear) {
    SoundCase own("wav2vec2_layer");
    const Tensor waveform = own.golden.tensor("a.in.waveform");
    const Tensor states = own.encoder(Arithmetic::BF16).encode(own.execution, soundOf(waveform));
    const Tensor expected = own.golden.tensor("a.hidden_states");
    double error = 0;
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
        error = std::max(error, std::abs(static_cast<double>(std::as_const(states).data<float>()[i]) -
                                         static_cast<double>(expected.data<float>()[i])));
    EXPECT_LE(error, 0.2);  // of values up to 8
    EXPECT_GT(error, 1e-4) << "it was not computed in bf16";
}

TEST(Wav2Vec2, ReleasedModelsHaveTheWidthsThatModelsAskFor) {
    const auto large = Wav2Vec2Config::fromJson(configOf(requireArchitecture("wav2vec2-large")), "large");
    EXPECT_EQ(large.hiddenSize, 1024);
    EXPECT_EQ(large.layers + 1, 25);
    EXPECT_TRUE(large.normalises);
    const auto base = Wav2Vec2Config::fromJson(configOf(requireArchitecture("wav2vec2-base")), "base");
    EXPECT_EQ(base.hiddenSize, 768);
    EXPECT_FALSE(base.layerNorms);
}

}  // namespace
}  // namespace meshreel
