// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/other_names.h"

#include <algorithm>
#include <array>

namespace meshreel {
namespace {

constexpr std::string_view comfy = "ComfyUI";
constexpr std::string_view wrapper = "WanVideoWrapper";  // and Wan2GP, which took its names over
constexpr std::string_view sdCpp = "stable-diffusion.cpp";
constexpr std::string_view scheduler = "scheduler";
constexpr std::string_view spacing = "sigma_spacing";

// ComfyUI: comfy/samplers.py. WanVideoWrapper: wanvideo/schedulers/__init__.py. stable-diffusion.cpp:
// sample_method_to_str. Samplers that Meshreel does not have are not here, nor are those whose name is the
// same. ComfyUI's `simple` and `normal`, and `discrete` of stable-diffusion.cpp, are even in the flow's time.
constexpr auto values = std::to_array<OtherName>({
    {comfy, "uni_pc_bh2", scheduler, "unipc"},
    {comfy, "dpmpp_2m", scheduler, "wan_dpmpp"},
    {comfy, "dpmpp_2m_sde", scheduler, "wan_dpmpp_sde"},
    {comfy, "dpmpp_2m_sde_gpu", scheduler, "wan_dpmpp_sde"},
    {wrapper, "unipc/beta", scheduler, "wan_unipc", "beta"},
    {wrapper, "dpm++", scheduler, "wan_dpmpp"},
    {wrapper, "dpm++/beta", scheduler, "wan_dpmpp", "beta"},
    {wrapper, "dpm++_sde", scheduler, "wan_dpmpp_sde"},
    {wrapper, "dpm++_sde/beta", scheduler, "wan_dpmpp_sde", "beta"},
    {wrapper, "euler/beta", scheduler, "euler", "beta"},
    {wrapper, "lcm/beta", scheduler, "lcm", "beta"},
    {sdCpp, "dpm++2m", scheduler, "wan_dpmpp"},
    {sdCpp, "dpm++2m_sde", scheduler, "wan_dpmpp_sde"},
    {sdCpp, "k_euler", scheduler, "euler"},
    {sdCpp, "k_heun", scheduler, "heun"},
    {sdCpp, "k_dpmpp_2m", scheduler, "wan_dpmpp"},
    {sdCpp, "k_res_multistep", scheduler, "res_multistep"},
    {sdCpp, "k_res_2s", scheduler, "res_2s"},
    {comfy, "simple", spacing, "auto"},
    {comfy, "normal", spacing, "auto"},
    {sdCpp, "discrete", spacing, "auto"},
});

struct OtherKey {
    std::string_view name;
    std::string_view key;
};

// Names of nodes' inputs, settings and options of those programs, of Wan2GP and of Wan's generate.py.
constexpr auto keys = std::to_array<OtherKey>({
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
    {"reuse_threshold", "easycache_thresh"},
    {"easycache_threshold", "easycache_thresh"},
});

}  // namespace

std::span<const OtherName> otherNames() {
    return values;
}

const OtherName* findOtherName(std::string_view key, std::string_view value) {
    const auto found = std::ranges::find_if(
        values, [&](const OtherName& other) { return other.key == key && other.name == value; });
    return found == values.end() ? nullptr : &*found;
}

std::string_view findOtherKey(std::string_view name) {
    const auto found = std::ranges::find(keys, name, &OtherKey::name);
    return found == keys.end() ? std::string_view() : found->key;
}

}  // namespace meshreel
