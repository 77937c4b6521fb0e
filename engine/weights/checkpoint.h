// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/comfy_quantisation.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"
#include "engine/weights/weight_files.h"

namespace meshreel {

/// Rows and columns of a matrix: what one device of a tensor axis has of it, or a tile of that.
struct MatrixPart {
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    std::int64_t firstColumn = 0;
    std::int64_t columns = 0;

    /// Returns rows [first, first + count) of this part.
    [[nodiscard]] MatrixPart slice(std::int64_t first, std::int64_t count) const {
        return {.firstRow = firstRow + first, .rows = count, .firstColumn = firstColumn, .columns = columns};
    }
};

/// The place of rows in a tensor that is seen as a matrix [outermost extent, width].
struct RowsPlace {
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t width = 0;  ///< elements of a whole row
};

/// A tensor as a patch finds it.
struct RowsBefore {
    std::int64_t rows = 0;  ///< rows of the whole tensor
    /// Rows [first, first + count) in their whole width, f32, a copy.
    std::function<Tensor(std::int64_t first, std::int64_t count)> read;
};

/// What is added to the weights of a checkpoint while they are read: adapters.
class WeightPatch {
  public:
    virtual ~WeightPatch() = default;

    /// Returns whether it has something for the tensor of this (diffusers) name.
    [[nodiscard]] virtual bool touches(std::string_view name) const = 0;

    /// Returns all that its sums depend on, for keys of caches.
    [[nodiscard]] virtual std::string identity() const = 0;

    /// Adds it to `rows`, which are f32 and at `place` of the tensor. `before` reads what else the sum
    /// depends on. Called by several threads at once.
    virtual void addTo(std::string_view name, const RowsPlace& place, const RowsBefore& before,
                       Tensor& rows) const = 0;
};

/// The weights of one model component (transformer, vae, text_encoder, image_encoder, audio_encoder), however
/// they are stored: one file of any format that TensorFile opens, or several shards with an index. Tensors
/// have the names and shapes of diffusers, even when the file has those of the original project or of
/// ComfyUI. Before use, only the files' directories are read.
class Checkpoint {
  public:
    /// `folderOrFile` is a component's folder (holding diffusion_pytorch_model or model, as .safetensors or
    /// .safetensors.index.json, one of their variants fp16, bf16 or .bin, or a single file of weights), one
    /// file of weights or one index. `part`: which network is wanted of a file that holds a whole model;
    /// without it the transformer. Throws Error{Input} naming what is missing.
    static Checkpoint open(const std::filesystem::path& folderOrFile, std::optional<ModelPart> part = {});

    /// Returns the file or index that was opened.
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    [[nodiscard]] bool has(std::string_view name) const { return m_tensors.contains(name); }

    /// Sorted.
    [[nodiscard]] std::vector<std::string> names() const;

    /// Returns the tensor, f32 if the type is packed: a view if the file stores it so, otherwise a copy.
    /// Throws Error{Input} with file, tensor and the nearest name when there is none.
    [[nodiscard]] Tensor get(std::string_view name) const;

    /// Returns the tensor; throws Error{Input} with found and expected shape when they differ.
    [[nodiscard]] Tensor get(std::string_view name, const Shape& expected) const;

    /// Returns rows [first, first + count) of the outermost axis; of packed types no others are unpacked.
    [[nodiscard]] Tensor getRows(std::string_view name, std::int64_t first, std::int64_t count) const;

    /// Returns a part of a matrix; unpacks no other blocks of packed types.
    [[nodiscard]] Tensor getPart(std::string_view name, const MatrixPart& part) const;

    /// Returns whether get() gives views of the mapped file: nothing is converted and no adapter adds to it.
    [[nodiscard]] bool isInPlace(std::string_view name) const;

    /// Returns whether parts of a matrix can be kept as the file has them, in blocks or fp8, to be unpacked
    /// later.
    [[nodiscard]] bool hasStoredParts(std::string_view name) const;

    /// Returns the bytes of the blocks of such a matrix that cover a part, row after row.
    [[nodiscard]] std::size_t partBytes(std::string_view name, const MatrixPart& part) const;

    /// Copies those bytes from the one at `first` on, as many as `out` has.
    void copyStored(std::string_view name, const MatrixPart& part, std::size_t first,
                    std::span<std::byte> out) const;

    /// Returns what getPart() gives, from those bytes.
    [[nodiscard]] Tensor unpack(std::string_view name, const MatrixPart& part,
                                std::span<const std::byte> packed) const;

    /// Throws what get(name, expected) throws for a tensor that is missing, is stored in a way that Meshreel
    /// does not read, or has another shape or scales that do not fit it; reads nothing but marks of a few
    /// bytes.
    void require(std::string_view name, const Shape& expected) const;

