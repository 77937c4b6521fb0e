// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/editor_test_case.h"

#include <QLineEdit>
#include <QTest>

#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"

namespace meshreel::testing {

KeyRow& rowOf(const ProjectEditor& editor, const char* name) {
    KeyRow* row = editor.row(QLatin1String(name));
    Q_ASSERT(row != nullptr);
    return *row;
}

void type(const KeyRow& row, const QString& text) {
    auto* edit = row.field().findChild<QLineEdit*>();
    QVERIFY(edit != nullptr);
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClicks(edit, text);
}

void EditorTestCase::init() {
    m_editor.reset();
    m_document = std::make_unique<ProjectDocument>();
    Project project;
    project.prompt = "a red ball";
    m_document->adopt(project, QStringLiteral("test"));
    m_editor = std::make_unique<ProjectEditor>(*m_document);
    m_editor->setShowsAdvanced(true);
    m_editor->show();
}

}  // namespace meshreel::testing
