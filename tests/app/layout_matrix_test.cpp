// SPDX-License-Identifier: GPL-3.0-or-later
// Every family of models in every layout of files, through the real runner: docs/testing.md shows the matrix.
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/media/video_reader.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/weights_conversion.h"
#include "engine/weights/weights_writer.h"
#include "family_test.h"
#include "tests/support/torch_bytes.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr const char* originalFile = "original.safetensors";

/// Writes the weights of a part into a folder of its own.
using Write = std::function<void(const Checkpoint& source, const fs::path& folder)>;

Write converted(const char* file, TargetLayout layout, const char* numbers = nullptr) {
    return [=](const Checkpoint& source, const fs::path& folder) {
        static_cast<void>(convertWeights(
            source, folder / file,
            {.layout = layout, .numbers = numbers == nullptr ? TargetNumbers() : *targetNumbers(numbers)}));
    };
}

/// Three files and their index.
void writeShards(const Checkpoint& source, const fs::path& folder) {
    constexpr std::size_t count = 3;
    std::array<std::vector<NamedTensor>, count> shards;
    nlohmann::json places = nlohmann::json::object();
    const std::string stem = source.path().stem().string();
    const auto fileOf = [&](std::size_t shard) {
        return stem + "-0000" + std::to_string(shard + 1) + "-of-00003.safetensors";
    };
    for (std::size_t next = 0; const std::string& name : source.names()) {
        const std::size_t shard = next++ % count;
        shards.at(shard).emplace_back(name, source.get(name));
        places[name] = fileOf(shard);
    }
    for (std::size_t shard = 0; shard < count; ++shard)
        writeSafetensors(folder / fileOf(shard), shards.at(shard));
    const nlohmann::json index = {{"metadata", {{"total_size", source.bytes()}}}, {"weight_map", places}};
    writeFileAtomically(folder / (stem + ".safetensors.index.json"), index.dump());
}

/// The tensors of the original project, in f32.
std::vector<NamedTensor> originalTensors(const Checkpoint& source, const fs::path& folder) {
    const fs::path file = folder / originalFile;
    static_cast<void>(convertWeights(source, file, {.layout = TargetLayout::Original}));
    const TensorFile original = TensorFile::open(file);
    std::vector<NamedTensor> tensors;
    for (const FileTensor& tensor : original.tensors())
        tensors.emplace_back(tensor.name, original.read(tensor));
    fs::remove(file);
    return tensors;
}

void writePth(const Checkpoint& source, const fs::path& folder) {
    writeFileAtomically(folder / "original.pth", testing::torchBytes(originalTensors(source, folder)));
}

/// e5m2 with a scale for each matrix of a block, which `meshreel convert` does not write.
void writeScaledE5M2(const Checkpoint& source, const fs::path& folder) {
    constexpr float largestE5M2 = 57344.0F;
    std::vector<StoredSpec> specs{{"scaled_fp8", StoredType::F8E5M2, {0}}};
    std::vector<std::vector<float>> values{{}};
    for (const auto& [name, tensor] : originalTensors(source, folder)) {
        const Tensor numbers = tensor.toF32();
        const auto all = numbers.data<float>();
        specs.push_back({name, StoredType::F32, tensor.shape()});
        values.emplace_back(all.begin(), all.end());
        if (tensor.shape().rank() != 2 || !name.starts_with("blocks.") || !name.ends_with(".weight"))
            continue;
        float largest = 0;
        for (const float value : all)
            largest = std::max(largest, std::abs(value));
        const float scale = largest / largestE5M2;
        for (float& value : values.back())
            value /= scale;
        specs.back().type = StoredType::F8E5M2;
        specs.push_back({name.substr(0, name.rfind('.')) + ".scale_weight", StoredType::F32, Shape()});
        values.push_back({scale});
    }
    WeightsWriter writer(folder / "scaled.safetensors", WeightsFormat::Safetensors, specs, {});
    for (const std::size_t index : writer.order())
        if (!values[index].empty())
            writer.append(values[index]);
    writer.close();
}

enum class Parts : std::uint8_t { Transformers, WithTextEncoder, All };

struct Layout {
    std::string name;
    Write write;
    Parts parts = Parts::Transformers;
    double bound = 0;  ///< of the mean difference of a byte of the frames
};

