// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/layer_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/mesh/memory_block.h"
#include "engine/weights/mapped_file.h"

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
    if (static_cast<std::size_t>(shape.elements()) * byteSize(type) != stored.bytes.bytes())
        throw Error(ErrorKind::Input, sentence("a part of a packed weight has another size than its shape"));
    return Tensor::view(stored.bytes.raw(), shape, type, std::make_shared<Tensor>(stored.bytes));
}

/// "attn1.to_q" of "attn1.to_q.weight" and "attn1.to_q.bias".
std::string moduleName(const WanParameter& parameter) {
    return parameter.name.substr(0, parameter.name.rfind('.'));
}

/// Gives back the mapped pages of a layer.
void releaseAll(const LayerSource& source) {
    for (const WanParameter& parameter : source.parameters())
        source.release(parameter);
}

/// Returns whether packing left the weight where it is mapped; no `mapped` for one that was copied before.
bool isUsedWhereMapped(const PackedForm& form, const Tensor& mapped) {
    const Tensor& weight = form.parts.front();
    return weight.memory() == mapped.memory() && weight.address() == mapped.address();
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
        return std::nullopt;  // from another library or instruction set: packed again
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

void PackedLinearStore::put(const std::string& name, const PackedMatrix& matrix, const Tensor& mapped) {
    const PackedForm form = matrix.packed();
    if (isUsedWhereMapped(form, mapped))
        return;
    for (std::size_t part = 0; part < form.parts.size(); ++part) {
        const Tensor& tensor = form.parts[part];
        m_store.put(partName(name, part), describePart(form.format, tensor),
                    std::span<const std::byte>(tensor.raw(), tensor.bytes()));
    }
}

LayerSlots::LayerSlots(std::span<const WanParameter> parameters) {
    for (const WanParameter& parameter : parameters)
        m_names.push_back(parameter.name);
}

std::optional<std::size_t> LayerSlots::find(std::string_view name) const {
    const auto found = std::ranges::find(m_names, name);
    return found == m_names.end() ? std::nullopt
                                  : std::optional(static_cast<std::size_t>(found - m_names.begin()));
}

std::size_t LayerSlots::require(std::string_view name) const {
    const std::optional<std::size_t> slot = find(name);
    if (!slot)
        throw Error(ErrorKind::Internal, "A layer has no tensor " + std::string(name));
    return *slot;
}

std::size_t LayerSlots::add(std::string name) {
    m_names.push_back(std::move(name));
    return m_names.size() - 1;
}

LayerTensors::LayerTensors(std::shared_ptr<const LayerSlots> slots)
    : m_slots(std::move(slots)), m_tensors(m_slots->size()), m_packed(m_slots->size()) {}

std::size_t LayerTensors::place(std::string name) {
    if (const std::optional<std::size_t> slot = m_slots->find(name))
        return *slot;
    LayerSlots more = *m_slots;  // others may look at the present ones
    const std::size_t slot = more.add(std::move(name));
    m_slots = std::make_shared<const LayerSlots>(std::move(more));
    m_tensors.resize(m_slots->size());
    m_packed.resize(m_slots->size());
    return slot;
}

void LayerTensors::put(std::string name, Tensor tensor) {
    const std::size_t slot = place(std::move(name));
    m_tensors[slot] = std::move(tensor);
}

bool LayerTensors::has(std::string_view name) const {
    const std::optional<std::size_t> slot = m_slots->find(name);
    return slot && m_tensors[*slot];
}

const Tensor& LayerTensors::get(std::string_view name) const {
    const std::size_t slot = m_slots->require(name);
    if (!m_tensors[slot])
        throw Error(ErrorKind::Internal, "A layer has no tensor " + std::string(name));
    return *m_tensors[slot];
}

const PackedMatrix* LayerTensors::packed(const std::string& name) const {
    const std::optional<std::size_t> slot = m_slots->find(name + ".weight");
    return slot && m_packed[*slot] ? &*m_packed[*slot] : nullptr;
}

PackedMatrix LayerTensors::linear(const std::string& name, Arithmetic arithmetic) const {
    if (const PackedMatrix* matrix = packed(name))
        return *matrix;
    return PackedMatrix::pack(get(name + ".weight"), &get(name + ".bias"), arithmetic);
}

PackedMatrix LayerTensors::linearWithoutBias(const std::string& name, Arithmetic arithmetic) const {
    if (const PackedMatrix* matrix = packed(name))
        return *matrix;
    return PackedMatrix::pack(get(name + ".weight"), nullptr, arithmetic);
}

void LayerTensors::forget(std::string_view name) {
    if (const std::optional<std::size_t> slot = m_slots->find(name))
        m_tensors[*slot].reset();
}

void LayerTensors::putPacked(const std::string& name, PackedMatrix matrix, bool bias) {
    const std::size_t slot = place(name + ".weight");
    m_packed[slot] = std::move(matrix);
    m_tensors[slot].reset();
    if (bias)
        forget(name + ".bias");
}

void LayerTensors::pack(const std::string& name, Arithmetic arithmetic, bool bias, Memory* memory) {
    if (memory != nullptr && !isPacked(name))
        return putPacked(name,
                         PackedMatrix::keepIn(*memory, get(name + ".weight"),
                                              bias ? &get(name + ".bias") : nullptr, arithmetic),
                         bias);
    putPacked(name, bias ? linear(name, arithmetic) : linearWithoutBias(name, arithmetic), bias);
}

void LayerTensors::prefetchPacked() const {
    for (const std::optional<PackedMatrix>& matrix : m_packed)
        if (matrix)
            for (const Tensor& part : matrix->packed().parts)
                prefetchPages(part.hostBytes());
}

std::size_t LayerTensors::bytes() const {
    std::size_t sum = 0;
    for (const std::optional<Tensor>& tensor : m_tensors)
        sum += tensor ? tensor->bytes() : 0;
    for (const std::optional<PackedMatrix>& matrix : m_packed)
        sum += matrix ? matrix->bytes() : 0;
    return sum;
}

LayerWeights::LayerWeights(const WanLayer& layer, std::shared_ptr<const Checkpoint> checkpoint,
                           const WeightShard& shard, const WanPrecision& precision, PackedLinearStore* store,
                           Residence residence, Memory* memory)
    : m_source(layer, std::move(checkpoint), shard, precision),
      m_role(layer.place.role),
      m_residence(residence),
      m_memory(memory),
      m_slots(std::make_shared<const LayerSlots>(m_source.parameters())),
      m_tensors(std::make_shared<LayerTensors>(m_slots)) {
    if (!sharded()) {
        keepWhole(store);
        if (store != nullptr && m_residence == Residence::Streamed)
            keepMapped(*store);
        m_isWhole = std::ranges::none_of(m_source.parameters(),
                                         [this](const WanParameter& one) { return isReadForEachUse(one); });
        return;
    }
    m_layout = m_source.flatLayout();
    if (m_residence == Residence::Streamed)
        return;
    m_shard = Tensor::empty({shardBytes()}, DType::U8);
    readShard(m_shard.data<std::uint8_t>(), nullptr);
    releaseAll(m_source);
}

bool LayerWeights::isReadForEachUse(const WanParameter& parameter) const {
    if (parameter.blockLinear && m_tensors->isPacked(moduleName(parameter)))
        return false;
    return m_residence == Residence::Streamed || m_source.staysQuantised(parameter);
}

// Puts a tensor that is not a matrix of a block.
void LayerWeights::put(LayerTensors& tensors, const WanParameter& parameter, const Tensor& tensor) const {
    tensors.put(parameter.name, parameter.norm ? tensor.in(memoryOf(parameter)) : tensor);
}

// Where input features are divided, the first device's bias is that of the sum.
void LayerWeights::packInto(LayerTensors& tensors, const WanParameter& parameter, Tensor weight) const {
    tensors.put(parameter.name, std::move(weight));
    tensors.pack(moduleName(parameter), m_source.precision().linears(), hasBias(parameter),
                 memoryOf(parameter));
}

Memory* LayerWeights::memoryOf(const WanParameter& parameter) const {
    return runsOnDevice(m_role, parameter) ? m_memory : nullptr;
}

bool LayerWeights::hasBias(const WanParameter& weight) const {
    return weight.split != TensorSplit::Columns || m_source.shard().tensorIndex == 0;
}

void LayerWeights::keepWhole(PackedLinearStore* store) {
    const auto each = [this](bool matrices, const auto& keep) {
        for (const WanParameter& parameter : m_source.parameters())
            if (parameter.blockLinear == matrices && !isReadForEachUse(parameter))
                keep(parameter);
    };
    each(false, [&](const WanParameter& parameter) {
        put(*m_tensors, parameter, m_source.read(parameter, nullptr));
        if (!m_source.isInPlace(parameter))
            m_source.release(parameter);
    });
    each(true, [&](const WanParameter& parameter) { keepMatrix(parameter, store); });
    packLinears(*m_tensors);
}

// The small linear layers around the blocks, and convolutions over patches: f32, which shares their memory.
void LayerWeights::packLinears(LayerTensors& tensors) const {
    for (const WanParameter& parameter : m_source.parameters()) {
        if (!parameter.linear || parameter.blockLinear || !tensors.has(parameter.name))
            continue;
        const Tensor weight = tensors.get(parameter.name);
        const std::int64_t out = weight.extent(0);
        tensors.put(parameter.name, weight.reshaped({out, weight.elements() / out}));
        tensors.pack(moduleName(parameter), Arithmetic::F32, true, memoryOf(parameter));
    }
}

void LayerWeights::keepMatrix(const WanParameter& parameter, PackedLinearStore* store) {
    const std::string name = m_source.nameOf(parameter);
    const std::string module = moduleName(parameter);
    const Arithmetic arithmetic = m_source.precision().linears();
    const Shape shape = shapeOfPart(parameter, m_source.shard().tensorDevices);
    if (store != nullptr)
        if (auto packed = store->find(name, shape[0], shape[1], arithmetic)) {
            m_tensors->putPacked(module, *std::move(packed), hasBias(parameter));
            return;
        }
    const Tensor weight = m_source.read(parameter, nullptr);
    packInto(*m_tensors, parameter, weight);
    const PackedMatrix packed = m_tensors->linearWithoutBias(module, arithmetic);
    const Tensor mapped = m_source.isInPlace(parameter) ? weight : Tensor();
    if (store != nullptr)
        store->put(name, packed, mapped);
    if (!isUsedWhereMapped(packed.packed(), mapped))
        m_source.release(parameter);
}

// What the store maps takes no memory and is not packed again. Where that has to be made first, a layer is
// read as for a use.
void LayerWeights::keepMapped(PackedLinearStore& store) {
    const Arithmetic arithmetic = m_source.precision().linears();
    std::vector<const WanParameter*> unpacked;
    for (const WanParameter& parameter : m_source.parameters()) {
        if (!parameter.blockLinear || m_source.staysQuantised(parameter) ||
            !m_source.packsWithoutGrowing(parameter))
            continue;
        const Shape shape = shapeOfPart(parameter, m_source.shard().tensorDevices);
        if (auto packed = store.find(m_source.nameOf(parameter), shape[0], shape[1], arithmetic))
            m_tensors->putPacked(moduleName(parameter), *std::move(packed), hasBias(parameter));
        else
            unpacked.push_back(&parameter);
    }
    if (unpacked.empty() || !store.collects())
        return;
    const std::shared_ptr<const LayerTensors> read = readForUse(nullptr);
    for (const WanParameter* parameter : unpacked)
        store.put(m_source.nameOf(*parameter), read->linearWithoutBias(moduleName(*parameter), arithmetic),
                  m_source.isInPlace(*parameter) ? m_source.read(*parameter, nullptr) : Tensor());
}

std::shared_ptr<const LayerTensors> LayerWeights::tensors(const Execution* execution) const {
    if (m_isWhole)
        return m_tensors;
    const std::lock_guard lock(m_inUse->mutex);
    std::shared_ptr<const LayerTensors> read = m_inUse->tensors.lock();
    if (!read) {
        read = readForUse(execution);
        m_inUse->tensors = read;
    }
    return read;
}

// Matrices last: each is packed before the next is read.
std::shared_ptr<const LayerTensors> LayerWeights::readForUse(const Execution* execution) const {
    const auto givePagesBack = [source = m_source, residence = m_residence](const LayerTensors* tensors) {
        delete tensors;
        if (residence == Residence::Streamed)
            releaseAll(source);
    };
    const std::shared_ptr<LayerTensors> read(new LayerTensors(*m_tensors), givePagesBack);
    for (const bool matrices : {false, true})
        for (const WanParameter& parameter : m_source.parameters()) {
            if (parameter.blockLinear != matrices || !isReadForEachUse(parameter))
                continue;
            if (matrices)
                packInto(*read, parameter, m_source.read(parameter, execution));
            else
                put(*read, parameter, m_source.read(parameter, execution));
        }
    packLinears(*read);
    return read;
}

void LayerWeights::readShard(std::span<std::uint8_t> room, const Execution* execution) const {
    m_source.copyFlat(m_layout, shardBytes() * m_source.shard().fsdpIndex, std::as_writable_bytes(room),
                      execution);
}

std::span<const std::uint8_t> LayerWeights::shardIn(std::span<std::uint8_t> room,
                                                    const Execution* execution) const {
    if (m_residence == Residence::Kept)
        return std::as_const(m_shard).data<std::uint8_t>();
    readShard(room, execution);
    releaseAll(m_source);
    return room;
}

std::shared_ptr<const LayerTensors> LayerWeights::tensorsIn(const Tensor& flat,
                                                            const Execution* execution) const {
    const auto tensors = std::make_shared<LayerTensors>(m_slots);
    const auto owner = std::make_shared<Tensor>(flat);
    const auto tensorAt = [&](std::size_t index) {
        const FlatLayout::Entry& entry = m_layout.entries()[index];
        const WanParameter& parameter = m_source.parameters()[index];
        const std::byte* bytes = flat.raw() + entry.offset;
        return m_source.staysQuantised(parameter)
                   ? m_source.unpack(parameter, {bytes, static_cast<std::size_t>(entry.bytes())}, execution)
                   : Tensor::view(bytes, entry.shape, entry.type, owner);
    };
    for (const bool matrices : {false, true})
        for (std::size_t index = 0; index < m_layout.entries().size(); ++index) {
            const WanParameter& parameter = m_source.parameters()[index];
            if (parameter.blockLinear != matrices)
                continue;
            if (matrices)
                packInto(*tensors, parameter, tensorAt(index));
            else
                put(*tensors, parameter, tensorAt(index));
        }
    packLinears(*tensors);
    return tensors;
}

void LayerWeights::prefetch() const {
    if (m_residence != Residence::Streamed)
        return;
    for (const WanParameter& parameter : m_source.parameters())
        if (isReadForEachUse(parameter))
            m_source.prefetch(parameter);
    m_tensors->prefetchPacked();
}

LayerStream::LayerStream(std::span<const LayerWeights> layers, Communicator& fsdp,
                         std::shared_ptr<MemoryMeter> meter, const Execution* execution)
    : m_layers(layers), m_fsdp(fsdp), m_execution(execution) {
    std::int64_t largest = 0;
    for (const LayerWeights& layer : layers)
        if (layer.sharded())
            largest = std::max(largest, layer.shardBytes() * fsdp.size());
    if (largest > 0) {
        const MeterScope scope(std::move(meter));
        for (Slot& slot : m_slots)
            slot.buffer = Tensor::empty({largest}, DType::U8);
    }
    start(0);
}

void LayerStream::start(std::size_t index) {
    if (index >= m_layers.size())
        return;
    if (!m_layers[index].sharded()) {
        m_layers[index].prefetch();
        return;
    }
    Slot& slot = slotAt(index);
    const auto size = static_cast<std::size_t>(m_layers[index].shardBytes());
    const auto partOf = [&](int position) {
        return slot.buffer.data<std::uint8_t>().subspan(size * static_cast<std::size_t>(position), size);
    };
    std::vector<Block> parts;
    for (int device = 0; device < m_fsdp.size(); ++device)
        parts.push_back(toBlock(partOf(device)));
    const auto own = m_layers[index].shardIn(partOf(m_fsdp.position()), m_execution);
    slot.gather = m_fsdp.startAllGather(toBlock(own), parts);
    if (index + 1 < m_layers.size())
        m_layers[index + 1].prefetch();
}

std::shared_ptr<const LayerTensors> LayerStream::next() {
    if (m_next >= m_layers.size())
        throw Error(ErrorKind::Internal, "A model has fewer layers than were asked for");
    const std::size_t index = m_next++;
    const LayerWeights& layer = m_layers[index];
    if (!layer.sharded()) {
        std::shared_ptr<const LayerTensors> tensors = layer.tensors(m_execution);
        start(m_next);
        return tensors;
    }
    Slot& slot = slotAt(index);
    slot.gather.wait();
    start(m_next);
    return layer.tensorsIn(slot.buffer, m_execution);
}

}  // namespace meshreel
