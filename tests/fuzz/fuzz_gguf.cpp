// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/error.h"
#include "engine/weights/formats/gguf.h"
#include "require.h"

using namespace meshreel;

/// Whatever the bytes, a directory is refused with Error{Input}, or every tensor lies inside the file with as
/// many bytes as its type and shape need; and its vocabulary is refused or read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        static_cast<void>(readGgufVocabulary(std::as_bytes(std::span(data, size)), "fuzz"));
        const TensorDirectory directory = readGgufDirectory(std::as_bytes(std::span(data, size)), "fuzz");
        for (const FileTensor& tensor : directory.tensors) {
            testing::require(tensor.begin <= tensor.end && tensor.end <= size);
            if (tensor.type != StoredType::Other)
                testing::require(
                    storedBytes(tensor.type, static_cast<std::uint64_t>(tensor.shape.elements())) ==
                    tensor.end - tensor.begin);
        }
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
