// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/sharding_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/context_split.h"
#include "engine/base/strings.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/video_shape.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_block.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/project/project.h"
#include "engine/tensor/shape.h"

namespace meshreel {
namespace {

using Table = std::vector<TensorSharding>;

/// By the mode's own exchange: one that gathers may shard heads instead.
ContextSharing selfSharing(const AttentionPlan& self) {
    if (self.mode->exchange != Exchange::Gather)
        return ContextSharing::Sequence;
    return self.exchange == Exchange::Gather ? ContextSharing::QueriesOnly : ContextSharing::HeadsInstead;
}

/// "attn1.to_q, attn1.to_k, ...": enough to know them by.
std::string shortNames(const WanParameter& parameter, const std::vector<std::string>& names) {
    constexpr std::size_t shown = 2;
    constexpr std::string_view embedder = "condition_embedder.";
    constexpr std::string_view ending = ".weight";
    if (parameter.shape.rank() == 1)
        return "biases, norms";
    std::string text;
    for (std::string_view name : std::span(names).first(std::min(shown, names.size()))) {
        if (name.starts_with(embedder))
            name.remove_prefix(embedder.size());
        if (name.ends_with(ending))
            name.remove_suffix(ending.size());
        text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
    }
    return names.size() > shown ? text + ", ..." : text;
}

/// Builds the rows from the rules and the mesh.
class TableBuilder {
  public:
    explicit TableBuilder(const RunPlan& plan)
        : m_plan(plan),
          m_shape(plan.layout.shape()),
          m_attention(plan.attentions),
          m_rules(logicalAxisRules(selfSharing(m_attention.self), m_attention.text.keysSharded
                                                                      ? ContextSharing::Sequence
                                                                      : ContextSharing::QueriesOnly)),
          m_rows(plan.latentShape[0] * plan.rowsOfVideo()),
          m_windows(m_shape.data * m_shape.fsdp > 1 ? plan.windowsIn(0) : 1) {}

    Table build() {
        addInputs();
        addSelfAttention();
        addCrossAttention();
        addActivations("feed-forward",
                       {batch(), feedForwardTokens(), axis("features", config().ffnDim, "mlp")})
            .note = "some tokens at a time";
        addWeights();
        addVae();
        return std::move(m_table);
    }

  private:
    [[nodiscard]] const WanTransformerConfig& config() const { return m_plan.model.transformer; }

    [[nodiscard]] ShardedAxis axis(std::string name, std::int64_t extent, std::string_view logical) const {
        ShardedAxis sharded{.name = std::move(name), .extent = extent};
        for (const MeshAxis meshAxis : findMeshAxes(m_rules, logical))
            share(sharded, nameOf(meshAxis), m_shape.extent(meshAxis));
        return sharded;
    }

    static void share(ShardedAxis& sharded, std::string_view over, int parts) {
        if (parts == 1)
            return;
        sharded.over += fmt::format("{}{} {}", sharded.over.empty() ? "" : " x ", over, parts);
        sharded.parts *= parts;
    }

    /// Rows of passes: where several devices share them, each window of a row is one.
    [[nodiscard]] ShardedAxis batch() const { return axis("batch", m_rows * m_windows, "activation_batch"); }

    /// Rows of texts. Where windows are shared out, every device has the text of all.
    [[nodiscard]] ShardedAxis texts() const {
        return m_windows > 1 ? ShardedAxis{.name = "batch", .extent = m_rows} : batch();
    }

    TensorSharding& addRow(std::string tensor, std::vector<ShardedAxis> axes) {
        m_table.push_back({.tensor = std::move(tensor), .axes = std::move(axes)});
        return m_table.back();
    }

    TensorSharding& addActivations(std::string tensor, std::vector<ShardedAxis> axes) {
        TensorSharding& row = addRow(std::move(tensor), std::move(axes));
        row.type = m_plan.precision.transformer.activations;
        return row;
    }

    /// A device takes so many of its tokens at once.
    [[nodiscard]] ShardedAxis feedForwardTokens() const {
        ShardedAxis tokens = axis("tokens", m_plan.tokens, "activation_length");
        tokens.extent = std::min(tokens.extent, tokens.parts * WanWorkspace::feedForwardTokens);
        return tokens;
    }

    void addLatents(std::string name, const Shape& latents) {
        addRow(std::move(name), {{.name = "batch", .extent = latents[0]},
                                 {.name = "channels", .extent = latents[1]},
                                 {.name = "frames", .extent = latents[2]},
                                 {.name = "height", .extent = latents[3]},
                                 {.name = "width", .extent = latents[4]}});
    }

