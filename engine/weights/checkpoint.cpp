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
#include "engine/base/strings.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view indexSuffix = ".index.json";

// In the order in which diffusers (diffusion_pytorch_model) and transformers (model) look.
constexpr std::array<std::string_view, 4> candidateNames = {
    "diffusion_pytorch_model.safetensors.index.json",
    "diffusion_pytorch_model.safetensors",
    "model.safetensors",
    "model.safetensors.index.json",
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
        if (!shard.ends_with(".safetensors") ||
            shard.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
            throw Error(ErrorKind::Input,
                        sentence("the shard {:.80} is not the name of a safetensors file beside the index",
                                 value.dump(-1, ' ', true)),
                        tensorPlace(index.string(), tensor),
                        sentence("Download the index from the model's own repository"));
        shards.emplace(tensor, shard);
    }
    return shards;
}

void requireShards(const fs::path& index, const std::set<std::string>& shards) {
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
    const std::vector<std::int64_t>& extents = shape.extents();
    switch (how.reshaping) {
        case Reshaping::None:
            return shape;
        case Reshaping::Flatten:
            return {shape.elements()};
        case Reshaping::Rows:
            if (shape.rank() > 0 && shape[0] % how.parts == 0) {
                std::vector<std::int64_t> part = extents;
                part[0] /= how.parts;
                return Shape(std::move(part));
            }
            break;
        case Reshaping::DropFirst:
            if (shape.rank() > 1 && shape[0] == 1)
                return Shape(std::vector<std::int64_t>(extents.begin() + 1, extents.end()));
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

Checkpoint Checkpoint::open(const fs::path& folderOrFile) {
    Checkpoint checkpoint;
    checkpoint.m_path = findWeights(folderOrFile);
    if (checkpoint.m_path.string().ends_with(indexSuffix)) {
        checkpoint.openShards(readWeightMap(checkpoint.m_path));
    } else {
        checkpoint.m_files.push_back(TensorFile::open(checkpoint.m_path));
        const std::vector<FileTensor>& tensors = checkpoint.m_files.front().tensors();
        for (std::size_t index = 0; index < tensors.size(); ++index)
            checkpoint.m_stored.emplace(tensors[index].name, Place{0, index});
    }
    checkpoint.readDescribedLayers();
    checkpoint.mapNames();
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

void Checkpoint::mapNames() {
    std::vector<std::string> all;
    for (const auto& [name, place] : m_stored)
        all.push_back(name);
    m_layout = WeightLayout::of(all);
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
        if (const auto scale = scaleNameOf(bare[i])) {
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
            m_tensors.emplace(std::move(name),
                              Entry{place, {}, reshaped(stored(place), how, where), std::move(how)});
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
    const FileTensor& tensor = stored(entry.place);
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

/// The rows with their scale and what adapters add.
Tensor Checkpoint::withAdditions(const Entry& found, std::string_view name, const RowsPlace& place,
                                 Tensor rows) const {
    if (!found.scale && !isPatched(name))
        return rows;
    return patchedRows(found, name, place, std::move(rows), m_patches.size());
}

/// The rows with their scale and what the first `patches` adapters add.
Tensor Checkpoint::patchedRows(const Entry& found, std::string_view name, const RowsPlace& place, Tensor rows,
                               std::size_t patches) const {
    // A sum must not reach the mapped file.
    rows = storedType(name) == StoredType::F32 ? rows.clone() : rows.toF32();
    if (found.scale)
        applyScale(found, place.firstRow, rows);
    for (std::size_t patch = 0; patch < patches; ++patch) {
        if (!m_patches[patch]->touches(name))
            continue;
        const RowsBefore before{.rows = found.shape.rank() == 0 ? 1 : found.shape[0],
                                .read = [&, patch](std::int64_t first, std::int64_t count) {
                                    return patchedRows(found, name, {.firstRow = first, .width = place.width},
                                                       storedRows(found, first, count), patch);
                                }};
        m_patches[patch]->addTo(name, place, before, rows);
    }
    return rows;
}

void Checkpoint::applyScale(const Entry& entry, std::int64_t first, Tensor& rows) const {
    const Tensor scale = m_files[entry.scale->file].read(stored(*entry.scale)).toF32();
    const auto factors = scale.data<float>();
    const auto values = rows.data<float>();
    if (factors.size() == 1) {
        for (float& value : values)
            value *= factors[0];
        return;
    }
    requireScaleFits(entry);
    const std::int64_t offset = entry.how.reshaping == Reshaping::Rows ? entry.how.part * entry.shape[0] : 0;
    const std::size_t width =
        values.size() / static_cast<std::size_t>(std::max<std::int64_t>(rows.extent(0), 1));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] *= factors[static_cast<std::size_t>(offset + first) + i / width];
}

bool Checkpoint::isPatched(std::string_view name) const {
    return std::ranges::any_of(m_patches, [name](const auto& patch) { return patch->touches(name); });
}

const Shape& Checkpoint::shape(std::string_view name) const {
    return entry(name).shape;
}

StoredType Checkpoint::storedType(std::string_view name) const {
    return stored(entry(name).place).type;
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
    std::size_t bytes = 0;      ///< of each row
    std::size_t skipped = 0;    ///< elements of the first block in front of the columns

    CoveringBlocks(const StoredTypeInfo& info, std::int64_t width, const MatrixPart& part) {
        const auto firstColumn = static_cast<std::size_t>(part.firstColumn);
        const std::size_t firstBlock = firstColumn / info.blockElements;
        const std::size_t endBlock =
            (firstColumn + static_cast<std::size_t>(part.columns) + info.blockElements - 1) /
            info.blockElements;
        rowBytes = static_cast<std::size_t>(width) / info.blockElements * info.blockBytes;
        firstByte = firstBlock * info.blockBytes;
        bytes = (endBlock - firstBlock) * info.blockBytes;
        skipped = firstColumn - firstBlock * info.blockElements;
    }
};

Tensor cutColumns(const Tensor& rows, const MatrixPart& part) {
    if (part.columns == rows.extent(1))
        return rows;
    Tensor cut = Tensor::empty({part.rows, part.columns}, rows.dtype());
    const std::size_t element = sizeOf(rows.dtype());
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
    const FileTensor& tensor = stored(found.place);
    const auto block = static_cast<std::int64_t>(infoOf(tensor.type).blockElements);
    const bool rowsAsStored =
        found.how.reshaping == Reshaping::None || found.how.reshaping == Reshaping::Rows;
    return isQuantised(tensor.type) && rowsAsStored && found.shape.rank() == 2 && tensor.strides.empty() &&
           found.shape[1] % block == 0;
}

std::span<const std::byte> Checkpoint::storedRowsOf(const Entry& found, const MatrixPart& part) const {
    const Shape& shape = found.shape;
    if (part.firstRow < 0 || part.rows < 0 || part.firstRow > shape[0] - part.rows || part.firstColumn < 0 ||
        part.columns < 0 || part.firstColumn > shape[1] - part.columns)
        throw Error(ErrorKind::Internal, "a part lies outside a matrix of shape " + shape.text(),
                    tensorPlace(m_path.string(), stored(found.place).name));
    const CoveringBlocks blocks(infoOf(stored(found.place).type), shape[1], part);
    const std::int64_t inFile = found.how.reshaping == Reshaping::Rows ? found.how.part * shape[0] : 0;
    return m_files[found.place.file]
        .bytes(stored(found.place))
        .subspan(static_cast<std::size_t>(inFile + part.firstRow) * blocks.rowBytes,
                 static_cast<std::size_t>(part.rows) * blocks.rowBytes);
}

std::size_t Checkpoint::partBytes(std::string_view name, const MatrixPart& part) const {
    const Entry& found = entry(name);
    const CoveringBlocks blocks(infoOf(stored(found.place).type), found.shape[1], part);
    return static_cast<std::size_t>(part.rows) * blocks.bytes;
}

void Checkpoint::copyStored(std::string_view name, const MatrixPart& part, std::size_t first,
                            std::span<std::byte> out) const {
    const Entry& found = entry(name);
    const CoveringBlocks blocks(infoOf(stored(found.place).type), found.shape[1], part);
    const std::span<const std::byte> rows = storedRowsOf(found, part);
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
    const StoredTypeInfo& info = infoOf(stored(found.place).type);
    const CoveringBlocks blocks(info, found.shape[1], part);
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
    return !entry(name).scale && !isPatched(name) && infoOf(storedType(name)).direct &&
           stored(entry(name).place).strides.empty() && entry(name).how.reshaping != Reshaping::Transpose;
}

// How weights are stored, as far as that decides whether they can be read.
namespace {

/// ComfyUI's descriptions take a hundred bytes or so.
constexpr std::size_t largestDescription = 4096;
constexpr std::size_t shownFormat = 40;

/// Where ComfyUI's files of 2025 describe all weights together.
constexpr const char* quantisationMetadata = "_quantization_metadata";

/// Formats of ComfyUI's descriptions that are read: fp8, whose scale stands beside it as in other files.
constexpr std::array<std::string_view, 2> readFormats = {"float8_e4m3fn", "float8_e5m2"};

/// What a description calls the storage, where that is not read.
Sentence namedStorage(const nlohmann::json& description, const FileTensor& tensor) {
    const auto found = description.find("format");
    if (found == description.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
        return isFloat8(tensor.type)
                   ? Sentence()
                   : sentence("{} whose comfy_quant names no format",
                              tensor.typeName == "I8" ? std::string("int8") : excerpt(tensor.typeName));
    const std::string format = excerpt(found->get_ref<const std::string&>(), shownFormat);
    if (isFloat8(tensor.type) && std::ranges::find(readFormats, format) != readFormats.end())
        return {};
    const auto rotated = description.find("convrot");
    const bool isRotated = rotated != description.end() && rotated->is_boolean() && rotated->get<bool>();
    return isRotated ? Sentence(format + " with ConvRot") : Sentence(format);
}

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
Sentence Checkpoint::comfyStorage(const FileTensor& tensor) const {
    const std::string stem(stemOf(tensor.name));
    if (const auto beside = m_stored.find(stem + std::string(comfyQuantSuffix)); beside != m_stored.end()) {
        const std::span<const std::byte> bytes = m_files[beside->second.file].bytes(stored(beside->second));
        if (bytes.size() > largestDescription)
            return {};
        const nlohmann::json description = nlohmann::json::parse(
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), nullptr, false);
        return namedStorage(description.is_object() ? description : nlohmann::json::object(), tensor);
    }
    if (m_describedLayers == nullptr)
        return {};
    const std::string bare = stem.substr(stem.starts_with(m_layout.prefix) ? m_layout.prefix.size() : 0);
    for (const std::string& key : {stem, bare})
        if (const auto layer = m_describedLayers->find(key);
            layer != m_describedLayers->end() && layer->is_object())
            return namedStorage(*layer, tensor);
    return {};
}

Sentence Checkpoint::unreadStorage(const Entry& entry) const {
    const FileTensor& tensor = stored(entry.place);
    if (isWeightType(tensor.type) && !isFloat8(tensor.type))
        return {};
    if (Sentence named = comfyStorage(tensor); !named.empty())
        return named;
    const std::string stem(stemOf(tensor.name));
    for (const QuantisedLayout& layout : quantisedLayouts())
        if (m_stored.contains(stem + std::string(layout.suffix)))
            return Sentence(layout.name);
    if (isFloat8(tensor.type))
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
        return !isWeightType(type) || isFloat8(type);
    }
    return std::ranges::any_of(quantisedLayouts(), [&](const QuantisedLayout& layout) {
        return layout.inPlaceOfWeight && m_stored.contains(stem + std::string(layout.suffix));
    });
}

/// One number, or one for each row of the stored tensor.
void Checkpoint::requireScaleFits(const Entry& entry) const {
    if (!entry.scale)
        return;
    const FileTensor& scale = stored(*entry.scale);
    const std::string where =
        tensorPlace(m_files[entry.place.file].path().string(), stored(entry.place).name);
    if (!isWeightType(scale.type))
        throw Error(
            ErrorKind::Input,
            sentence("its scale is of type {}, which is not read", excerpt(scale.typeName, shownFormat)),
            where, sentence("Use a file with one scale for each weight"));
    const Shape& whole = stored(entry.place).shape;
    const bool isOfRows =
        whole.rank() > 0 && scale.shape.elements() == whole[0] && entry.how.reshaping != Reshaping::Transpose;
    if (scale.shape.elements() != 1 && !isOfRows)
        throw Error(ErrorKind::Input,
                    sentence("its scale has shape {}: neither one number nor one for each of its rows",
                             scale.shape.text()),
                    where, sentence("Use a file with one scale for each weight"));
}

}  // namespace meshreel
