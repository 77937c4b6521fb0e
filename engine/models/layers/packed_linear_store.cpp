// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/packed_linear_store.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

namespace {

// Every type that a part may have.
constexpr std::array partTypes = {DType::F32, DType::BF16, DType::I32, DType::U8};

std::string partName(const std::string& name, std::size_t part) {
    return fmt::format("{}/{}", name, part);
}

/// The format of the matrix, and the part's type and shape.
std::string describePart(const std::string& format, const Tensor& part) {
    return nlohmann::json{
        {"format", format}, {"type", nameOf(part.dtype())}, {"shape", part.shape().extents()}}
        .dump();
}

DType partType(const std::string& name) {
    for (const DType type : partTypes)
        if (nameOf(type) == name)
            return type;
    throw Error(ErrorKind::Input, sentence("a part of a packed weight has the unknown type {}", name));
}

/// Throws Error{Input} or a JSON exception for a description that put() does not write.
Tensor partOf(const StoredTensor& stored, const std::string& format) {
    const nlohmann::json described = nlohmann::json::parse(stored.format);
    if (described.at("format") != format)
        throw Error(ErrorKind::Input, sentence("the weight is packed in another format"));
    const DType type = partType(described.at("type"));
    const Shape shape(described.at("shape").get<std::vector<std::int64_t>>());
    if (static_cast<std::size_t>(shape.elements()) * sizeOf(type) != stored.bytes.bytes())
        throw Error(ErrorKind::Input, sentence("a part of a packed weight has another size than its shape"));
    return Tensor::view(stored.bytes.raw(), shape, type, std::make_shared<Tensor>(stored.bytes));
}

}  // namespace

std::optional<PackedMatrix> PackedLinearStore::find(const std::string& name, std::int64_t outFeatures,
                                                    std::int64_t inFeatures, Arithmetic arithmetic) const {
    if (!m_store.hit())
        return std::nullopt;
    PackedForm form{.arithmetic = arithmetic,
                    .outFeatures = outFeatures,
                    .inFeatures = inFeatures,
                    .format = PackedMatrix::packedFormat(outFeatures, inFeatures, arithmetic),
                    .parts = {}};
    try {
        while (const auto stored = m_store.find(partName(name, form.parts.size())))
            form.parts.push_back(partOf(*stored, form.format));
        if (form.parts.empty())
            return std::nullopt;
        return PackedMatrix::fromPacked(form);
    } catch (const Error&) {
        return std::nullopt;  // of another library or instruction set: packed again
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

void PackedLinearStore::put(const std::string& name, const PackedMatrix& matrix, const Tensor& mapped) {
    const PackedForm form = matrix.packed();
    if (form.parts.front().raw() == mapped.raw())
        return;
    for (std::size_t part = 0; part < form.parts.size(); ++part) {
        const Tensor& tensor = form.parts[part];
        m_store.put(partName(name, part), describePart(form.format, tensor),
                    std::span<const std::byte>(tensor.raw(), tensor.bytes()));
    }
}

}  // namespace meshreel
