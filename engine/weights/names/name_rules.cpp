// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/names/name_rules.h"

#include <array>

namespace meshreel {
namespace {

using enum Reshaping;

constexpr auto transformer = std::to_array<NameRule>({
    {"patch_embedding.*", "patch_embedding.*"},
    {"pose_patch_embedding.*", "pose_patch_embedding.*"},
    {"vace_patch_embedding.*", "vace_patch_embedding.*"},
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
});

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

}  // namespace

std::span<const NameRule> transformerRules() {
    return transformer;
}

std::span<const NameRule> vaeRules() {
    return vae;
}

std::span<const NameRule> textEncoderRules() {
    return textEncoder;
}

std::span<const NameRule> llamaTextEncoderRules() {
    return llamaTextEncoder;
}

std::span<const NameRule> imageEncoderRules() {
    return imageEncoder;
}

}  // namespace meshreel