std::vector<Layout> exactLayouts() {
    return {
        {.name = "shards", .write = writeShards, .parts = Parts::All},
        {.name = "original", .write = converted(originalFile, TargetLayout::Original), .parts = Parts::All},
        {.name = "pth", .write = writePth, .parts = Parts::All},
        {.name = "comfy", .write = converted("wan.safetensors", TargetLayout::Comfy)},
        {.name = "gguf", .write = converted("wan-F32.gguf", TargetLayout::Original)}};
}

/// Types that every family is run with, and others, which differ in how a block is packed only.
enum class Types : std::uint8_t { Common, All };

std::vector<Layout> roundedLayouts(Types types) {
    struct Row {
        const char* numbers;  ///< `meshreel convert`'s
        double bound;
        Types types = Types::Common;
    };
    constexpr std::array rows{Row{"bf16", 0.5},
                              Row{"f16", 0.1},
                              Row{"fp8", 5.0},
                              Row{"fp8_scaled", 5.0},
                              Row{"fp8_e5m2", 10.0},
                              Row{"Q8_0", 0.8},
                              Row{"Q4_K", 10.0},
                              Row{"Q6_K", 2.5, Types::All},
                              Row{"Q5_K", 5.0, Types::All},
                              Row{"Q5_1", 5.0, Types::All},
                              Row{"Q5_0", 5.0, Types::All},
                              Row{"Q4_1", 10.0, Types::All},
                              Row{"Q4_0", 10.0, Types::All},
                              Row{"IQ4_XS", 10.0, Types::All},
                              Row{"IQ4_NL", 10.0, Types::All},
                              Row{"Q3_K", 20.0, Types::All}};
    std::vector<Layout> layouts{{.name = "fp8_e5m2_scaled", .write = writeScaledE5M2, .bound = 10.0}};
    for (const Row& row : rows) {
        if (row.types == Types::All && types == Types::Common)
            continue;
        const bool gguf = std::string_view(row.numbers).find('Q') != std::string_view::npos;
        layouts.push_back(
            {.name = row.numbers,
             .write = converted(gguf ? "wan.gguf" : "wan.safetensors",
                                gguf ? TargetLayout::Original : TargetLayout::Comfy, row.numbers),
             .parts = Parts::WithTextEncoder,
             .bound = row.bound});
    }
    return layouts;
}

struct Case {
    std::string_view family;
    WanTask task;
};

void PrintTo(const Case& value, std::ostream* out) {
    *out << value.family;
}

/// Every family; the task is the one with inputs.
constexpr std::array cases{Case{"wan2.1-t2v", WanTask::TextToVideo},
                           Case{"wan2.1-i2v", WanTask::ImageToVideo},
                           Case{"wan2.1-flf2v", WanTask::FirstLastFrame},
                           Case{"wan2.1-vace", WanTask::VaceEditing},
                           Case{"wan2.2-t2v-a14b", WanTask::TextToVideo},
                           Case{"wan2.2-i2v-a14b", WanTask::ImageToVideo},
                           Case{"wan2.2-animate", WanTask::Animation},
                           Case{"wan2.2-animate2", WanTask::DrivenAnimation},
                           Case{"wan2.2-s2v", WanTask::SpeechToVideo},
                           Case{"wan2.2-ti2v", WanTask::ImageToVideo},
                           Case{"wan2.2-i2v-one", WanTask::ImageToVideo},
                           Case{"wan2.2-vace-a14b", WanTask::VaceEditing},
                           Case{"wan2.1-fun-control", WanTask::ControlToVideo},
                           Case{"wan2.2-fun-control-a14b", WanTask::ControlToVideo},
                           Case{"wan2.2-fun-control-5b", WanTask::ControlToVideo}};

bool isTransformer(const fs::path& part) {
    return part.filename().string().starts_with("transformer");
}

bool holdsWeights(const fs::path& part) {
    const auto isWeights = [](const fs::path& file) { return file.extension() == ".safetensors"; };
    return fs::is_directory(part) && std::ranges::any_of(fs::directory_iterator(part), isWeights);
}

