// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/tensor_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace meshreel {
namespace {

using enum Reshaping;

/// One name, or one kind of name, in the original files and in those of diffusers. Parts between dots may be
/// placeholders:
///   {i} {j}       an index
///   {i+1}         an index greater by one
///   *             any last part (weight, bias, gamma, …)
///   {flat}        i·stride + j, where a level's blocks are counted on; see indexStride()
///   {up}          i·stride + stride - 1, the last of a level: it enlarges or shrinks
///   {blocks}      the residual blocks of the context; {blocks+1} one more
///   {motion+1}    the motion encoder's residual blocks, plus one
/// An empty name at diffusers: the tensor is not used there.
struct NameRule {
    std::string_view original;
    std::string_view diffusers;
    Reshaping reshaping = Reshaping::None;
    int part = 0;  ///< for Reshaping::Rows
    int parts = 1;
};

/// Text, image and first-and-last-frame to video, VACE, Animate, S2V. Of S2V diffusers has no model yet: what
/// only that has keeps its original names, but for those of its injectors, which are called as attentions
/// are.

constexpr auto transformer = std::to_array<NameRule>({
    {"patch_embedding.*", "patch_embedding.*"},
    {"pose_patch_embedding.*", "pose_patch_embedding.*"},
    {"vace_patch_embedding.*", "vace_patch_embedding.*"},
    {"ref_conv.*", "ref_conv.*"},
    {"text_embedding.0.*", "condition_embedder.text_embedder.linear_1.*"},
    {"text_embedding.2.*", "condition_embedder.text_embedder.linear_2.*"},
    {"time_embedding.0.*", "condition_embedder.time_embedder.linear_1.*"},
    {"time_embedding.2.*", "condition_embedder.time_embedder.linear_2.*"},
    {"time_projection.1.*", "condition_embedder.time_proj.*"},
    {"img_emb.emb_pos", "condition_embedder.image_embedder.pos_embed"},
    {"img_emb.proj.0.*", "condition_embedder.image_embedder.norm1.*"},
    {"img_emb.proj.1.*", "condition_embedder.image_embedder.ff.net.0.proj.*"},
    {"img_emb.proj.3.*", "condition_embedder.image_embedder.ff.net.2.*"},
    {"img_emb.proj.4.*", "condition_embedder.image_embedder.norm2.*"},
    {"head.modulation", "scale_shift_table"},
    {"head.head.*", "proj_out.*"},

    {"blocks.{i}.modulation", "blocks.{i}.scale_shift_table"},
    {"blocks.{i}.self_attn.q.*", "blocks.{i}.attn1.to_q.*"},
    {"blocks.{i}.self_attn.k.*", "blocks.{i}.attn1.to_k.*"},
    {"blocks.{i}.self_attn.v.*", "blocks.{i}.attn1.to_v.*"},
    {"blocks.{i}.self_attn.o.*", "blocks.{i}.attn1.to_out.0.*"},
    {"blocks.{i}.self_attn.norm_q.*", "blocks.{i}.attn1.norm_q.*"},
    {"blocks.{i}.self_attn.norm_k.*", "blocks.{i}.attn1.norm_k.*"},
    {"blocks.{i}.norm3.*", "blocks.{i}.norm2.*"},
    {"blocks.{i}.cross_attn.q.*", "blocks.{i}.attn2.to_q.*"},
    {"blocks.{i}.cross_attn.k.*", "blocks.{i}.attn2.to_k.*"},
    {"blocks.{i}.cross_attn.v.*", "blocks.{i}.attn2.to_v.*"},
    {"blocks.{i}.cross_attn.o.*", "blocks.{i}.attn2.to_out.0.*"},
    {"blocks.{i}.cross_attn.norm_q.*", "blocks.{i}.attn2.norm_q.*"},
    {"blocks.{i}.cross_attn.norm_k.*", "blocks.{i}.attn2.norm_k.*"},
    {"blocks.{i}.cross_attn.k_img.*", "blocks.{i}.attn2.add_k_proj.*"},
    {"blocks.{i}.cross_attn.v_img.*", "blocks.{i}.attn2.add_v_proj.*"},
    {"blocks.{i}.cross_attn.norm_k_img.*", "blocks.{i}.attn2.norm_added_k.*"},
    {"blocks.{i}.ffn.0.*", "blocks.{i}.ffn.net.0.proj.*"},
    {"blocks.{i}.ffn.2.*", "blocks.{i}.ffn.net.2.*"},

    // diffusers' Animate-2 names the attentions' layers as its own models do, and all else as the original.
    {"blocks.{i}.self_attn.to_q.*", "blocks.{i}.attn1.to_q.*"},
    {"blocks.{i}.self_attn.to_k.*", "blocks.{i}.attn1.to_k.*"},
    {"blocks.{i}.self_attn.to_v.*", "blocks.{i}.attn1.to_v.*"},
    {"blocks.{i}.self_attn.to_out.0.*", "blocks.{i}.attn1.to_out.0.*"},
    {"blocks.{i}.cross_attn.to_q.*", "blocks.{i}.attn2.to_q.*"},
    {"blocks.{i}.cross_attn.to_k.*", "blocks.{i}.attn2.to_k.*"},
    {"blocks.{i}.cross_attn.to_v.*", "blocks.{i}.attn2.to_v.*"},
    {"blocks.{i}.cross_attn.to_out.0.*", "blocks.{i}.attn2.to_out.0.*"},
    {"blocks.{i}.cross_attn.add_k_proj.*", "blocks.{i}.attn2.add_k_proj.*"},
    {"blocks.{i}.cross_attn.add_v_proj.*", "blocks.{i}.attn2.add_v_proj.*"},
    {"blocks.{i}.cross_attn.norm_added_k.*", "blocks.{i}.attn2.norm_added_k.*"},

    {"vace_blocks.{i}.modulation", "vace_blocks.{i}.scale_shift_table"},
    {"vace_blocks.{i}.self_attn.q.*", "vace_blocks.{i}.attn1.to_q.*"},
    {"vace_blocks.{i}.self_attn.k.*", "vace_blocks.{i}.attn1.to_k.*"},
    {"vace_blocks.{i}.self_attn.v.*", "vace_blocks.{i}.attn1.to_v.*"},
    {"vace_blocks.{i}.self_attn.o.*", "vace_blocks.{i}.attn1.to_out.0.*"},
    {"vace_blocks.{i}.self_attn.norm_q.*", "vace_blocks.{i}.attn1.norm_q.*"},
    {"vace_blocks.{i}.self_attn.norm_k.*", "vace_blocks.{i}.attn1.norm_k.*"},
    {"vace_blocks.{i}.norm3.*", "vace_blocks.{i}.norm2.*"},
    {"vace_blocks.{i}.cross_attn.q.*", "vace_blocks.{i}.attn2.to_q.*"},
    {"vace_blocks.{i}.cross_attn.k.*", "vace_blocks.{i}.attn2.to_k.*"},
    {"vace_blocks.{i}.cross_attn.v.*", "vace_blocks.{i}.attn2.to_v.*"},
    {"vace_blocks.{i}.cross_attn.o.*", "vace_blocks.{i}.attn2.to_out.0.*"},
    {"vace_blocks.{i}.cross_attn.norm_q.*", "vace_blocks.{i}.attn2.norm_q.*"},
    {"vace_blocks.{i}.cross_attn.norm_k.*", "vace_blocks.{i}.attn2.norm_k.*"},
    {"vace_blocks.{i}.ffn.0.*", "vace_blocks.{i}.ffn.net.0.proj.*"},
    {"vace_blocks.{i}.ffn.2.*", "vace_blocks.{i}.ffn.net.2.*"},
    {"vace_blocks.{i}.before_proj.*", "vace_blocks.{i}.proj_in.*"},
    {"vace_blocks.{i}.after_proj.*", "vace_blocks.{i}.proj_out.*"},

    {"motion_encoder.enc.fc.{i}.*", "motion_encoder.motion_network.{i}.*"},
    {"motion_encoder.dec.direction.weight", "motion_encoder.motion_synthesis_weight"},
    {"motion_encoder.enc.net_app.convs.0.0.weight", "motion_encoder.conv_in.weight"},
    {"motion_encoder.enc.net_app.convs.0.1.bias", "motion_encoder.conv_in.act_fn.bias", Flatten},
    {"motion_encoder.enc.net_app.convs.{i+1}.conv1.0.weight", "motion_encoder.res_blocks.{i}.conv1.weight"},
    {"motion_encoder.enc.net_app.convs.{i+1}.conv1.1.bias", "motion_encoder.res_blocks.{i}.conv1.act_fn.bias",
     Flatten},
    {"motion_encoder.enc.net_app.convs.{i+1}.conv2.1.weight", "motion_encoder.res_blocks.{i}.conv2.weight"},
    {"motion_encoder.enc.net_app.convs.{i+1}.conv2.2.bias", "motion_encoder.res_blocks.{i}.conv2.act_fn.bias",
     Flatten},
    {"motion_encoder.enc.net_app.convs.{i+1}.skip.1.weight",
     "motion_encoder.res_blocks.{i}.conv_skip.weight"},
    {"motion_encoder.enc.net_app.convs.{motion+1}.weight", "motion_encoder.conv_out.weight"},
    // Blur kernels, which diffusers computes.
    {"motion_encoder.enc.net_app.convs.{i+1}.conv2.0.kernel", ""},
    {"motion_encoder.enc.net_app.convs.{i+1}.skip.0.kernel", ""},
    {"face_encoder.padding_tokens", "face_encoder.padding_tokens"},
    {"face_encoder.conv1_local.conv.*", "face_encoder.conv1_local.*"},
    {"face_encoder.conv2.conv.*", "face_encoder.conv2.*"},
    {"face_encoder.conv3.conv.*", "face_encoder.conv3.*"},
    {"face_encoder.out_proj.*", "face_encoder.out_proj.*"},
    {"face_adapter.fuser_blocks.{i}.linear1_q.*", "face_adapter.{i}.to_q.*"},
    {"face_adapter.fuser_blocks.{i}.linear1_kv.*", "face_adapter.{i}.to_k.*", Rows, 0, 2},
    {"face_adapter.fuser_blocks.{i}.linear1_kv.*", "face_adapter.{i}.to_v.*", Rows, 1, 2},
    {"face_adapter.fuser_blocks.{i}.linear2.*", "face_adapter.{i}.to_out.*"},
    {"face_adapter.fuser_blocks.{i}.q_norm.*", "face_adapter.{i}.norm_q.*"},
    {"face_adapter.fuser_blocks.{i}.k_norm.*", "face_adapter.{i}.norm_k.*"},

    {"cond_encoder.*", "cond_encoder.*"},
    {"trainable_cond_mask.*", "trainable_cond_mask.*"},
    {"frame_packer.proj.*", "frame_packer.proj.*"},
    {"frame_packer.proj_2x.*", "frame_packer.proj_2x.*"},
    {"frame_packer.proj_4x.*", "frame_packer.proj_4x.*"},
    {"casual_audio_encoder.weights", "casual_audio_encoder.weights"},
    {"casual_audio_encoder.encoder.padding_tokens", "casual_audio_encoder.encoder.padding_tokens"},
    {"casual_audio_encoder.encoder.conv1_local.conv.*", "casual_audio_encoder.encoder.conv1_local.conv.*"},
    {"casual_audio_encoder.encoder.conv1_global.conv.*", "casual_audio_encoder.encoder.conv1_global.conv.*"},
    {"casual_audio_encoder.encoder.conv2.conv.*", "casual_audio_encoder.encoder.conv2.conv.*"},
    {"casual_audio_encoder.encoder.conv3.conv.*", "casual_audio_encoder.encoder.conv3.conv.*"},
    {"casual_audio_encoder.encoder.final_linear.*", "casual_audio_encoder.encoder.final_linear.*"},
    {"audio_injector.injector.{i}.q.*", "audio_injector.{i}.attn.to_q.*"},
    {"audio_injector.injector.{i}.k.*", "audio_injector.{i}.attn.to_k.*"},
    {"audio_injector.injector.{i}.v.*", "audio_injector.{i}.attn.to_v.*"},
    {"audio_injector.injector.{i}.o.*", "audio_injector.{i}.attn.to_out.0.*"},
    {"audio_injector.injector.{i}.norm_q.*", "audio_injector.{i}.attn.norm_q.*"},
    {"audio_injector.injector.{i}.norm_k.*", "audio_injector.{i}.attn.norm_k.*"},
    {"audio_injector.injector_adain_layers.{i}.linear.*", "audio_injector.{i}.norm.linear.*"},
});

/// Both VAEs; a name fits only the rules of one of them.
constexpr auto vae = std::to_array<NameRule>({
    {"conv1.*", "quant_conv.*"},
    {"conv2.*", "post_quant_conv.*"},
    {"encoder.conv1.*", "encoder.conv_in.*"},
    {"encoder.head.0.gamma", "encoder.norm_out.gamma"},
    {"encoder.head.2.*", "encoder.conv_out.*"},
    {"encoder.middle.0.residual.0.gamma", "encoder.mid_block.resnets.0.norm1.gamma"},
    {"encoder.middle.0.residual.2.*", "encoder.mid_block.resnets.0.conv1.*"},
    {"encoder.middle.0.residual.3.gamma", "encoder.mid_block.resnets.0.norm2.gamma"},
    {"encoder.middle.0.residual.6.*", "encoder.mid_block.resnets.0.conv2.*"},
    {"encoder.middle.1.norm.gamma", "encoder.mid_block.attentions.0.norm.gamma"},
    {"encoder.middle.1.to_qkv.*", "encoder.mid_block.attentions.0.to_qkv.*"},
    {"encoder.middle.1.proj.*", "encoder.mid_block.attentions.0.proj.*"},
    {"encoder.middle.2.residual.0.gamma", "encoder.mid_block.resnets.1.norm1.gamma"},
    {"encoder.middle.2.residual.2.*", "encoder.mid_block.resnets.1.conv1.*"},
    {"encoder.middle.2.residual.3.gamma", "encoder.mid_block.resnets.1.norm2.gamma"},
    {"encoder.middle.2.residual.6.*", "encoder.mid_block.resnets.1.conv2.*"},
    {"decoder.conv1.*", "decoder.conv_in.*"},
    {"decoder.head.0.gamma", "decoder.norm_out.gamma"},
    {"decoder.head.2.*", "decoder.conv_out.*"},
    {"decoder.middle.0.residual.0.gamma", "decoder.mid_block.resnets.0.norm1.gamma"},
    {"decoder.middle.0.residual.2.*", "decoder.mid_block.resnets.0.conv1.*"},
    {"decoder.middle.0.residual.3.gamma", "decoder.mid_block.resnets.0.norm2.gamma"},
    {"decoder.middle.0.residual.6.*", "decoder.mid_block.resnets.0.conv2.*"},
    {"decoder.middle.1.norm.gamma", "decoder.mid_block.attentions.0.norm.gamma"},
    {"decoder.middle.1.to_qkv.*", "decoder.mid_block.attentions.0.to_qkv.*"},
    {"decoder.middle.1.proj.*", "decoder.mid_block.attentions.0.proj.*"},
    {"decoder.middle.2.residual.0.gamma", "decoder.mid_block.resnets.1.norm1.gamma"},
    {"decoder.middle.2.residual.2.*", "decoder.mid_block.resnets.1.conv1.*"},
    {"decoder.middle.2.residual.3.gamma", "decoder.mid_block.resnets.1.norm2.gamma"},
    {"decoder.middle.2.residual.6.*", "decoder.mid_block.resnets.1.conv2.*"},

    // Wan 2.1: the encoder's blocks are counted on over the levels on both sides, the decoder's on one.
    {"encoder.downsamples.{i}.residual.0.gamma", "encoder.down_blocks.{i}.norm1.gamma"},
    {"encoder.downsamples.{i}.residual.2.*", "encoder.down_blocks.{i}.conv1.*"},
    {"encoder.downsamples.{i}.residual.3.gamma", "encoder.down_blocks.{i}.norm2.gamma"},
    {"encoder.downsamples.{i}.residual.6.*", "encoder.down_blocks.{i}.conv2.*"},
    {"encoder.downsamples.{i}.shortcut.*", "encoder.down_blocks.{i}.conv_shortcut.*"},
    {"encoder.downsamples.{i}.resample.1.*", "encoder.down_blocks.{i}.resample.1.*"},
    {"encoder.downsamples.{i}.time_conv.*", "encoder.down_blocks.{i}.time_conv.*"},
    {"decoder.upsamples.{flat}.residual.0.gamma", "decoder.up_blocks.{i}.resnets.{j}.norm1.gamma"},
    {"decoder.upsamples.{flat}.residual.2.*", "decoder.up_blocks.{i}.resnets.{j}.conv1.*"},
    {"decoder.upsamples.{flat}.residual.3.gamma", "decoder.up_blocks.{i}.resnets.{j}.norm2.gamma"},
    {"decoder.upsamples.{flat}.residual.6.*", "decoder.up_blocks.{i}.resnets.{j}.conv2.*"},
    {"decoder.upsamples.{flat}.shortcut.*", "decoder.up_blocks.{i}.resnets.{j}.conv_shortcut.*"},
    {"decoder.upsamples.{up}.resample.1.*", "decoder.up_blocks.{i}.upsamplers.0.resample.1.*"},
    {"decoder.upsamples.{up}.time_conv.*", "decoder.up_blocks.{i}.upsamplers.0.time_conv.*"},

    // Wan 2.2: levels of blocks on both sides.
    {"encoder.downsamples.{i}.downsamples.{j}.residual.0.gamma",
     "encoder.down_blocks.{i}.resnets.{j}.norm1.gamma"},
    {"encoder.downsamples.{i}.downsamples.{j}.residual.2.*", "encoder.down_blocks.{i}.resnets.{j}.conv1.*"},
    {"encoder.downsamples.{i}.downsamples.{j}.residual.3.gamma",
     "encoder.down_blocks.{i}.resnets.{j}.norm2.gamma"},
    {"encoder.downsamples.{i}.downsamples.{j}.residual.6.*", "encoder.down_blocks.{i}.resnets.{j}.conv2.*"},
    {"encoder.downsamples.{i}.downsamples.{j}.shortcut.*",
     "encoder.down_blocks.{i}.resnets.{j}.conv_shortcut.*"},
    {"encoder.downsamples.{i}.downsamples.{blocks}.resample.1.*",
     "encoder.down_blocks.{i}.downsampler.resample.1.*"},
    {"encoder.downsamples.{i}.downsamples.{blocks}.time_conv.*",
     "encoder.down_blocks.{i}.downsampler.time_conv.*"},
    {"decoder.upsamples.{i}.upsamples.{j}.residual.0.gamma", "decoder.up_blocks.{i}.resnets.{j}.norm1.gamma"},
    {"decoder.upsamples.{i}.upsamples.{j}.residual.2.*", "decoder.up_blocks.{i}.resnets.{j}.conv1.*"},
    {"decoder.upsamples.{i}.upsamples.{j}.residual.3.gamma", "decoder.up_blocks.{i}.resnets.{j}.norm2.gamma"},
    {"decoder.upsamples.{i}.upsamples.{j}.residual.6.*", "decoder.up_blocks.{i}.resnets.{j}.conv2.*"},
    {"decoder.upsamples.{i}.upsamples.{j}.shortcut.*", "decoder.up_blocks.{i}.resnets.{j}.conv_shortcut.*"},
    {"decoder.upsamples.{i}.upsamples.{blocks+1}.resample.1.*",
     "decoder.up_blocks.{i}.upsampler.resample.1.*"},
    {"decoder.upsamples.{i}.upsamples.{blocks+1}.time_conv.*", "decoder.up_blocks.{i}.upsampler.time_conv.*"},
});

constexpr auto textEncoder = std::to_array<NameRule>({
    {"token_embedding.weight", "shared.weight"},
    {"blocks.{i}.norm1.weight", "encoder.block.{i}.layer.0.layer_norm.weight"},
    {"blocks.{i}.attn.q.weight", "encoder.block.{i}.layer.0.SelfAttention.q.weight"},
    {"blocks.{i}.attn.k.weight", "encoder.block.{i}.layer.0.SelfAttention.k.weight"},
    {"blocks.{i}.attn.v.weight", "encoder.block.{i}.layer.0.SelfAttention.v.weight"},
    {"blocks.{i}.attn.o.weight", "encoder.block.{i}.layer.0.SelfAttention.o.weight"},
    {"blocks.{i}.norm2.weight", "encoder.block.{i}.layer.1.layer_norm.weight"},
    {"blocks.{i}.ffn.gate.0.weight", "encoder.block.{i}.layer.1.DenseReluDense.wi_0.weight"},
    {"blocks.{i}.ffn.fc1.weight", "encoder.block.{i}.layer.1.DenseReluDense.wi_1.weight"},
    {"blocks.{i}.ffn.fc2.weight", "encoder.block.{i}.layer.1.DenseReluDense.wo.weight"},
    {"blocks.{i}.pos_embedding.embedding.weight",
     "encoder.block.{i}.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"norm.weight", "encoder.final_layer_norm.weight"},
});

constexpr auto llamaTextEncoder = std::to_array<NameRule>({
    {"token_embd.weight", "shared.weight"},
    {"enc.blk.{i}.attn_norm.weight", "encoder.block.{i}.layer.0.layer_norm.weight"},
    {"enc.blk.{i}.attn_q.weight", "encoder.block.{i}.layer.0.SelfAttention.q.weight"},
    {"enc.blk.{i}.attn_k.weight", "encoder.block.{i}.layer.0.SelfAttention.k.weight"},
    {"enc.blk.{i}.attn_v.weight", "encoder.block.{i}.layer.0.SelfAttention.v.weight"},
    {"enc.blk.{i}.attn_o.weight", "encoder.block.{i}.layer.0.SelfAttention.o.weight"},
    {"enc.blk.{i}.attn_rel_b.weight",
     "encoder.block.{i}.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"enc.blk.{i}.ffn_norm.weight", "encoder.block.{i}.layer.1.layer_norm.weight"},
    {"enc.blk.{i}.ffn_gate.weight", "encoder.block.{i}.layer.1.DenseReluDense.wi_0.weight"},
    {"enc.blk.{i}.ffn_up.weight", "encoder.block.{i}.layer.1.DenseReluDense.wi_1.weight"},
    {"enc.blk.{i}.ffn_down.weight", "encoder.block.{i}.layer.1.DenseReluDense.wo.weight"},
    {"enc.output_norm.weight", "encoder.final_layer_norm.weight"},
});

constexpr auto imageEncoder = std::to_array<NameRule>({
    {"visual.cls_embedding", "vision_model.embeddings.class_embedding", Flatten},
    {"visual.patch_embedding.weight", "vision_model.embeddings.patch_embedding.weight"},
    {"visual.pos_embedding", "vision_model.embeddings.position_embedding.weight", DropFirst},
    {"visual.pre_norm.*", "vision_model.pre_layrnorm.*"},
    {"visual.transformer.{i}.norm1.*", "vision_model.encoder.layers.{i}.layer_norm1.*"},
    {"visual.transformer.{i}.attn.to_qkv.*", "vision_model.encoder.layers.{i}.self_attn.q_proj.*", Rows, 0,
     3},
    {"visual.transformer.{i}.attn.to_qkv.*", "vision_model.encoder.layers.{i}.self_attn.k_proj.*", Rows, 1,
     3},
    {"visual.transformer.{i}.attn.to_qkv.*", "vision_model.encoder.layers.{i}.self_attn.v_proj.*", Rows, 2,
     3},
    {"visual.transformer.{i}.attn.proj.*", "vision_model.encoder.layers.{i}.self_attn.out_proj.*"},
    {"visual.transformer.{i}.norm2.*", "vision_model.encoder.layers.{i}.layer_norm2.*"},
    {"visual.transformer.{i}.mlp.0.*", "vision_model.encoder.layers.{i}.mlp.fc1.*"},
    {"visual.transformer.{i}.mlp.2.*", "vision_model.encoder.layers.{i}.mlp.fc2.*"},
    {"visual.post_norm.*", "vision_model.post_layernorm.*"},
    {"visual.head", "visual_projection.weight", Transpose},
    {"log_scale", ""},
});

constexpr std::array<std::string_view, 5> partNames = {"transformer", "vae", "text_encoder", "image_encoder",
                                                       "audio_encoder"};
constexpr int largestIndex = 99'999;

/// What placeholders stand for in one name.
struct Bindings {
    std::optional<int> i{};
    std::optional<int> j{};
    std::string_view last{};
};

/// The part of `text` up to the next dot, which is taken away with it.
std::string_view takePart(std::string_view& text) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    return part;
}

std::optional<int> indexOf(std::string_view part) {
    int value = 0;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
    const bool whole = failure == std::errc() && end == part.data() + part.size();
    const bool canonical = part == "0" || (!part.empty() && part.front() != '0');
    return whole && canonical && value >= 0 && value <= largestIndex ? std::optional(value) : std::nullopt;
}

bool bind(std::optional<int>& variable, int value) {
    if (value < 0 || (variable && *variable != value))
        return false;
    variable = value;
    return true;
}

/// Blocks of one level in a continuous numbering: the decoder's residual blocks and the layer that enlarges
/// after them.
int indexStride(const NameContext& context) {
    return context.residualBlocks + 2;
}

bool matchPlaceholder(std::string_view placeholder, int value, const NameContext& context,
                      Bindings& bindings) {
    const int stride = indexStride(context);
    if (placeholder == "{i}")
        return bind(bindings.i, value);
    if (placeholder == "{j}")
        return bind(bindings.j, value);
    if (placeholder == "{i+1}")
        return bind(bindings.i, value - 1);
    if (placeholder == "{flat}")
        return value % stride != stride - 1 && bind(bindings.i, value / stride) &&
               bind(bindings.j, value % stride);
    if (placeholder == "{up}")
        return value % stride == stride - 1 && bind(bindings.i, value / stride);
    if (placeholder == "{blocks}")
        return value == context.residualBlocks;
    if (placeholder == "{blocks+1}")
        return value == context.residualBlocks + 1;
    return placeholder == "{motion+1}" && value == context.motionBlocks + 1;
}

std::optional<Bindings> match(std::string_view pattern, std::string_view name, const NameContext& context) {
    Bindings bindings;
    while (!pattern.empty() && !name.empty()) {
        const std::string_view expected = takePart(pattern);
        const std::string_view found = takePart(name);
        if (expected == "*") {
            bindings.last = found;
        } else if (expected.starts_with('{')) {
            const std::optional<int> index = indexOf(found);
            if (!index || !matchPlaceholder(expected, *index, context, bindings))
                return std::nullopt;
        } else if (expected != found) {
            return std::nullopt;
        }
    }
    return pattern.empty() && name.empty() ? std::optional(bindings) : std::nullopt;
}

std::optional<int> valueOf(std::string_view placeholder, const NameContext& context,
                           const Bindings& bindings) {
    const int stride = indexStride(context);
    const int i = bindings.i.value_or(0);
    const int j = bindings.j.value_or(0);
    if (placeholder == "{i}")
        return i;
    if (placeholder == "{j}")
        return j;
    if (placeholder == "{i+1}")
        return i + 1;
    if (placeholder == "{flat}")
        return !context.vaeLevels && j < stride - 1 ? std::optional(i * stride + j) : std::nullopt;
    if (placeholder == "{up}")
        return i * stride + stride - 1;
    if (placeholder == "{blocks}")
        return context.residualBlocks;
    if (placeholder == "{blocks+1}")
        return context.residualBlocks + 1;
    return context.motionBlocks + 1;
}

/// The pattern with values in place of its placeholders; nothing when it has none for them.
std::optional<std::string> fill(std::string_view pattern, const NameContext& context,
                                const Bindings& bindings) {
    std::string name;
    while (!pattern.empty()) {
        const std::string_view part = takePart(pattern);
        if (!name.empty())
            name += '.';
        if (part == "*") {
            name += bindings.last;
        } else if (part.starts_with('{')) {
            const std::optional<int> value = valueOf(part, context, bindings);
            if (!value)
                return std::nullopt;
            name += std::to_string(*value);
        } else {
            name += part;
        }
    }
    return name;
}

std::span<const NameRule> findRules(ModelPart part, Naming naming) {
    switch (part) {
        case ModelPart::Transformer:
            return transformer;
        case ModelPart::Vae:
            return vae;
        case ModelPart::TextEncoder:
            return naming == Naming::LlamaCpp ? std::span<const NameRule>(llamaTextEncoder) : textEncoder;
        case ModelPart::ImageEncoder:
            return imageEncoder;
        case ModelPart::AudioEncoder:
            return {};  // transformers' names everywhere
    }
    return {};
}

/// The number behind `prefix` in a name, if `suffix` follows it at once.
std::optional<int> indexBetween(std::string_view name, std::string_view prefix, std::string_view suffix) {
    if (!name.starts_with(prefix))
        return std::nullopt;
    name.remove_prefix(prefix.size());
    const std::size_t dot = name.find('.');
    return dot != std::string_view::npos && name.substr(dot).starts_with(suffix)
               ? indexOf(name.substr(0, dot))
               : std::nullopt;
}

}  // namespace

std::string_view nameOf(ModelPart part) {
    return partNames[static_cast<std::size_t>(part)];
}

NameContext NameContext::of(std::span<const std::string> names) {
    NameContext context;
    std::optional<int> firstUp;
    int lastBlock = -1;
    int lastMotion = -1;
    for (const std::string& name : names) {
        for (const std::string_view prefix : {"decoder.upsamples.", "decoder.upsamples.0.upsamples."})
            if (const auto index = indexBetween(name, prefix, ".resample."))
                firstUp = std::min(firstUp.value_or(*index), *index);
        for (const std::string_view level : {"downsamples.0.downsamples.", "down_blocks.0.resnets."})
            context.vaeLevels |= name.find(level) != std::string::npos;
        if (const auto index = indexBetween(name, "decoder.up_blocks.0.resnets.", "."))
            lastBlock = std::max(lastBlock, *index);
        if (const auto index = indexBetween(name, "motion_encoder.res_blocks.", "."))
            lastMotion = std::max(lastMotion, *index);
        if (const auto index = indexBetween(name, "motion_encoder.enc.net_app.convs.", ".skip."))
            lastMotion = std::max(lastMotion, *index - 1);
    }
    // The layer that enlarges follows the residual blocks of its level, of which the decoder has one more.
    if (firstUp && *firstUp > 0)
        context.residualBlocks = *firstUp - 1;
    else if (lastBlock >= 0)
        context.residualBlocks = lastBlock;
    if (lastMotion >= 0)
        context.motionBlocks = lastMotion + 1;
    return context;
}

std::vector<MappedName> NameMap::toDiffusers(std::string_view original) const {
    std::vector<MappedName> mapped;
    for (const NameRule& rule : findRules(m_part, m_naming))
        if (const auto bindings = match(rule.original, original, m_context))
            if (auto name = fill(rule.diffusers, m_context, *bindings))
                mapped.push_back({std::move(*name), rule.reshaping, rule.part, rule.parts});
    return mapped;
}

std::optional<MappedName> NameMap::toOriginal(std::string_view diffusers) const {
    for (const NameRule& rule : findRules(m_part, m_naming))
        if (!rule.diffusers.empty())
            if (const auto bindings = match(rule.diffusers, diffusers, m_context))
                if (auto name = fill(rule.original, m_context, *bindings))
                    return MappedName{std::move(*name), rule.reshaping, rule.part, rule.parts};
    return std::nullopt;
}

namespace {

/// ComfyUI's all-in-one files keep the text encoder behind its own name and that of its module.
constexpr std::array<std::string_view, 18> prefixes = {"",
                                                       "model.diffusion_model.",
                                                       "diffusion_model.",
                                                       "transformer.",
                                                       "module.",
                                                       "model.",
                                                       "model.module.",
                                                       "pipe.dit.",
                                                       "vae.",
                                                       "first_stage_model.",
                                                       "text_encoders.umt5xxl.transformer.",
                                                       "text_encoders.umt5xxl.",
                                                       "text_encoder.",
                                                       "cond_stage_model.umt5xxl.transformer.",
                                                       "cond_stage_model.",
                                                       "clip_vision.",
                                                       "image_encoder.",
                                                       "wav2vec2."};

/// What torch.compile, FSDP, activation checkpointing and Lightning call what they wrap.
constexpr std::array<std::string_view, 4> wrapperParts = {"_orig_mod", "_fsdp_wrapped_module",
                                                          "_checkpoint_wrapped_module", "_forward_module"};

/// Where a whole model in one file keeps the parts beside its transformer.
struct PartBeginning {
    std::string_view beginning;
    ModelPart part;
};
constexpr std::array partBeginnings = {PartBeginning{"vae.", ModelPart::Vae},
                                       PartBeginning{"first_stage_model.", ModelPart::Vae},
                                       PartBeginning{"text_encoders.", ModelPart::TextEncoder},
                                       PartBeginning{"text_encoder.", ModelPart::TextEncoder},
                                       PartBeginning{"cond_stage_model.", ModelPart::TextEncoder},
                                       PartBeginning{"clip_vision.", ModelPart::ImageEncoder},
                                       PartBeginning{"image_encoder.", ModelPart::ImageEncoder},
                                       PartBeginning{"wav2vec2.", ModelPart::AudioEncoder}};

/// A tensor that every file of this part and naming holds, and no other file.
struct Mark {
    ModelPart part;
    Naming naming;
    std::string_view name;
};
constexpr std::array marks = {
    Mark{ModelPart::Transformer, Naming::Original, "time_projection.1.weight"},
    Mark{ModelPart::Transformer, Naming::Diffusers, "condition_embedder.time_proj.weight"},
    Mark{ModelPart::Vae, Naming::Original, "decoder.middle.0.residual.0.gamma"},
    Mark{ModelPart::Vae, Naming::Diffusers, "decoder.mid_block.resnets.0.norm1.gamma"},
    Mark{ModelPart::Vae, Naming::Diffusers, "decoder.5.conv.4.weight"},  // TAEHV, which keeps its names
    Mark{ModelPart::TextEncoder, Naming::Original, "blocks.0.pos_embedding.embedding.weight"},
    Mark{ModelPart::TextEncoder, Naming::Diffusers, "encoder.block.0.layer.0.SelfAttention.q.weight"},
    Mark{ModelPart::TextEncoder, Naming::LlamaCpp, "enc.blk.0.attn_q.weight"},
    Mark{ModelPart::ImageEncoder, Naming::Original, "visual.cls_embedding"},
    Mark{ModelPart::ImageEncoder, Naming::Diffusers, "vision_model.embeddings.class_embedding"},
    Mark{ModelPart::AudioEncoder, Naming::Diffusers, "feature_projection.projection.weight"},
};

struct ScaleSuffix {
    std::string_view suffix;
    bool applies;
};
constexpr std::array scaleSuffixes = {ScaleSuffix{".scale_weight", true}, ScaleSuffix{".weight_scale", true},
                                      ScaleSuffix{".scale_input", false}, ScaleSuffix{".input_scale", false}};

constexpr std::string_view weightSuffix = ".weight";

// GPTQ, AWQ and Nunchaku share names. What stands beside their numbers is listed so that it is taken for no
// weight of its own.
constexpr std::array layouts = {
    QuantisedLayout{".int8_weight", "int8", true},
    QuantisedLayout{".qweight", "packed integers (GPTQ, AWQ or Nunchaku)", true},
    QuantisedLayout{".weight_packed", "packed integers (compressed-tensors)", true},
    QuantisedLayout{".weight._data", "integers of optimum-quanto", true},
    QuantisedLayout{"._weight_qdata", "numbers of torchao", true},
    QuantisedLayout{".weight_scale_2", "nvfp4"},
    QuantisedLayout{".weight_global_scale", "nvfp4"},
    QuantisedLayout{".weight.quant_state.bitsandbytes__nf4", "bitsandbytes NF4 (4 bits)"},
    QuantisedLayout{".weight.quant_state.bitsandbytes__fp4", "bitsandbytes FP4 (4 bits)"},
    QuantisedLayout{".weight.absmax", "bitsandbytes' 4 bits"},
    QuantisedLayout{".weight.quant_map", "bitsandbytes' 4 bits"},
    QuantisedLayout{".weight.nested_absmax", "bitsandbytes' 4 bits"},
    QuantisedLayout{".weight.nested_quant_map", "bitsandbytes' 4 bits"},
    QuantisedLayout{".SCB", "bitsandbytes int8"},
    QuantisedLayout{".weight_format", "bitsandbytes int8"},
    QuantisedLayout{".weight_scale_inv", "fp8 with a scale for each block"},
    QuantisedLayout{".weight_zero_point", "integers with zero points"},
    QuantisedLayout{".weight_shape", "packed integers (compressed-tensors)"},
    QuantisedLayout{".qzeros", "packed integers (GPTQ or AWQ)"},
    QuantisedLayout{".g_idx", "packed integers (GPTQ)"},
    QuantisedLayout{".wscales", "packed integers (Nunchaku)"},
    QuantisedLayout{".wzeros", "packed integers (Nunchaku)"},
    QuantisedLayout{".pre_quant_scale", "nvfp4 with scales of its inputs"},
    QuantisedLayout{".smooth_factor", "packed integers (Nunchaku)"},
    QuantisedLayout{".smooth_factor_orig", "packed integers (Nunchaku)"},
    QuantisedLayout{".weight._scale", "integers of optimum-quanto"},
    QuantisedLayout{".weight._shift", "integers of optimum-quanto"},
    QuantisedLayout{"._weight_scale", "numbers of torchao"},
    QuantisedLayout{"._weight_zero_point", "numbers of torchao"},
    QuantisedLayout{".weight_scales", "numbers with scales of their own kind"},
    QuantisedLayout{".weight.scale", "numbers with scales of their own kind"},
    QuantisedLayout{".scales", "numbers with scales of their own kind"},
    QuantisedLayout{".scale", "numbers with scales of their own kind"},
};

constexpr std::array<std::string_view, 3> otherTensors = {scaledFp8Marker, "spiece_model", "tokenizer_json"};

}  // namespace

std::string withoutWrappers(std::string_view name) {
    std::string kept;
    for (bool more = true; more;) {
        more = name.find('.') != std::string_view::npos;
        const std::string_view part = takePart(name);
        if (std::ranges::find(wrapperParts, part) != wrapperParts.end())
            continue;
        kept += part;
        kept += more ? "." : "";
    }
    return kept;
}

WeightLayout WeightLayout::of(std::span<const std::string> names, std::optional<ModelPart> part) {
    const std::set<std::string_view> known(names.begin(), names.end());
    for (const std::string_view prefix : prefixes)
        for (const Mark& mark : marks)
            if ((!part || mark.part == *part) && known.contains(std::string(prefix) + std::string(mark.name)))
                return {mark.part, mark.naming, std::string(prefix)};
    return part ? of(names) : WeightLayout{};
}

std::optional<ModelPart> partInside(std::string_view name) {
    for (const PartBeginning& row : partBeginnings)
        if (name.starts_with(row.beginning))
            return row.part;
    return std::nullopt;
}

std::optional<ScaleName> parseScaleName(std::string_view name) {
    for (const auto& [suffix, applies] : scaleSuffixes)
        if (name.ends_with(suffix))
            return ScaleName{std::string(name.substr(0, name.size() - suffix.size())) + ".weight", applies};
    return std::nullopt;
}

std::span<const QuantisedLayout> quantisedLayouts() {
    return layouts;
}

std::optional<std::string> weightStoredAs(std::string_view name) {
    for (const QuantisedLayout& layout : layouts)
        if (layout.inPlaceOfWeight && name.ends_with(layout.suffix))
            return std::string(name.substr(0, name.size() - layout.suffix.size())) +
                   std::string(weightSuffix);
    return std::nullopt;
}

std::optional<std::string> weightBeside(std::string_view name) {
    for (const QuantisedLayout& layout : layouts)
        if (!layout.inPlaceOfWeight && name.ends_with(layout.suffix))
            return std::string(name.substr(0, name.size() - layout.suffix.size())) +
                   std::string(weightSuffix);
    return std::nullopt;
}

std::string_view stemOf(std::string_view name) {
    for (const QuantisedLayout& layout : layouts)
        if (layout.inPlaceOfWeight && name.ends_with(layout.suffix))
            return name.substr(0, name.size() - layout.suffix.size());
    return name.ends_with(weightSuffix) ? name.substr(0, name.size() - weightSuffix.size()) : name;
}

bool isNoWeight(std::string_view name) {
    return std::ranges::find(otherTensors, name) != otherTensors.end() || name.ends_with(comfyQuantSuffix);
}

}  // namespace meshreel
