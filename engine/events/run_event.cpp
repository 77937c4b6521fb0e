// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/events/run_event.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "engine/base/record_json.h"
#include "engine/base/strings.h"

namespace meshreel {

bool DecodedFrames::isValid() const {
    constexpr std::int64_t maxFrames = 1 << 24;
    return first >= 0 && total <= maxFrames && first <= total - frames.extent(0);
}

RunFailed RunFailed::from(const std::exception& failure) {
    const auto* known = dynamic_cast<const Error*>(&failure);
    return {.why = known != nullptr ? known->asSentence() : Sentence(failure.what()),
            .exitCode = meshreel::exitCode(known != nullptr ? known->kind() : ErrorKind::Internal)};
}

template <>
struct JsonValue<TimingSummary> {
    static void put(RecordJson& object, const std::string& key, const TimingSummary& value) {
        object[key] = nlohmann::json(value);
    }
    static TimingSummary take(const RecordJson& object, const std::string& key) {
        return nlohmann::json(object.at(key)).get<TimingSummary>();
    }
};

template <>
struct JsonValue<VideoFormat> {
    static void put(RecordJson& object, const std::string& key, VideoFormat value) {
        object[key] = videoFormatInfo(value).name;
    }
    static VideoFormat take(const RecordJson& object, const std::string& key) {
        const VideoFormatInfo* format = findVideoFormat(object.at(key).get<std::string>());
        return format != nullptr ? format->format : VideoFormat::Mp4;
    }
};

/// Pictures u8 [time, height, width, 3]: bytes in base64 behind a "size" of [time, height, width].
template <>
struct JsonValue<Tensor> {
    static constexpr const char* sizeKey = "size";

    static void put(RecordJson& object, const std::string& key, const Tensor& value) {
        const std::span<const std::uint8_t> bytes = value.data<std::uint8_t>();
        object[sizeKey] = {value.extent(0), value.extent(1), value.extent(2)};
        object[key] = encodeBase64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }

    /// Throws std::invalid_argument where bytes and size disagree.
    static Tensor take(const RecordJson& object, const std::string& key) {
        constexpr std::int64_t colours = 3;
        constexpr std::int64_t maxSide = 1 << 16;  // so that sizes can be multiplied
        const auto size = object.at(sizeKey).get<std::array<std::int64_t, 3>>();
        const auto bytes = decodeBase64(object.at(key).get<std::string>());
        if (!bytes ||
            std::ranges::any_of(size, [](std::int64_t side) { return side < 1 || side > maxSide; }) ||
            std::ssize(*bytes) != size[0] * size[1] * size[2] * colours)
            throw std::invalid_argument("pictures that are not whole");
        Tensor pictures = Tensor::empty({size[0], size[1], size[2], colours}, DType::U8);
        std::memcpy(pictures.raw(), bytes->data(), bytes->size());
        return pictures;
    }
};

namespace {

/// An event that can leave the process.
template <typename Event>
concept OnLines = Record<Event> && requires {
    Event::event.size();
};

template <OnLines Event>
std::optional<RunEvent> eventFrom(const RecordJson& object) {
    auto event = takeFields<Event>(object);
    if constexpr (requires { event.isValid(); })
        if (!event.isValid())
            return std::nullopt;
    return event;
}

/// Tries the events of the variant from number `index` on.
template <std::size_t index = 0>
std::optional<RunEvent> eventNamed(std::string_view name, const RecordJson& object) {
    if constexpr (index == std::variant_size_v<RunEvent>) {
        return std::nullopt;
    } else {
        using Event = std::variant_alternative_t<index, RunEvent>;
        if constexpr (OnLines<Event>)
            if (Event::event == name)
                return eventFrom<Event>(object);
        return eventNamed<index + 1>(name, object);
    }
}

}  // namespace

std::optional<std::string> eventLine(const RunEvent& event) {
    return std::visit(
        []<typename Event>(const Event& happened) -> std::optional<std::string> {
            if constexpr (OnLines<Event>) {
                RecordJson line{{"event", Event::event}};
                putFields(line, happened);
                // Paths need not be UTF-8; JSON must.
                return line.dump(-1, ' ', false, RecordJson::error_handler_t::replace);
            } else {
                return std::nullopt;
            }
        },
        event);
}

std::optional<RunEvent> readEventLine(std::string_view line) {
    const RecordJson object = RecordJson::parse(line, nullptr, false);
    if (!object.is_object())
        return std::nullopt;
    try {
        return eventNamed(object.at("event").get<std::string>(), object);
    } catch (const RecordJson::exception&) {
        return std::nullopt;
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

}  // namespace meshreel
