// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/checkpoint.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

// In the order in which diffusers (diffusion_pytorch_model) and transformers (model) look.
constexpr std::array<std::string_view, 4> candidateNames = {
    "diffusion_pytorch_model.safetensors.index.json",
    "diffusion_pytorch_model.safetensors",
    "model.safetensors",
    "model.safetensors.index.json",
};

// What the same libraries call weights that were rounded for publishing, or saved without safetensors.
constexpr std::array<std::string_view, 12> variantNames = {
    "diffusion_pytorch_model.safetensors.index.fp16.json",
    "diffusion_pytorch_model.fp16.safetensors",
    "model.safetensors.index.fp16.json",
    "model.fp16.safetensors",
    "diffusion_pytorch_model.safetensors.index.bf16.json",
    "diffusion_pytorch_model.bf16.safetensors",
    "model.safetensors.index.bf16.json",
    "model.bf16.safetensors",
    "diffusion_pytorch_model.bin.index.json",
    "diffusion_pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "pytorch_model.bin",
};

[[noreturn]] void throwNoWeights(const fs::path& folder, const std::vector<fs::path>& others) {
    std::vector<std::string> names;
    for (const fs::path& other : others)
        names.push_back(other.filename().string());
    throw Error(ErrorKind::Input,
                sentence("the folder holds none of {}", fmt::to_string(fmt::join(candidateNames, ", "))),
                folder.string(),
                others.empty()
                    ? sentence("Download the weights into it, or choose another model")
                    : sentence("It holds several other files of weights ({}): give the path of one",
                               fmt::to_string(fmt::join(names, ", "))));
}

/// A file of weights of any name, when the folder holds no other.
fs::path findOnlyFile(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (hasTensorFileName(entry.path()))
            files.push_back(entry.path());
    std::ranges::sort(files);
    if (files.size() != 1)
        throwNoWeights(folder, files);
    return files.front();
}

fs::path findWeights(const fs::path& folderOrFile) {
    std::error_code failure;
    const fs::file_status status = fs::status(folderOrFile, failure);
    if (!fs::exists(status))
        throw Error(ErrorKind::Input, sentence("there is no such file or folder"), folderOrFile.string(),
                    sentence("Check the path of the model"));
    if (!fs::is_directory(status))
        return folderOrFile;
    for (const std::string_view name : candidateNames)
        if (fs::exists(folderOrFile / name, failure))
            return folderOrFile / name;
    for (const std::string_view name : variantNames)
        if (fs::exists(folderOrFile / name, failure))
            return folderOrFile / name;
    return findOnlyFile(folderOrFile);
}

using WeightMap = std::map<std::string, std::string, std::less<>>;

/// tensor -> shard; a shard is a file beside the index, never a path out of its folder.
WeightMap readWeightMap(const fs::path& index) {
    const nlohmann::json object = readJsonObject(index);
    const auto weightMap = object.find("weight_map");
    if (weightMap == object.end() || !weightMap->is_object() || weightMap->empty())
        throw Error(ErrorKind::Input, sentence("the index has no weight_map {{tensor: file}}"),
                    index.string(), sentence("Download the index again"));
    WeightMap shards;
    for (const auto& [tensor, value] : weightMap->items()) {
        const std::string shard = value.is_string() ? value.get<std::string>() : std::string();
        if (!hasTensorFileName(shard) ||
            shard.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
            throw Error(ErrorKind::Input,
                        sentence("the shard {:.80} is not the name of a file of weights beside the index",
                                 value.dump(-1, ' ', true)),
                        tensorPlace(index.string(), tensor),
                        sentence("Download the index from the model's own repository"));
        shards.emplace(tensor, shard);
    }
    return shards;
}

void requireShards(const fs::path& index, const std::set<std::string>& shards) {
    requireWithin(Limit::Shards, shards.size(), index.string());
    std::vector<std::string> missing;
    std::error_code failure;
    for (const std::string& shard : shards)
        if (!fs::exists(index.parent_path() / shard, failure))
            missing.push_back(shard);
    if (!missing.empty())
        throw Error(ErrorKind::Input,
                    sentence("{} of {} shards are missing: {}", missing.size(), shards.size(),
                             fmt::to_string(fmt::join(missing, ", "))),
                    index.string(), sentence("Download them into the same folder"));
}

/// The shape that `how` makes of a stored tensor's; its own where its numbers are packed in a way that is not
/// read, which is refused when they are wanted.
Shape reshaped(const FileTensor& tensor, const MappedName& how, const std::string& where) {
    const Shape& shape = tensor.shape;
    switch (how.reshaping) {
        case Reshaping::None:
            return shape;
        case Reshaping::Flatten:
            return {shape.elements()};
        case Reshaping::Rows:
            if (shape.rank() > 0 && shape[0] % how.parts == 0)
                return shape.with(0, shape[0] / how.parts);
            break;
        case Reshaping::DropFirst:
            if (shape.rank() > 1 && shape[0] == 1)
                return Shape(shape.extents().subspan(1));
            break;
        case Reshaping::Transpose:
            if (shape.rank() == 2)
                return {shape[1], shape[0]};
            break;
    }
    if (!isWeightType(tensor.type))
        return shape;
    throw Error(ErrorKind::Input, sentence("its shape {} is not that of the original model", shape.text()),
                where, sentence("The file is of another model, or damaged"));
}

bool isFloat8(StoredType type) {
    return type == StoredType::F8E4M3 || type == StoredType::F8E5M2;
}

/// Text encoders in fp8 keep their embedding without a scale.
bool isTextEmbedding(std::string_view name) {
    return name == "shared.weight" || name == "encoder.embed_tokens.weight";
}

/// The tensors with five axes of a transformer: video to tokens.
constexpr std::string_view patchEmbedding = "patch_embedding.weight";

}  // namespace