    /// Returns how a tensor is stored, if Meshreel does not read that: "Q3_K", "int8", "nvfp4"; empty if it
    /// does. Reads as much as require().
    [[nodiscard]] Sentence unreadStorage(std::string_view name) const;

    /// Returns the type's name: of the format's own where Meshreel does not know it.
    [[nodiscard]] std::string storedTypeName(std::string_view name) const;

    /// MappedFile::prefetch and MappedFile::release of a tensor's bytes; nothing for a name that is not
    /// there.
    void prefetch(std::string_view name) const;
    void release(std::string_view name) const;

    /// Returns the shape without reading the elements. Throws Error{Input} as get() does.
    [[nodiscard]] const Shape& shape(std::string_view name) const;
    [[nodiscard]] StoredType storedType(std::string_view name) const;

    /// Returns the bytes that a tensor is made of, as its file holds them.
    [[nodiscard]] std::span<const std::byte> storedBytes(std::string_view name) const;

    /// Returns the bytes of all tensors together, as stored.
    [[nodiscard]] std::size_t bytes() const;

    /// Returns the files that hold the tensors.
    [[nodiscard]] const std::vector<TensorFile>& shards() const { return m_files; }
    [[nodiscard]] const WeightLayout& layout() const { return m_layout; }

    /// Returns whether a weight's numbers are multiplied by scales stored beside them.
    [[nodiscard]] bool isScaled(std::string_view name) const;

    /// Makes get() add `patch`'s difference to a tensor from now on; the sum is f32.
    void addPatch(std::shared_ptr<const WeightPatch> patch) { m_patches.push_back(std::move(patch)); }

    [[nodiscard]] const std::vector<std::shared_ptr<const WeightPatch>>& patches() const { return m_patches; }

  private:
    struct Place {
        std::size_t file = 0;
        std::size_t index = 0;  ///< in the file's directory
    };
    struct Entry {
        Place place;
        std::optional<Place> scale{};
        Shape shape;
        MappedName how;  ///< maps the stored tensor to this one
        std::optional<ComfyCoding> coding{};
        std::optional<Place> wholeScale{};  ///< for a coding that has one
    };

    void readDescribedLayers();
    void openShards(const WeightMap& weightMap);
    void mapNames(std::optional<ModelPart> part);
    void addScales(const std::map<std::string, Place, std::less<>>& scales, bool marked);
    [[nodiscard]] bool standsBesideWeight(std::string_view prefix, std::string_view bare) const;
    [[noreturn]] void throwMissing(std::string_view name, bool fiveAxes) const;
    [[nodiscard]] bool hasConfig() const;
    [[nodiscard]] Sentence unreadStorage(const Entry& entry) const;
    [[nodiscard]] std::optional<nlohmann::json> comfyDescription(const FileTensor& tensor) const;
    void readCoding(Entry& entry) const;
    void requireScaleFits(const Entry& entry) const;
    void requireBlockScalesFit(const Entry& entry, const std::string& where) const;
    [[nodiscard]] const FileTensor& stored(const Place& place) const;
    [[nodiscard]] const FileTensor& entryTensor(const Entry& entry) const;
    [[nodiscard]] const Entry& entry(std::string_view name) const;
    [[nodiscard]] Tensor storedRows(const Entry& entry, std::int64_t first, std::int64_t count) const;
    [[nodiscard]] std::span<const std::byte> sliceStoredRows(const Entry& entry,
                                                             const MatrixPart& part) const;
    [[nodiscard]] Tensor withAdditions(const Entry& entry, std::string_view name, const RowsPlace& place,
                                       Tensor rows) const;
    [[nodiscard]] Tensor decodedRows(const Entry& entry, std::string_view name, const RowsPlace& place,
                                     Tensor rows) const;
    [[nodiscard]] Tensor patchedRows(const Entry& entry, std::string_view name, const RowsPlace& place,
                                     Tensor rows, std::size_t patches) const;
    void applyScale(const Entry& entry, const RowsPlace& place, Tensor& rows) const;
    void applyBlockScales(const Entry& entry, const RowsPlace& place, Tensor& rows) const;
    [[nodiscard]] std::int64_t firstStoredRow(const Entry& entry) const;
    [[nodiscard]] bool isPatched(std::string_view name) const;

    std::filesystem::path m_path;
    std::vector<TensorFile> m_files;
    WeightLayout m_layout;
    std::map<std::string, Place, std::less<>> m_stored;  // by the names in the files
    std::map<std::string, Entry, std::less<>> m_tensors;
    std::shared_ptr<const nlohmann::json> m_describedLayers;  // from the files' metadata; null: not described
    std::vector<std::shared_ptr<const WeightPatch>> m_patches;
};

}  // namespace meshreel
