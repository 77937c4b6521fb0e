// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/weights/checkpoint.h"
#include "engine/text/embedded_tokenizer.h"
#include "require.h"

using namespace meshreel;

namespace {

constexpr std::int64_t mostElements = 1 << 20;

/// Small tensors that may be read are read, whole and in part.
void readAll(const Checkpoint& checkpoint) {
    for (const std::string& name : checkpoint.names())
        try {
            const Shape& shape = checkpoint.shape(name);
            if (shape.elements() > mostElements)
                continue;
            checkpoint.require(name, shape);
            testing::require(checkpoint.get(name).shape() == shape);
            if (shape.rank() == 2 && shape[0] > 0 && shape[1] > 1)
                static_cast<void>(
                    checkpoint.getPart(name, {.rows = shape[0], .firstColumn = 1, .columns = shape[1] - 1}));
        } catch (const Error& error) {
            testing::require(error.kind() == ErrorKind::Input);
        }
}

}  // namespace

/// Whatever the bytes of a safetensors or GGUF file: its tensors are refused with Error{Input}, or have the
/// shape that was told before, however names and descriptions say they are stored.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() /
        ("meshreel-fuzz-" + std::to_string(::getpid()) + ".safetensors");
    writeFileAtomically(file, std::string_view(reinterpret_cast<const char*>(data), size));
    try {
        static_cast<void>(tokenizerInside(file));
        readAll(Checkpoint::open(file));
        readAll(Checkpoint::open(file, ModelPart::TextEncoder));
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