bool isShardIndexName(const fs::path& file) {
    const std::string name = file.filename().string();
    return name.ends_with(".json") && name.find(".index.") != std::string::npos;
}

Checkpoint Checkpoint::open(const fs::path& folderOrFile, std::optional<ModelPart> part) {
    Checkpoint checkpoint;
    checkpoint.m_path = findWeights(folderOrFile);
    if (isShardIndexName(checkpoint.m_path)) {
        checkpoint.openShards(readWeightMap(checkpoint.m_path));
    } else {
        checkpoint.m_files.push_back(TensorFile::open(checkpoint.m_path));
        const std::vector<FileTensor>& tensors = checkpoint.m_files.front().tensors();
        for (std::size_t index = 0; index < tensors.size(); ++index)
            checkpoint.m_stored.emplace(tensors[index].name, Place{0, index});
    }
    checkpoint.readDescribedLayers();
    checkpoint.mapNames(part);
    return checkpoint;
}

void Checkpoint::openShards(const Indexed& weightMap) {
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : weightMap)
        shards.insert(shard);
    requireShards(m_path, shards);
    std::map<std::string, std::size_t> fileOf;
    for (const std::string& shard : shards) {
        fileOf.emplace(shard, m_files.size());
        m_files.push_back(TensorFile::open(m_path.parent_path() / shard));
    }
    for (const auto& [tensor, shard] : weightMap) {
        const std::size_t file = fileOf.at(shard);
        const FileTensor* found = m_files[file].find(tensor);
        if (found == nullptr)
            throw Error(ErrorKind::Input,
                        sentence("the index places it in {}, which does not hold it", shard),
                        tensorPlace(m_path.string(), tensor),
                        sentence("Download index and shards again, from one revision of the model"));
        m_stored.emplace(tensor,
                         Place{file, static_cast<std::size_t>(found - m_files[file].tensors().data())});
    }
}

void Checkpoint::mapNames(std::optional<ModelPart> part) {
    std::vector<std::string> all;
    for (const auto& [name, place] : m_stored)
        all.push_back(name);
    m_layout = WeightLayout::of(all, part);
    // What is behind no prefix or another one belongs to the other parts of a whole model.
    if (!m_layout.prefix.empty())
        std::erase_if(all, [&](const std::string& name) {
            const bool isOthers = !name.starts_with(m_layout.prefix) &&
                                  (partInside(name) || m_layout.part != ModelPart::Transformer);
            if (isOthers)
                m_stored.erase(name);
            return isOthers;
        });
    std::vector<std::string> bare;
    for (const std::string& name : all)
        bare.push_back(name.starts_with(m_layout.prefix) ? name.substr(m_layout.prefix.size()) : name);
    const std::optional<NameMap> map =
        m_layout.naming == Naming::Diffusers
            ? std::nullopt
            : std::optional<NameMap>(std::in_place, *m_layout.part, NameContext::of(bare), m_layout.naming);

    std::map<std::string, Place, std::less<>> scales;
    bool marked = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Place place = m_stored.at(all[i]);
        marked = marked || bare[i] == scaledFp8Marker;
        if (isNoWeight(bare[i]))
            continue;
        if (const auto scale = parseScaleName(bare[i])) {
            if (scale->applies)
                scales.emplace(scale->weight, place);
            continue;
        }
        if (standsBesideWeight(m_layout.prefix, bare[i]))
            continue;
        const std::string weight = weightStoredAs(bare[i]).value_or(bare[i]);
        std::vector<MappedName> mapped;
        if (map)
            mapped = map->toDiffusers(weight);
        if (mapped.empty())
            mapped.push_back({.name = weight});
        for (MappedName& how : mapped) {
            if (how.name.empty())
                continue;
            const std::string where = tensorPlace(m_path.string(), all[i]);
            std::string name = how.name;
            Entry entry{.place = place, .shape = {}, .how = std::move(how)};
            readCoding(entry);
            entry.shape = reshaped(entryTensor(entry), entry.how, where);
            m_tensors.emplace(std::move(name), std::move(entry));
        }
    }
    addScales(scales, marked);
}

