// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/other_names.h"

#include <algorithm>
#include <array>

namespace meshreel {
namespace {

constexpr std::string_view comfy = "ComfyUI";
constexpr std::string_view wrapper = "WanVideoWrapper";  // and Wan2GP, which took its names over
constexpr std::string_view sdCpp = "stable-diffusion.cpp";
constexpr std::string_view moveProgram = "Wan-Move";
constexpr std::string_view animateProgram = "Wan-Animate-2";
constexpr std::string_view schedulerKey = "scheduler";
constexpr std::string_view spacingKey = "sigma_spacing";

// ComfyUI: comfy/samplers.py. WanVideoWrapper: wanvideo/schedulers/__init__.py. stable-diffusion.cpp:
// sample_method_to_str. Samplers that Meshreel does not have are not here, nor are those whose name is the
// same. ComfyUI's `simple` and `normal`, and `discrete` of stable-diffusion.cpp, are even in the flow's time.
constexpr auto foreignValues = std::to_array<OtherName>({
    {comfy, "uni_pc_bh2", schedulerKey, "unipc"},
    {comfy, "dpmpp_2m", schedulerKey, "wan_dpmpp"},
    {comfy, "dpmpp_2m_sde", schedulerKey, "wan_dpmpp_sde"},
    {comfy, "dpmpp_2m_sde_gpu", schedulerKey, "wan_dpmpp_sde"},
    {wrapper, "unipc/beta", schedulerKey, "wan_unipc", "beta"},
    {wrapper, "dpm++", schedulerKey, "wan_dpmpp"},
    {wrapper, "dpm++/beta", schedulerKey, "wan_dpmpp", "beta"},
    {wrapper, "dpm++_sde", schedulerKey, "wan_dpmpp_sde"},
    {wrapper, "dpm++_sde/beta", schedulerKey, "wan_dpmpp_sde", "beta"},
    {wrapper, "euler/beta", schedulerKey, "euler", "beta"},
    {wrapper, "lcm/beta", schedulerKey, "lcm", "beta"},
    {sdCpp, "dpm++2m", schedulerKey, "wan_dpmpp"},
    {sdCpp, "dpm++2m_sde", schedulerKey, "wan_dpmpp_sde"},
    {sdCpp, "k_euler", schedulerKey, "euler"},
    {sdCpp, "k_heun", schedulerKey, "heun"},
    {sdCpp, "k_dpmpp_2m", schedulerKey, "wan_dpmpp"},
    {sdCpp, "k_res_multistep", schedulerKey, "res_multistep"},
    {sdCpp, "k_res_2s", schedulerKey, "res_2s"},
    {comfy, "simple", spacingKey, "auto"},
    {comfy, "normal", spacingKey, "auto"},
    {sdCpp, "discrete", spacingKey, "auto"},
    {moveProgram, "wan-move-i2v", "task", "wanmove"},
    {animateProgram, "animate-2", "task", "animate2"},
    {comfy, "wan_animate_2", "task", "animate2"},
});

struct OtherKey {
    std::string_view name;
    std::string_view key;
};

// Names of nodes' inputs, settings and options of those programs, of Wan2GP, of the generate.py of Wan and
// Wan-Move, of Bernini's program and of VideoX-Fun.
constexpr auto foreignKeys = std::to_array<OtherKey>({
    {"sampler_name", "scheduler"},
    {"sampling_method", "scheduler"},
    {"sample_solver", "scheduler"},
    {"cfg", "guidance_scale"},
    {"cfg_scale", "guidance_scale"},
    {"sample_guide_scale", "guidance_scale"},
    {"steps", "num_inference_steps"},
    {"sample_steps", "num_inference_steps"},
    {"shift", "flow_shift"},
    {"sample_shift", "flow_shift"},
    {"length", "num_frames"},
    {"video_frames", "num_frames"},
    {"video_length", "num_frames"},
    {"frame_num", "num_frames"},
    {"base_seed", "seed"},
    {"noise_seed", "seed"},
    {"omega_txt", "guidance_scale"},
    {"omega_img", "guidance_scale_image"},
    {"alt_guidance_scale", "guidance_scale_image"},
    {"omega_vid", "guidance_scale_video"},
    {"control_net_weight", "guidance_scale_video"},
    {"max_image_size", "reference_max_size"},
    {"ref_max_size", "reference_max_size"},
    {"source_video", "video"},
    {"track", "tracks"},
    {"driving_video", "video"},
    {"clip_len", "segment_frame_length"},
    {"first_num", "prev_segment_conditioning_frames"},
    {"track_coords", "tracks"},
    {"control_video", "video"},
    {"temporal_upsampling", "interpolate"},
    {"frame_interpolation", "interpolate"},
    {"interpolation_multiplier", "interpolate"},
    {"spatial_upsampling", "upscale"},
    {"upscale_by", "upscale"},
    {"upscale_factor", "upscale"},
    {"upscale_model", "upscaler"},
    {"start_image", "image"},
    {"ref_image", "reference_images"},
    {"reuse_threshold", "easycache_thresh"},
    {"easycache_threshold", "easycache_thresh"},
});

}  // namespace

std::span<const OtherName> otherNames() {
    return foreignValues;
}

const OtherName* findOtherName(std::string_view key, std::string_view value) {
    const auto found = std::ranges::find_if(
        foreignValues, [&](const OtherName& other) { return other.key == key && other.name == value; });
    return found == foreignValues.end() ? nullptr : &*found;
}

std::string_view findOtherKey(std::string_view name) {
    const auto found = std::ranges::find(foreignKeys, name, &OtherKey::name);
    return found == foreignKeys.end() ? std::string_view() : found->key;
}

}  // namespace meshreel
