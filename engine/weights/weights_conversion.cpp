// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/weights_conversion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/tensor_names.h"
#include "engine/weights/weights_writer.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t tileElements = std::int64_t{1} << 22;
/// Mapped pages of a tensor are given back after so many elements.
constexpr std::int64_t releaseElements = std::int64_t{1} << 24;
constexpr std::string_view comfyPrefix = "model.diffusion_model.";
constexpr float largestFloat8E4M3 = 448.0F;

struct NamedNumbers {
    std::string_view name;
    StoredType type;
    bool scaled = false;
};
constexpr std::array numberNames = {
    NamedNumbers{"f32", StoredType::F32},         NamedNumbers{"bf16", StoredType::BF16},
    NamedNumbers{"f16", StoredType::F16},         NamedNumbers{"fp8", StoredType::F8E4M3},
    NamedNumbers{"fp8_e5m2", StoredType::F8E5M2}, NamedNumbers{"fp8_scaled", StoredType::F8E4M3, true},
    NamedNumbers{"Q8_0", StoredType::Q8_0},       NamedNumbers{"Q6_K", StoredType::Q6_K},
    NamedNumbers{"Q5_K", StoredType::Q5_K},       NamedNumbers{"Q5_1", StoredType::Q5_1},
    NamedNumbers{"Q5_0", StoredType::Q5_0},       NamedNumbers{"Q4_K", StoredType::Q4_K},
    NamedNumbers{"Q4_1", StoredType::Q4_1},       NamedNumbers{"Q4_0", StoredType::Q4_0},
    NamedNumbers{"IQ4_XS", StoredType::IQ4_XS},   NamedNumbers{"IQ4_NL", StoredType::IQ4_NL},
    NamedNumbers{"Q3_K", StoredType::Q3_K},       NamedNumbers{"Q2_K", StoredType::Q2_K}};

/// A tensor of the new file: tensors of the source below each other.
struct Target {
    StoredSpec spec;
    std::vector<std::string> sources;  ///< diffusers' names; none: a scale or the marker
    bool transposed = false;
    float scale = 1.0F;  ///< what fp8 numbers are multiplied with when read
    std::optional<float> constant{};
};

bool isEmbedding(std::string_view name) {
    return name == "shared.weight" || name == "encoder.embed_tokens.weight" ||
           name.starts_with("condition_embedder.") || name.starts_with("patch_embedding") ||
           name.starts_with("vision_model.embeddings.");
}

/// Matrices of the layers, whose rounding harms least and which are nearly all of the weights.
bool isLayerMatrix(std::string_view name, const Shape& shape) {
    return shape.rank() == 2 && shape[0] > 1 && name.ends_with(".weight") && !isEmbedding(name) &&
           name.find("norm") == std::string_view::npos;
}

StoredType kept(StoredType type) {
    return isQuantised(type) || type == StoredType::Other ? StoredType::F32 : type;
}

/// The type of one tensor in the new file.
StoredType typeOf(const Checkpoint& source, const std::string& name, const TargetNumbers& numbers) {
    const StoredType stored = source.storedType(name);
    const bool isReal = isQuantised(stored) || stored == StoredType::F64 || stored == StoredType::F32 ||
                        stored == StoredType::F16 || stored == StoredType::BF16;
    if (!numbers.type || !isReal)
        return kept(stored);
    if (!isQuantised(*numbers.type))
        return *numbers.type;
    const Shape& shape = source.shape(name);
    const auto block = static_cast<std::int64_t>(storedTypeInfo(*numbers.type).blockElements);
    return isLayerMatrix(name, shape) && shape[1] % block == 0 ? *numbers.type : kept(stored);
}

/// The shape that the original file has where diffusers' is another.
Shape originalShape(const std::string& original, const Shape& shape, const MappedName& how) {
    std::vector<std::int64_t> extents(shape.extents().begin(), shape.extents().end());
    switch (how.reshaping) {
        case Reshaping::None:
            break;
        case Reshaping::Rows:
            extents.at(0) *= how.parts;
            break;
        case Reshaping::Flatten:  // a bias of StyleGAN's layers, or the class embedding of CLIP
            return original.ends_with(".bias") ? Shape{1, shape.elements(), 1, 1}
                                               : Shape{1, 1, shape.elements()};
        case Reshaping::DropFirst:
            extents.insert(extents.begin(), 1);
            break;
        case Reshaping::Transpose:
            std::ranges::reverse(extents);
            break;
    }
    return Shape(extents);
}