    void addInputs() {
        addRow("text", {texts(),
                        {.name = "tokens", .extent = m_plan.project.maxSequenceLength},
                        {.name = "features", .extent = config().textDim}});
        addLatents("latents", m_plan.latentShape);
        for (const GroupShape& group : m_plan.groups)
            addLatents(std::string(group.name), group.latents);
        addRow("hidden states", {batch(),
                                 axis("tokens", m_plan.tokens, "activation_length"),
                                 {.name = "features", .extent = config().innerDim()}});
    }

    /// An attention's rows while its kernel runs: after the exchange, for one step of a ring.
    struct KernelAxes {
        ShardedAxis queries;
        ShardedAxis keys;
        ShardedAxis heads;
    };

    [[nodiscard]] KernelAxes selfAttentionInKernel() const {
        KernelAxes axes{.queries = {.name = "tokens", .extent = m_plan.tokens},
                        .keys = {.name = "tokens", .extent = m_plan.tokens},
                        .heads = {.name = "heads", .extent = config().heads}};
        const ContextSplit& split = m_attention.self.split;
        const bool rotates = m_attention.self.rotation != Rotation::None;
        share(axes.queries, rotates ? "ring" : "context", split.ring);
        if (rotates)
            share(axes.keys, "ring", split.ring);
        share(axes.heads, m_attention.self.mode->hybrid() ? "ulysses" : "context", split.ulysses);
        share(axes.heads, "tensor", m_shape.tensor);
        return axes;
    }

    [[nodiscard]] ShardedAxis headDim() const { return {.name = "head dim", .extent = config().headDim}; }

    void addSelfAttention() {
        const ShardedAxis tokens = axis("tokens", m_plan.tokens, "activation_length");
        TensorSharding& projected =
            addActivations("self-attention q, k, v",
                           {batch(), tokens, axis("heads", config().heads, "activation_heads"), headDim()});
        projected.copies = 3;
        projected.note = "as projected";
        if (m_shape.context == 1)
            return;
        const KernelAxes kernel = selfAttentionInKernel();
        addActivations("  queries in the kernel", {batch(), kernel.queries, kernel.heads, headDim()});
        TensorSharding& keys =
            addActivations("  keys, values in the kernel", {batch(), kernel.keys, kernel.heads, headDim()});
        keys.copies = 2;
        if (const int rotations = m_attention.self.rotations(); rotations > 0)
            keys.note = fmt::format("rotate {} {}", rotations, rotations == 1 ? "time" : "times");
        else if (selfSharing(m_attention.self) == ContextSharing::QueriesOnly)
            keys.note = "gathered";
    }

    void addCrossAttention() {
        addActivations("cross-attention queries",
                       {batch(), axis("tokens", m_plan.tokens, "activation_cross_attn_q_length"),
                        axis("heads", config().heads, "activation_cross_attn_heads"), headDim()});
        TensorSharding& keys = addActivations(
            "cross-attention keys, values",
            {texts(), axis("tokens", m_plan.project.maxSequenceLength, "activation_cross_attn_kv_length"),
             axis("heads", config().heads, "activation_cross_attn_heads"), headDim()});
        keys.copies = static_cast<int>(2 * config().layers);
        keys.note = "of all blocks";
    }

    /// Parameters of one shape and split make one row.
    void addWeights() {
        const std::vector<WanLayer> layers = wanLayers(config());
        for (const WanLayer& layer : layers)
            if (layer.place.index == 0)
                addLayer(layer, static_cast<int>(std::ranges::count_if(layers, [&](const WanLayer& other) {
                             return other.place.role == layer.place.role;
                         })));
    }

    void addLayer(const WanLayer& layer, int layerCount) {
        struct Kind {
            const WanParameter* parameter;
            std::vector<std::string> names;
        };
        std::vector<Kind> kinds;
        for (const WanParameter& parameter : layer.parameters) {
            if (parameter.optional)
                continue;
            const auto same = std::ranges::find_if(kinds, [&](const Kind& kind) {
                return kind.parameter->shape == parameter.shape && kind.parameter->split == parameter.split;
            });
            if (same == kinds.end())
                kinds.push_back({&parameter, {parameter.name}});
            else
                same->names.push_back(parameter.name);
        }
        for (const Kind& kind : kinds)
            addWeightKind(nameOf(layer.place.role), *kind.parameter, kind.names, layerCount);
    }

