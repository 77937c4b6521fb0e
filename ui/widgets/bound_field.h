// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace meshreel {

class KeyField;
class ProjectDocument;
struct ProjectKey;

/// A setting outside the form: its title above its field, following the document and changing it. Red with
/// the reason as tool tip while something is wrong with it.
class BoundField : public QWidget {
    Q_OBJECT

  public:
    /// `title` stands in for the key's where that would be too long.
    BoundField(ProjectDocument& document, const ProjectKey& key, const QString& title, QWidget* parent);

    [[nodiscard]] KeyField& field() const { return *m_field; }

  private:
    void refresh();

    ProjectDocument& m_document;
    const ProjectKey& m_key;
    KeyField* m_field;
};

}  // namespace meshreel
