// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_times.h"

#include <utility>

#include "engine/base/problem.h"
#include "engine/estimates/prediction.h"
#include "engine/planning/forecast.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/queue/queued_run.h"
#include "ui/project/plan_watch.h"
#include "ui/queue/run_queue.h"

namespace meshreel {

namespace {

constexpr int settleMilliseconds = 200;  ///< behind a change; a grid is many

/// What its time depends on.
std::string timedPart(Project project) {
    project.name.clear();
    project.prompt = "-";
    if (!project.negativePrompt.empty())
        project.negativePrompt = "-";  // attention guidance acts where there is one
    project.seed = {};
    return resolvedYaml(project);
}

}  // namespace

QueueTimes::QueueTimes(RunQueue& queue, QObject* parent) : QObject(parent), m_queue(queue) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(settleMilliseconds);
    connect(&m_queue, &RunQueue::changed, &m_pause, qOverload<>(&QTimer::start));
    connect(&m_pause, &QTimer::timeout, this, &QueueTimes::ask);
}

void QueueTimes::setBasis(std::shared_ptr<const PredictionBasis> basis) {
    m_basis = std::move(basis);
    m_known.clear();
    m_pause.start();
}

void QueueTimes::ask() {
    std::vector<Project> waiting;
    for (int row = 0; row < m_queue.rowCount(); ++row)
        if (m_queue.at(row).state == QueuedRun::State::Waiting)
            waiting.push_back(m_queue.at(row).project);
    m_predicting.run(
        [waiting = std::move(waiting), basis = m_basis, known = m_known]() mutable {
            const std::shared_ptr<OpenedFiles> files = noOpenedFiles();
            std::optional<double> total = waiting.empty() ? std::nullopt : std::optional(0.0);
            for (const Project& project : waiting) {
                const auto [place, isNew] = known.try_emplace(timedPart(project));
                if (isNew && basis != nullptr)
                    if (const auto prediction = makeForecast(project, {.basis = basis}, *files).prediction)
                        place->second = prediction->total.seconds;
                total = total && place->second ? std::optional(*total + *place->second) : std::nullopt;
            }
            return std::pair(std::move(known), total);
        },
        [this](std::pair<Known, std::optional<double>> predicted) {
            m_known = std::move(predicted.first);
            if (std::exchange(m_total, predicted.second) != predicted.second)
                emit changed();
        },
        [](const Problem&) {});  // what a run lacks is reported when its turn comes
}

}  // namespace meshreel

#include "moc_queue_times.cpp"