    void addWeightKind(std::string_view layer, const WanParameter& parameter,
                       const std::vector<std::string>& names, int layerCount) {
        std::vector<ShardedAxis> axes;
        for (std::size_t index = 0; index < parameter.shape.rank(); ++index) {
            ShardedAxis& added = axes.emplace_back();
            added.extent = parameter.shape[index];
            const bool rows = index == 0 && parameter.split == TensorSplit::Rows;
            const bool columns = index == 1 && parameter.split == TensorSplit::Columns;
            if (rows || columns)
                share(added, "tensor", m_shape.tensor);
        }
        TensorSharding& row =
            addRow(fmt::format("{} weights: {}", layer, shortNames(parameter, names)), std::move(axes));
        row.copies = layerCount * static_cast<int>(names.size());
        row.flatParts = m_shape.fsdp;
        row.type = heldType(parameter, m_plan.precision.transformer);
        if (m_shape.fsdp > 1)
            row.note = fmt::format("cut in fsdp {} equal parts, gathered a layer at a time", m_shape.fsdp);
    }

    void addVae() {
        const Project& project = m_plan.project;
        const WanVaeConfig& vae = m_plan.model.vae;
        ShardedAxis width{.name = "width", .extent = project.width / vae.patchSize};
        share(width, "vae_spatial",
              std::min(m_plan.placement.vaeStrips(), static_cast<int>(m_plan.latentShape[4])));
        addRow("VAE features of the last stage",
               {{.name = "frames", .extent = vae.temporalFactor()},
                {.name = "height", .extent = project.height / vae.patchSize},
                width,
                {.name = "channels", .extent = vae.decoderBaseDim}});
        TensorSharding& weights = addRow(
            "VAE weights", {{.name = "values",
                             .extent = static_cast<std::int64_t>(
                                 m_plan.model.vaeWeightsFor(m_plan.encodesVideo()).memory / sizeof(float))}});
        if (m_plan.layout.devices() > 1)
            weights.note = project.replicateVae ? "a copy for each device" : "a copy for each process";
    }

    const RunPlan& m_plan;
    MeshShape m_shape;
    const AttentionPlans& m_attention;
    std::vector<LogicalAxisRule> m_rules;
    std::int64_t m_rows;
    std::int64_t m_windows;
    Table m_table;
};

}  // namespace

std::uint64_t TensorSharding::bytesPerDevice() const {
    std::uint64_t elements = 1;
    for (const ShardedAxis& sharded : axes)
        elements *= static_cast<std::uint64_t>(sharded.perDevice());
    const auto parts = static_cast<std::uint64_t>(flatParts);
    return (elements * static_cast<std::uint64_t>(copies) + parts - 1) / parts * byteSize(type);
}

std::vector<TensorSharding> shardingTable(const RunPlan& plan) {
    return TableBuilder(plan).build();
}

namespace {

constexpr std::size_t columns = 5;
using Row = std::array<std::string, columns>;

template <typename Extent>
std::string shapeText(const TensorSharding& tensor, const Extent& extentOf) {
    std::vector<std::int64_t> extents;
    std::ranges::transform(tensor.axes, std::back_inserter(extents), extentOf);
    const std::string shape = fmt::format("[{}]", fmt::join(extents, ", "));
    return tensor.copies == 1 ? shape : fmt::format("{} x {}", tensor.copies, shape);
}

std::string overText(const TensorSharding& tensor) {
    std::vector<std::string> parts;
    for (const ShardedAxis& axis : tensor.axes)
        if (!axis.over.empty())
            parts.push_back(axis.name.empty() ? axis.over : fmt::format("{}: {}", axis.name, axis.over));
    if (tensor.flatParts > 1)
        parts.push_back(fmt::format("fsdp {}", tensor.flatParts));
    return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string typeText(DType type) {
    return type == DType::BF16 ? "bf16" : "f32";
}

Row toTableRow(const TensorSharding& tensor) {
    const std::string note = tensor.note.empty() ? std::string() : fmt::format(" ({})", tensor.note);
    return {fmt::format("{} ({})", tensor.tensor, typeText(tensor.type)),
            shapeText(tensor, &ShardedAxis::extent), overText(tensor),
            shapeText(tensor, &ShardedAxis::perDevice), formatBytes(tensor.bytesPerDevice()) + note};
}

}  // namespace

std::string describeSharding(const RunPlan& plan) {
    std::vector<Row> rows{{"tensor", "whole", "shared out over", "one device", "bytes of one device"}};
    std::ranges::transform(shardingTable(plan), std::back_inserter(rows), toTableRow);
    std::array<std::size_t, columns> widths{};
    for (const Row& row : rows)
        for (std::size_t column = 0; column < columns; ++column)
            widths[column] = std::max(widths[column], row[column].size());
    std::string text;
    for (const Row& row : rows) {
        text += "  ";
        for (std::size_t column = 0; column + 1 < columns; ++column)
            text += fmt::format("{:<{}}  ", row[column], widths[column]);
        text += row.back() + "\n";
    }
    return text;
}

}  // namespace meshreel
