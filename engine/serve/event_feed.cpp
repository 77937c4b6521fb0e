// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/event_feed.h"

#include <utility>
#include <variant>

#include "engine/base/overloaded.h"

namespace meshreel {
namespace {

/// The line of an event for clients: where files lie here is nothing to them.
std::optional<std::string> lineForClients(const RunEvent& event) {
    return std::visit(Overloaded{[](const FolderReady&) { return std::optional<std::string>(); },
                                 [](const VideoWritten&) { return std::optional<std::string>(); },
                                 [](const Preview&) { return std::optional<std::string>(); },
                                 [](const DecodedFrames&) { return std::optional<std::string>(); },
                                 [](const RunOutcome& outcome) {
                                     return eventLine(RunOutcome{.nothingToDo = outcome.nothingToDo,
                                                                 .note = outcome.note,
                                                                 .timings = outcome.timings});
                                 },
                                 [&event](const auto&) { return eventLine(event); }},
                      event);
}

}  // namespace

EventFeed::Story& EventFeed::storyOf(const std::string& run) {
    const auto [place, isNew] = m_stories.try_emplace(run);
    if (isNew) {
        m_order.push_back(run);
        if (m_order.size() > mostRuns) {
            m_stories.erase(m_order.front());
            m_order.pop_front();
        }
    }
    return place->second;
}

void EventFeed::add(const std::string& run, const RunEvent& event) {
    std::optional<std::string> line = lineForClients(event);
    const auto* const ready = std::get_if<FolderReady>(&event);
    if (!line && ready == nullptr)
        return;
    const auto* const progress = std::get_if<Progress>(&event);
    const std::scoped_lock lock(m_mutex);
    Story& story = storyOf(run);
    if (ready != nullptr)
        story.folder = (ready->folder / "").string();
    if (!line)
        return;
    if (!story.folder.empty())
        for (std::size_t at = line->find(story.folder); at != std::string::npos;
             at = line->find(story.folder, at))
            line->erase(at, story.folder.size());
    if (story.hasEnded) {  // it is run again
        story.hasEnded = false;
        story.fraction = 0;
    }
    if (progress != nullptr) {
        story.fraction = progress->fraction;
        if (!story.lines.empty() && story.lines.back().isProgress) {
            story.bytes -= story.lines.back().text.size();
            story.lines.pop_back();
        }
    }
    story.bytes += line->size();
    story.lines.push_back(
        {.number = story.next++, .text = std::move(*line), .isProgress = progress != nullptr});
    while (story.lines.size() > mostLines || (story.bytes > mostBytes && story.lines.size() > 1)) {
        story.bytes -= story.lines.front().text.size();
        story.lines.pop_front();
    }
    story.hasEnded = std::holds_alternative<RunOutcome>(event) || std::holds_alternative<RunFailed>(event);
    m_news.notify_all();
}

EventFeed::News EventFeed::wait(const std::string& run, std::uint64_t from,
                                std::chrono::milliseconds patience) {
    std::unique_lock lock(m_mutex);
    const auto hasNews = [&] {
        const auto story = m_stories.find(run);
        return m_isClosed ||
               (story != m_stories.end() && (story->second.next > from || story->second.hasEnded));
    };
    m_news.wait_for(lock, patience, hasNews);
    News news{.lines = {}, .next = from, .hasEnded = m_isClosed};
    const auto story = m_stories.find(run);
    if (story == m_stories.end())
        return news;
    for (const Line& line : story->second.lines)
        if (line.number >= from)
            news.lines.push_back(line.text);
    news.next = story->second.next;
    news.hasEnded = news.hasEnded || story->second.hasEnded;
    return news;
}

std::optional<double> EventFeed::progress(const std::string& run) const {
    const std::scoped_lock lock(m_mutex);
    const auto story = m_stories.find(run);
    return story == m_stories.end() ? std::nullopt : std::optional(story->second.fraction);
}

void EventFeed::close() {
    const std::scoped_lock lock(m_mutex);
    m_isClosed = true;
    m_news.notify_all();
}

}  // namespace meshreel
