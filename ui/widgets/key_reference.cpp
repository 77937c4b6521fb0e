// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/key_reference.h"

#include <QTextDocument>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/theme/look.h"

namespace meshreel {

KeyReference::KeyReference(QWidget* parent) : QTextBrowser(parent) {
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Reference of the project keys"));
    document()->setDocumentMargin(panelMargin);
    // The first line tells programmers how the page is made.
    const auto say = [](const Sentence& sentence) { return sentenceText(sentence).toStdString(); };
    QString page = QString::fromStdString(keysMarkdown(say));
    page.remove(0, page.indexOf(QLatin1Char('#')));
    setMarkdown(page);
}

void KeyReference::showKey(const QString& name) {
    const QTextCursor found = document()->find(name + QStringLiteral(" ("));
    if (found.isNull())
        return;
    moveCursor(QTextCursor::End);  // so that what is found comes to stand at the top
    QTextCursor mark = document()->find(name, found.selectionStart());
    setTextCursor(mark);
    ensureCursorVisible();
}

}  // namespace meshreel
