// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_stages.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>

#include "ui/models/run_texts.h"

namespace meshreel {

namespace {

constexpr double percentOfStage = 100;

struct StageTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunStages)
};

QString percentText(double part) {
    return StageTexts::tr("%1 %", "percentage").arg(QLocale().toString(part * percentOfStage, 'f', 0));
}

}  // namespace

RunStages::RunStages()
    : m_stages({LiveStage{Phase::Load}, LiveStage{Phase::Compile}, LiveStage{Phase::Conditioning},
                LiveStage{Phase::Denoise}, LiveStage{Phase::Decode}, LiveStage{Phase::Format}}) {}

void RunStages::add(const StageNews& news) {
    auto stage = std::ranges::find(m_stages, news.phase, &LiveStage::phase);
    switch (news.kind) {
        case StageNews::Kind::Started:
            stage->state = LiveStage::State::Going;
            for (auto before = m_stages.begin(); before != stage; ++before)
                if (before->state == LiveStage::State::Ahead)
                    before->state = LiveStage::State::PassedOver;
            break;
        case StageNews::Kind::FoundInCache:
            stage->wasInCache = true;
            break;
        case StageNews::Kind::Finished:
            stage->state = LiveStage::State::Done;
            stage->seconds = news.seconds;
            break;
    }
}

void RunStages::setProgress(const RunProgress& progress) {
    m_progress = progress;
    for (LiveStage& stage : m_stages) {
        if (stage.phase == Phase::Denoise && progress.steps > 0)
            stage.part = static_cast<double>(progress.stepsDone) / progress.steps;
        if (stage.phase == Phase::Decode)
            stage.part = progress.decoded;
    }
}

void RunStages::end() {
    for (LiveStage& stage : m_stages)
        if (stage.state == LiveStage::State::Going)
            stage.state = LiveStage::State::Stopped;
    m_progress.secondsLeft.reset();
}

QString RunStages::title(Phase phase) {
    switch (phase) {
        case Phase::Load:
            return StageTexts::tr("Load", "stage of a run, very short");
        case Phase::Compile:
            return StageTexts::tr("Compile", "stage of a run, very short");
        case Phase::Conditioning:
            return StageTexts::tr("Condition", "stage of a run, very short");
        case Phase::Denoise:
            return StageTexts::tr("Steps", "stage of a run, very short");
        case Phase::Decode:
            return StageTexts::tr("Decode", "stage of a run, very short");
        case Phase::Format:
            return StageTexts::tr("Format", "stage of a run, very short");
    }
    return {};
}

QString RunStages::value(const LiveStage& stage, double elapsed) const {
    switch (stage.state) {
        case LiveStage::State::Ahead:
            return {};
        case LiveStage::State::PassedOver:
            return QStringLiteral("–");
        case LiveStage::State::Done:
            return stage.wasInCache ? StageTexts::tr("cached", "stage of a run, very short")
                                    : shortDurationText(stage.seconds);
        case LiveStage::State::Going:
        case LiveStage::State::Stopped:
            break;
    }
    if (stage.phase == Phase::Denoise && m_progress.steps > 0)
        return StageTexts::tr("%1/%2", "steps done, steps").arg(m_progress.stepsDone).arg(m_progress.steps);
    if (stage.phase == Phase::Decode)
        return percentText(m_progress.decoded);
    return elapsed < 1 ? QString() : shortDurationText(elapsed);
}

QString RunStages::sentence(const LiveStage& stage) const {
    const QString name = title(stage.phase);
    switch (stage.state) {
        case LiveStage::State::Ahead:
            return StageTexts::tr("%1: still to come", "stage").arg(name);
        case LiveStage::State::PassedOver:
            return StageTexts::tr("%1: nothing to do", "stage").arg(name);
        case LiveStage::State::Done:
            return (stage.wasInCache
                        ? StageTexts::tr("%1: done in %2, kept from an earlier run", "stage, duration")
                        : StageTexts::tr("%1: done in %2", "stage, duration"))
                .arg(name, durationText(stage.seconds));
        case LiveStage::State::Going:
        case LiveStage::State::Stopped:
            break;
    }
    const bool goes = stage.state == LiveStage::State::Going;
    if (stage.phase == Phase::Denoise && m_progress.steps > 0)
        return (goes ? StageTexts::tr("%1: %2 of %3 done", "stage, steps")
                     : StageTexts::tr("%1: stopped after %2 of %3", "stage, steps"))
            .arg(name)
            .arg(m_progress.stepsDone)
            .arg(m_progress.steps);
    if (stage.phase == Phase::Decode)
        return (goes ? StageTexts::tr("%1: %2 done", "stage, percentage")
                     : StageTexts::tr("%1: stopped after %2", "stage, percentage"))
            .arg(name, percentText(m_progress.decoded));
    return (goes ? StageTexts::tr("%1: going on", "stage") : StageTexts::tr("%1: stopped", "stage"))
        .arg(name);
}

QStringList RunStages::sentences() const {
    QStringList all;
    for (const LiveStage& stage : m_stages)
        all += sentence(stage);
    if (m_progress.secondsLeft)
        all += StageTexts::tr("About %1 left", "duration").arg(durationText(*m_progress.secondsLeft));
    return all;
}

}  // namespace meshreel
