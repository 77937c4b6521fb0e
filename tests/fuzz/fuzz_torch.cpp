// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/error.h"
#include "engine/weights/formats/pickle.h"
#include "engine/weights/formats/torch_file.h"
#include "require.h"

using namespace meshreel;

namespace {

template <typename Read>
void refusedOr(const Read& read) {
    try {
        read();
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
}

}  // namespace

/// Whatever the bytes, as an archive and as a pickle they are refused with Error{Input}, or every tensor lies
/// inside the file and is no larger than what it is read from.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    refusedOr([&] {
        for (const FileTensor& tensor : readTorchDirectory(bytes, "fuzz").tensors) {
            testing::require(tensor.begin <= tensor.end && tensor.end <= size);
            testing::require(static_cast<std::size_t>(tensor.shape.elements()) <= size);
        }
    });
    refusedOr([&] {
        const Pickle pickle =
            readPickle(bytes, "fuzz", [](std::string_view global) { return global.size() < 9; });
        testing::require(pickle.root < pickle.nodes.size() && pickle.nodes.size() <= size);
    });
    return 0;
}
