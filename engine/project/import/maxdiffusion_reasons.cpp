// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/import/maxdiffusion_reasons.h"

#include <algorithm>
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

bool holdsOneOf(std::string_view name, std::string_view fragments) {
    while (!fragments.empty()) {
        const std::size_t end = std::min(fragments.find(' '), fragments.size());
        if (name.find(fragments.substr(0, end)) != std::string_view::npos)
            return true;
        fragments.remove_prefix(std::min(end + 1, fragments.size()));
    }
    return false;
}

}  // namespace

Sentence ignoredReason(std::string_view name) {
    static const std::vector<ReasonGroup> groups = reasonGroups();
    const auto group = std::ranges::find_if(
        groups, [name](const ReasonGroup& row) { return holdsOneOf(name, row.fragments); });
    return group == groups.end() ? Sentence() : group->reason;
}

}  // namespace meshreel
