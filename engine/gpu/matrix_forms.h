// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/gpu/ptx_launch.h"
#include "engine/gpu/vulkan_library.h"

namespace meshreel {

/// How a device multiplies matrices: with which unit and with factors of which type.
enum class MatrixForm : std::uint8_t { Scalar, NvF16, KhrF16, KhrBf16, Int8, Int8Dot, PtxBf16, PtxInt8 };

template <>
struct EnumNames<MatrixForm> {
    static constexpr std::array<std::string_view, 8> names{"scalar", "nv_f16",   "khr_f16",  "khr_bf16",
                                                           "int8",   "int8_dot", "ptx_bf16", "ptx_int8"};
};

/// Returns whether factors are f16, which holds no number above 65,504: kernels clamp to it.
constexpr bool clampsFactors(MatrixForm form) {
    return form == MatrixForm::NvF16 || form == MatrixForm::KhrF16;
}

/// Returns whether factors are int8: of layers with int8 weights alone.
constexpr bool takesInt8(MatrixForm form) {
    return form == MatrixForm::Int8 || form == MatrixForm::Int8Dot || form == MatrixForm::PtxInt8;
}

/// Returns whether kernels are of PTX, which Vulkan launches in the place of a shader.
constexpr bool isOfPtx(MatrixForm form) {
    return form == MatrixForm::PtxBf16 || form == MatrixForm::PtxInt8;
}

/// What is multiplied at once, by the invocations of a subgroup or, in int8_dot, by one: [m, k] · [k, n].
struct MatrixExtents {
    std::uint32_t m = 0;
    std::uint32_t n = 0;
    std::uint32_t k = 0;

    friend bool operator==(const MatrixExtents&, const MatrixExtents&) = default;
};

/// A form of a device.
struct OfferedForm {
    MatrixForm form = MatrixForm::Scalar;
    std::vector<MatrixExtents> extents = {};  ///< none: the device does not offer it
    Sentence why = {};                        ///< not; empty when it does
};

/// What a device says of its matrix units and of what kernels for them need.
struct MatrixOffers {
    std::vector<OfferedForm> forms;  ///< all but scalar, in the order of MatrixForm
    std::uint32_t leastSubgroup = 0;
    std::uint32_t mostSubgroup = 0;
    bool choosesSubgroup = false;  ///< a pipeline may ask for a size between these
    bool broadcasts = false;       ///< an invocation of a compute shader may give a value to its subgroup
    std::uint32_t sharedBytes = 0;
    std::uint32_t invocations = 0;  ///< limit of a group
    std::uint32_t processors = 0;   ///< that groups run on; 0: the driver does not tell
    PtxWay ptx = PtxWay::None;      ///< what launches kernels of PTX

    [[nodiscard]] const OfferedForm& of(MatrixForm form) const;
    /// Offers kernels of PTX in this way from now on, or says why no more.
    void offerPtx(const PtxOffer& offer);
};

/// Returns whether the driver has an extension of a device.
bool offersExtension(const VulkanLibrary& library, VkPhysicalDevice device, std::string_view name);

/// Asks a device.
MatrixOffers askMatrixOffers(const VulkanLibrary& library, VkPhysicalDevice device);

/// The extensions and features of all forms that a device offers, chained for the creation of the device. Not
/// copyable: the structures point to each other.
class MatrixFeatures {
  public:
    /// `chain` ends in the feature structure of Vulkan 1.2, in which this enables two features.
    MatrixFeatures(const MatrixOffers& offers, VkPhysicalDeviceVulkan12Features& chain);
    MatrixFeatures(const MatrixFeatures&) = delete;
    MatrixFeatures& operator=(const MatrixFeatures&) = delete;

    [[nodiscard]] const std::vector<const char*>& extensions() const { return m_extensions; }

    /// VK_KHR_cooperative_matrix and VK_KHR_shader_bfloat16, which the headers of Debian 12 lack: numbers of
    /// the public registry.
    struct KhrMatrix {
        VkStructureType type = static_cast<VkStructureType>(1000506000);
        void* next = nullptr;
        VkBool32 matrices = VK_FALSE;
        VkBool32 robust = VK_FALSE;
    };
    struct Bfloat16 {
        VkStructureType type = static_cast<VkStructureType>(1000141000);
        void* next = nullptr;
        VkBool32 numbers = VK_FALSE;
        VkBool32 dotProducts = VK_FALSE;
        VkBool32 matrices = VK_FALSE;
    };

  private:
    std::vector<const char*> m_extensions;
    VkPhysicalDeviceShaderIntegerDotProductFeatures m_dot{};
    VkPhysicalDeviceCooperativeMatrixFeaturesNV m_nv{};
    KhrMatrix m_khr;
    Bfloat16 m_bfloat16;
    VkPhysicalDeviceSubgroupSizeControlFeatures m_subgroups{};
    PtxLaunchFeature m_ptx;
};

}  // namespace meshreel