class LayoutMatrix : public testing::FamilyTest, public ::testing::WithParamInterface<Case> {
  protected:
    /// Two steps, one of each expert where there are two.
    void SetUp() override {
        m_keys = projectOn(GetParam().family, GetParam().task);
        m_keys["task"] =
            rowOf(GetParam().task).name;  // Animate-2's title is lost where weights are converted
        m_keys["num_inference_steps"] = "2";
        m_keys["guidance_scale"] = "1";
        m_keys["video_format"] = "png";
        m_expected = framesOf(m_keys, "expected");
    }

    [[nodiscard]] Tensor framesOf(const testing::ProjectKeys& keys, const std::string& name) const {
        return readVideo(run(keys, name + "-run") / "video");
    }

    [[nodiscard]] static bool isIn(const Layout& layout, const fs::path& part) {
        return isTransformer(part) ||
               (layout.parts == Parts::WithTextEncoder && part.filename() == "text_encoder") ||
               (layout.parts == Parts::All && holdsWeights(part));
    }

    /// The model once more, parts of it in another layout.
    [[nodiscard]] fs::path modelIn(const Layout& layout) const {
        const fs::path model = file(layout.name);
        fs::create_directory(model);
        for (const fs::directory_entry& part : fs::directory_iterator(file("model"))) {
            const fs::path made = model / part.path().filename();
            if (!isIn(layout, part)) {
                fs::create_symlink(part, made);
                continue;
            }
            fs::create_directory(made);
            fs::copy(part.path() / "config.json", made);
            layout.write(Checkpoint::open(part), made);
        }
        return model;
    }

    /// ComfyUI's files in place of a model's name, and what else they need in the models folder.
    [[nodiscard]] testing::ProjectKeys projectOfFiles() const {
        testing::ProjectKeys keys = m_keys;
        const fs::path models = file("home") / "data" / "meshreel" / "models";
        fs::create_directories(models);
        std::map<std::string, std::string> files;
        for (const fs::directory_entry& part : fs::directory_iterator(file("model"))) {
            const std::string name = part.path().filename().string();
            if (!part.is_directory() || name == "scheduler")
                continue;
            if (!isTransformer(part)) {
                fs::copy(part, models / name, fs::copy_options::recursive);
                continue;
            }
            const fs::path folder = file("of-" + name);
            fs::create_directory(folder);
            fs::copy(part.path() / "config.json", folder);
            converted("wan.safetensors", TargetLayout::Comfy)(Checkpoint::open(part), folder);
            files[name] = (folder / "wan.safetensors").string();
        }
        keys["pretrained_model_name_or_path"] = files.at("transformer");
        if (files.contains("transformer_2"))
            keys["parts"] = "{transformer_2: " + files.at("transformer_2") + "}";
        return keys;
    }

    /// Of a byte of the frames, between the layout's and the model's own.
    [[nodiscard]] double meanDifference(const Layout& layout) const {
        testing::ProjectKeys keys = m_keys;
        keys["pretrained_model_name_or_path"] = modelIn(layout).string();
        return meanDifference(framesOf(keys, layout.name));
    }

    [[nodiscard]] double meanDifference(const Tensor& frames) const {
        EXPECT_EQ(frames.shape(), m_expected.shape());
        const auto found = frames.data<std::uint8_t>();
        const auto expected = m_expected.data<std::uint8_t>();
        double sum = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            sum += std::abs(int{found[i]} - int{expected[i]});
        return sum / static_cast<double>(expected.size());
    }

    testing::ProjectKeys m_keys;
    Tensor m_expected;
};

TEST_P(LayoutMatrix, TheSameWeightsMakeTheSameFrames) {
    for (const Layout& layout : exactLayouts())
        EXPECT_EQ(meanDifference(layout), 0) << layout.name;
    EXPECT_EQ(meanDifference(framesOf(projectOfFiles(), "files")), 0);
}

TEST_P(LayoutMatrix, RoundedWeightsStayWithinTheirBounds) {
    for (const Layout& layout :
         roundedLayouts(GetParam().family == "wan2.1-t2v" ? Types::All : Types::Common)) {
        const double difference = meanDifference(layout);
        RecordProperty(layout.name, std::to_string(difference));
        EXPECT_LE(difference, layout.bound) << layout.name;
        EXPECT_GT(difference, 0) << layout.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Families, LayoutMatrix, ::testing::ValuesIn(cases), [](const auto& test) {
    std::string name(test.param.family);
    std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
    return name;
});

}  // namespace
}  // namespace meshreel