void Checkpoint::addScales(const std::map<std::string, Place, std::less<>>& scales, bool marked) {
    for (auto& [name, entry] : m_tensors) {
        const FileTensor& tensor = stored(entry.place);
        const std::string bare =
            tensor.name.substr(tensor.name.starts_with(m_layout.prefix) ? m_layout.prefix.size() : 0);
        const auto scale = scales.find(bare);
        if (scale != scales.end())
            entry.scale = scale->second;
        else if (marked && isFloat8(tensor.type) && tensor.shape.rank() == 2 && !isTextEmbedding(name))
            throw Error(
                ErrorKind::Input,
                sentence("the file says that its fp8 weights are scaled ({}), but this one has no scale",
                         scaledFp8Marker),
                tensorPlace(m_path.string(), tensor.name),
                sentence("The file is incomplete: get it again, or another one"));
    }
}

const FileTensor& Checkpoint::stored(const Place& place) const {
    return m_files[place.file].tensors()[place.index];
}

/// Returns the tensor as it is to be read: a description may say more than the file's directory.
const FileTensor& Checkpoint::entryTensor(const Entry& entry) const {
    return entry.coding ? entry.coding->tensor : stored(entry.place);
}

/// Where a tensor begins that is one of several equal ranges of a stored one.
std::int64_t Checkpoint::firstStoredRow(const Entry& entry) const {
    return entry.how.reshaping == Reshaping::Rows ? entry.how.part * entry.shape[0] : 0;
}

std::vector<std::string> Checkpoint::names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : m_tensors)
        names.push_back(name);
    return names;
}

const Checkpoint::Entry& Checkpoint::entry(std::string_view name) const {
    const auto found = m_tensors.find(name);
    if (found != m_tensors.end())
        return found->second;
    throwMissing(name, name.ends_with(patchEmbedding));
}

bool Checkpoint::hasConfig() const {
    std::error_code ignored;
    return fs::exists(m_path.parent_path() / "config.json", ignored);
}

void Checkpoint::throwMissing(std::string_view name, bool fiveAxes) const {
    const std::string where = tensorPlace(m_path.string(), name);
    if (fiveAxes && m_files.front().format().starts_with("GGUF"))
        throw Error(ErrorKind::Input, sentence("this GGUF was left unfinished: it holds no such tensor"),
                    where,
                    sentence("Converters leave out what has 5 axes and add it in a last step "
                             "(fix_5d_tensors.py of ComfyUI-GGUF): do that step, or get a finished file"));
    std::vector<std::string_view> candidates;
    for (const auto& [known, entry] : m_tensors)
        candidates.push_back(known);
    const std::string_view nearest = nearestName(name, candidates);
    const auto hint = [&]() -> Sentence {
        if (hasConfig())
            return nearest.empty() ? sentence("The weights and config.json are of different models")
                                   : sentence(
                                         "The nearest name is '{}': the weights and config.json may be "
                                         "of different models",
                                         excerpt(nearest));
        return nearest.empty() ? sentence("The file is incomplete, or of another model: get it again")
                               : sentence(
                                     "The nearest name is '{}': the file is incomplete, or of another "
                                     "model",
                                     excerpt(nearest));
    };
    throw Error(ErrorKind::Input, sentence("the checkpoint holds no such tensor"), where, hint());
}

void Checkpoint::require(std::string_view name, const Shape& expected) const {
    constexpr std::size_t patchAxes = 5;
    const auto known = m_tensors.find(name);
    if (known == m_tensors.end())
        throwMissing(name, expected.rank() == patchAxes);
    const Entry& found = known->second;
    const std::string where =
        tensorPlace(m_files[found.place.file].path().string(), stored(found.place).name);
    if (const Sentence storage = unreadStorage(found); !storage.empty())
        throw Error(ErrorKind::Input, sentence("it is stored as {}, which Meshreel does not read", storage),
                    where, useReadableType());
    if (found.shape != expected)
        throw Error(
            ErrorKind::Input,
            sentence("its shape is {}, but {} was expected", found.shape.text(), expected.text()), where,
            hasConfig() ? sentence("The weights and config.json are of different models")
                        : sentence("The file is of another model, or damaged: check what it is with meshreel "
                                   "inspect, or get it again"));
    requireScaleFits(found);
}

