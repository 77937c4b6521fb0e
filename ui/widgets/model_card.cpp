// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/model_card.h"

#include <QLocale>

#include "engine/base/paths.h"
#include "engine/catalogue/model_library.h"
#include "ui/controller/run_news.h"
#include "ui/theme/look.h"

namespace meshreel {

ModelCard::ModelCard(QWidget* parent) : QTextBrowser(parent) {
    setOpenExternalLinks(true);
    setFrameShape(QFrame::NoFrame);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);  // paths are long
    setAccessibleName(tr("Model card"));
    document()->setDocumentMargin(panelMargin);
}

void ModelCard::showModel(const QString& nameOrPath) {
    if (nameOrPath == m_shown)
        return;
    m_shown = nameOrPath;
    try {
        const ModelInfo model = describeModel(findModel(nameOrPath.toStdString()));
        const QString facts = tr("%1, %2 of weights", "folder and size")
                                  .arg(QString::fromStdString(withTilde(model.folder)),
                                       QLocale().formattedDataSize(static_cast<qint64>(model.bytes)));
        const QString card =
            model.card.empty() ? tr("This model has no card.") : QString::fromStdString(model.card);
        setMarkdown(card + QStringLiteral("\n\n---\n\n*") + facts.toHtmlEscaped() + QLatin1Char('*'));
    } catch (...) {
        const Trouble trouble = Trouble::ofCurrentException();
        setPlainText(trouble.message + QStringLiteral("\n\n") + trouble.hint);
    }
}

}  // namespace meshreel
