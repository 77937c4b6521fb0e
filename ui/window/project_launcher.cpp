// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/project_launcher.h"

#include "engine/project/project_keys.h"
#include "ui/models/project_document.h"
#include "ui/prompts/prompt_variants.h"
#include "ui/queue/grid_dialog.h"
#include "ui/queue/run_queue.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/run_presenter.h"

namespace meshreel {

ProjectLauncher::ProjectLauncher(ProjectDocument& document, RunQueue& queue, RunPresenter& runs,
                                 MessageBanner& banner, QWidget* window)
    : QObject(window),
      m_document(document),
      m_queue(queue),
      m_runs(runs),
      m_banner(banner),
      m_window(window) {}

Project ProjectLauncher::project() const {
    Project project = m_document.runnableProject();
    if (project.name.empty())
        project.name = m_document.file().stem().string();
    return project;
}

void ProjectLauncher::run() {
    if (m_document.hasErrors())
        return;
    emit begun();
    m_runs.generate(project());
}

void ProjectLauncher::addToQueue() {
    if (m_document.hasErrors()) {
        m_banner.showNote(tr("The Problems panel tells what keeps this project from running."));
        return;
    }
    m_queue.add(project());
    emit queued();
}

void ProjectLauncher::addGridToQueue() {
    GridDialog dialog(project(), m_window);
    const ProjectKey& prompt = *findProjectKey("prompt");
    if (promptVariants(m_document.text(prompt)).size() > 1)
        dialog.setAxis(0, prompt, m_document.text(prompt));
    if (dialog.exec() != QDialog::Accepted)
        return;
    for (const Project& variant : dialog.projects())
        m_queue.add(variant);
    emit queued();
}

}  // namespace meshreel