/// Calls use(values) for the tensor's numbers in order, a tile at a time.
template <typename Use>
void forEachTile(const Checkpoint& checkpoint, const std::string& name, const Use& use) {
    const Shape& shape = checkpoint.shape(name);
    const std::int64_t rows = shape.rank() == 0 ? 1 : shape[0];
    const std::int64_t width =
        rows == 0 ? 1 : std::max<std::int64_t>(1, shape.elements() / std::max<std::int64_t>(rows, 1));
    const std::int64_t rowsTogether = std::max<std::int64_t>(1, tileElements / width);
    std::int64_t sinceRelease = 0;
    for (std::int64_t row = 0; row < rows; row += rowsTogether) {
        const std::int64_t count = std::min(rowsTogether, rows - row);
        const Tensor tile = checkpoint.getRows(name, row, count).reshaped({count * width});
        // One row may be longer than a tile.
        for (std::int64_t first = 0; first < tile.elements(); first += tileElements) {
            const Tensor piece = tile.slice(first, std::min(first + tileElements, tile.elements())).toF32();
            use(std::as_const(piece).data<float>());
            sinceRelease += piece.elements();
            if (sinceRelease >= releaseElements) {
                checkpoint.release(name);
                sinceRelease = 0;
            }
        }
    }
    checkpoint.release(name);
}

float largestMagnitude(const Checkpoint& source, const std::vector<std::string>& names) {
    float largest = 0;
    for (const std::string& name : names)
        forEachTile(source, name, [&](std::span<const float> values) {
            for (const float value : values)
                largest = std::max(largest, std::abs(value));
        });
    return largest;
}

/// What of the source becomes what in the new file.
class TargetPlan {
  public:
    TargetPlan(const Checkpoint& source, const ConversionOrder& order) : m_source(source), m_order(order) {
        const std::vector<std::string> names = source.names();
        // A sound encoder has one spelling.
        if (order.layout != TargetLayout::Diffusers && source.layout().part != ModelPart::AudioEncoder) {
            if (!source.layout().part)
                throw Error(
                    ErrorKind::Project,
                    sentence("the weights are those of no part of a Wan model, whose other names are known"),
                    source.path().string(), sentence("Use --layout diffusers, which keeps the names"));
            m_map.emplace(*source.layout().part, NameContext::of(names));
        }
        for (const std::string& name : names)
            add(name);
        requireWhole();
        if (order.numbers.scaled)
            addScales();
    }

    std::vector<Target> targets;
    std::vector<std::string> left;

  private:
    [[nodiscard]] std::string prefix() const {
        return m_order.layout == TargetLayout::Comfy && m_source.layout().part == ModelPart::Transformer
                   ? std::string(comfyPrefix)
                   : std::string();
    }

    void add(const std::string& name) {
        const Shape& shape = m_source.shape(name);
        const StoredType type = typeOf(m_source, name, m_order.numbers);
        if (!m_map) {
            targets.push_back({.spec = {name, type, shape}, .sources = {name}});
            return;
        }
        const auto original = m_map->toOriginal(name);
        if (!original) {
            left.push_back(name);
            return;
        }
        const std::string target = prefix() + original->name;
        const auto [at, isNew] = m_places.emplace(target, targets.size());
        if (isNew) {
            targets.push_back({.spec = {target, type, originalShape(original->name, shape, *original)},
                               .sources = std::vector<std::string>(static_cast<std::size_t>(original->parts)),
                               .transposed = original->reshaping == Reshaping::Transpose});
        }
        // A text encoder's embedding stands twice in diffusers, once here.
        std::string& place = targets[at->second].sources[static_cast<std::size_t>(original->part)];
        if (place.empty())
            place = name;
    }

    void requireWhole() const {
        for (const Target& target : targets)
            if (std::ranges::find(target.sources, std::string()) != target.sources.end())
                throw Error(ErrorKind::Input, sentence("the source lacks a tensor that is a part of it"),
                            target.spec.name, sentence("Get the source again"));
    }

