// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/run_notices.h"

#include <QFileInfo>
#include <QWidget>
#include <optional>

#include "engine/base/problem.h"
#include "ui/running/desktop_session.h"
#include "ui/running/event_queue.h"
#include "ui/running/run_controller.h"
#include "ui/values/engine_texts.h"
#include "ui/values/engine_use.h"

namespace meshreel {

namespace {

QString reasonFor(EngineWork work) {
    switch (work) {
        case EngineWork::Run:
            return RunNotices::tr("A video is being generated");
        case EngineWork::BlockSizes:
            return RunNotices::tr("Block sizes are being timed");
        case EngineWork::Sweep:
            return RunNotices::tr("A sweep is being timed");
        case EngineWork::Benchmark:
            return RunNotices::tr("A benchmark is being measured");
        case EngineWork::Measurement:
            return RunNotices::tr("This machine is being measured");
    }
    return {};
}

}  // namespace

RunNotices::RunNotices(const EngineUse& engine, const RunController& controller, QWidget* window)
    : QObject(window), m_engine(engine), m_desktop(new DesktopSession(this)), m_window(window) {
    connect(&engine, &EngineUse::changed, this, &RunNotices::keepAwake);
    connect(&controller, &RunController::finished, this, [this](const RunFinished& outcome) {
        tell(tr("The video is done"), QFileInfo(outcome.folder).fileName());
    });
    connect(&controller, &RunController::failed, this,
            [this](const Problem& problem) { tell(tr("The run failed"), sentenceText(problem.message)); });
}

void RunNotices::keepAwake() {
    if (const std::optional<EngineWork> work = m_engine.atHand())
        m_desktop->keepAwake(reasonFor(*work));
    else
        m_desktop->allowSleep();
}

void RunNotices::tell(const QString& title, const QString& text) {
    if (!m_window->isActiveWindow())
        m_desktop->notify(title, text);
}

}  // namespace meshreel

#include "moc_run_notices.cpp"