Tensor Checkpoint::storedRows(const Entry& entry, std::int64_t first, std::int64_t count) const {
    const TensorFile& file = m_files[entry.place.file];
    const FileTensor& tensor = entryTensor(entry);
    switch (entry.how.reshaping) {
        case Reshaping::None:
            return entry.shape.rank() == 0 ? file.read(tensor) : file.readRows(tensor, first, count);
        case Reshaping::Rows:
            return file.readRows(tensor, first + entry.how.part * entry.shape[0], count);
        case Reshaping::Flatten:
        case Reshaping::DropFirst:
            return file.read(tensor).reshaped(entry.shape).slice(first, first + count);
        case Reshaping::Transpose:
            return transposed(file.read(tensor)).slice(first, first + count);
    }
    return {};
}

Tensor Checkpoint::get(std::string_view name) const {
    const Shape& whole = entry(name).shape;
    return getRows(name, 0, whole.rank() == 0 ? 1 : whole[0]);
}

Tensor Checkpoint::get(std::string_view name, const Shape& expected) const {
    require(name, expected);
    return get(name);
}

Tensor Checkpoint::getRows(std::string_view name, std::int64_t first, std::int64_t count) const {
    const Entry& found = entry(name);
    const std::int64_t rows = found.shape.rank() == 0 ? 1 : found.shape[0];
    return withAdditions(
        found, name, {.firstRow = first, .width = found.shape.elements() / std::max<std::int64_t>(rows, 1)},
        storedRows(found, first, count));
}

/// The rows with their scale and what adapters add. Of a matrix that ConvRot rotated they are whole rows or
/// begin with a whole group.
Tensor Checkpoint::withAdditions(const Entry& found, std::string_view name, const RowsPlace& place,
                                 Tensor rows) const {
    rows = decodedRows(found, name, place, std::move(rows));
    return isPatched(name) ? patchedRows(found, name, place, std::move(rows), m_patches.size()) : rows;
}

/// The rows times their scale, and turned back where ConvRot rotated them.
Tensor Checkpoint::decodedRows(const Entry& found, std::string_view name, const RowsPlace& place,
                               Tensor rows) const {
    if (!found.scale && !found.coding)
        return rows;
    // A product must not reach the mapped file.
    rows = storedType(name) == StoredType::F32 ? rows.clone() : rows.toF32();
    applyScale(found, place, rows);
    if (found.coding && found.coding->rotatedGroup > 0)
        unrotate(rows.data<float>(), found.coding->rotatedGroup);
    return rows;
}

/// Decoded rows with what the first `patches` adapters add.
Tensor Checkpoint::patchedRows(const Entry& found, std::string_view name, const RowsPlace& place, Tensor rows,
                               std::size_t patches) const {
    // A sum must not reach the mapped file.
    rows = rows.dtype() == DType::F32 ? rows.clone() : rows.toF32();
    for (std::size_t patch = 0; patch < patches; ++patch) {
        if (!m_patches[patch]->touches(name))
            continue;
        const auto readBefore = [&, patch](std::int64_t first, std::int64_t count) {
            const RowsPlace whole{.firstRow = first, .width = place.width};
            Tensor stored = decodedRows(found, name, whole, storedRows(found, first, count));
            return patchedRows(found, name, whole, std::move(stored), patch);
        };
        const RowsBefore before{.rows = found.shape.rank() == 0 ? 1 : found.shape[0], .read = readBefore};
        m_patches[patch]->addTo(name, place, before, rows);
    }
    return rows;
}

namespace {

// TurboDiffusion's Int8Linear (turbodiffusion/ops/core.py): int8 numbers under a name of their own, and
// beside them a number for each square of 128 × 128, rows of squares one behind the other.
constexpr std::string_view turboNumbers = ".int8_weight";
constexpr std::string_view turboScales = ".scale";
constexpr std::int64_t turboSquare = 128;

/// What ComfyUI describes has scales in blocks of floats only.
bool hasScalesOfSquares(const ComfyCoding& coding) {
    return coding.scaleBlock > 0 && coding.tensor.type == StoredType::I8;
}

Shape squaresOf(const Shape& matrix) {
    const auto count = [](std::int64_t extent) { return (extent + turboSquare - 1) / turboSquare; };
    return {count(matrix[0]), count(matrix[1])};
}

}  // namespace

void Checkpoint::applyScale(const Entry& entry, const RowsPlace& place, Tensor& rows) const {
    requireScaleFits(entry);
    if (entry.coding && entry.coding->scaleBlock > 0) {
        applyBlockScales(entry, place, rows);
        return;
    }
    const Tensor scale = m_files[entry.scale->file].read(stored(*entry.scale)).toF32();
    const auto factors = scale.data<float>();
    const auto values = rows.data<float>();
    if (factors.size() == 1) {
        for (float& value : values)
            value *= factors[0];
        return;
    }
    const std::int64_t offset = firstStoredRow(entry);
    const std::size_t width =
        values.size() / static_cast<std::size_t>(std::max<std::int64_t>(rows.extent(0), 1));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] *= factors[static_cast<std::size_t>(offset + place.firstRow) + i / width];
}