    void addScales() {
        std::vector<Target> scales;
        for (Target& target : targets) {
            if (target.spec.type != StoredType::F8E4M3)
                continue;
            const float largest = largestMagnitude(m_source, target.sources);
            target.scale = largest > 0 ? largest / largestFloat8E4M3 : 1.0F;
            constexpr std::string_view weight = "weight";
            const std::string& name = target.spec.name;
            scales.push_back({.spec = {name.substr(0, name.size() - weight.size()) + "scale_weight",
                                       StoredType::F32, Shape()},
                              .sources = {},
                              .constant = target.scale});
        }
        std::ranges::move(scales, std::back_inserter(targets));
        targets.push_back(
            {.spec = {prefix() + std::string(scaledFp8Marker), StoredType::F8E4M3, Shape{0}}, .sources = {}});
    }

    const Checkpoint& m_source;
    const ConversionOrder& m_order;
    std::optional<NameMap> m_map;
    std::map<std::string, std::size_t> m_places;
};

/// Calls use(values) for a target's numbers as they are to be written, and gives use the source's beside
/// them.
template <typename Use>
void forEachPiece(const Checkpoint& source, const Target& target, const Use& use) {
    if (target.constant) {
        use(std::span(&*target.constant, 1));
        return;
    }
    for (const std::string& name : target.sources)
        if (target.transposed)
            use(transposed(source.get(name)).data<float>());
        else
            forEachTile(source, name, use);
}

void writeTargets(const Checkpoint& source, const fs::path& file, WeightsFormat format,
                  const std::vector<Target>& targets, const std::map<std::string, std::string>& metadata,
                  const ConversionOrder& order) {
    std::vector<StoredSpec> specs;
    std::uint64_t total = 0;
    for (const Target& target : targets) {
        specs.push_back(target.spec);
        total += target.spec.bytes();
    }
    WeightsWriter writer(file, format, specs, metadata);
    std::uint64_t done = 0;
    std::vector<float> scaled;
    for (const std::size_t index : writer.order()) {
        const Target& target = targets[index];
        forEachPiece(source, target, [&](std::span<const float> values) {
            throwIfStopped(order.stop);
            if (target.scale != 1.0F) {
                scaled.assign(values.begin(), values.end());
                for (float& value : scaled)
                    value /= target.scale;
                values = scaled;
            }
            writer.append(values);
        });
        done += target.spec.bytes();
        if (order.progress)
            order.progress(done, total);
    }
    writer.close();
}

/// Sums of one type.
struct LossSums {
    std::size_t tensors = 0;
    double largest = 0;
    double squaredError = 0;
    double squared = 0;

    void add(std::span<const float> wanted, std::span<const float> found) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const double error = static_cast<double>(found[i]) - static_cast<double>(wanted[i]);
            largest = std::max(largest, std::abs(error));
            squaredError += error * error;
            squared += static_cast<double>(wanted[i]) * static_cast<double>(wanted[i]);
        }
    }
};

/// What packing `values` as `type` and reading them gives.
void roundThrough(StoredType type, float scale, std::span<const float> values, std::vector<std::byte>& packed,
                  std::vector<float>& out) {
    out.assign(values.begin(), values.end());
    if (type == StoredType::F32 && scale == 1.0F)
        return;
    for (float& value : out)
        value /= scale;
    packed.clear();
    packStored(type, out, packed);
    if (const auto unpack = storedTypeInfo(type).unpack) {
        unpack(packed, out);
    } else {
        const Tensor stored = Tensor::view(packed.data(), {static_cast<std::int64_t>(out.size())},
                                           storedTypeInfo(type).direct.value(), nullptr);
        const Tensor numbers = stored.toF32();
        std::ranges::copy(std::as_const(numbers).data<float>(), out.begin());
    }
    for (float& value : out)
        value *= scale;
}

/// Reads the new file through the real reader and compares it number by number with what was meant.
class ReadBack {
  public:
    ReadBack(const Checkpoint& source, const Checkpoint& written, const StopToken& stop)
        : m_source(source), m_written(written), m_stop(stop) {}

