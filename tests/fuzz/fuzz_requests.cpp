// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/serve/client_checks.h"
#include "engine/serve/video_order.h"
#include "require.h"

using namespace meshreel;

namespace {

/// What a client sends in headers.
void readHeaders(std::string_view text) {
    constexpr std::uint64_t size = 1000;
    testing::require(!isKnownHost(text, "127.0.0.1") || text.find("..") == std::string_view::npos);
    if (const auto range = requestedRange(text, size))
        testing::require(range->length > 0 && range->first < size && range->length <= size - range->first);
    testing::require(!isSameSecret("0123456789abcdef", text) || text == "0123456789abcdef");
    static_cast<void>(isLoopback(text));
}

/// A request for a video, as far as a project that may be examined.
void readOrder(const WebFields& fields) {
    const VideoOrder order = readVideoOrder(fields);
    Project project;
    for (const KeyChange& change : order.changes) {
        const ProjectKey* const key = findProjectKey(change.key);
        testing::require(key != nullptr);
        static_cast<void>(trySetFromText(project, *key, change.value));
    }
    for (const InlineFile& file : order.files)
        testing::require(findProjectKey(file.key) != nullptr && !file.bytes.empty());
}

}  // namespace

/// Whatever the bytes, a request is read or refused by an Error. The first byte chooses which part they are.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        switch (data[0] % 4) {
            case 0:
                readHeaders(text);
                break;
            case 1:
                readOrder(fieldsOfJson(text));
                break;
            case 2:
                readOrder({{"input_reference", std::string(text)}, {"lora", std::string(text)}});
                break;
            default:
                readOrder({{"extra_params", std::string(text)},
                           {"size", std::string(text)},
                           {"seconds", std::string(text)}});
                break;
        }
    } catch (const Error&) {
        return 0;  // refused
    }
    return 0;
}