void Checkpoint::applyBlockScales(const Entry& entry, const RowsPlace& place, Tensor& rows) const {
    const std::int64_t block = entry.coding->scaleBlock;
    const FileTensor& scale = stored(*entry.scale);
    if (hasScalesOfSquares(*entry.coding)) {
        const Tensor factors = m_files[entry.scale->file].read(scale).toF32();
        const std::int64_t first = firstStoredRow(entry) + place.firstRow;
        const std::int64_t columns = rows.extent(1);
        float* value = rows.data<float>().data();
        for (std::int64_t row = 0; row < rows.extent(0); ++row)
            for (std::int64_t column = 0; column < columns; ++column)
                *value++ *= factors.data<float>()[static_cast<std::size_t>(
                    (first + row) / block * factors.extent(1) + (place.firstColumn + column) / block)];
        return;
    }
    const BlockScales scales(m_files[entry.scale->file].bytes(scale), entry.shape[1] / block,
                             scale.type != StoredType::F8E4M3);
    const float whole =
        entry.wholeScale
            ? m_files[entry.wholeScale->file].read(stored(*entry.wholeScale)).toF32().data<float>()[0]
            : 1.0F;
    const std::int64_t firstRow = firstStoredRow(entry) + place.firstRow;
    const std::int64_t width = rows.extent(1);
    const auto values = rows.data<float>();
    for (std::int64_t row = 0; row < rows.extent(0); ++row)
        for (std::int64_t column = 0; column < width; ++column)
            values[static_cast<std::size_t>(row * width + column)] *=
                whole * scales.at(firstRow + row, (place.firstColumn + column) / block);
}

bool Checkpoint::isPatched(std::string_view name) const {
    return std::ranges::any_of(m_patches, [name](const auto& patch) { return patch->touches(name); });
}

const Shape& Checkpoint::shape(std::string_view name) const {
    return entry(name).shape;
}

StoredType Checkpoint::storedType(std::string_view name) const {
    return entryTensor(entry(name)).type;
}

std::string Checkpoint::storedTypeName(std::string_view name) const {
    return stored(entry(name).place).typeName;
}

bool Checkpoint::isScaled(std::string_view name) const {
    return entry(name).scale.has_value();
}

std::span<const std::byte> Checkpoint::storedBytes(std::string_view name) const {
    const Entry& found = entry(name);
    return m_files[found.place.file].bytes(stored(found.place));
}

void Checkpoint::prefetch(std::string_view name) const {
    if (const auto found = m_tensors.find(name); found != m_tensors.end())
        m_files[found->second.place.file].prefetch(stored(found->second.place));
}

void Checkpoint::release(std::string_view name) const {
    if (const auto found = m_tensors.find(name); found != m_tensors.end())
        m_files[found->second.place.file].release(stored(found->second.place));
}

std::size_t Checkpoint::bytes() const {
    std::size_t total = 0;
    for (const auto& [name, place] : m_stored)
        total += stored(place).end - stored(place).begin;
    return total;
}

// Parts of matrices, as devices of a mesh want them.
namespace {

/// The blocks of each row of a matrix that cover some of its columns.
struct CoveringBlocks {
    std::size_t rowBytes = 0;   ///< of a whole row in the file
    std::size_t firstByte = 0;  ///< in a row
    std::size_t bytes = 0;      ///< for each row
    std::size_t skipped = 0;    ///< elements of the first block in front of the columns

    std::size_t elements = 0;  ///< in those blocks