    std::map<std::string, ConversionLoss> check(const std::vector<Target>& targets) {
        for (const Target& target : targets)
            for (const std::string& name : target.sources)
                checkTensor(target, name);
        std::map<std::string, ConversionLoss> losses;
        for (const auto& [type, sum] : m_sums)
            losses[type] = {sum.tensors, sum.largest,
                            sum.squared > 0 ? std::sqrt(sum.squaredError / sum.squared) : 0.0};
        return losses;
    }

  private:
    void checkTensor(const Target& target, const std::string& name) {
        if (!m_written.has(name) || m_written.shape(name) != m_source.shape(name))
            fail(name, sentence("the file read back is not there with its shape"));
        LossSums& sum = m_sums[std::string(storedTypeInfo(target.spec.type).name) +
                               (target.scale != 1.0F ? " scaled" : "")];
        ++sum.tensors;
        std::vector<float> meant;
        std::vector<std::byte> packed;
        std::int64_t first = 0;
        const std::int64_t rows = m_source.shape(name).rank() == 0 ? 1 : m_source.shape(name)[0];
        const std::int64_t width =
            rows == 0 ? 1 : m_source.shape(name).elements() / std::max<std::int64_t>(rows, 1);
        forEachTile(m_source, name, [&](std::span<const float> wanted) {
            throwIfStopped(m_stop);
            roundThrough(target.spec.type, target.scale, wanted, packed, meant);
            const std::vector<float> found = elements(name, first, std::ssize(wanted), width);
            const bool same = std::ranges::equal(
                meant, found, [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); });
            if (!same)
                fail(name, sentence("the file read back differs from what was written, in elements {} to {}",
                                    first, first + std::ssize(wanted)));
            sum.add(wanted, found);
            first += std::ssize(wanted);
        });
        m_written.release(name);
    }

    /// Elements [first, first + count) of a written tensor.
    [[nodiscard]] std::vector<float> elements(const std::string& name, std::int64_t first, std::int64_t count,
                                              std::int64_t width) const {
        const std::int64_t row = first / width;
        const std::int64_t rows = (first + count + width - 1) / width - row;
        const Tensor tile = m_written.getRows(name, row, rows).reshaped({rows * width});
        const Tensor values = tile.slice(first - row * width, first - row * width + count).toF32();
        const auto data = std::as_const(values).data<float>();
        std::vector<float> copy(data.begin(), data.end());
        if (first / releaseElements != (first + count) / releaseElements)
            m_written.release(name);
        return copy;
    }

    [[noreturn]] void fail(const std::string& name, Sentence message) const {
        throw Error(
            ErrorKind::Mismatch, std::move(message), name,
            sentence("The disk or the memory is faulty, or this is a defect of Meshreel; nothing was kept"));
    }

    const Checkpoint& m_source;
    const Checkpoint& m_written;
    const StopToken& m_stop;
    std::map<std::string, LossSums> m_sums;
};

std::map<std::string, std::string> collectMetadata(const Checkpoint& source, WeightsFormat format) {
    if (format == WeightsFormat::Safetensors)
        return {{"format", "pt"}};
    const bool text = source.layout().part == ModelPart::TextEncoder;
    return {{"general.architecture", text ? "t5encoder" : "wan"}};
}

}  // namespace

std::optional<TargetNumbers> targetNumbers(std::string_view name) {
    const auto found = std::ranges::find(numberNames, name, &NamedNumbers::name);
    return found == numberNames.end() ? std::nullopt
                                      : std::optional(TargetNumbers{found->type, found->scaled});
}

std::vector<std::string_view> targetNumberNames() {
    std::vector<std::string_view> names;
    for (const NamedNumbers& row : numberNames)
        names.push_back(row.name);
    return names;
}

ConversionReport convertWeights(const Checkpoint& source, const fs::path& file,
                                const ConversionOrder& order) {
    const TargetPlan plan(source, order);
    const WeightsFormat format = formatOfName(file);
    ConversionReport report{.bytes = 0, .losses = {}, .left = plan.left};
    writeFileAtomically(file, [&](const fs::path& temporary) {
        writeTargets(source, temporary, format, plan.targets, collectMetadata(source, format), order);
        const Checkpoint written = Checkpoint::open(temporary);
        report.losses = ReadBack(source, written, order.stop).check(plan.targets);
        report.bytes = fs::file_size(temporary);
    });
    return report;
}

}  // namespace meshreel
