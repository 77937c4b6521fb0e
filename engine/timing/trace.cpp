// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/timing/chrome_trace.h"

namespace meshreel {
namespace {

constexpr int processId = 1;

/// Tells viewers what a process or a thread is called.
nlohmann::json nameEvent(const char* what, int thread, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", processId}, {"tid", thread}, {"args", {{"name", name}}}};
}

double microseconds(Trace::Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

/// Takes the complete events out of the text as it goes through it: a tree of all of them would take ten
/// times the memory.
class TraceReader : public nlohmann::json_sax<nlohmann::json> {
  public:
    [[nodiscard]] ChromeTrace read(std::string_view text) {
        if (!nlohmann::json::sax_parse(text, this) || !m_hasList)
            throw Error(ErrorKind::Input,
                        sentence("This is not a Chrome trace: {}",
                                 !m_reason.empty() ? m_reason
                                 : m_hasList       ? sentence("an event lacks its name, times or thread")
                                                   : sentence("it has no list of traceEvents")),
                        {}, sentence("Repeat the run to get its trace.json again"));
        return std::move(m_trace);
    }

    bool null() override { return isNoItem(); }
    bool boolean(bool /*value*/) override { return isNoItem(); }
    bool binary(binary_t& /*value*/) override { return isNoItem(); }
    bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
    bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return number(value); }
    bool string(string_t& value) override {
        if (isField())
            (m_key == "name"  ? m_name
             : m_key == "cat" ? m_category
             : m_key == "ph"  ? m_kind
                              : m_other) = value;
        else if (isArgument() && m_key == "name")
            m_rowName = value;
        return isNoItem();
    }
    bool key(string_t& name) override {
        if (m_depth == 1)
            m_inList = name == "traceEvents";
        m_key = name;
        return true;
    }
    bool start_object(std::size_t /*elements*/) override {
        if (isItem()) {
            m_name = m_category = m_kind = m_rowName = std::nullopt;
            m_thread = m_start = m_length = std::nullopt;
        }
        return ++m_depth <= deepest;
    }
    bool start_array(std::size_t /*elements*/) override {
        m_hasList = m_hasList || (m_inList && m_depth == 1);
        return isNoItem() && ++m_depth <= deepest;
    }
    bool end_object() override {
        --m_depth;
        return !isItem() || takeEvent();
    }
    bool end_array() override {
        --m_depth;
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const nlohmann::detail::exception& error) override {
        m_reason = Sentence(error.what());
        return false;
    }

  private:
    static constexpr int deepest = 64;
    static constexpr int itemDepth = 2;  // in the list in the whole

    [[nodiscard]] bool isItem() const { return m_inList && m_depth == itemDepth; }
    [[nodiscard]] bool isField() const { return m_inList && m_depth == itemDepth + 1; }
    [[nodiscard]] bool isArgument() const { return m_inList && m_depth == itemDepth + 2; }
    [[nodiscard]] bool isNoItem() const { return !isItem(); }

    bool number(double value) {
        if (isField())
            (m_key == "tid"   ? m_thread
             : m_key == "ts"  ? m_start
             : m_key == "dur" ? m_length
                              : m_otherNumber) = value;
        return isNoItem();
    }

    /// Takes a complete event, and the name of a row; skips the others.
    bool takeEvent() {
        constexpr double secondsOfMicrosecond = 1e-6;
        constexpr double mostThreads = 1e9;
        const bool hasRow = m_thread && std::abs(*m_thread) <= mostThreads;
        if (m_kind == "M" && m_name == "thread_name" && hasRow && m_rowName)
            m_trace.rows[static_cast<int>(*m_thread)] = *m_rowName;
        if (m_kind != "X")
            return m_kind.has_value();
        if (!m_name || !m_start || !m_length || !hasRow)
            return false;
        if (*m_length < 0) {
            m_reason = sentence("an event ends before it begins");
            return false;
        }
        m_trace.spans.push_back({.name = *m_name,
                                 .category = m_category.value_or(""),
                                 .thread = static_cast<int>(*m_thread),
                                 .start = *m_start * secondsOfMicrosecond,
                                 .seconds = *m_length * secondsOfMicrosecond});
        requireWithin(Limit::TraceSpans, m_trace.spans.size(), {});
        return true;
    }

    int m_depth = 0;
    bool m_inList = false;
    bool m_hasList = false;
    std::string m_key;
    // of the event being read
    std::optional<std::string> m_name;
    std::optional<std::string> m_category;
    std::optional<std::string> m_kind;
    std::optional<std::string> m_rowName;
    std::optional<std::string> m_other;
    std::optional<double> m_thread;
    std::optional<double> m_start;
    std::optional<double> m_length;
    std::optional<double> m_otherNumber;
    Sentence m_reason;
    ChromeTrace m_trace;
};

}  // namespace

Trace::Span::Span(Trace* trace, std::string name, std::string category)
    : m_trace(trace), m_name(std::move(name)), m_category(std::move(category)), m_start(Clock::now()) {}

Trace::Span::Span(Span&& other) noexcept
    : m_trace(std::exchange(other.m_trace, nullptr)),
      m_name(std::move(other.m_name)),
      m_category(std::move(other.m_category)),
      m_numbers(std::move(other.m_numbers)),
      m_start(other.m_start) {}

Trace::Span& Trace::Span::operator=(Span&& other) noexcept {
    if (this != &other) {
        end();
        m_trace = std::exchange(other.m_trace, nullptr);
        m_name = std::move(other.m_name);
        m_category = std::move(other.m_category);
        m_numbers = std::move(other.m_numbers);
        m_start = other.m_start;
    }
    return *this;
}

Trace::Span::~Span() {
    end();
}

void Trace::Span::tell(std::string name, double number) {
    if (m_trace != nullptr)
        m_numbers.emplace_back(std::move(name), number);
}

void Trace::Span::end() {
    if (Trace* trace = std::exchange(m_trace, nullptr))
        trace->record(*this);
}

Trace::DeviceRow::DeviceRow(Trace* trace, int device) : m_trace(trace) {
    if (m_trace == nullptr)
        return;
    const std::lock_guard lock(m_trace->m_mutex);
    m_trace->m_devices[std::this_thread::get_id()] = device;
}

Trace::DeviceRow::~DeviceRow() {
    if (m_trace == nullptr)
        return;
    const std::lock_guard lock(m_trace->m_mutex);
    m_trace->m_devices.erase(std::this_thread::get_id());
}

Trace::Trace(std::string process) : m_process(std::move(process)), m_origin(Clock::now()) {}

Trace::Span Trace::span(std::string name, std::string category) {
    return {this, std::move(name), std::move(category)};
}

void Trace::record(Span& span) {
    const Clock::time_point end = Clock::now();
    const std::lock_guard lock(m_mutex);
    m_events.push_back({.name = std::move(span.m_name),
                        .category = std::move(span.m_category),
                        .numbers = std::move(span.m_numbers),
                        .start = span.m_start - m_origin,
                        .length = end - span.m_start,
                        .row = rowOfThisThread()});
}

Trace::Row Trace::rowOfThisThread() {
    const std::thread::id self = std::this_thread::get_id();
    if (const auto device = m_devices.find(self); device != m_devices.end())
        return {.isDevice = true, .number = device->second};
    const auto next = static_cast<int>(m_threads.size());
    return {.isDevice = false, .number = m_threads.try_emplace(self, next).first->second};
}

std::string Trace::chromeJson() const {
    std::vector<Event> events;
    {
        const std::lock_guard lock(m_mutex);
        events = m_events;
    }
    std::ranges::stable_sort(events, {}, &Event::start);
    std::set<Row> rows;
    int devices = 0;
    for (const Event& event : events) {
        rows.insert(event.row);
        if (event.row.isDevice)
            devices = std::max(devices, event.row.number + 1);
    }
    const auto idOf = [devices](const Row& row) { return row.isDevice ? row.number : devices + row.number; };
    auto list = nlohmann::json::array({nameEvent("process_name", 0, m_process)});
    for (const Row& row : rows)
        list.push_back(nameEvent("thread_name", idOf(row),
                                 fmt::format("{} {}", row.isDevice ? "device" : "thread", row.number)));
    for (const Event& event : events) {
        list.push_back({{"name", event.name},
                        {"cat", event.category},
                        {"ph", "X"},
                        {"ts", microseconds(event.start)},
                        {"dur", microseconds(event.length)},
                        {"pid", processId},
                        {"tid", idOf(event.row)}});
        for (const auto& [name, number] : event.numbers)
            list.back()["args"][name] = number;
    }
    return nlohmann::json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(list)}}.dump();
}

Trace::Span traceSpan(Trace* trace, std::string_view name, std::string_view category) {
    return trace ? trace->span(std::string(name), std::string(category)) : Trace::Span();
}

std::vector<TracedSpan> parseChromeTrace(std::string_view text) {
    return readChromeTrace(text).spans;
}

ChromeTrace readChromeTrace(std::string_view text) {
    return TraceReader().read(text);
}

}  // namespace meshreel