    /// `rotatedGroup`: elements that can be had together only; 0 for those of a block.
    CoveringBlocks(const StoredTypeInfo& info, std::int64_t width, const MatrixPart& part,
                   std::int64_t rotatedGroup) {
        const std::size_t unit =
            rotatedGroup > 0 ? static_cast<std::size_t>(rotatedGroup) : info.blockElements;
        const std::size_t unitBytes = unit / info.blockElements * info.blockBytes;
        const auto firstColumn = static_cast<std::size_t>(part.firstColumn);
        const std::size_t firstUnit = firstColumn / unit;
        const std::size_t endUnit = (firstColumn + static_cast<std::size_t>(part.columns) + unit - 1) / unit;
        rowBytes = static_cast<std::size_t>(width) / info.blockElements * info.blockBytes;
        firstByte = firstUnit * unitBytes;
        bytes = (endUnit - firstUnit) * unitBytes;
        skipped = firstColumn - firstUnit * unit;
        elements = (endUnit - firstUnit) * unit;
    }
};

std::int64_t rotatedGroup(const std::optional<ComfyCoding>& coding) {
    return coding ? coding->rotatedGroup : 0;
}

Tensor cutColumns(const Tensor& rows, const MatrixPart& part) {
    if (part.columns == rows.extent(1))
        return rows;
    Tensor cut = Tensor::empty({part.rows, part.columns}, rows.dtype());
    const std::size_t element = byteSize(rows.dtype());
    const std::size_t rowBytes = static_cast<std::size_t>(rows.extent(1)) * element;
    const std::size_t cutBytes = static_cast<std::size_t>(part.columns) * element;
    const std::byte* from = rows.raw() + static_cast<std::size_t>(part.firstColumn) * element;
    std::byte* to = cut.raw();
    for (std::int64_t row = 0; row < part.rows; ++row, from += rowBytes, to += cutBytes)
        std::memcpy(to, from, cutBytes);
    return cut;
}

}  // namespace

bool Checkpoint::hasStoredParts(std::string_view name) const {
    const Entry& found = entry(name);
    const FileTensor& tensor = entryTensor(found);
    const auto block = static_cast<std::int64_t>(storedTypeInfo(tensor.type).blockElements);
    const bool rowsAsStored =
        found.how.reshaping == Reshaping::None || found.how.reshaping == Reshaping::Rows;
    return isQuantised(tensor.type) && rowsAsStored && found.shape.rank() == 2 && tensor.strides.empty() &&
           found.shape[1] % block == 0;
}

std::span<const std::byte> Checkpoint::sliceStoredRows(const Entry& found, const MatrixPart& part) const {
    const Shape& shape = found.shape;
    if (part.firstRow < 0 || part.rows < 0 || part.firstRow > shape[0] - part.rows || part.firstColumn < 0 ||
        part.columns < 0 || part.firstColumn > shape[1] - part.columns)
        throw Error(ErrorKind::Internal, "a part lies outside a matrix of shape " + shape.text(),
                    tensorPlace(m_path.string(), stored(found.place).name));
    const CoveringBlocks blocks(storedTypeInfo(entryTensor(found).type), shape[1], part,
                                rotatedGroup(found.coding));
    const std::int64_t inFile = firstStoredRow(found);
    return m_files[found.place.file]
        .bytes(stored(found.place))
        .subspan(static_cast<std::size_t>(inFile + part.firstRow) * blocks.rowBytes,
                 static_cast<std::size_t>(part.rows) * blocks.rowBytes);
}

std::size_t Checkpoint::partBytes(std::string_view name, const MatrixPart& part) const {
    const Entry& found = entry(name);
    const CoveringBlocks blocks(storedTypeInfo(entryTensor(found).type), found.shape[1], part,
                                rotatedGroup(found.coding));
    return static_cast<std::size_t>(part.rows) * blocks.bytes;
}

void Checkpoint::copyStored(std::string_view name, const MatrixPart& part, std::size_t first,
                            std::span<std::byte> out) const {
    const Entry& found = entry(name);
    const CoveringBlocks blocks(storedTypeInfo(entryTensor(found).type), found.shape[1], part,
                                rotatedGroup(found.coding));
    const std::span<const std::byte> rows = sliceStoredRows(found, part);
    for (std::size_t done = 0; done < out.size();) {
        const std::size_t row = (first + done) / blocks.bytes;
        const std::size_t inRow = (first + done) % blocks.bytes;
        const std::size_t count = std::min(blocks.bytes - inRow, out.size() - done);
        const auto from = rows.subspan(row * blocks.rowBytes + blocks.firstByte + inRow, count);
        std::ranges::copy(from, out.begin() + static_cast<std::ptrdiff_t>(done));
        done += count;
    }
}

Tensor Checkpoint::unpack(std::string_view name, const MatrixPart& part,
                          std::span<const std::byte> packed) const {
    const Entry& found = entry(name);
    const StoredTypeInfo& info = storedTypeInfo(entryTensor(found).type);
    const std::int64_t group = rotatedGroup(found.coding);
    const CoveringBlocks blocks(info, found.shape[1], part, group);
    if (const auto covered = static_cast<std::int64_t>(blocks.elements);
        group > 0 && covered != part.columns) {
        const auto skipped = static_cast<std::int64_t>(blocks.skipped);
        const MatrixPart whole{.firstRow = part.firstRow,
                               .rows = part.rows,
                               .firstColumn = part.firstColumn - skipped,
                               .columns = covered};
        return cutColumns(unpack(name, whole, packed),
                          {.rows = part.rows, .firstColumn = skipped, .columns = part.columns});
    }
    Tensor rows = Tensor::empty({part.rows, part.columns});
    const auto columns = static_cast<std::size_t>(part.columns);
    for (std::size_t row = 0; row < static_cast<std::size_t>(part.rows); ++row)
        unpackElements(info, packed.subspan(row * blocks.bytes, blocks.bytes), blocks.skipped,
                       rows.data<float>().subspan(row * columns, columns));
    return withAdditions(
        found, name, {.firstRow = part.firstRow, .firstColumn = part.firstColumn, .width = found.shape[1]},
        std::move(rows));
}

