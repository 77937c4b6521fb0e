// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/comfy_quantisation.h"
#include "engine/weights/weight_files.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

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

/// Text encoders in fp8 keep their embedding without a scale.
bool isTextEmbedding(std::string_view name) {
    return name == "shared.weight" || name == "encoder.embed_tokens.weight";
}

/// What says of an fp8 weight that a scale belongs to it: its own description, or the file's marker. Null
/// when nothing does.
const char* whoSaysScaled(const std::optional<nlohmann::json>& description, const FileTensor& tensor,
                          bool marked) {
    if (description && description->contains("format") && comfyStorageName(*description, tensor).empty())
        return "comfy_quant";
    return marked ? scaledFp8Marker.data() : nullptr;
}

/// The tensors with five axes of a transformer: video to tokens.
constexpr std::string_view patchEmbedding = "patch_embedding.weight";

}  // namespace

Checkpoint Checkpoint::open(const fs::path& folderOrFile, std::optional<ModelPart> part) {
    Checkpoint checkpoint;
    checkpoint.m_path = findWeights(folderOrFile);
    if (isShardIndexName(checkpoint.m_path)) {
        checkpoint.openShards(readWeightMap(checkpoint.m_path));
    } else {
        for (const fs::path& file : filesOfSet(checkpoint.m_path)) {
            const std::size_t number = checkpoint.m_files.size();
            checkpoint.m_files.push_back(TensorFile::open(file));
            const std::vector<FileTensor>& tensors = checkpoint.m_files.back().tensors();
            for (std::size_t index = 0; index < tensors.size(); ++index)
                checkpoint.m_stored.emplace(withoutWrappers(tensors[index].name), Place{number, index});
        }
    }
    checkpoint.readDescribedLayers();
    checkpoint.mapNames(part);
    return checkpoint;
}

void Checkpoint::openShards(const WeightMap& weightMap) {
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
        m_stored.emplace(withoutWrappers(tensor),
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
        const std::string plain = withoutWrappers(tensor.name);
        const std::string bare =
            plain.substr(plain.starts_with(m_layout.prefix) ? m_layout.prefix.size() : 0);
        const auto scale = scales.find(bare);
        if (scale != scales.end())
            entry.scale = scale->second;
        else if (const char* sayer =
                     isFloat8(tensor.type) && tensor.shape.rank() == 2 && !entry.coding
                         ? whoSaysScaled(comfyDescription(tensor), tensor, marked && !isTextEmbedding(name))
                         : nullptr)
            throw Error(
                ErrorKind::Input,
                sentence("the file says that its fp8 weights are scaled ({}), but this one has no scale",
                         sayer),
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

}  // namespace meshreel
