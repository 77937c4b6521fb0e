// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>
#include <functional>
#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/settings/key_field.h"

class QPushButton;
class QVBoxLayout;

namespace meshreel {

/// The adapters of a project, a line each: whether it is used, its file, how strongly it works, for which
/// expert. Below it the words that call it.
class AdapterField : public KeyField {
    Q_OBJECT

  public:
    AdapterField(const ProjectKey& key, QWidget* parent);

    [[nodiscard]] QString text() const override;
    void setText(const QString& text) override;
    /// Adds files as if they had been chosen in the dialog.
    void add(const QStringList& files);

  signals:
    /// A trigger word of an adapter was clicked.
    void wordTaken(const QString& word);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void choose();
    void rebuild();
    QWidget* makeLine(std::size_t index);
    QWidget* makeSwitch(std::size_t index, QWidget* line);
    QWidget* makeStrength(std::size_t index, QWidget* line);
    QWidget* makeExpert(std::size_t index, QWidget* line);
    /// The signal to emit: edited() or chosen().
    using Told = void (KeyField::*)(const QString& text);
    void changeOne(std::size_t index, Told told, const std::function<void(LoraChoice&)>& set);
    void change(Told told, LoraList adapters);

    const ProjectKey& m_key;
    LoraList m_adapters;
    QVBoxLayout* m_lines;
    QPushButton* m_add;
    std::vector<QWidget*> m_widgets;     ///< the lines
    QHash<QString, double> m_strengths;  ///< by file, of those that were switched off
};

}  // namespace meshreel
