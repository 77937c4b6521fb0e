// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/maxdiffusion_keys.h"

#include <algorithm>
#include <array>
#include <vector>

namespace meshreel {
namespace {

/// Keys that hold one of the fragments, which blanks separate, have one reason.
struct ReasonGroup {
    Sentence reason;
    std::string_view fragments;
};

std::vector<ReasonGroup> reasonGroups() {
    return {
        {sentence("meshreel tune searches block sizes"), "tile_search"},
        {sentence("flash_block_sizes are those of sparse attention, too"), "svg_flash_block_sizes"},
        {sentence("there is no backward pass"), "_dkv _dq fused_bwd bwd_ remat names_which"},
        {sentence("of the audio and video models of LTX"),
         "a2v_ v2a_ audio modality stg_ conditioning_media conditioning_start "
         "spatio_temporal upsampl upscaler first_pass second_pass decode_noise "
         "decode_timestep downscale_factor frame_rate noise_scale timesteps_list "
         "prompt_enhancer prompt_enhancement use_bwe use_cross_timestep pipeline_type "
         "text_encoder_max_layer text_encoder_attention text_encoder_flash "
         "text_encoder_model_name sampler"},
        {sentence("of Animate, which takes its values from the model"),
         "animate segment_frame prev_segment motion_encode"},
        {sentence("of models that make pictures"),
         "flux controlnet clip_model t5xxl unet lightning base_shift max_shift time_shift "
         "scale_shift_order prompt_2 guidance_rescale norm_num_groups"},
        {sentence("every run records its timings and a trace"),
         "profiler ml_diagnostics xprof metrics tensorboard mllog log_period named_scopes"},
        {sentence("nothing is compiled by XLA, and the rules of sharding are built in"),
         "jax aot_ scan_ compile_ mesh_axes axis_rules sharding allow_split precision "
         "split_head jit_ hardware skip_jax use_experimental_scheduler"},
        {sentence("weights are read as they were released"),
         "from_pt orbax revision converted_weights single_replica hf_access_token"},
        {sentence("weights are rounded to int8 by weights_dtype: int8"), "quantization qwix"},
        {sentence("keys of a step cache"), "magcache mag_ratios retention_ratio"},
        {sentence("the keys of the prompt are kept, and both prompts are encoded together, always"),
         "use_kv_cache batched_text_encoder text_encoder_on_tpu offload_encoders"},
        {sentence("guidance_scale alone says whether there is guidance"), "classifier_free"},
        {sentence("run folders hold what a run leaves: see --out"),
         "output_dir output_file output_name base_output save_config gcs"},
        {sentence("nothing is trained here"),
         "adam learning_rate train eval checkpoint dataset data caption grain tfrecord "
         "batch_size dropout epoch grad optimizer scale_lr snr_gamma timestep_bias "
         "warmup_steps synthetic dreambooth class_prompt instance num_class prior_loss "
         "center_crop random_flip resolution image_column transform_images cache_latents "
         "extracted_files no_records reuse_example tokenize_captions lora_lr max_train "
         "num_reps use_latents latents_path"},
        {sentence("the scheduler is the checkpoint's, or that of the key scheduler"),
         "diffusion_scheduler_config"},
        {sentence("of other programs than generation"), "interactive enable_ssim mode"},
    };
}

bool containsAny(std::string_view name, std::string_view fragments) {
    while (!fragments.empty()) {
        const std::size_t end = std::min(fragments.find(' '), fragments.size());
        if (name.find(fragments.substr(0, end)) != std::string_view::npos)
            return true;
        fragments.remove_prefix(std::min(end + 1, fragments.size()));
    }
    return false;
}

/// Why a key of MaxDiffusion has no meaning here: a sentence without its full stop. Empty for names that no
/// group of keys takes in.
Sentence ignoredReason(std::string_view name) {
    static const std::vector<ReasonGroup> groups = reasonGroups();
    const auto group = std::ranges::find_if(
        groups, [name](const ReasonGroup& row) { return containsAny(name, row.fragments); });
    return group == groups.end() ? Sentence() : group->reason;
}

// Keys of MaxDiffusion's config files (src/maxdiffusion/configs/*.yml, August 2026) that say nothing about
// the video made here: training, data sets, XLA, profiling, speed, other model families. Sorted.
constexpr std::array<std::string_view, 230> ignored = {
    "a2v_attention_kernel",
    "act_quantization_calibration_method",
    "adam_b1",
    "adam_b2",
    "adam_eps",
    "adam_weight_decay",
    "allow_split_physical_axes",
    "animate_guidance_scale",
    "aot_build_revision",
    "aot_cache_dir",
    "audio_format",
    "audio_guidance_rescale",
    "audio_guidance_scale",
    "audio_modality_scale",
    "audio_stg_scale",
    "base_output_directory",
    "base_shift",
    "batch_size",
    "bwd_quantization_calibration_method",
    "cache_dreambooth_dataset",
    "cache_latents_text_encoder_outputs",
    "caption_column",
    "center_crop",
    "checkpoint_dir",
    "checkpoint_every",
    "class_data_dir",
    "class_prompt",
    "clip_model_name_or_path",
    "compile_text_encoder",
    "compile_topology_num_slices",
    "conditioning_media_paths",
    "conditioning_start_frames",
    "controlnet_conditioning_scale",
    "controlnet_from_pt",
    "controlnet_image",
    "controlnet_model_name_or_path",
    "converted_weights_dir",
    "data_files_pattern",
    "data_sharding",
    "dataset_config_name",
    "dataset_name",
    "dataset_save_location",
    "dataset_type",
    "decode_noise_scale",
    "decode_timestep",
    "diffusion_scheduler_config",
    "disable_training_weights",
    "do_classifier_free_guidance",
    "downscale_factor",
    "dropout",
    "enable_data_shuffling",
    "enable_dynamic_vae_sharding",
    "enable_eval_timesteps",
    "enable_generate_video_for_eval",
    "enable_jax_named_scopes",
    "enable_ml_diagnostics",
    "enable_mllog",
    "enable_ondemand_xprof",
    "enable_profiler",
    "enable_single_replica_ckpt_restoring",
    "enable_ssim",
    "enable_tile_search",
    "eval_data_dir",
    "eval_every",
    "eval_max_number_of_samples_in_bucket",
    "extracted_files_dir",
    "first_pass",
    "flash_block_sizes.block_kv_dkv",
    "flash_block_sizes.block_kv_dkv_compute",
    "flash_block_sizes.block_kv_dq",
    "flash_block_sizes.block_q_dkv",
    "flash_block_sizes.block_q_dq",
    "flash_block_sizes.use_fused_bwd_kernel",
    "flux_name",
    "frame_rate",
    "from_pt",
    "gcs_metrics",
    "global_batch_size",
    "global_batch_size_to_train_on",
    "grain_train_files",
    "grain_worker_count",
    "guidance_rescale",
    "hardware",
    "hf_access_token",
    "hf_data_dir",
    "hf_train_files",
    "image_column",
    "instance_data_dir",
    "instance_prompt",
    "interactive",
    "jax_cache_dir",
    "jit_initializers",
    "latents_path",
    "learning_rate",
    "learning_rate_schedule_steps",
    "lightning_ckpt",
    "lightning_from_pt",
    "lightning_repo",
    "load_tfrecord_cached",
    "log_period",
    "logical_axis_rules",
    "mag_ratios_base_480p",
    "mag_ratios_base_720p",
    "max_grad_norm",
    "max_grad_value",
    "max_shift",
    "max_train_samples",
    "max_train_steps",
    "mesh_axes",
    "metrics_dir",
    "metrics_file",
    "modality_scale",
    "mode",
    "motion_encode_batch_size",
    "names_which_can_be_offloaded",
    "names_which_can_be_saved",
    "no_records_per_shard",
    "noise_scale",
    "norm_num_groups",
    "num_class_images",
    "num_eval_samples",
    "num_reps",
    "num_train_epochs",
    "offload_encoders",
    "opt_enable_grad_clipping",
    "opt_enable_grad_global_norm_clipping",
    "output_dir",
    "output_file",
    "output_name",
    "pipeline_type",
    "precision",
    "pretrained_orbax_dir",
    "prior_loss_weight",
    "profiler",
    "profiler_gcs_path",
    "profiler_steps",
    "prompt_2",
    "prompt_enhancement_words_threshold",
    "prompt_enhancer_image_caption_model_name_or_path",
    "prompt_enhancer_llm_model_name_or_path",
    "quantization",
    "quantization_calibration_method",
    "quantization_local_shard_count",
    "qwix_module_path",
    "random_flip",
    "remat_policy",
    "resolution",
    "reuse_example_batch",
    "revision",
    "run_latent_upsampler",
    "run_text_encoder_on_tpu",
    "sampler",
    "save_config_to_gcs",
    "save_final_checkpoint",
    "save_optimizer",
    "scale_lr",
    "scale_shift_order",
    "scan_diffusion_loop",
    "scan_layers",
    "second_pass",
    "sharding",
    "skip_first_n_steps_for_profiler",
    "skip_jax_distributed_system",
    "snr_gamma",
    "spatial_upscaler_model_path",
    "spatio_temporal_guidance_blocks",
    "split_head_dim",
    "stg_mode",
    "stg_scale",
    "svg_flash_block_sizes",
    "svg_flash_block_sizes.block_kv",
    "svg_flash_block_sizes.block_kv_compute",
    "svg_flash_block_sizes.block_kv_compute_in",
    "svg_flash_block_sizes.block_q",
    "svg_flash_block_sizes.heads_per_tile",
    "svg_flash_block_sizes.vmem_limit_bytes",
    "synthetic_num_samples",
    "synthetic_override_height",
    "synthetic_override_max_sequence_length",
    "synthetic_override_num_channels_latents",
    "synthetic_override_num_frames",
    "synthetic_override_text_embed_dim",
    "synthetic_override_vae_scale_factor_spatial",
    "synthetic_override_vae_scale_factor_temporal",
    "synthetic_override_width",
    "t5xxl_model_name_or_path",
    "tensorboard_dir",
    "text_encoder_attention",
    "text_encoder_flash_block_sizes",
    "text_encoder_learning_rate",
    "text_encoder_max_layer",
    "text_encoder_model_name_or_path",
    "tfrecords_dir",
    "tile_search_iters",
    "tile_search_mode",
    "tile_search_out",
    "tile_search_vmem_limit_bytes",
    "time_shift",
    "timestep_bias",
    "timesteps_list",
    "timing_metrics_file",
    "tokenize_captions_num_proc",
    "total_train_batch_size",
    "train_data_dir",
    "train_new_flux",
    "train_new_unet",
    "train_split",
    "train_text_encoder",
    "transform_images_num_proc",
    "unet_checkpoint",
    "upsampler_adain_factor",
    "upsampler_filename",
    "upsampler_model_path",
    "upsampler_output_type",
    "upsampler_rational_spatial_scale",
    "upsampler_spatial_patch_size",
    "upsampler_temporal_patch_size",
    "upsampler_tone_map_compression_ratio",
    "use_batched_text_encoder",
    "use_bwe",
    "use_cross_timestep",
    "use_experimental_scheduler",
    "use_kv_cache",
    "use_latents",
    "v2a_attention_kernel",
    "vae_logical_axis_rules",
    "warmup_steps_fraction",
    "weight_quantization_calibration_method",
    "write_metrics",
    "write_timing_metrics",
};
static_assert(std::ranges::is_sorted(ignored));

std::vector<ForeignKey> actedUpon() {
    const Sentence ownName = sentence("it has another name here");
    const Sentence sparseSteps = sentence("sparse_start_percent and sparse_end_percent say which steps");
    const Sentence sparseLayers = sentence("sparse_dense_layers says which layers");
    const Sentence asStored = sentence("this version uses the checkpoint's weights as they are");
    return {
        {"background_video_path", ForeignEffect::Refused, "", ownName,
         sentence("Write background_video: PATH")},
        {"face_video_path", ForeignEffect::Refused, "", ownName, sentence("Write face_video: PATH")},
        {"image_url", ForeignEffect::Refused, "", sentence("nothing is fetched from the network"),
         sentence("Download the picture and write image: PATH")},
        {"mask_video_path", ForeignEffect::Refused, "", ownName, sentence("Write mask: PATH")},
        {"model_name", ForeignEffect::Noted, "wan2.1", sentence("the model's files tell what it is"), {}},
        {"model_type",
         ForeignEffect::Noted,
         "T2V",
         sentence("the model and the inputs determine the task"),
         {}},
        {"per_device_batch_size",
         ForeignEffect::Noted,
         "1",
         sentence("batch_prompts and batch_seeds say which videos"),
         {}},
        {"pose_video_path", ForeignEffect::Refused, "", ownName, sentence("Write pose_video: PATH")},
        {"reference_image_path", ForeignEffect::Refused, "", ownName, sentence("Write image: PATH")},
        {"svg_active_end_layer", ForeignEffect::Noted, "-1", sparseLayers, {}},
        {"svg_active_end_step", ForeignEffect::Noted, "-1", sparseSteps, {}},
        {"svg_active_start_layer", ForeignEffect::Noted, "-1", sparseLayers, {}},
        {"svg_active_start_step", ForeignEffect::Noted, "-1", sparseSteps, {}},
        {"use_qwix_quantization", ForeignEffect::Refused, "", asStored, sentence("Write false")},
        {"use_svg_attention", ForeignEffect::Refused, "", ownName, sentence("Write sparse_attention: svg")},
        {"wan_transformer_pretrained_model_name_or_path", ForeignEffect::Refused, "", asStored,
         sentence("Name it in parts.transformer")},
    };
}

}  // namespace

std::span<const std::string_view> ignoredKeys() {
    return ignored;
}

std::optional<ForeignKey> findForeignKey(std::string_view name) {
    static const std::vector<ForeignKey> acted = actedUpon();
    const auto found = std::ranges::find(acted, name, &ForeignKey::name);
    if (found != acted.end())
        return *found;
    if (std::ranges::binary_search(ignored, name))
        return ForeignKey{name, ForeignEffect::Ignored, {}, ignoredReason(name), {}};
    return std::nullopt;
}

}  // namespace meshreel