Tensor Checkpoint::getPart(std::string_view name, const MatrixPart& part) const {
    const Entry& found = entry(name);
    if (part.columns == found.shape[1])
        return getRows(name, part.firstRow, part.rows);
    if (hasStoredParts(name)) {
        std::vector<std::byte> packed(partBytes(name, part));
        copyStored(name, part, 0, packed);
        return unpack(name, part, packed);
    }
    return withAdditions(
        found, name, {.firstRow = part.firstRow, .firstColumn = part.firstColumn, .width = found.shape[1]},
        cutColumns(storedRows(found, part.firstRow, part.rows), part));
}

bool Checkpoint::isInPlace(std::string_view name) const {
    return !entry(name).scale && !entry(name).coding && !isPatched(name) &&
           storedTypeInfo(storedType(name)).direct && stored(entry(name).place).strides.empty() &&
           entry(name).how.reshaping != Reshaping::Transpose;
}

// How weights are stored, as far as that decides whether they can be read.
namespace {

/// ComfyUI's descriptions take a hundred bytes or so.
constexpr std::size_t largestDescription = 4096;
constexpr std::size_t shownFormat = 40;

/// Where ComfyUI's files of 2025 describe all weights together.
constexpr const char* quantisationMetadata = "_quantization_metadata";

}  // namespace

void Checkpoint::readDescribedLayers() {
    for (const TensorFile& file : m_files) {
        const auto found = file.metadata().find(quantisationMetadata);
        if (found == file.metadata().end())
            continue;
        const nlohmann::json described = nlohmann::json::parse(found->second, nullptr, false);
        if (described.is_object() && described.contains("layers") && described.at("layers").is_object())
            m_describedLayers = std::make_shared<const nlohmann::json>(described.at("layers"));
    }
}

/// What ComfyUI says beside the weight, or of all weights in the file's metadata.
std::optional<nlohmann::json> Checkpoint::comfyDescription(const FileTensor& tensor) const {
    const std::string stem(stemOf(tensor.name));
    if (const auto beside = m_stored.find(stem + std::string(comfyQuantSuffix)); beside != m_stored.end()) {
        const std::span<const std::byte> bytes = m_files[beside->second.file].bytes(stored(beside->second));
        if (bytes.size() > largestDescription)
            return std::nullopt;
        nlohmann::json description = nlohmann::json::parse(
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), nullptr, false);
        return description.is_object() ? std::move(description) : nlohmann::json::object();
    }
    if (m_describedLayers == nullptr)
        return std::nullopt;
    const std::string bare = stem.substr(stem.starts_with(m_layout.prefix) ? m_layout.prefix.size() : 0);
    for (const std::string& key : {stem, bare})
        if (const auto layer = m_describedLayers->find(key);
            layer != m_describedLayers->end() && layer->is_object())
            return *layer;
    return std::nullopt;
}

void Checkpoint::readCoding(Entry& entry) const {
    const FileTensor& tensor = stored(entry.place);
    const bool rowsAsStored =
        entry.how.reshaping == Reshaping::None || entry.how.reshaping == Reshaping::Rows;
    if (!rowsAsStored || tensor.shape.rank() != 2)
        return;
    const std::string stem(stemOf(tensor.name));
    if (m_stored.contains(stem + ".pre_quant_scale"))
        return;
    if (tensor.name.ends_with(turboNumbers) && tensor.type == StoredType::I8) {
        const auto scale = m_stored.find(stem + std::string(turboScales));
        if (scale == m_stored.end())
            return;
        entry.scale = scale->second;
        const bool ofSquares = stored(*entry.scale).shape == squaresOf(tensor.shape);
        entry.coding = ComfyCoding{.tensor = tensor, .scaleBlock = ofSquares ? turboSquare : 0};
        return;
    }
    const std::optional<nlohmann::json> description = comfyDescription(tensor);
    if (!description)
        return;
    entry.coding = comfyCoding(*description, tensor);
    if (entry.coding && entry.coding->hasWholeScale)
        if (const auto whole = m_stored.find(stem + ".weight_scale_2"); whole != m_stored.end())
            entry.wholeScale = whole->second;
}

