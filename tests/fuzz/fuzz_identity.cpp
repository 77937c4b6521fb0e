// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/families/model_identity.h"
#include "engine/models/families/part_tensors.h"
#include "require.h"

using namespace meshreel;

/// Whatever names and shapes a safetensors file has: what it is, its config and what is left of it are told,
/// or refused with Error{Input}.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() /
        ("meshreel-fuzz-identity-" + std::to_string(::getpid()) + ".safetensors");
    writeFileAtomically(file, std::string_view(reinterpret_cast<const char*>(data), size));
    try {
        const Checkpoint checkpoint = Checkpoint::open(file);
        static_cast<void>(identify(checkpoint));
        static_cast<void>(readTrainedInput(checkpoint));
        const nlohmann::json config = inferConfig(checkpoint);
        static_cast<void>(unusedTensors(checkpoint, *checkpoint.layout().part, config));
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
