// SPDX-License-Identifier: GPL-3.0-or-later
// A file of the released size, with holes where its weights would be.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/models/families/architecture.h"
#include "engine/weights/formats/safetensors_writer.h"
#include "engine/weights/tensor_names.h"
#include "runner.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t gigabyte = 1'000'000'000;

/// Wan 2.1 14B in bf16 as ComfyUI's files have it.
std::vector<TensorSpec> comfyTensors() {
    std::vector<TensorSpec> tensors = tensorsOf(requireArchitecture("wan2.1-t2v-14b"), {}, DType::BF16);
    const NameMap names(ModelPart::Transformer);
    for (TensorSpec& tensor : tensors)
        tensor.name = "model.diffusion_model." + names.toOriginal(tensor.name)->name;
    return tensors;
}

/// Bytes of the file that the system has read into its cache.
std::size_t cachedBytes(const fs::path& file) {
    const std::size_t bytes = fs::file_size(file);
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    void* map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    EXPECT_NE(map, MAP_FAILED);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident((bytes + page - 1) / page);
    EXPECT_EQ(::mincore(map, bytes, resident.data()), 0);
    ::munmap(map, bytes);
    return page * static_cast<std::size_t>(
                      std::ranges::count_if(resident, [](unsigned char one) { return (one & 1U) != 0; }));
}

using LargeFile = testing::RunnerTest;

TEST_F(LargeFile, IsInspectedByItsHeader) {
    const std::vector<TensorSpec> tensors = comfyTensors();
    const SafetensorsLayout layout = layoutSafetensors(std::span(tensors), {});
    const fs::path path = file("wan2.1_t2v_14B_bf16.safetensors");
    std::ofstream(path, std::ios::binary) << layout.head;
    fs::resize_file(path, layout.head.size() + layout.dataBytes);
    ASSERT_GT(fs::file_size(path), 28 * gigabyte);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    constexpr std::int64_t blockBytes = 512;
    ASSERT_LT(status.st_blocks * blockBytes, 1'000'000) << "the file system keeps no holes";

    constexpr std::size_t readAhead = 16'000'000;
    const testing::ProcessResult text = meshreel({"inspect", path.string()});
    EXPECT_EQ(text.exitCode, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("Wan 2.1"), HasSubstr("text to video, 14B"), HasSubstr("BF16")));
    const testing::ProcessResult json = meshreel({"inspect", "--json", path.string()});
    EXPECT_EQ(json.exitCode, 0) << json.err;
    EXPECT_TRUE(nlohmann::json::parse(json.out).is_object());
    EXPECT_LT(cachedBytes(path), readAhead);
}

}  // namespace
}  // namespace meshreel
