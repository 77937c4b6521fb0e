// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTemporaryDir>
#include <memory>

#include "ui/project/project_document.h"
#include "ui/settings/project_editor.h"

namespace meshreel::testing {

KeyRow& rowOf(const ProjectEditor& editor, const char* name);

/// Types into the field as a person does.
void type(const KeyRow& row, const QString& text);

/// Tests of a project in the form. Each begins with a project of a prompt and with every setting in sight.
class EditorTestCase : public QObject {
    Q_OBJECT

  private slots:
    void init();

  protected:
    std::unique_ptr<ProjectDocument> m_document;
    std::unique_ptr<ProjectEditor> m_editor;
    QTemporaryDir m_folder;
};

}  // namespace meshreel::testing
