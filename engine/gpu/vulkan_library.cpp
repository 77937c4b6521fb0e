// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/vulkan_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace meshreel {
namespace {

constexpr const char* libraryFile = "libvulkan.so.1";

/// The loader's newer and older name of the same list.
constexpr std::array driverVariables{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};

/// While it lives, the loader finds these drivers and no others. What the variables were before holds again
/// afterwards: a later question for all drivers reads them.
class NamedDrivers {
  public:
    explicit NamedDrivers(std::span<const std::filesystem::path> manifests) {
        if (manifests.empty())
            return;
        std::string list;
        for (const std::filesystem::path& manifest : manifests)
            list += (list.empty() ? "" : ":") + manifest.string();
        for (const char* variable : driverVariables) {
            const char* before = std::getenv(variable);
            m_before.emplace_back(before == nullptr ? std::nullopt : std::optional<std::string>(before));
            ::setenv(variable, list.c_str(), 1);
        }
    }
    ~NamedDrivers() {
        for (std::size_t index = 0; index < m_before.size(); ++index)
            if (m_before[index])
                ::setenv(driverVariables.at(index), m_before[index]->c_str(), 1);
            else
                ::unsetenv(driverVariables.at(index));
    }
    NamedDrivers(const NamedDrivers&) = delete;
    NamedDrivers& operator=(const NamedDrivers&) = delete;

  private:
    std::vector<std::optional<std::string>> m_before;
};

Sentence resultText(VkResult result) {
    switch (result) {
        case VK_ERROR_OUT_OF_HOST_MEMORY:
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return sentence("out of memory");
        case VK_ERROR_DEVICE_LOST:
            return sentence("the device is lost");
        case VK_ERROR_INCOMPATIBLE_DRIVER:
            return sentence("no driver fits");
        default:
            return sentence("Vulkan's error {}", vulkanResultName(result));
    }
}

}  // namespace

std::string vulkanResultName(VkResult result) {
    struct Row {
        VkResult result;
        std::string_view name;
    };
    static constexpr std::array rows = {
        Row{VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
        Row{VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
        Row{VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
        Row{VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
        Row{VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"},
        Row{VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT"},
        Row{VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT"},
        Row{VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT"},
        Row{VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"},
        Row{VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS"},
        Row{VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL"},
        Row{VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN"},
        Row{VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY"},
        Row{VK_ERROR_INVALID_EXTERNAL_HANDLE, "VK_ERROR_INVALID_EXTERNAL_HANDLE"},
        Row{VK_ERROR_NOT_PERMITTED_KHR, "VK_ERROR_NOT_PERMITTED_KHR"},
        Row{VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV"},
    };
    const auto* const row = std::ranges::find(rows, result, &Row::result);
    const int number = static_cast<int>(result);
    return row == rows.end() ? std::to_string(number) : fmt::format("{} ({})", row->name, number);
}

void requireVulkan(VkResult result, std::string_view function) {
    if (result == VK_SUCCESS || result == VK_INCOMPLETE)
        return;
    throw VulkanFailure(
        result, sentence("the GPU driver failed in {}: {}", function, resultText(result)),
        isOutOfMemory(result)
            ? sentence("Close other programs that use the GPU, or use the CPU")
            : sentence("See the system's log (dmesg), update the GPU driver, or use the CPU"));
}

VulkanLibrary::VulkanLibrary(std::span<const std::filesystem::path> manifests) {
    const NamedDrivers named(manifests);
    m_library = ::dlopen(libraryFile, RTLD_NOW | RTLD_LOCAL);
    if (m_library == nullptr)
        throw Error(ErrorKind::Device, sentence("Vulkan cannot be loaded ({})", ::dlerror()), libraryFile,
                    sentence("Install the package libvulkan1"));
    m_getProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(m_library, "vkGetInstanceProcAddr"));
    const auto create =
        m_getProcAddr == nullptr
            ? nullptr
            : reinterpret_cast<PFN_vkCreateInstance>(m_getProcAddr(nullptr, "vkCreateInstance"));
    if (create == nullptr)
        throw Error(ErrorKind::Device, sentence("{} is not a Vulkan loader", libraryFile), libraryFile,
                    sentence("Install the package libvulkan1"));
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "meshreel";
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    if (const VkResult result = create(&info, nullptr, &m_instance); result != VK_SUCCESS) {
        // The library stays open: some drivers do not survive being closed.
        throw VulkanFailure(result, sentence("Vulkan does not start: {}", resultText(result)),
                            sentence("Install a GPU driver with Vulkan, for Intel and AMD the package "
                                     "mesa-vulkan-drivers"));
    }
#define MESHREEL_VULKAN_LOAD(name) m_calls.name = extensionFunction<PFN_##name>(#name);
    MESHREEL_VULKAN_INSTANCE_FUNCTIONS(MESHREEL_VULKAN_LOAD)
#undef MESHREEL_VULKAN_LOAD
}

VulkanLibrary::~VulkanLibrary() {
    m_calls.vkDestroyInstance(m_instance, nullptr);
}

std::vector<VkPhysicalDevice> VulkanLibrary::devices() const {
    return listVulkan(VkPhysicalDevice{}, [&](std::uint32_t* count, VkPhysicalDevice* items) {
        const VkResult result = m_calls.vkEnumeratePhysicalDevices(m_instance, count, items);
        if (result == VK_ERROR_INITIALIZATION_FAILED)  // what the loader says when no driver has a card here
            *count = 0;
        else
            requireVulkan(result, "vkEnumeratePhysicalDevices");
    });
}

}  // namespace meshreel
