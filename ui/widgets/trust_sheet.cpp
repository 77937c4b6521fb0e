// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/trust_sheet.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QString>
#include <QStringList>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/runs/run_folder.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

struct TrustSheet {
    Q_DECLARE_TR_FUNCTIONS(meshreel::TrustSheet)
};

/// More would not fit a screen.
constexpr std::size_t mostShown = 12;

QString listed(const TrustQuestion& question) {
    QStringList lines;
    for (const Problem& problem : trustProblems(question)) {
        if (static_cast<std::size_t>(lines.size()) == mostShown) {
            lines += TrustSheet::tr("… and %1 more.").arg(question.paths.size() - mostShown);
            break;
        }
        lines += QStringLiteral("• ") + sentenceText(problem.message);
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

bool mayTrust(const TrustQuestion& question, QWidget* window) {
    if (question.empty())
        return true;
    QMessageBox sheet(
        QMessageBox::Warning, TrustSheet::tr("A project from someone else?"),
        TrustSheet::tr("This project uses what lies outside it:") + QStringLiteral("\n\n") + listed(question),
        QMessageBox::NoButton, window);
    sheet.setObjectName(QStringLiteral("trustSheet"));
    sheet.setTextFormat(Qt::PlainText);
    sheet.setInformativeText(asPlainText(
        question.folder.empty()
            ? TrustSheet::tr("Use it only if you know who wrote it.")
            : TrustSheet::tr("Use it only if you know who wrote it. Projects of the folder %1 are then used "
                             "without a question.")
                  .arg(QString::fromStdString(visibleText(withTilde(question.folder))))));
    const QPushButton* agree = sheet.addButton(TrustSheet::tr("Use it"), QMessageBox::AcceptRole);
    QPushButton* refuse = sheet.addButton(TrustSheet::tr("Don't use it"), QMessageBox::RejectRole);
    sheet.setDefaultButton(refuse);  // Enter must not agree
    sheet.setEscapeButton(refuse);
    sheet.exec();
    if (sheet.clickedButton() != agree)
        return false;
    try {
        if (!question.folder.empty())
            trustFolder(question.folder);
    } catch (const Error&) {
        return true;  // it is asked again next time
    }
    return true;
}

bool mayTrustRun(const QString& folder, QWidget* window) {
    try {
        const RunFolder run = RunFolder::open(folder.toStdString());
        return mayTrust(askTrust(run.project(), run.path(), ProjectSource::Elsewhere), window);
    } catch (const Error&) {
        return true;
    }
}

}  // namespace meshreel
