// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/closing_question.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace meshreel {

namespace {

struct ClosingQuestion {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ClosingQuestion)
};

struct Words {
    QString title;
    QString question;
};

std::optional<Words> wordsFor(EngineWork work) {
    switch (work) {
        case EngineWork::Run:
            return Words{ClosingQuestion::tr("A run is going on"),
                         ClosingQuestion::tr("Stop the run and quit? Steps that are done are kept; the Runs "
                                             "panel goes on from them.")};
        case EngineWork::BlockSizes:
            return Words{
                ClosingQuestion::tr("Block sizes are being timed"),
                ClosingQuestion::tr("Stop the search and quit? What it has found so far would be lost.")};
        case EngineWork::Sweep:
            return Words{
                ClosingQuestion::tr("A sweep is going on"),
                ClosingQuestion::tr(
                    "Stop the sweep and quit? Passes that are done are kept; opened again, it goes on.")};
        case EngineWork::Measurement:
            break;
    }
    return {};
}

}  // namespace

bool mayBeStopped(EngineWork work, QWidget* window) {
    const std::optional<Words> words = wordsFor(work);
    if (!words)
        return true;
    QMessageBox box(QMessageBox::Question, words->title, words->question, QMessageBox::NoButton, window);
    const QPushButton* stop =
        box.addButton(ClosingQuestion::tr("Stop and quit"), QMessageBox::DestructiveRole);
    QPushButton* keep = box.addButton(ClosingQuestion::tr("Keep running"), QMessageBox::AcceptRole);
    box.setDefaultButton(keep);  // Enter must not end the work of hours
    box.setEscapeButton(keep);
    box.exec();
    return box.clickedButton() == stop;
}

}  // namespace meshreel