Sentence Checkpoint::unreadStorage(const Entry& entry) const {
    const FileTensor& tensor = stored(entry.place);
    const bool isPlain = isWeightType(tensor.type) && !isFloat8(tensor.type) && !needsScale(tensor.type);
    if (isPlain || entry.coding)
        return {};
    const std::optional<nlohmann::json> description = comfyDescription(tensor);
    if (description)
        if (Sentence named = comfyStorageName(*description, tensor); !named.empty())
            return named;
    const std::string stem(stemOf(tensor.name));
    for (const QuantisedLayout& layout : quantisedLayouts())
        if (m_stored.contains(stem + std::string(layout.suffix)))
            return Sentence(layout.name);
    if (isFloat8(tensor.type) || (tensor.type == StoredType::I8 && entry.scale))
        return {};
    return tensor.typeName == "I8" ? Sentence("int8") : Sentence(excerpt(tensor.typeName, shownFormat));
}

Sentence Checkpoint::unreadStorage(std::string_view name) const {
    return unreadStorage(entry(name));
}

bool Checkpoint::standsBesideWeight(std::string_view prefix, std::string_view bare) const {
    const std::optional<std::string> weight = weightBeside(bare);
    if (!weight)
        return false;
    const std::string stem = std::string(prefix) + std::string(stemOf(*weight));
    const auto plain = m_stored.find(std::string(prefix) + *weight);
    if (plain != m_stored.end()) {
        const StoredType type = stored(plain->second).type;
        return !isWeightType(type) || isFloat8(type) || needsScale(type);
    }
    return std::ranges::any_of(quantisedLayouts(), [&](const QuantisedLayout& layout) {
        return layout.inPlaceOfWeight && m_stored.contains(stem + std::string(layout.suffix));
    });
}

/// One number, or one for each row of the stored tensor; of codings in blocks one for each block.
void Checkpoint::requireScaleFits(const Entry& entry) const {
    const std::string where =
        tensorPlace(m_files[entry.place.file].path().string(), stored(entry.place).name);
    if (!entry.scale && entry.coding)
        throw Error(ErrorKind::Input, sentence("its scale (weight_scale) is missing"), where,
                    sentence("The file is incomplete: get it again"));
    if (!entry.scale)
        return;
    const bool ofSquares = entry.coding && hasScalesOfSquares(*entry.coding);
    if (entry.coding && entry.coding->scaleBlock > 0 && !ofSquares) {
        requireBlockScalesFit(entry, where);
        return;
    }
    const FileTensor& scale = stored(*entry.scale);
    if (!isWeightType(scale.type) || needsScale(scale.type))
        throw Error(
            ErrorKind::Input,
            sentence("its scale is of type {}, which is not read", excerpt(scale.typeName, shownFormat)),
            where, sentence("Use a file with one scale for each weight"));
    const Shape& whole = stored(entry.place).shape;
    const bool isOfRows =
        whole.rank() > 0 && scale.shape.elements() == whole[0] && entry.how.reshaping != Reshaping::Transpose;
    if (scale.shape.elements() != 1 && !isOfRows && !ofSquares)
        throw Error(ErrorKind::Input,
                    sentence("its scale has shape {}: neither one number nor one for each of its rows",
                             scale.shape.text()),
                    where, sentence("Use a file with one scale for each weight"));
}

void Checkpoint::requireBlockScalesFit(const Entry& entry, const std::string& where) const {
    const FileTensor& scale = stored(*entry.scale);
    const Shape& whole = entry.coding->tensor.shape;
    const std::int64_t wanted = BlockScales::count(whole[0], whole[1] / entry.coding->scaleBlock);
    const bool isNumbers = entry.coding->hasWholeScale
                               ? scale.type == StoredType::F8E4M3
                               : scale.typeName == "U8" || scale.typeName == "F8_E8M0";
    if (!isNumbers || !scale.strides.empty())
        throw Error(
            ErrorKind::Input,
            sentence("its scale is of type {}, which is not read", excerpt(scale.typeName, shownFormat)),
            where, sentence("The file is damaged: get it again"));
    if (scale.shape.elements() != wanted)
        throw Error(ErrorKind::Input,
                    sentence("its scale has shape {}, but {} numbers were expected, in tiles of 128 rows and "
                             "4 columns",
                             scale.shape.text(), wanted),
                    where, sentence("The file is damaged: get it again"));
    if (entry.coding->hasWholeScale &&
        (!entry.wholeScale || stored(*entry.wholeScale).type != StoredType::F32 ||
         stored(*entry.wholeScale).shape.elements() != 1))
        throw Error(ErrorKind::Input, sentence("weight_scale_2, one number, is missing or of another type"),
                    where, sentence("The file is incomplete: get it again"));
}

}  // namespace meshreel
