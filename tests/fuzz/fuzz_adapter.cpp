// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../support/temporary_folder.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/weights/lora.h"
#include "require.h"
#include "tests/support/locations.h"

using namespace meshreel;

/// Whatever the bytes, an adapter is refused with Error{Input}, or every weight that it changes keeps its
/// shape.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const testing::TemporaryFolder folder;
    try {
        writeFileAtomically(folder / "adapter.safetensors",
                            std::string_view(reinterpret_cast<const char*>(data), size));
        Checkpoint weights = Checkpoint::open(testing::testData() / "golden/lora_kinds/weights.safetensors");
        const auto adapter = LoraAdapter::open(folder / "adapter.safetensors", weights, 0.5);
        weights.addPatch(adapter);
        for (const std::string& name : adapter->changedNames())
            testing::require(weights.get(name).shape() == weights.shape(name));
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
